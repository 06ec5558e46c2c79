// The values weighted and summed, every head's beside the next one's. Each invocation makes 4 rows by
// 4 columns of a head.
@group(0) @binding(0) var<storage, read_write> weights: array<f32>; // [batch, heads, n, m]
@group(0) @binding(1) var<storage, read_write> value: array<vec4<f32>>; // [batch, m, groups * d_k / 4]
@group(0) @binding(2) var<storage, read_write> result: array<vec4<f32>>; // [batch, n, heads * d_k / 4]
struct Info {
    n: u32,
    m: u32,
    heads: u32,
    groups: u32,
    d_k: u32, // a quarter of it
    unused: u32,
    unused_too: vec2<u32>,
}
@group(0) @binding(3) var<uniform> info: Info;

@compute @workgroup_size(16, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = info.n;
    let m = info.m;
    let column = id.x;
    let first = id.y * 4u;
    if column >= info.d_k || first >= n {
        return;
    }
    let sequence = id.z / info.heads;
    let head = id.z % info.heads;
    let group = head * info.groups / info.heads;
    let width = info.groups * info.d_k;
    var w_at: array<u32, 4>;
    for (var i = 0u; i < 4u; i++) {
        // Rows past the last repeat it and are not written.
        w_at[i] = (id.z * n + min(first + i, n - 1u)) * m;
    }
    var v_at = sequence * m * width + group * info.d_k + column;
    var sums: array<vec4<f32>, 4>;
    for (var j = 0u; j < m; j++) {
        let v = value[v_at];
        v_at += width;
        sums[0] += weights[w_at[0] + j] * v;
        sums[1] += weights[w_at[1] + j] * v;
        sums[2] += weights[w_at[2] + j] * v;
        sums[3] += weights[w_at[3] + j] * v;
    }
    for (var i = 0u; i < min(4u, n - first); i++) {
        let row = (sequence * n + first + i) * info.heads + head;
        result[row * info.d_k + column] = sums[i];
    }
}
