// x·Tᵀ for a table whose rows are the columns of the result. Each invocation makes 8 rows by 4 columns.
@group(0) @binding(0) var<storage, read_write> x: array<vec4<f32>>; // [rows, inner / 4]
@group(0) @binding(1) var<storage, read_write> table: array<vec4<f32>>; // [columns, inner / 4]
@group(0) @binding(2) var<storage, read_write> result: array<f32>; // [rows, columns]
@group(0) @binding(3) var<uniform> info: vec4<u32>; // rows, inner / 4, columns

@compute @workgroup_size(16, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let rows = info.x;
    let inner = info.y;
    let columns = info.z;
    let row = id.y * 8u;
    let column = id.x * 4u;
    if row >= rows || column >= columns {
        return;
    }
    // Rows and columns past the last repeat it and are not written.
    each row: let x{r} = min(row + {r}u, rows - 1u) * inner;
    each column: let t{c} = min(column + {c}u, columns - 1u) * inner;
    each pair: var sum{r}_{c} = 0.0;
    for (var k = 0u; k < inner; k++) {
        each column: let b{c} = table[t{c} + k];
        each row: let a{r} = x[x{r} + k];
        each pair: sum{r}_{c} += dot(a{r}, b{c});
    }
    each row: let row{r} = (row + {r}u) * columns + column;
    each pair: if row + {r}u < rows && column + {c}u < columns { result[row{r} + {c}u] = sum{r}_{c}; }
}
