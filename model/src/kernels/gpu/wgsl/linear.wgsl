// x·W (+ b). Each invocation makes 8 rows by 2 vectors of columns, kept in registers: on a GPU the caches
// serve what neighbours share, and software adapters, whose workgroup memory is slow, lose nothing.
@group(0) @binding(0) var<storage, read_write> x: array<vec4<f32>>; // [rows, inner / 4]
@group(0) @binding(1) var<storage, read_write> weight: array<vec4<f32>>; // [inner, columns / 4]
@group(0) @binding(2) var<storage, read_write> result: array<vec4<f32>>; // [rows, columns / 4]
{{ bias }}
@group(0) @binding({{ info_index }}) var<uniform> info: vec4<u32>; // rows, inner / 4, columns / 4

@compute @workgroup_size(8, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let rows = info.x;
    let inner = info.y;
    let columns = info.z;
    let row = id.y * 8u;
    let column = id.x * 2u;
    if row >= rows || column >= columns {
        return;
    }
    // Rows and columns past the last repeat it and are not written.
    each row: let x{r} = min(row + {r}u, rows - 1u) * inner;
    each column: let column{c} = min(column + {c}u, columns - 1u);
    each pair: var sum{r}_{c} = start(column{c});
    for (var k = 0u; k < inner; k++) {
        let w = 4u * k * columns;
        each column: let w0_{c} = weight[w + column{c}];
        each column: let w1_{c} = weight[w + columns + column{c}];
        each column: let w2_{c} = weight[w + 2u * columns + column{c}];
        each column: let w3_{c} = weight[w + 3u * columns + column{c}];
        each row: let a{r} = x[x{r} + k];
        each pair: sum{r}_{c} += a{r}.x * w0_{c} + a{r}.y * w1_{c} + a{r}.z * w2_{c} + a{r}.w * w3_{c};
    }
    each row: let row{r} = (row + {r}u) * columns + column;
    each pair: if row + {r}u < rows && column + {c}u < columns { result[row{r} + {c}u] = sum{r}_{c}; }
}
