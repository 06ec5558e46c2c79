// silu(gate) ⊙ up.
@group(0) @binding(0) var<storage, read_write> gate: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> up: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4<f32>>;
@group(0) @binding(3) var<uniform> info: vec4<u32>; // values / 4, invocations in a line

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let index = id.y * info.y + id.x;
    if index < info.x {
        let g = gate[index];
        result[index] = g / (1.0 + exp(-g)) * up[index];
    }
}
