// x·W (+ b) for few rows, as in decoding: each workgroup makes 64 columns of one row, its sixteen lines
// of invocations sharing the inner dimension, so that a GPU has enough to do.
@group(0) @binding(0) var<storage, read_write> x: array<f32>; // [rows, inner]
@group(0) @binding(1) var<storage, read_write> weight: array<vec4<f32>>; // [inner, columns / 4]
@group(0) @binding(2) var<storage, read_write> result: array<vec4<f32>>; // [rows, columns / 4]
{{ bias_binding }}
@group(0) @binding({{ info_index }}) var<uniform> info: vec4<u32>; // rows, inner, columns / 4

const LINES = 16u;
var<workgroup> sums: array<vec4<f32>, 256>;

@compute @workgroup_size(16, 16)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let inner = info.y;
    let columns = info.z;
    let column = group.x * 16u + local.x;
    let row = group.y;
    let start = {{ start }};
    var sum = vec4<f32>();
    if column < columns {
        for (var k = local.y; k < inner; k += LINES) {
            sum += x[row * inner + k] * weight[k * columns + column];
        }
    }
    let place = local.y * 16u + local.x;
    sums[place] = sum;
    for (var half = LINES / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if local.y < half {
            sums[place] += sums[place + half * 16u];
        }
    }
    if local.y == 0u && column < columns {
        result[row * columns + column] = start + sums[place];
    }
}
