// x·W (+ b). Each invocation makes 4 rows by 4 columns, kept in registers: on a GPU the caches serve
// what neighbours share, and software adapters, whose workgroup memory is slow, lose nothing.
@group(0) @binding(0) var<storage, read_write> x: array<vec4<f32>>; // [rows, inner / 4]
@group(0) @binding(1) var<storage, read_write> weight: array<vec4<f32>>; // [inner, columns / 4]
@group(0) @binding(2) var<storage, read_write> result: array<vec4<f32>>; // [rows, columns / 4]
{{ bias_binding }}
@group(0) @binding({{ info_index }}) var<uniform> info: vec4<u32>; // rows, inner / 4, columns / 4

@compute @workgroup_size(16, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let rows = info.x;
    let inner = info.y;
    let columns = info.z;
    let column = id.x;
    let row = id.y * 4u;
    if column >= columns || row >= rows {
        return;
    }
    // Rows past the last repeat it and are not written.
    let last = rows - 1u;
    let x0 = row * inner;
    let x1 = min(row + 1u, last) * inner;
    let x2 = min(row + 2u, last) * inner;
    let x3 = min(row + 3u, last) * inner;
    let start = {{ start }};
    var sum0 = start;
    var sum1 = start;
    var sum2 = start;
    var sum3 = start;
    var w = column;
    for (var k = 0u; k < inner; k++) {
        let w0 = weight[w];
        let w1 = weight[w + columns];
        let w2 = weight[w + 2u * columns];
        let w3 = weight[w + 3u * columns];
        w += 4u * columns;
        let a0 = x[x0 + k];
        let a1 = x[x1 + k];
        let a2 = x[x2 + k];
        let a3 = x[x3 + k];
        sum0 += a0.x * w0 + a0.y * w1 + a0.z * w2 + a0.w * w3;
        sum1 += a1.x * w0 + a1.y * w1 + a1.z * w2 + a1.w * w3;
        sum2 += a2.x * w0 + a2.y * w1 + a2.z * w2 + a2.w * w3;
        sum3 += a3.x * w0 + a3.y * w1 + a3.z * w2 + a3.w * w3;
    }
    result[row * columns + column] = sum0;
    if row + 1u < rows {
        result[(row + 1u) * columns + column] = sum1;
    }
    if row + 2u < rows {
        result[(row + 2u) * columns + column] = sum2;
    }
    if row + 3u < rows {
        result[(row + 3u) * columns + column] = sum3;
    }
}
