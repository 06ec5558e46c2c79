//! Scaled dot-product attention over several heads, and the cache that decoding keeps.

use attention_trace::Quantity;
use burn::prelude::*;
use burn::tensor::activation::softmax;

use crate::pass::{Pass, Path};

/// Splits the model's width into heads.
///
/// # Shapes
/// - in: `[batch, length, heads * d_k]`
/// - out: `[batch, heads, length, d_k]`
pub fn split_heads(x: Tensor<3>, heads: usize) -> Tensor<4> {
    let [batch, length, width] = x.dims();
    x.reshape([batch, length, heads, width / heads])
        .swap_dims(1, 2)
}

/// Puts the heads side by side again.
///
/// # Shapes
/// - in: `[batch, heads, length, d_k]`
/// - out: `[batch, length, heads * d_k]`
pub fn concatenate_heads(x: Tensor<4>) -> Tensor<3> {
    let [batch, heads, length, d_k] = x.dims();
    x.swap_dims(1, 2).reshape([batch, length, heads * d_k])
}

/// `softmax(QKᵀ/√d_k)V` ("Attention Is All You Need", equation 1), recording each stage.
///
/// # Shapes
/// - query: `[batch, heads, n, d_k]`
/// - key, value: `[batch, heads, m, d_k]`
/// - mask: `[batch or 1, 1, n or 1, m]`, true where attention is forbidden; no row may be all true
/// - out: `[batch, heads, n, d_k]`
pub fn attend(
    query: Tensor<4>,
    key: Tensor<4>,
    value: Tensor<4>,
    mask: Option<Tensor<4, Bool>>,
    pass: &mut Pass,
    path: Path<'_>,
) -> Tensor<4> {
    let [_, _, _, d_k] = query.dims();
    pass.record(Quantity::Query, path, "query", &query);
    pass.record(Quantity::Key, path, "key", &key);
    pass.record(Quantity::Value, path, "value", &value);

    let scores = query.matmul(key.transpose());
    pass.record(Quantity::Scores, path, "scores", &scores);
    let scaled = scores.div_scalar((d_k as f32).sqrt());
    pass.record(Quantity::ScaledScores, path, "scaled_scores", &scaled);
    let masked = match mask {
        Some(mask) => {
            let mask = mask.expand(scaled.shape());
            scaled.mask_fill(mask, f32::NEG_INFINITY)
        }
        None => scaled,
    };
    pass.record(Quantity::MaskedScores, path, "masked_scores", &masked);
    let weights = softmax(masked, 3);
    pass.record(Quantity::Weights, path, "weights", &weights);
    let output = weights.matmul(value);
    pass.record(Quantity::HeadOutputs, path, "head_outputs", &output);
    output
}

/// The mask of decoder self-attention: position `i` sees positions `0..=i`.
///
/// `cached` positions precede the `new` ones; shape `[1, 1, new, cached + new]`. `None` where
/// nothing is forbidden.
pub fn causal_mask(new: usize, cached: usize, device: &Device) -> Option<Tensor<4, Bool>> {
    (new > 1).then(|| {
        Tensor::<2, Bool>::tril_mask([new, cached + new], cached as i64, device).unsqueeze()
    })
}

/// Keys and values of one attention layer, `[batch, heads, positions, d_k]` each.
#[derive(Clone, Debug, Default)]
pub struct KeyValueCache(Option<(Tensor<4>, Tensor<4>)>);

impl KeyValueCache {
    /// Appends the keys and values of new positions and returns those of all positions.
    pub fn append(&mut self, key: Tensor<4>, value: Tensor<4>) -> (Tensor<4>, Tensor<4>) {
        let all = match self.0.take() {
            Some((keys, values)) => (
                Tensor::cat(vec![keys, key], 2),
                Tensor::cat(vec![values, value], 2),
            ),
            None => (key, value),
        };
        self.0 = Some(all.clone());
        all
    }

    /// The keys and values, made by `make` the first time: cross-attention's never change.
    pub fn get_or_insert_with(
        &mut self,
        make: impl FnOnce() -> (Tensor<4>, Tensor<4>),
    ) -> (Tensor<4>, Tensor<4>) {
        self.0.get_or_insert_with(make).clone()
    }

    /// Number of positions held.
    pub fn positions(&self) -> usize {
        self.0.as_ref().map_or(0, |(keys, _)| keys.dims()[2])
    }

    /// Number of sequences held.
    pub fn sequences(&self) -> usize {
        self.0.as_ref().map_or(0, |(keys, _)| keys.dims()[0])
    }

    /// Keeps the sequences of the batch at `indices`, in that order: beam search's survivors.
    pub fn select(&mut self, indices: &Tensor<1, Int>) {
        if let Some((keys, values)) = self.0.take() {
            self.0 = Some((
                keys.select(0, indices.clone()),
                values.select(0, indices.clone()),
            ));
        }
    }
}
