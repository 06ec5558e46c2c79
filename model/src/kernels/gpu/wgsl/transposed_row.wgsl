// x·Tᵀ for few rows, as in decoding: an invocation makes four columns of one row.
@group(0) @binding(0) var<storage, read_write> x: array<vec4<f32>>; // [rows, inner / 4]
@group(0) @binding(1) var<storage, read_write> table: array<vec4<f32>>; // [columns, inner / 4]
@group(0) @binding(2) var<storage, read_write> result: array<f32>; // [rows, columns]
@group(0) @binding(3) var<uniform> info: vec4<u32>; // rows, inner / 4, columns

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let inner = info.y;
    let columns = info.z;
    let column = id.x * 4u;
    let row = id.y;
    if column >= columns {
        return;
    }
    // Columns past the last repeat it and are not written.
    each column: let t{c} = min(column + {c}u, columns - 1u) * inner;
    each column: var sum{c} = 0.0;
    for (var k = 0u; k < inner; k++) {
        let a = x[row * inner + k];
        each column: sum{c} += dot(a, table[t{c} + k]);
    }
    each column: if column + {c}u < columns { result[row * columns + column + {c}u] = sum{c}; }
}
