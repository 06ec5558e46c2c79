//! The predictions of a model in training, and their loss.

#[cfg(feature = "cli")]
use attention_trace::Stack;
use burn::optim::AdamConfig;
use burn::prelude::*;

use super::batch::Batch;
use crate::sequence::SequenceModel;
use crate::tap::Tap;

/// Returns Adam with the settings of "Attention Is All You Need", section 5.3.
pub fn adam() -> AdamConfig {
    AdamConfig::new().with_beta_2(0.98).with_epsilon(1e-9)
}

/// Returns the token that fills short rows of a batch.
pub fn padding(model: &dyn SequenceModel) -> u32 {
    let control = model.control();
    control.padding.or(control.end()).unwrap_or_default()
}

/// Computes logits at the places with a label, `[tokens, vocabulary]`.
pub fn predict(model: &dyn SequenceModel, batch: &Batch, tap: &mut Tap) -> Tensor<2> {
    let spec = model.spec();
    let states = match &spec.decoder {
        Some(_) => {
            let source = spec.reads_source().then(|| batch.source());
            model.read(source, Some(batch.input.clone()), tap)
        }
        None => model.read(Some(batch.input_as_source()), None, tap),
    };
    model.logits(states.flatten::<2>(0, 1).select(0, batch.predicted.clone()))
}

/// Computes `τ Σ (N + R)` over the real tokens of the source and the places with a label, `[1]` (Graves 2016, equations
/// 11 to 13); `None` for a model whose positions do not halt.
#[cfg(feature = "cli")]
pub fn ponder(model: &dyn SequenceModel, batch: &Batch, tap: Tap) -> Option<Tensor<1>> {
    let price = model.spec().halting()?.ponder_cost;
    let of_stack = |(stack, cost): (Stack, Tensor<3>)| {
        let cost = cost.flatten::<1>(0, 2);
        match (stack, &batch.source_padding) {
            (Stack::Decoder, _) => cost.select(0, batch.predicted.clone()).sum(),
            (Stack::Encoder, None) => cost.sum(),
            (Stack::Encoder, Some(padding)) => {
                let real = padding.clone().bool_not().float().flatten::<1>(0, 1);
                (cost * real).sum()
            }
        }
    };
    let costs = tap.costs().into_iter().map(of_stack);
    let sum = costs.reduce(|one, other| one + other)?;
    Some(sum.mul_scalar(price))
}

/// `−log p` of each label, `[tokens, 1]`.
///
/// # Shapes
/// - log_probabilities: `[tokens, vocabulary]`
/// - labels: `[tokens]`
pub fn surprise(log_probabilities: Tensor<2>, labels: Tensor<1, Int>) -> Tensor<2> {
    -log_probabilities.gather(1, labels.unsqueeze_dim(1))
}
