// Weights of 16 bits as f32, four in each invocation.
@group(0) @binding(0) var<storage, read_write> words: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> result: array<vec4<f32>>;
@group(0) @binding(2) var<uniform> info: vec4<u32>; // vectors in all, invocations in a line

{{ half }}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let index = id.y * info.y + id.x;
    if index >= info.x {
        return;
    }
    result[index] = widened(words[index]);
}
