// QKᵀ/√d_k of every head. Each invocation makes 8 queries by 4 keys.
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
    causal: u32,
    unused: u32,
}
@group(0) @binding(3) var<uniform> info: Info;

@compute @workgroup_size(16, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = info.n;
    let m = info.m;
    let row = id.y * 8u;
    let column = id.x * 4u;
    if row >= n || column >= m {
        return;
    }
    // What none of these queries sees, softmax overwrites.
    if info.causal == 1u && column > m - n + row + 7u {
        return;
    }
    let sequence = id.z / info.heads;
    let head = id.z % info.heads;
    let group = head * info.groups / info.heads;
    let q_width = info.heads * info.d_k;
    let k_width = info.groups * info.d_k;
    // Those past the last repeat it and are not written.
    each row: let q{r} = (sequence * n + min(row + {r}u, n - 1u)) * q_width + head * info.d_k;
    each column: let k{c} = (sequence * m + min(column + {c}u, m - 1u)) * k_width + group * info.d_k;
    each pair: var sum{r}_{c} = 0.0;
    for (var d = 0u; d < info.d_k; d++) {
        each column: let b{c} = key[k{c} + d];
        each row: let a{r} = query[q{r} + d];
        each pair: sum{r}_{c} += dot(a{r}, b{c});
    }
    let scale = bitcast<f32>(info.scale);
    each row: let row{r} = (id.z * n + row + {r}u) * m + column;
    each pair: if row + {r}u < n && column + {c}u < m { scores[row{r} + {c}u] = sum{r}_{c} * scale; }
}
