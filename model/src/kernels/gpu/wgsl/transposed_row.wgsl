// x·Tᵀ for few rows, as in decoding: sixteen invocations share each scalar product, so that they read
// a row of the table side by side.
@group(0) @binding(0) var<storage, read_write> x: array<vec4<f32>>; // [rows, inner / 4]
@group(0) @binding(1) var<storage, read_write> table: array<vec4<f32>>; // [columns, inner / 4]
@group(0) @binding(2) var<storage, read_write> result: array<f32>; // [rows, columns]
@group(0) @binding(3) var<uniform> info: vec4<u32>; // rows, inner / 4, columns

const LANES = 16u;
var<workgroup> sums: array<f32, 256>;

@compute @workgroup_size(16, 16)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let inner = info.y;
    let columns = info.z;
    let column = group.x * 16u + local.y;
    let row = group.y;
    var sum = 0.0;
    if column < columns {
        for (var k = local.x; k < inner; k += LANES) {
            sum += dot(x[row * inner + k], table[column * inner + k]);
        }
    }
    let place = local.y * LANES + local.x;
    sums[place] = sum;
    for (var half = LANES / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if local.x < half {
            sums[place] += sums[place + half];
        }
    }
    if local.x == 0u && column < columns {
        result[row * columns + column] = sums[place];
    }
}
