//! Scaled dot-product attention over several heads, and the cache that decoding keeps.

use attention_trace::{Block, Quantity, Site};
use burn::prelude::*;
use burn::tensor::activation::softmax;

use crate::kernels;
use crate::tap::Tap;
use crate::window::Later;

/// Splits the model's width into heads of width `d_k`. If there are fewer than `heads`, each one is repeated for the
/// group of heads that shares it.
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

/// Returns the queries, keys or values of a pass, `[batch, length, groups * d_k]`, split into heads if they are
/// recorded or edited. Of an edited group of heads, the first one counts.
pub fn tap_heads(tap: &mut Tap, site: Site, x: Tensor<3>, d_k: usize, heads: usize) -> Tensor<3> {
    if !tap.edits(site) {
        tap.show(site, || split_heads(x.clone(), d_k, heads));
        return x;
    }
    let [batch, length, width] = x.dims();
    let groups = width / d_k;
    let edited = tap.at(site, split_heads(x, d_k, heads));
    let first = edited.reshape([batch, groups, heads / groups, length, d_k]);
    let first = first.narrow(2, 0, 1);
    concatenate_heads(first.reshape([batch, groups, length, d_k]))
}

/// The keys that attention must not see.
#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "one is made a layer, and most hold nothing"
)]
pub enum Mask {
    /// Positions after the query's own: query `i` of `n` sees the keys up to `m − n + i`.
    Causal,
    /// Positions before the last `width` up to the query's own, and those after it in the given way.
    Window {
        /// The number of keys up to the query's own, which is counted, that a query sees; at least 1.
        width: usize,
        /// The keys after the query's own.
        later: Later,
    },
    /// Padding, in a shape that expands to `[batch, heads, n, m]`, true where attention is forbidden; no row may be all
    /// true.
    Padding(Tensor<4, Bool>),
}

impl Mask {
    /// True where attention is forbidden, in a form that expands to `[batch, heads, n, m]`.
    pub(crate) fn forbidden(self, [_, _, n, m]: [usize; 4], device: &Device) -> Tensor<4, Bool> {
        match self {
            Mask::Causal => after(1, [n, m], device),
            Mask::Window { width, later } => {
                let first = (m - n) as i64 - width as i64 + 1;
                let earlier = Tensor::<2, Bool>::triu_mask([n, m], first, device).unsqueeze();
                match later {
                    Later::Hidden => earlier.bool_or(after(1, [n, m], device)),
                    Later::InWindow => earlier.bool_or(after(width, [n, m], device)),
                    Later::Seen => earlier,
                }
            }
            Mask::Padding(padding) => padding,
        }
    }

    /// Returns the mask of a window to both sides of each of `length` positions, if there is one, and of padding. A
    /// position sees itself in any case, since a window may have nothing but padding.
    pub fn around(window: Option<usize>, padding: Option<Mask>, length: usize) -> Option<Mask> {
        let window = window.filter(|&width| width < length);
        let window = window.map(|width| Mask::Window {
            width,
            later: Later::InWindow,
        });
        let (window, padding) = match (window, padding) {
            (Some(window), Some(Mask::Padding(padding))) => (window, padding),
            (window, padding) => return window.or(padding),
        };
        let device = padding.device();
        let shape = [1, 1, length, length];
        let others = Tensor::<2, Bool>::diag_mask([length, length], 0, &device).unsqueeze::<4>();
        let [batch, ..] = padding.dims();
        let either = window
            .forbidden(shape, &device)
            .expand([batch, 1, length, length])
            .bool_or(padding.expand([batch, 1, length, length]));
        Some(Mask::Padding(
            either.bool_and(others.expand([batch, 1, length, length])),
        ))
    }
}

/// Returns the mask of the keys from `distance` after each query's own on, `[1, 1, n, m]`.
fn after(distance: usize, [n, m]: [usize; 2], device: &Device) -> Tensor<4, Bool> {
    let last = (m - n) as i64 + distance as i64 - 1;
    Tensor::<2, Bool>::tril_mask([n, m], last, device).unsqueeze()
}

/// The scaling of scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// None, as in T5.
    None,
    /// Scores are divided by `√d_k`.
    Root,
    /// Scores are divided by this number.
    By(f32),
}

/// The steps between the scores and the softmax: scaling, soft-capping, a bias, and −∞ for masked keys.
#[derive(Clone, Debug)]
pub struct Scoring {
    /// The scaling of scores.
    pub scale: Scale,
    /// The number `c` of soft-capped scores, `c·tanh(s/c)`.
    pub cap: Option<f32>,
    /// T5's or ALiBi's bias by distance, `[heads, n, m]`.
    pub bias: Option<Tensor<3>>,
    /// The keys that attention must not see.
    pub mask: Option<Mask>,
}

impl From<Option<Mask>> for Scoring {
    fn from(mask: Option<Mask>) -> Self {
        Scoring {
            scale: Scale::Root,
            cap: None,
            bias: None,
            mask,
        }
    }
}

impl Scoring {
    /// Returns `Some` if a kernel implements all of this scoring, with true if later positions are masked.
    fn kernel(&self) -> Option<bool> {
        match self {
            Scoring {
                scale: Scale::Root,
                cap: None,
                bias: None,
                mask,
            } => match mask {
                Some(Mask::Padding(_) | Mask::Window { .. }) => None,
                Some(Mask::Causal) => Some(true),
                None => Some(false),
            },
            _ => None,
        }
    }
}

/// `softmax(QKᵀ/√d_k)V` ("Attention Is All You Need", equation 1). Where keys and values have fewer heads than
/// queries, each serves a group of them (Ainslie et al. 2023).
///
/// # Shapes
/// - query: `[batch, n, heads * d_k]`
/// - key, value: `[batch, m, groups * d_k]`
/// - out: `[batch, n, heads * d_k]`
pub fn attend(
    [query, key, value]: [Tensor<3>; 3],
    heads: usize,
    scoring: impl Into<Scoring>,
    tap: &mut Tap,
    block: Block,
) -> Tensor<3> {
    let scoring = scoring.into();
    let d_k = query.dims()[2] / heads;
    if let Some(Mask::Window { width, later }) = scoring.mask {
        tap.limit(block, width, later);
    }
    let fused = match scoring.kernel() {
        Some(causal) if !tap.edits_scores(block) => {
            kernels::attention_weights(&query, &key, heads, causal)
        }
        _ => None,
    };
    // Beside the kernel, scores are made only to be recorded: what the kernel makes is used either way, so that
    // looking changes nothing.
    let composed = (fused.is_none() || tap.records_scores(block)).then(|| {
        let split = |x: Tensor<3>| split_heads(x, d_k, heads);
        masked_scores(split(query), split(key), scoring, tap, block)
    });
    let pattern = match (fused, composed) {
        (Some(pattern), _) => pattern,
        (None, Some(scores)) => softmax(scores, 3),
        (None, None) => unreachable!("scores are composed where there is no kernel"),
    };
    let pattern = tap.at(block.at(Quantity::Pattern), pattern);
    let z = kernels::weighted_values(&pattern, &value, d_k)
        .unwrap_or_else(|| pattern.matmul(split_heads(value, d_k, heads)));
    concatenate_heads(tap.at(block.at(Quantity::Z), z))
}

/// Computes `c·tanh(x/c)`, which is near `x` for small numbers and never beyond `c`.
pub fn soft_cap<const D: usize>(x: Tensor<D>, cap: f32) -> Tensor<D> {
    x.div_scalar(cap).tanh().mul_scalar(cap)
}

/// `QKᵀ/√d_k`, soft-capped, the bias added, with −∞ where attention is forbidden, `[batch, heads, n, m]`.
fn masked_scores(
    query: Tensor<4>,
    key: Tensor<4>,
    scoring: Scoring,
    tap: &mut Tap,
    block: Block,
) -> Tensor<4> {
    let Scoring {
        scale,
        cap,
        bias,
        mask,
    } = scoring;
    let [_, _, _, d_k] = query.dims();
    let scores = tap.at(block.at(Quantity::Scores), query.matmul(key.transpose()));
    let scaled = match scale {
        Scale::None => scores,
        Scale::Root => scores.div_scalar((d_k as f32).sqrt()),
        Scale::By(divisor) => scores.div_scalar(divisor),
    };
    let scaled = tap.at(block.at(Quantity::ScaledScores), scaled);
    let scaled = match cap {
        Some(cap) => soft_cap(scaled, cap),
        None => scaled,
    };
    let biased = match bias {
        Some(bias) => scaled + tap.at(block.at(Quantity::PositionBias), bias.unsqueeze::<4>()),
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
    tap.at(block.at(Quantity::MaskedScores), masked)
}

/// Keys and values of one attention layer, `[batch, positions, groups * d_k]` each.
#[derive(Clone, Debug, Default)]
pub struct KeyValueCache(Option<[Tensor<3>; 2]>);

impl KeyValueCache {
    /// Appends the keys and values of new positions and returns those of all positions.
    pub fn append(&mut self, [key, value]: [Tensor<3>; 2]) -> [Tensor<3>; 2] {
        let all = match self.0.take() {
            Some([keys, values]) => [
                Tensor::cat(vec![keys, key], 1),
                Tensor::cat(vec![values, value], 1),
            ],
            None => [key, value],
        };
        self.0 = Some(all.clone());
        all
    }

    /// Returns the keys and values, computed by `make` the first time: cross-attention's never change.
    pub fn get_or_insert_with(&mut self, make: impl FnOnce() -> [Tensor<3>; 2]) -> [Tensor<3>; 2] {
        self.0.get_or_insert_with(make).clone()
    }

    /// Returns the number of sequences held.
    pub fn sequences(&self) -> usize {
        self.0.as_ref().map_or(0, |[keys, _]| keys.dims()[0])
    }

    /// Keeps the sequences of the batch at `indices`, in that order: beam search's survivors.
    pub fn select(&mut self, indices: &Tensor<1, Int>) {
        self.0 = self.0.take().map(|all| {
            all.map(|one| {
                let indices = indices.clone().to_device(&one.device());
                one.select(0, indices)
            })
        });
    }
}
