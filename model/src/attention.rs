//! Scaled dot-product attention over several heads, and the cache that decoding keeps.

use attention_trace::Quantity;
use burn::prelude::*;
use burn::tensor::activation::softmax;

use crate::kernels;
use crate::pass::{Pass, Path};

/// Splits the model's width into heads of width `d_k`; where there are fewer than `heads`, each is
/// repeated for the group of heads it serves.
///
/// # Shapes
/// - in: `[batch, length, groups * d_k]`
/// - out: `[batch, heads, length, d_k]`
pub fn split_heads(x: Tensor<3>, d_k: usize, heads: usize) -> Tensor<4> {
    let [batch, length, width] = x.dims();
    let groups = width / d_k;
    let x = x.reshape([batch, length, groups, d_k]).swap_dims(1, 2);
    if groups == heads {
        return x;
    }
    x.unsqueeze_dim::<5>(2)
        .expand([batch, groups, heads / groups, length, d_k])
        .reshape([batch, heads, length, d_k])
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

/// What attention may not look at.
#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "one is made a layer, and most hold nothing"
)]
pub enum Mask {
    /// Positions after the query's own: query `i` of `n` sees the keys up to `m − n + i`.
    Causal,
    /// Padding: `[batch, 1, 1, m]`, true where attention is forbidden; no row may be all true.
    Padding(Tensor<4, Bool>),
}

impl Mask {
    /// True where attention is forbidden, in a form that expands to `[batch, heads, n, m]`.
    fn forbidden(self, [_, _, n, m]: [usize; 4], device: &Device) -> Tensor<4, Bool> {
        match self {
            Mask::Causal => {
                Tensor::<2, Bool>::tril_mask([n, m], (m - n) as i64, device).unsqueeze()
            }
            Mask::Padding(padding) => padding,
        }
    }
}

/// What becomes of scaled scores before the softmax: a bias is added, and what is masked becomes −∞.
#[derive(Clone, Debug, Default)]
pub struct Scoring {
    /// T5's or ALiBi's bias by distance, `[heads, n, m]`.
    pub bias: Option<Tensor<3>>,
    /// What attention may not look at.
    pub mask: Option<Mask>,
}

impl From<Option<Mask>> for Scoring {
    fn from(mask: Option<Mask>) -> Self {
        Scoring { bias: None, mask }
    }
}

/// `softmax(QKᵀ/√d_k)V` ("Attention Is All You Need", equation 1), recording each stage. Where keys
/// and values have fewer heads than queries, each serves a group of them (Ainslie et al. 2023).
///
/// # Shapes
/// - query: `[batch, n, heads * d_k]`
/// - key, value: `[batch, m, groups * d_k]`
/// - out: `[batch, n, heads * d_k]`
pub fn attend(
    query: Tensor<3>,
    key: Tensor<3>,
    value: Tensor<3>,
    heads: usize,
    scoring: impl Into<Scoring>,
    pass: &mut Pass,
    path: Path<'_>,
) -> Tensor<3> {
    let scoring = scoring.into();
    let d_k = query.dims()[2] / heads;
    let queries = || split_heads(query.clone(), d_k, heads);
    let keys = || split_heads(key.clone(), d_k, heads);
    let values = || split_heads(value.clone(), d_k, heads);
    pass.record_with(Quantity::Query, path, "query", queries);
    pass.record_with(Quantity::Key, path, "key", keys);
    pass.record_with(Quantity::Value, path, "value", values);
    let stages = [
        Quantity::Scores,
        Quantity::ScaledScores,
        Quantity::PositionBias,
        Quantity::MaskedScores,
    ];
    let staged = stages.iter().any(|&stage| pass.wants(stage));

    let whole = match &scoring {
        Scoring { bias: Some(_), .. } => None,
        Scoring {
            mask: Some(Mask::Padding(_)),
            ..
        } => None,
        Scoring { mask: causal, .. } => {
            kernels::attention_weights(&query, &key, heads, causal.is_some())
        }
    };
    // Scores are made apart from the kernel's only to be recorded: what the kernel makes is used
    // either way, so that looking changes nothing.
    let composed =
        (whole.is_none() || staged).then(|| masked_scores(queries(), keys(), scoring, pass, path));
    let weights = match (whole, composed) {
        (Some(weights), _) => weights,
        (None, Some(scores)) => softmax(scores, 3),
        (None, None) => unreachable!("scores are composed where there is no kernel"),
    };
    pass.record(Quantity::Weights, path, "weights", &weights);
    let outputs =
        kernels::weighted_values(&weights, &value, d_k).unwrap_or_else(|| weights.matmul(values()));
    pass.record(Quantity::HeadOutputs, path, "head_outputs", &outputs);
    concatenate_heads(outputs)
}

/// `QKᵀ/√d_k`, the bias added, with −∞ where attention is forbidden, `[batch, heads, n, m]`.
fn masked_scores(
    query: Tensor<4>,
    key: Tensor<4>,
    Scoring { bias, mask }: Scoring,
    pass: &mut Pass,
    path: Path<'_>,
) -> Tensor<4> {
    let [_, _, _, d_k] = query.dims();
    let scores = query.matmul(key.transpose());
    pass.record(Quantity::Scores, path, "scores", &scores);
    let scaled = scores.div_scalar((d_k as f32).sqrt());
    pass.record(Quantity::ScaledScores, path, "scaled_scores", &scaled);
    let biased = match bias {
        Some(bias) => {
            let bias = bias.unsqueeze::<4>();
            pass.record(Quantity::PositionBias, path, "position_bias", &bias);
            scaled + bias
        }
        None => scaled,
    };
    let masked = match mask {
        Some(mask) => {
            let forbidden = mask.forbidden(biased.dims(), &biased.device());
            let forbidden = forbidden.expand(biased.shape());
            biased.mask_fill(forbidden, f32::NEG_INFINITY)
        }
        None => biased,
    };
    pass.record(Quantity::MaskedScores, path, "masked_scores", &masked);
    masked
}

/// Keys and values of one attention layer, `[batch, positions, groups * d_k]` each.
#[derive(Clone, Debug, Default)]
pub struct KeyValueCache(Option<(Tensor<3>, Tensor<3>)>);

impl KeyValueCache {
    /// Appends the keys and values of new positions and returns those of all positions.
    pub fn append(&mut self, key: Tensor<3>, value: Tensor<3>) -> (Tensor<3>, Tensor<3>) {
        let all = match self.0.take() {
            Some((keys, values)) => (
                Tensor::cat(vec![keys, key], 1),
                Tensor::cat(vec![values, value], 1),
            ),
            None => (key, value),
        };
        self.0 = Some(all.clone());
        all
    }

    /// The keys and values, made by `make` the first time: cross-attention's never change.
    pub fn get_or_insert_with(
        &mut self,
        make: impl FnOnce() -> (Tensor<3>, Tensor<3>),
    ) -> (Tensor<3>, Tensor<3>) {
        self.0.get_or_insert_with(make).clone()
    }

    /// Number of positions held.
    pub fn positions(&self) -> usize {
        self.0.as_ref().map_or(0, |(keys, _)| keys.dims()[1])
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
