// x·W (+ b) for few rows, as in decoding: an invocation makes four columns of one row. Neighbours read
// the weights side by side, and nothing waits at a barrier, which software adapters pay dearly for.
@group(0) @binding(0) var<storage, read_write> x: array<vec4<f32>>; // [rows, inner / 4]
@group(0) @binding(1) var<storage, read_write> weight: array<vec4<f32>>; // [inner, columns / 4]
@group(0) @binding(2) var<storage, read_write> result: array<vec4<f32>>; // [rows, columns / 4]
{{ bias }}
@group(0) @binding({{ info_index }}) var<uniform> info: vec4<u32>; // rows, inner / 4, columns / 4

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let inner = info.y;
    let columns = info.z;
    let column = id.x;
    let row = id.y;
    if column >= columns {
        return;
    }
    var sum = start(column);
    var w = column;
    for (var k = 0u; k < inner; k++) {
        let a = x[row * inner + k];
        sum += a.x * weight[w] + a.y * weight[w + columns];
        w += 2u * columns;
        sum += a.z * weight[w] + a.w * weight[w + columns];
        w += 2u * columns;
    }
    result[row * columns + column] = sum;
}
