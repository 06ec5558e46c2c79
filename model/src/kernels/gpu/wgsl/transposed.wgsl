// x·Tᵀ for a table whose rows are the columns of the result. Each invocation makes 4 rows by 4 columns.
@group(0) @binding(0) var<storage, read_write> x: array<vec4<f32>>; // [rows, inner / 4]
@group(0) @binding(1) var<storage, read_write> table: array<vec4<f32>>; // [columns, inner / 4]
@group(0) @binding(2) var<storage, read_write> result: array<f32>; // [rows, columns]
@group(0) @binding(3) var<uniform> info: vec4<u32>; // rows, inner / 4, columns

@compute @workgroup_size(16, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let rows = info.x;
    let inner = info.y;
    let columns = info.z;
    let column = id.x * 4u;
    let row = id.y * 4u;
    if column >= columns || row >= rows {
        return;
    }
    var x_at: array<u32, 4>;
    var t_at: array<u32, 4>;
    for (var i = 0u; i < 4u; i++) {
        // Those past the last repeat it and are not written.
        x_at[i] = min(row + i, rows - 1u) * inner;
        t_at[i] = min(column + i, columns - 1u) * inner;
    }
    var sum0 = vec4<f32>();
    var sum1 = vec4<f32>();
    var sum2 = vec4<f32>();
    var sum3 = vec4<f32>();
    for (var k = 0u; k < inner; k++) {
        let t0 = table[t_at[0] + k];
        let t1 = table[t_at[1] + k];
        let t2 = table[t_at[2] + k];
        let t3 = table[t_at[3] + k];
        let a0 = x[x_at[0] + k];
        let a1 = x[x_at[1] + k];
        let a2 = x[x_at[2] + k];
        let a3 = x[x_at[3] + k];
        sum0 += vec4(dot(a0, t0), dot(a0, t1), dot(a0, t2), dot(a0, t3));
        sum1 += vec4(dot(a1, t0), dot(a1, t1), dot(a1, t2), dot(a1, t3));
        sum2 += vec4(dot(a2, t0), dot(a2, t1), dot(a2, t2), dot(a2, t3));
        sum3 += vec4(dot(a3, t0), dot(a3, t1), dot(a3, t2), dot(a3, t3));
    }
    let sums = array(sum0, sum1, sum2, sum3);
    for (var i = 0u; i < min(4u, rows - row); i++) {
        for (var j = 0u; j < min(4u, columns - column); j++) {
            result[(row + i) * columns + column + j] = sums[i][j];
        }
    }
}
