@group(0) @binding(3) var<storage, read_write> bias: array<vec4<f32>>; // [columns / 4]
fn start(column: u32) -> vec4<f32> {
    return bias[column];
}
