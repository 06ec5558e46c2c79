// The number of vectors in a block.
const vectors = 8u;

// The vector `i` of a block's codes, signed bytes.
fn code(block: u32, i: u32) -> vec4<f32> {
    let word = bitcast<i32>(codes[block * vectors + i]);
    return vec4<f32>(vec4<i32>(word << 24u, word << 16u, word << 8u, word) >> vec4<u32>(24u));
}
