// x·Wᵀ for weights of 16 bits. An invocation makes the rows of its tile in one column.
@group(0) @binding(0) var<storage, read_write> x: array<vec4<f32>>; // [rows, inner / 4]
@group(0) @binding(1) var<storage, read_write> words: array<vec2<u32>>; // [columns, inner / 4]
@group(0) @binding(2) var<storage, read_write> result: array<f32>; // [rows, columns]
@group(0) @binding(3) var<uniform> info: vec4<u32>; // rows, inner / 4, columns

{{ half }}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let rows = info.x;
    let inner = info.y;
    let columns = info.z;
    let column = id.x;
    let row = id.y * {{ rows }}u;
    if column >= columns {
        return;
    }
    // Rows past the last repeat it and are not written.
    each row: let x{r} = min(row + {r}u, rows - 1u) * inner;
    each row: var sum{r} = 0.0;
    for (var k = 0u; k < inner; k++) {
        let weight = widened(words[column * inner + k]);
        each row: sum{r} += dot(x[x{r} + k], weight);
    }
    each row: if row + {r}u < rows { result[(row + {r}u) * columns + column] = sum{r}; }
}
