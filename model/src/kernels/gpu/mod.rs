//! Kernels for GPUs: the [`Cube`] backend's tensors, computed by shaders of our own.
//!
//! burn chooses its kernels for these operations by trying candidates for minutes, which a page cannot afford, or takes
//! a default that is several times slower. These shaders suit the shapes of inference and need no tuning.

mod shader;

use attention_gguf::{Coding, Half};
use burn::backend::wgpu::{CubeTensor, into_contiguous};
use burn::backend::{
    Cube, TensorMetadata,
    ops::FloatTensorOps,
    tensor::{FloatTensor, IntTensor},
};
use burn::tensor::{DType, Shape};

use super::Kernels;
use shader::{Shader, launch};

type Float = FloatTensor<Cube>;

/// The number of rows up to which a product has a separate kernel: tiles of eight rows would be mostly empty.
const FEW_ROWS: usize = 4;
/// The number of invocations in the widest line of a one-dimensional launch; a device accepts at most 65,535 workgroups
/// of 64 in a dimension.
const LINE: usize = 64 * 32_768;

const NO_BIAS: [(&str, &str); 2] = [
    ("bias", include_str!("wgsl/no_bias.wgsl")),
    ("info_index", "3"),
];
const BIAS: [(&str, &str); 2] = [
    ("bias", include_str!("wgsl/bias.wgsl")),
    ("info_index", "4"),
];

const LINEAR: Shader = Shader::new("linear", include_str!("wgsl/linear.wgsl"))
    .with_parts(&NO_BIAS)
    .with_tile(8, 2);
const LINEAR_BIAS: Shader = Shader::new("linear_bias", include_str!("wgsl/linear.wgsl"))
    .with_parts(&BIAS)
    .with_tile(8, 2);
const LINEAR_ROW: Shader =
    Shader::new("linear_row", include_str!("wgsl/linear_row.wgsl")).with_parts(&NO_BIAS);
const LINEAR_ROW_BIAS: Shader =
    Shader::new("linear_row_bias", include_str!("wgsl/linear_row.wgsl")).with_parts(&BIAS);
const TRANSPOSED: Shader =
    Shader::new("transposed", include_str!("wgsl/transposed.wgsl")).with_tile(8, 4);
const TRANSPOSED_ROW: Shader =
    Shader::new("transposed_row", include_str!("wgsl/transposed_row.wgsl")).with_tile(1, 4);
/// The shaders for matrices in blocks of one coding, or of one format of 16 bits.
struct Stored {
    /// The product with many rows.
    many: Shader,
    /// The product with few rows.
    few: Shader,
    /// The weights as f32.
    unpack: Shader,
}

/// Creates the shaders of a coding from their names and the source of its codes.
macro_rules! coded {
    ($many:literal, $few:literal, $unpack:literal, $source:literal) => {
        Stored {
            many: Shader::new($many, include_str!("wgsl/blocks.wgsl"))
                .with_parts(&[("coding", include_str!($source)), ("rows", "8")])
                .with_tile(8, 1),
            few: Shader::new($few, include_str!("wgsl/blocks.wgsl"))
                .with_parts(&[("coding", include_str!($source)), ("rows", "1")]),
            unpack: Shader::new($unpack, include_str!("wgsl/unpack.wgsl"))
                .with_parts(&[("coding", include_str!($source))]),
        }
    };
}

const NIBBLES: Stored = coded!(
    "nibbles",
    "nibbles_row",
    "unpack_nibbles",
    "wgsl/nibbles.wgsl"
);
const BYTES: Stored = coded!("bytes", "bytes_row", "unpack_bytes", "wgsl/bytes.wgsl");
const SHORT_BYTES: Stored = coded!(
    "short_bytes",
    "short_bytes_row",
    "unpack_short_bytes",
    "wgsl/short_bytes.wgsl"
);
/// Creates the shaders of a format from their names and the source that widens it.
macro_rules! half {
    ($many:literal, $few:literal, $unpack:literal, $source:literal) => {
        Stored {
            many: Shader::new($many, include_str!("wgsl/halves.wgsl"))
                .with_parts(&[("half", include_str!($source)), ("rows", "8")])
                .with_tile(8, 1),
            few: Shader::new($few, include_str!("wgsl/halves.wgsl"))
                .with_parts(&[("half", include_str!($source)), ("rows", "1")]),
            unpack: Shader::new($unpack, include_str!("wgsl/unpack_halves.wgsl"))
                .with_parts(&[("half", include_str!($source))]),
        }
    };
}

const F16: Stored = half!("f16", "f16_row", "unpack_f16", "wgsl/f16.wgsl");
const BF16: Stored = half!("bf16", "bf16_row", "unpack_bf16", "wgsl/bf16.wgsl");
const SCORES: Shader = Shader::new("scores", include_str!("wgsl/scores.wgsl")).with_tile(8, 4);
const SOFTMAX: Shader = Shader::new("softmax", include_str!("wgsl/softmax.wgsl"));
const VALUES: Shader = Shader::new("values", include_str!("wgsl/values.wgsl")).with_tile(8, 1);
const RMS_NORM: Shader = Shader::new("rms_norm", include_str!("wgsl/norm.wgsl")).with_parts(&[
    ("beta_binding", ""),
    ("info_index", "3"),
    ("mean_parts", ""),
    ("mean", ""),
    ("shift", "0.0"),
]);
const LAYER_NORM: Shader = Shader::new("layer_norm", include_str!("wgsl/norm.wgsl")).with_parts(&[
    (
        "beta_binding",
        "@group(0) @binding(3) var<storage, read_write> beta: array<f32>;",
    ),
    ("info_index", "4"),
    ("mean_parts", "var<workgroup> mean_parts: array<f32, 16>;"),
    ("mean", include_str!("wgsl/mean.wgsl")),
    ("shift", "beta[i]"),
]);
const SWIGLU: Shader = Shader::new("swiglu", include_str!("wgsl/swiglu.wgsl"));
const ROTATE: Shader = Shader::new("rotate", include_str!("wgsl/rotate.wgsl"));

impl Kernels for Cube {
    fn linear(x: Float, weight: Float) -> Float {
        linear(x, weight, None)
    }

    fn linear_bias(x: Float, weight: Float, bias: Float) -> Float {
        linear(x, weight, Some(bias))
    }

    fn linear_transposed(x: Float, table: Float) -> Float {
        let (x, table) = (into_contiguous(x), into_contiguous(table));
        let ([rows, inner], [columns, _]) = (x.shape().dims(), table.shape().dims());
        let result = empty(&x, [rows, columns]);
        let info = [rows, inner / 4, columns, 0];
        let (shader, size) = if rows <= FEW_ROWS {
            (&TRANSPOSED_ROW, [64, 1])
        } else {
            (&TRANSPOSED, [16, 4])
        };
        let groups = groups(shader.invocations(rows, columns), size, 1);
        launch(shader, groups, &[&x, &table, &result], &info);
        result
    }

    fn linear_blocks(x: Float, codes: IntTensor<Cube>, levels: Float, coding: Coding) -> Float {
        let (x, codes, levels) = (
            into_contiguous(x),
            into_contiguous(codes),
            into_contiguous(levels),
        );
        let ([rows, inner], [kinds, columns, _]) = (x.shape().dims(), levels.shape().dims());
        let result = empty(&x, [rows, columns]);
        let shader = match rows <= FEW_ROWS {
            true => &coded(coding).few,
            false => &coded(coding).many,
        };
        let groups = groups(shader.invocations(rows, columns), [64, 1], 1);
        let info = [rows, inner / 4, columns, usize::from(kinds == 2)];
        launch(shader, groups, &[&x, &codes, &levels, &result], &info);
        result
    }

    fn unpack_blocks(codes: IntTensor<Cube>, levels: Float, coding: Coding) -> Float {
        let (codes, levels) = (into_contiguous(codes), into_contiguous(levels));
        let [kinds, rows, blocks] = levels.shape().dims();
        let result = empty(&levels, [rows, blocks * coding.block()]);
        let count = result.shape().num_elements() / 4;
        let info = [count, LINE, usize::from(kinds == 2), 0];
        let shader = &coded(coding).unpack;
        launch(shader, lines(count), &[&codes, &levels, &result], &info);
        result
    }

    fn linear_halves(x: Float, words: IntTensor<Cube>, half: Half) -> Float {
        let (x, words) = (into_contiguous(x), into_contiguous(words));
        let ([rows, inner], [columns, _]) = (x.shape().dims(), words.shape().dims());
        let result = empty(&x, [rows, columns]);
        let shader = match rows <= FEW_ROWS {
            true => &halved(half).few,
            false => &halved(half).many,
        };
        let groups = groups(shader.invocations(rows, columns), [64, 1], 1);
        let info = [rows, inner / 4, columns, 0];
        launch(shader, groups, &[&x, &words, &result], &info);
        result
    }

    fn unpack_halves(words: IntTensor<Cube>, width: usize, half: Half) -> Float {
        let words = into_contiguous(words);
        let [rows, _] = words.shape().dims();
        let shape = Shape::new([rows, width]);
        let count = shape.num_elements() / 4;
        let result = empty(&words, shape);
        let shader = &halved(half).unpack;
        launch(
            shader,
            lines(count),
            &[&words, &result],
            &[count, LINE, 0, 0],
        );
        result
    }

    fn rms_norm(x: Float, gamma: Float, epsilon: f32) -> Float {
        let (x, gamma) = (into_contiguous(x), into_contiguous(gamma));
        let (result, [rows, width]) = (empty(&x, x.shape()), rows_and_width(&x));
        let info = [rows, width, bits(epsilon), 0];
        launch(&RMS_NORM, [rows, 1, 1], &[&x, &gamma, &result], &info);
        result
    }

    fn layer_norm(x: Float, gamma: Float, beta: Float, epsilon: f32) -> Float {
        let (x, gamma, beta) = (
            into_contiguous(x),
            into_contiguous(gamma),
            into_contiguous(beta),
        );
        let (result, [rows, width]) = (empty(&x, x.shape()), rows_and_width(&x));
        let info = [rows, width, bits(epsilon), 0];
        launch(
            &LAYER_NORM,
            [rows, 1, 1],
            &[&x, &gamma, &result, &beta],
            &info,
        );
        result
    }

    fn swiglu(gate: Float, up: Float) -> Float {
        let (gate, up) = (into_contiguous(gate), into_contiguous(up));
        let result = empty(&gate, gate.shape());
        let count = gate.shape().num_elements() / 4;
        launch(
            &SWIGLU,
            lines(count),
            &[&gate, &up, &result],
            &[count, LINE, 0, 0],
        );
        result
    }

    fn rotate(x: Float, cosine: Float, sine: Float, heads: usize) -> Float {
        let (x, cosine, sine) = (
            into_contiguous(x),
            into_contiguous(cosine),
            into_contiguous(sine),
        );
        let [length, d_k] = cosine.shape().dims();
        let result = empty(&x, x.shape());
        let pairs = x.shape().num_elements() / 2;
        let info = [pairs, heads, d_k / 2, length, LINE, 0, 0, 0];
        launch(&ROTATE, lines(pairs), &[&x, &cosine, &sine, &result], &info);
        result
    }

    fn attention_weights(query: Float, key: Float, heads: usize, causal: bool) -> Float {
        let (query, key) = (into_contiguous(query), into_contiguous(key));
        let ([batch, n, width], [_, m, key_width]) = (query.shape().dims(), key.shape().dims());
        let d_k = width / heads;
        let weights = empty(&query, [batch, heads, n, m]);
        let scale = bits(1.0 / (d_k as f32).sqrt());
        let groups_of_heads = key_width / d_k;
        let info = [
            n,
            m,
            heads,
            groups_of_heads,
            d_k / 4,
            scale,
            usize::from(causal),
            0,
        ];
        let groups = groups(SCORES.invocations(n, m), [16, 4], batch * heads);
        launch(&SCORES, groups, &[&query, &key, &weights], &info);
        Self::softmax(weights, causal)
    }

    fn softmax(scores: Float, causal: bool) -> Float {
        let scores = into_contiguous(scores);
        // It is made in place.
        let weights = if scores.can_mut() {
            scores
        } else {
            scores.copy()
        };
        let [batch, heads, n, m] = weights.shape().dims();
        let rows = batch * heads * n;
        let info = [rows, m, n, usize::from(causal)];
        launch(&SOFTMAX, [rows.div_ceil(64), 1, 1], &[&weights], &info);
        weights
    }

    fn weighted_values(weights: Float, value: Float, d_k: usize) -> Float {
        let (weights, value) = (into_contiguous(weights), into_contiguous(value));
        let ([batch, heads, n, m], [_, _, width]) = (weights.shape().dims(), value.shape().dims());
        // In memory the heads of a position stand side by side, as the next projection reads them.
        let result = empty(&value, [batch, n, heads, d_k]);
        let info = [n, m, heads, width / d_k, d_k / 4, 0, 0, 0];
        let groups = groups(VALUES.invocations(n, d_k / 4), [16, 4], batch * heads);
        launch(&VALUES, groups, &[&weights, &value, &result], &info);
        Cube::float_swap_dims(result, 1, 2)
    }
}

fn coded(coding: Coding) -> &'static Stored {
    match coding {
        Coding::Nibbles => &NIBBLES,
        Coding::Bytes => &BYTES,
        Coding::ShortBytes => &SHORT_BYTES,
    }
}

fn halved(half: Half) -> &'static Stored {
    match half {
        Half::F16 => &F16,
        Half::Bf16 => &BF16,
    }
}

fn linear(x: Float, weight: Float, bias: Option<Float>) -> Float {
    let (x, weight, bias) = (
        into_contiguous(x),
        into_contiguous(weight),
        bias.map(into_contiguous),
    );
    let ([rows, inner], [_, columns]) = (x.shape().dims(), weight.shape().dims());
    let result = empty(&x, [rows, columns]);
    let (shader, size) = match (rows <= FEW_ROWS, bias.is_some()) {
        (true, true) => (&LINEAR_ROW_BIAS, [64, 1]),
        (true, false) => (&LINEAR_ROW, [64, 1]),
        (false, true) => (&LINEAR_BIAS, [8, 4]),
        (false, false) => (&LINEAR, [8, 4]),
    };
    let groups = groups(shader.invocations(rows, columns / 4), size, 1);
    let mut buffers = vec![&x, &weight, &result];
    buffers.extend(&bias);
    launch(shader, groups, &buffers, &[rows, inner / 4, columns / 4, 0]);
    result
}

/// Creates a tensor of f32 on the device of `like`, with uninitialised values.
fn empty(like: &CubeTensor, shape: impl Into<Shape>) -> CubeTensor {
    let shape = shape.into();
    let handle = like.client.empty(shape.num_elements() * size_of::<f32>());
    CubeTensor::new_contiguous(
        like.client.clone(),
        like.device.clone(),
        shape,
        handle,
        DType::F32,
    )
}

fn rows_and_width(x: &CubeTensor) -> [usize; 2] {
    let shape = x.shape();
    let width = shape.last().copied().unwrap_or(1);
    [shape.num_elements() / width, width]
}

/// Returns the number of workgroups of this size for `width` by `height` invocations, `depth` times.
fn groups([width, height]: [usize; 2], size: [usize; 2], depth: usize) -> [usize; 3] {
    [width.div_ceil(size[0]), height.div_ceil(size[1]), depth]
}

/// Returns the workgroups of 64 for `count` invocations, in lines of at most [`LINE`].
fn lines(count: usize) -> [usize; 3] {
    [count.min(LINE).div_ceil(64), count.div_ceil(LINE), 1]
}

/// Returns the bits of a number, which a shader reads by `bitcast`.
fn bits(value: f32) -> usize {
    value.to_bits() as usize
}
