// The number of vectors in a block.
const vectors = 8u;

// The vector `i` of a block's codes: the lower halves of sixteen bytes, then the upper ones, each less 8.
fn code(block: u32, i: u32) -> vec4<f32> {
    let word = codes[block * 4u + i % 4u] >> (4u * (i / 4u));
    let bits = vec4<u32>(word, word >> 8u, word >> 16u, word >> 24u) & vec4<u32>(15u);
    return vec4<f32>(bits) - 8.0;
}
