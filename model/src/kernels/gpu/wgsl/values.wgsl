// The values weighted and summed, every head's beside the next one's. Each invocation makes 8 rows by
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
    let row = id.y * 8u;
    let column = id.x;
    if row >= n || column >= info.d_k {
        return;
    }
    let sequence = id.z / info.heads;
    let head = id.z % info.heads;
    let group = head * info.groups / info.heads;
    let width = info.groups * info.d_k;
    // Rows past the last repeat it and are not written.
    each row: let w{r} = (id.z * n + min(row + {r}u, n - 1u)) * m;
    each row: var sum{r} = vec4<f32>();
    var at = sequence * m * width + group * info.d_k + column;
    for (var j = 0u; j < m; j++) {
        let v = value[at];
        at += width;
        each row: sum{r} += weights[w{r} + j] * v;
    }
    each row: if row + {r}u < n { result[((sequence * n + row + {r}u) * info.heads + head) * info.d_k + column] = sum{r}; }
}
