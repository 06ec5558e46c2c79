// QKᵀ/√d_k of every head. Each invocation makes 4 queries by 4 keys.
@group(0) @binding(0) var<storage, read_write> query: array<vec4<f32>>; // [batch, n, heads * d_k / 4]
@group(0) @binding(1) var<storage, read_write> key: array<vec4<f32>>; // [batch, m, groups * d_k / 4]
@group(0) @binding(2) var<storage, read_write> scores: array<f32>; // [batch, heads, n, m]
struct Info {
    n: u32,
    m: u32,
    heads: u32,
    groups: u32,
    d_k: u32, // a quarter of it
    scale: u32, // the bits of an f32
    unused: vec2<u32>,
}
@group(0) @binding(3) var<uniform> info: Info;

@compute @workgroup_size(16, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = info.n;
    let m = info.m;
    let k_first = id.x * 4u;
    let q_first = id.y * 4u;
    if k_first >= m || q_first >= n {
        return;
    }
    let sequence = id.z / info.heads;
    let head = id.z % info.heads;
    let group = head * info.groups / info.heads;
    let q_width = info.heads * info.d_k;
    let k_width = info.groups * info.d_k;
    var q_at: array<u32, 4>;
    var k_at: array<u32, 4>;
    for (var i = 0u; i < 4u; i++) {
        // Those past the last repeat it and are not written.
        q_at[i] = (sequence * n + min(q_first + i, n - 1u)) * q_width + head * info.d_k;
        k_at[i] = (sequence * m + min(k_first + i, m - 1u)) * k_width + group * info.d_k;
    }
    var sums: array<vec4<f32>, 4>;
    for (var d = 0u; d < info.d_k; d++) {
        let k0 = key[k_at[0] + d];
        let k1 = key[k_at[1] + d];
        let k2 = key[k_at[2] + d];
        let k3 = key[k_at[3] + d];
        for (var i = 0u; i < 4u; i++) {
            let q = query[q_at[i] + d];
            sums[i] += vec4(dot(q, k0), dot(q, k1), dot(q, k2), dot(q, k3));
        }
    }
    let scale = bitcast<f32>(info.scale);
    for (var i = 0u; i < min(4u, n - q_first); i++) {
        for (var j = 0u; j < min(4u, m - k_first); j++) {
            scores[(id.z * n + q_first + i) * m + k_first + j] = sums[i][j] * scale;
        }
    }
}
