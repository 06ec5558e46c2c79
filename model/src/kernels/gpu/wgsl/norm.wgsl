// A normalisation of each row: layer normalisation, or RMSNorm, which subtracts no mean and adds no
// shift. A workgroup a row.
@group(0) @binding(0) var<storage, read_write> x: array<f32>; // [rows, width]
@group(0) @binding(1) var<storage, read_write> gamma: array<f32>; // [width]
@group(0) @binding(2) var<storage, read_write> result: array<f32>; // [rows, width]
{{ beta_binding }}
@group(0) @binding({{ info_index }}) var<uniform> info: vec4<u32>; // rows, width, the bits of ε

const LANES = 64u;
var<workgroup> sums: array<f32, 64>;

fn total(lane: u32, value: f32) -> f32 {
    // Nobody overwrites what another still reads.
    workgroupBarrier();
    sums[lane] = value;
    for (var half = LANES / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if lane < half {
            sums[lane] += sums[lane + half];
        }
    }
    workgroupBarrier();
    return sums[0];
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let width = info.y;
    let start = group.x * width;
    let lane = local.x;
    var mean = 0.0;
    {{ mean }}
    var squares = 0.0;
    for (var i = lane; i < width; i += LANES) {
        let difference = x[start + i] - mean;
        squares += difference * difference;
    }
    let variance = total(lane, squares) / f32(width);
    let factor = 1.0 / sqrt(variance + bitcast<f32>(info.z));
    for (var i = lane; i < width; i += LANES) {
        result[start + i] = (x[start + i] - mean) * factor * gamma[i] + {{ shift }};
    }
}
