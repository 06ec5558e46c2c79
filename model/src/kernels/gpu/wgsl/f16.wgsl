// Four floats of 16 bits as in IEEE 754. `unpack2x16float` may make zero of subnormal numbers, of which weights have many.
fn widened(words: vec2<u32>) -> vec4<f32> {
    let bits = vec4<u32>(words.x & 0xffffu, words.x >> 16u, words.y & 0xffffu, words.y >> 16u);
    let magnitude = bits & vec4<u32>(0x7fffu);
    // Exponents have another bias, 112 less.
    let normal = bitcast<vec4<f32>>((magnitude << vec4<u32>(13u)) + vec4<u32>(112u << 23u));
    let subnormal = vec4<f32>(magnitude) * 5.960464477539063e-8;
    let endless = bitcast<vec4<f32>>((magnitude << vec4<u32>(13u)) | vec4<u32>(255u << 23u));
    let finite = select(normal, subnormal, magnitude < vec4<u32>(0x0400u));
    let value = select(finite, endless, magnitude >= vec4<u32>(0x7c00u));
    let sign = (bits & vec4<u32>(0x8000u)) << vec4<u32>(16u);
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(value) | sign);
}
