//! The attention of a recurrent decoder to the states of its encoder: Bahdanau's and Luong's.

use attention_trace::{
    AlignmentScore, AttentionKind, AttentionLayer, Quantity, RecurrentAttention,
};
use burn::nn::{Initializer, Linear};
use burn::prelude::*;
use burn::tensor::activation::{sigmoid, softmax};

use super::cell::{project, tanh};
use crate::attention::{Mask, split_heads, tap_heads};
use crate::kernels;
use crate::tap::Tap;

/// The attention's name among the places of a pass.
const CROSS: AttentionLayer = AttentionLayer {
    kind: AttentionKind::Cross,
    layer: 0,
};

/// The parameters of an alignment; its score and its window decide which ones exist.
#[derive(Module, Debug)]
pub struct Alignment {
    /// `W` of `vᵀ tanh(W s + U h)`.
    query: Option<Linear>,
    /// `U` of the same formula, or `W` of `sᵀWh`.
    key: Option<Linear>,
    /// The vector `v` of the scores.
    score: Option<Linear>,
    /// `W_p` of the window's centre, `p = S·σ(v_pᵀ tanh(W_p s))`.
    position: Option<Linear>,
    /// The vector `v_p` of the window's centre.
    center: Option<Linear>,
    #[module(skip)]
    attention: RecurrentAttention,
}

/// The encoder's states in the form that an alignment reads.
pub struct Keys {
    /// The keys that scores are computed from, `[batch, source, width]`.
    pub key: Tensor<3>,
    /// The values that are summed, `[batch, source, width]`.
    pub value: Tensor<3>,
    /// The keys that attention must not see.
    pub mask: Option<Mask>,
}

/// The results of an alignment for some rows, each `[batch, 1, rows, …]`.
pub struct Looked {
    query: Tensor<4>,
    scores: Tensor<4>,
    masked: Tensor<4>,
    center: Option<Tensor<4>>,
    pattern: Tensor<4>,
    /// The weighted sums, `[batch, 1, rows, width]`.
    pub context: Tensor<4>,
}

impl Alignment {
    /// Creates a new alignment with random weights; `None` for a model without attention.
    pub fn new(attention: RecurrentAttention, width: usize, device: &Device) -> Option<Self> {
        let matrix = |output: usize| Linear {
            weight: Initializer::XavierUniform { gain: 1.0 }.init_with(
                [width, output],
                Some(width),
                Some(output),
                device,
            ),
            bias: None,
        };
        let score = attention.score()?;
        let is_additive = score == AlignmentScore::Additive;
        let is_local = attention.window().is_some();
        Some(Alignment {
            query: is_additive.then(|| matrix(width)),
            key: (score != AlignmentScore::Dot).then(|| matrix(width)),
            score: is_additive.then(|| matrix(1)),
            position: is_local.then(|| matrix(width)),
            center: is_local.then(|| matrix(1)),
            attention,
        })
    }

    /// True if attention is computed before the row's state, from the previous state.
    pub fn comes_first(&self) -> bool {
        self.attention == RecurrentAttention::Bahdanau
    }

    /// Keys and values of the encoder's states, `[batch, source, width]`.
    pub fn key_value(&self, states: Tensor<3>, tap: &mut Tap) -> [Tensor<3>; 2] {
        let [_, _, width] = states.dims();
        let key = match &self.key {
            Some(matrix) => project(states.clone(), matrix),
            None => states.clone(),
        };
        let key = match self.is_product() {
            true => tap_heads(tap, CROSS.at(Quantity::Key), key, width, 1),
            false => key,
        };
        [
            key,
            tap_heads(tap, CROSS.at(Quantity::Value), states, width, 1),
        ]
    }

    fn is_product(&self) -> bool {
        self.score.is_none()
    }

    /// Computes the attention of the decoder's `states`, `[batch, rows, width]`, to the source. Requested edits are
    /// applied; [`show`] records the result.
    pub fn look(&self, states: Tensor<3>, keys: &Keys, tap: &mut Tap) -> Looked {
        let query = match &self.query {
            Some(matrix) => project(states.clone(), matrix),
            None => states.clone(),
        };
        let query = tap.part(CROSS.at(Quantity::Query), query.unsqueeze_dim::<4>(1));
        let scores = self.scores(query.clone(), keys.key.clone());
        let scores = tap.part(CROSS.at(Quantity::Scores), scores);
        let center = self.attention.window().map(|window| {
            let center = self.predicted(states, keys);
            (window, tap.part(CROSS.at(Quantity::Center), center))
        });
        let forbidden = forbidden(&scores, keys.mask.as_ref(), center.as_ref());
        let masked = match &forbidden {
            Some(forbidden) => scores
                .clone()
                .mask_fill(forbidden.clone(), f32::NEG_INFINITY),
            None => scores.clone(),
        };
        let masked = tap.part(CROSS.at(Quantity::MaskedScores), masked);
        let mut pattern = softmax(masked.clone(), 3);
        if let (Some((window, center)), Some(forbidden)) = (&center, forbidden) {
            // Whoever masks a whole window leaves nothing to look at, which the softmax makes 0/0.
            let inside = pattern.mask_fill(forbidden, 0.0);
            pattern = inside * factors(center.clone(), masked.dims()[3], *window);
        }
        let pattern = tap.part(CROSS.at(Quantity::Pattern), pattern);
        let value = &keys.value;
        let [_, _, width] = value.dims();
        let context = kernels::weighted_values(&pattern, value, width)
            .unwrap_or_else(|| pattern.clone().matmul(split_heads(value.clone(), width, 1)));
        Looked {
            query,
            scores,
            masked,
            center: center.map(|(_, center)| center),
            pattern,
            context: tap.part(CROSS.at(Quantity::Z), context),
        }
    }

    /// `sᵀh`, `sᵀWh` or `vᵀ tanh(W s + U h)`, `[batch, 1, rows, source]`.
    fn scores(&self, query: Tensor<4>, key: Tensor<3>) -> Tensor<4> {
        let [batch, source, width] = key.dims();
        let [_, _, rows, _] = query.dims();
        let Some(score) = &self.score else {
            return query.matmul(key.unsqueeze_dim::<4>(1).transpose());
        };
        let query = query.reshape([batch, rows, 1, width]);
        let sum = tanh(query + key.unsqueeze_dim::<4>(1));
        project(sum.reshape([batch, rows * source, width]), score).reshape([batch, 1, rows, source])
    }

    /// Computes the centre of each row's window: `S·σ(v_pᵀ tanh(W_p s))`, `[batch, 1, rows, 1]`, with S the number of
    /// source tokens (Luong et al. 2015, equation 9). Positions are counted from 0.
    fn predicted(&self, states: Tensor<3>, keys: &Keys) -> Tensor<4> {
        let (Some(position), Some(center)) = (&self.position, &self.center) else {
            unreachable!("local attention has the parameters of its centre");
        };
        let share = sigmoid(project(tanh(project(states, position)), center)).unsqueeze_dim::<4>(1);
        let [_, source, _] = keys.key.dims();
        match &keys.mask {
            Some(Mask::Padding(padding)) => share * padding.clone().bool_not().float().sum_dim(3),
            _ => share.mul_scalar(source as f32),
        }
    }
}

/// Returns the mask of `scores`: true at padding and outside the row's window.
fn forbidden(
    scores: &Tensor<4>,
    mask: Option<&Mask>,
    local: Option<&(usize, Tensor<4>)>,
) -> Option<Tensor<4, Bool>> {
    let shape = scores.dims();
    let padding = mask.map(|mask| {
        let padding = mask.clone().forbidden(shape, &scores.device());
        padding.expand(shape)
    });
    let outside = local.map(|(window, center)| {
        let distance = distances(center.clone(), shape[3]);
        distance.abs().greater_elem(*window as f32)
    });
    match (padding, outside) {
        (Some(padding), Some(outside)) => Some(padding.bool_or(outside)),
        (padding, outside) => padding.or(outside),
    }
}

/// `s − p` of every position `s`, `[batch, 1, rows, source]`.
fn distances(center: Tensor<4>, source: usize) -> Tensor<4> {
    let positions: Vec<f32> = (0..source).map(|position| position as f32).collect();
    let positions = TensorData::new(positions, [1, 1, 1, source]);
    Tensor::<4>::from_data(positions, &center.device()) - center
}

/// `e^(−(s − p)² / 2σ²)` with `σ = D/2`: [`attention_trace::window_factor`] of every position.
fn factors(center: Tensor<4>, source: usize, window: usize) -> Tensor<4> {
    let deviation = window as f32 / 2.0;
    let distance = distances(center, source);
    (distance.clone() * distance)
        .mul_scalar(-0.5 / (deviation * deviation))
        .exp()
}

/// Records the attention of all rows.
pub fn show(looked: &[Looked], attention: &Alignment, tap: &mut Tap) {
    let mut record = |quantity: Quantity, array: fn(&Looked) -> Option<Tensor<4>>| {
        tap.show(CROSS.at(quantity), || {
            Tensor::cat(looked.iter().filter_map(array).collect(), 2)
        });
    };
    if attention.is_product() {
        record(Quantity::Query, |row| Some(row.query.clone()));
    }
    record(Quantity::Scores, |row| Some(row.scores.clone()));
    if attention.attention.window().is_some() {
        record(Quantity::Center, |row| row.center.clone());
    }
    record(Quantity::MaskedScores, |row| Some(row.masked.clone()));
    record(Quantity::Pattern, |row| Some(row.pattern.clone()));
    record(Quantity::Z, |row| Some(row.context.clone()));
}
