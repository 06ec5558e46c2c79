// Softmax of each row in place, over the keys that its query sees; an invocation a row, since rows are
// many and barriers dear.
@group(0) @binding(0) var<storage, read_write> weights: array<f32>; // [rows, m]
@group(0) @binding(1) var<uniform> info: vec4<u32>; // rows, m, n, whether causal

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.x;
    let m = info.y;
    let n = info.z;
    if row >= info.x {
        return;
    }
    let start = row * m;
    let visible = select(m, m - n + row % n + 1u, info.w == 1u);
    var largest = weights[start];
    for (var j = 1u; j < visible; j++) {
        largest = max(largest, weights[start + j]);
    }
    var sum = 0.0;
    for (var j = 0u; j < visible; j++) {
        let exponential = exp(weights[start + j] - largest);
        weights[start + j] = exponential;
        sum += exponential;
    }
    for (var j = 0u; j < visible; j++) {
        weights[start + j] /= sum;
    }
    for (var j = visible; j < m; j++) {
        weights[start + j] = 0.0;
    }
}
