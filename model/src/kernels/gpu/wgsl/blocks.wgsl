// x·Wᵀ for weights in blocks: `weight = scale·code + offset`. An invocation makes the rows of its tile in one column.
@group(0) @binding(0) var<storage, read_write> x: array<vec4<f32>>; // [rows, inner / 4]
@group(0) @binding(1) var<storage, read_write> codes: array<u32>; // [columns, words]
@group(0) @binding(2) var<storage, read_write> levels: array<f32>; // scales, then offsets: [columns, blocks] each
@group(0) @binding(3) var<storage, read_write> result: array<f32>; // [rows, columns]
@group(0) @binding(4) var<uniform> info: vec4<u32>; // rows, inner / 4, columns, 1 if there are offsets

{{ coding }}

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
    let blocks = inner / vectors;
    // Rows past the last repeat it and are not written.
    each row: let x{r} = min(row + {r}u, rows - 1u) * inner;
    each row: var sum{r} = 0.0;
    for (var b = 0u; b < blocks; b++) {
        let block = column * blocks + b;
        let scale = levels[block];
        var offset = 0.0;
        if info.w == 1u {
            offset = levels[columns * blocks + block];
        }
        for (var i = 0u; i < vectors; i++) {
            let weight = scale * code(block, i) + offset;
            let k = b * vectors + i;
            each row: sum{r} += dot(x[x{r} + k], weight);
        }
    }
    each row: if row + {r}u < rows { result[(row + {r}u) * columns + column] = sum{r}; }
}
