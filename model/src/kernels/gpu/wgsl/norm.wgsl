// A normalisation of each row: layer normalisation, or RMSNorm, which subtracts no mean and adds no
// shift. A workgroup a row. One barrier a sum, after which everyone adds up all parts: barriers are what
// software adapters pay most for.
@group(0) @binding(0) var<storage, read_write> x: array<f32>; // [rows, width]
@group(0) @binding(1) var<storage, read_write> gamma: array<f32>; // [width]
@group(0) @binding(2) var<storage, read_write> result: array<f32>; // [rows, width]
{{ beta_binding }}
@group(0) @binding({{ info_index }}) var<uniform> info: vec4<u32>; // rows, width, the bits of ε

const LANES = 16u;
var<workgroup> parts: array<f32, 16>;
{{ mean_parts }}

@compute @workgroup_size(16)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let width = info.y;
    let start = group.x * width;
    let lane = local.x;
    var mean = 0.0;
    {{ mean }}
    var part = 0.0;
    for (var i = lane; i < width; i += LANES) {
        let difference = x[start + i] - mean;
        part += difference * difference;
    }
    parts[lane] = part;
    workgroupBarrier();
    var squares = 0.0;
    for (var i = 0u; i < LANES; i++) {
        squares += parts[i];
    }
    let factor = 1.0 / sqrt(squares / f32(width) + bitcast<f32>(info.z));
    for (var i = lane; i < width; i += LANES) {
        result[start + i] = (x[start + i] - mean) * factor * gamma[i] + {{ shift }};
    }
}
