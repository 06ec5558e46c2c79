// Weights in blocks as f32: `scale·code + offset`, four in each invocation.
@group(0) @binding(0) var<storage, read_write> codes: array<u32>; // [blocks, words of a block]
@group(0) @binding(1) var<storage, read_write> levels: array<f32>; // scales, then offsets: [blocks] each
@group(0) @binding(2) var<storage, read_write> result: array<vec4<f32>>; // [blocks, vectors]
@group(0) @binding(3) var<uniform> info: vec4<u32>; // vectors in all, invocations in a line, 1 if there are offsets

{{ coding }}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let index = id.y * info.y + id.x;
    if index >= info.x {
        return;
    }
    let block = index / vectors;
    var offset = 0.0;
    if info.z == 1u {
        offset = levels[info.x / vectors + block];
    }
    result[index] = levels[block] * code(block, index % vectors) + offset;
}
