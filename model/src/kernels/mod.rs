//! The most expensive operations of a Transformer, each as one kernel.
//!
//! burn composes them from smaller operations, as training needs, since those have gradients. An inference pass uses
//! the fused ones: on the CPU that saves memory traffic, on a GPU launches. Each function here uses the kernel if the
//! tensor's backend has one, and composes the operation otherwise.

mod blocks;
mod compact;
#[cfg(feature = "flex")]
mod cpu;
#[cfg(feature = "webgpu")]
mod gpu;
mod halves;

use std::f32::consts::SQRT_2;

use attention_gguf::{Coding, Half};
use burn::backend::DispatchDevice;
use burn::backend::{
    Backend, Dispatch, backend_extension,
    tensor::{FloatTensor, IntTensor},
};
use burn::module::Param;
use burn::nn::{self, Linear};
use burn::prelude::*;
use burn::tensor::activation::{self, silu};
use burn::tensor::module;

pub use self::blocks::{Blocks, linear_blocks};
pub use self::compact::{Compact, Part, keeps_stored, linear_compact};
pub use self::halves::{Halves, linear_halves};

/// Kernels that a backend brings, on f32 tensors without gradients.
#[backend_extension(Flex: cfg(feature = "flex"), Cube: cfg(feature = "webgpu"))]
pub trait Kernels: Backend {
    /// `x·W`: `[rows, in]` by `[in, out]`.
    fn linear(x: FloatTensor<Self>, weight: FloatTensor<Self>) -> FloatTensor<Self>;

    /// Computes `x·W + b`: `[rows, in]` by `[in, out]`.
    fn linear_bias(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self>;

    /// `x·Tᵀ`: `[rows, in]` by a table `[out, in]`.
    fn linear_transposed(x: FloatTensor<Self>, table: FloatTensor<Self>) -> FloatTensor<Self>;

    /// `x·Wᵀ`: `[rows, in]` by a matrix in [`Blocks`], its codes `[out, words]` and its levels `[1 or 2, out, blocks]`.
    fn linear_blocks(
        x: FloatTensor<Self>,
        codes: IntTensor<Self>,
        levels: FloatTensor<Self>,
        coding: Coding,
    ) -> FloatTensor<Self>;

    /// Returns a matrix in [`Blocks`] as f32, `[lines, width]`.
    fn unpack_blocks(
        codes: IntTensor<Self>,
        levels: FloatTensor<Self>,
        coding: Coding,
    ) -> FloatTensor<Self>;

    /// `x·Wᵀ`: `[rows, in]` by a matrix in [`Halves`], its words `[out, ⌈in / 2⌉]`.
    fn linear_halves(x: FloatTensor<Self>, words: IntTensor<Self>, half: Half)
    -> FloatTensor<Self>;

    /// Returns a matrix in [`Halves`] as f32, `[lines, width]`.
    fn unpack_halves(words: IntTensor<Self>, width: usize, half: Half) -> FloatTensor<Self>;

    /// Computes `x / √(mean(x²) + ε) ⊙ γ` along the last axis.
    fn rms_norm(x: FloatTensor<Self>, gamma: FloatTensor<Self>, epsilon: f32) -> FloatTensor<Self>;

    /// `(x − mean) / √(variance + ε) ⊙ γ + β` along the last axis.
    fn layer_norm(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        epsilon: f32,
    ) -> FloatTensor<Self>;

    /// `silu(gate) ⊙ up`, both `[batch, length, inner]`.
    fn swiglu(gate: FloatTensor<Self>, up: FloatTensor<Self>) -> FloatTensor<Self>;

    /// Turns the pairs `(i, i + d_k/2)` of every head of `[batch, length, heads * d_k]` by the angles
    /// whose cosines and sines are given, `[length, d_k]`.
    fn rotate(
        x: FloatTensor<Self>,
        cosine: FloatTensor<Self>,
        sine: FloatTensor<Self>,
        heads: usize,
    ) -> FloatTensor<Self>;

    /// `softmax(QKᵀ/√d_k)` of queries `[batch, n, heads * d_k]` and keys `[batch, m, groups * d_k]`, as
    /// `[batch, heads, n, m]`; causal: query `i` sees the keys up to `m − n + i`.
    fn attention_weights(
        query: FloatTensor<Self>,
        key: FloatTensor<Self>,
        heads: usize,
        causal: bool,
    ) -> FloatTensor<Self>;

    /// Computes only the second half of `attention_weights`: softmax along the last axis of scores
    /// `[batch, heads, n, m]`, causal in the same way.
    fn softmax(scores: FloatTensor<Self>, causal: bool) -> FloatTensor<Self>;

    /// Computes the sums of values `[batch, m, groups * d_k]` by weights `[batch, heads, n, m]`, as
    /// `[batch, heads, n, d_k]`.
    fn weighted_values(
        weights: FloatTensor<Self>,
        value: FloatTensor<Self>,
        d_k: usize,
    ) -> FloatTensor<Self>;
}

/// Threads that share the CPU kernels' work.
#[cfg(feature = "flex")]
pub fn cpu_threads() -> usize {
    cpu::threads()
}

/// Lends the calling thread to the CPU kernels for good; calls `counted` as soon as [`cpu_threads`] counts it.
#[cfg(all(feature = "flex", feature = "threads"))]
pub fn help_cpu(counted: impl FnOnce()) -> ! {
    cpu::help(counted)
}

/// Reports that a thread died in [`help_cpu`]: the loop that waits for it panics.
#[cfg(all(feature = "flex", feature = "threads"))]
pub fn cpu_helper_died() {
    cpu::helper_died();
}

/// Registers `tell`, which is called now and then while CPU kernels compute.
#[cfg(feature = "flex")]
pub fn on_cpu_progress(tell: fn()) {
    cpu::on_progress(tell);
}

/// Computes `log Σ eˣ` on the host, stable for large numbers.
pub fn log_sum_exp(values: &[f32]) -> f32 {
    #[cfg(feature = "flex")]
    return cpu::log_sum_exp(values);
    #[cfg(not(feature = "flex"))]
    {
        let largest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = values.iter().map(|value| (value - largest).exp()).sum();
        largest + sum.ln()
    }
}

/// Returns true if tensors of `device` have the kernels for axes of these `widths`: shaders read four values at a time.
fn available(device: &Device, widths: &[usize]) -> bool {
    match device.as_dispatch() {
        #[cfg(feature = "flex")]
        DispatchDevice::Flex(_) => true,
        #[cfg(feature = "webgpu")]
        DispatchDevice::Cube(_) => widths.iter().all(|width| width.is_multiple_of(4)),
        #[allow(unreachable_patterns)]
        _ => {
            let _ = widths;
            false
        }
    }
}

/// Returns the bytes that a buffer of a device holds at most. Of a graphics card it is what the adapter offers; browsers
/// promise 128 MiB.
pub fn largest_buffer(device: &Device) -> u64 {
    match device.as_dispatch() {
        #[cfg(feature = "webgpu")]
        DispatchDevice::Cube(device) => device.client().properties().memory.max_page_size,
        #[allow(unreachable_patterns)]
        _ => u64::MAX,
    }
}

/// Returns true if [`linear`] reads weights column by column on this device, so that they are best stored that way;
/// otherwise row by row.
pub fn reads_columns(device: &Device) -> bool {
    match device.as_dispatch() {
        #[cfg(feature = "flex")]
        DispatchDevice::Flex(_) => true,
        #[allow(unreachable_patterns)]
        _ => false,
    }
}

/// Returns true if kernels of a device read the memory of this process, in the order of its bytes in files of weights.
fn reads_memory(device: &Device) -> bool {
    match device.as_dispatch() {
        #[cfg(feature = "flex")]
        DispatchDevice::Flex(_) => cfg!(target_endian = "little"),
        #[allow(unreachable_patterns)]
        _ => false,
    }
}

/// `x·W + b`, `[batch, length, in]` to `[batch, length, out]`.
pub fn linear(x: Tensor<3>, layer: &Linear) -> Tensor<3> {
    linear_by(x, &layer.weight, layer.bias.as_ref())
}

/// [`linear`] by a matrix `[in, out]` and a bias.
pub fn linear_by(
    x: Tensor<3>,
    weight: &Param<Tensor<2>>,
    bias: Option<&Param<Tensor<1>>>,
) -> Tensor<3> {
    let [batch, length, _] = x.dims();
    if !available(&x.device(), &weight.dims()) {
        return module::linear(x, weight.val(), bias.map(Param::val));
    }
    let rows = x.flatten::<2>(0, 1).into_dispatch();
    let weight = weight.val().into_dispatch();
    let result = match bias {
        Some(bias) => Dispatch::linear_bias(rows, weight, bias.val().into_dispatch()),
        None => Dispatch::linear(rows, weight),
    };
    Tensor::<2>::from_dispatch(result).reshape([batch as i32, length as i32, -1])
}

/// `x·Tᵀ`, `[rows, in]` by a table `[out, in]`: logits from an embedding table.
pub fn linear_transposed(x: Tensor<2>, table: Tensor<2>) -> Tensor<2> {
    if !available(&x.device(), &[x.dims()[1]]) {
        return x.matmul(table.transpose());
    }
    Tensor::from_dispatch(Dispatch::linear_transposed(
        x.into_dispatch(),
        table.into_dispatch(),
    ))
}

/// RMSNorm (Zhang and Sennrich 2019) along the last axis.
pub fn rms_norm(x: Tensor<3>, norm: &nn::RmsNorm) -> Tensor<3> {
    if !available(&x.device(), &[]) {
        return norm.forward(x);
    }
    Tensor::from_dispatch(Dispatch::rms_norm(
        x.into_dispatch(),
        norm.gamma.val().into_dispatch(),
        norm.epsilon as f32,
    ))
}

/// Layer normalisation (Ba et al. 2016) along the last axis; `epsilon` is that of `norm`.
pub fn layer_norm(x: Tensor<3>, norm: &nn::LayerNorm, epsilon: f64) -> Tensor<3> {
    let Some(beta) = norm.beta.as_ref().filter(|_| available(&x.device(), &[])) else {
        return norm.forward(x);
    };
    Tensor::from_dispatch(Dispatch::layer_norm(
        x.into_dispatch(),
        norm.gamma.val().into_dispatch(),
        beta.val().into_dispatch(),
        epsilon as f32,
    ))
}

/// Computes GELU (Hendrycks and Gimpel 2016), exactly. Without a kernel it is composed: the gradients of burn's own are
/// those of the tanh approximation.
pub fn gelu<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    if available(&x.device(), &[]) {
        return activation::gelu(x);
    }
    let below = x.clone().div_scalar(SQRT_2).erf().add_scalar(1.0);
    x * below.div_scalar(2.0)
}

/// SwiGLU's gate (Shazeer 2020), `silu(gate) ⊙ up`, both `[batch, length, inner]`.
pub fn swiglu(gate: Tensor<3>, up: Tensor<3>) -> Tensor<3> {
    if !available(&gate.device(), &[gate.dims()[2]]) {
        return silu(gate) * up;
    }
    Tensor::from_dispatch(Dispatch::swiglu(gate.into_dispatch(), up.into_dispatch()))
}

/// RoPE (Su et al. 2021) of every head of `[batch, length, heads * d_k]` by angles whose cosines and
/// sines are given, `[length, d_k]`.
pub fn rotate(x: Tensor<3>, cosine: Tensor<2>, sine: Tensor<2>, heads: usize) -> Tensor<3> {
    let [batch, length, width] = x.dims();
    if !available(&x.device(), &[]) {
        let (d_k, half) = (width / heads, width / heads / 2);
        let x = x.reshape([batch, length, heads, d_k]);
        let turned = Tensor::cat(
            vec![
                x.clone().narrow(3, half, half).neg(),
                x.clone().narrow(3, 0, half),
            ],
            3,
        );
        let table = |values: Tensor<2>| values.reshape([1, length, 1, d_k]);
        return (x * table(cosine) + turned * table(sine)).reshape([batch, length, width]);
    }
    Tensor::from_dispatch(Dispatch::rotate(
        x.into_dispatch(),
        cosine.into_dispatch(),
        sine.into_dispatch(),
        heads,
    ))
}

/// Computes `softmax(QKᵀ/√d_k)` as one kernel, if there is one: queries `[batch, n, heads * d_k]`, keys
/// `[batch, m, groups * d_k]`, weights `[batch, heads, n, m]`; causal: query `i` sees the keys up to `m − n + i`.
pub fn attention_weights(
    query: &Tensor<3>,
    key: &Tensor<3>,
    heads: usize,
    causal: bool,
) -> Option<Tensor<4>> {
    available(&query.device(), &[query.dims()[2] / heads]).then(|| {
        Tensor::from_dispatch(Dispatch::attention_weights(
            query.clone().into_dispatch(),
            key.clone().into_dispatch(),
            heads,
            causal,
        ))
    })
}

/// Computes the softmax along the last axis of scores `[batch, heads, n, m]` as one kernel, if there is one; causal as
/// in [`attention_weights`], whose second half it is.
pub fn softmax(scores: Tensor<4>, causal: bool) -> Option<Tensor<4>> {
    available(&scores.device(), &[])
        .then(|| Tensor::from_dispatch(Dispatch::softmax(scores.into_dispatch(), causal)))
}

/// Computes the sums of values `[batch, m, groups * d_k]` by weights `[batch, heads, n, m]` as one kernel, if there is
/// one; returns `[batch, heads, n, d_k]`.
pub fn weighted_values(weights: &Tensor<4>, value: &Tensor<3>, d_k: usize) -> Option<Tensor<4>> {
    available(&weights.device(), &[d_k]).then(|| {
        Tensor::from_dispatch(Dispatch::weighted_values(
            weights.clone().into_dispatch(),
            value.clone().into_dispatch(),
            d_k,
        ))
    })
}
