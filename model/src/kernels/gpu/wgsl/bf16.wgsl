// Four upper halves of floats of 32 bits.
fn widened(words: vec2<u32>) -> vec4<f32> {
    let low = words << vec2<u32>(16u);
    let high = words & vec2<u32>(0xffff0000u);
    return bitcast<vec4<f32>>(vec4<u32>(low.x, high.x, low.y, high.y));
}
