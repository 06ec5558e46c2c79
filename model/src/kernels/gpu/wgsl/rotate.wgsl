// RoPE: an invocation turns a pair of dimensions of a head.
@group(0) @binding(0) var<storage, read_write> x: array<f32>; // [batch * length, heads * d_k]
@group(0) @binding(1) var<storage, read_write> cosine: array<f32>; // [length, d_k]
@group(0) @binding(2) var<storage, read_write> sine: array<f32>; // [length, d_k]
@group(0) @binding(3) var<storage, read_write> result: array<f32>; // as x
struct Info {
    pairs: u32, // of the whole tensor
    heads: u32,
    half: u32, // d_k / 2
    length: u32,
    line: u32, // invocations in a line
    unused: u32,
    unused_too: vec2<u32>,
}
@group(0) @binding(4) var<uniform> info: Info;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let index = id.y * info.line + id.x;
    if index >= info.pairs {
        return;
    }
    let half = info.half;
    let head = index / half;
    let pair = index % half;
    let angle = head / info.heads % info.length * 2u * half + pair;
    let at = head * 2u * half + pair;
    let first = x[at];
    let second = x[at + half];
    result[at] = first * cosine[angle] - second * sine[angle];
    result[at + half] = second * cosine[angle + half] + first * sine[angle + half];
}
