//! What a model is asked for in training, and what its answer costs.

#[cfg(feature = "cli")]
use attention_trace::Stack;
use burn::optim::AdamConfig;
use burn::prelude::*;

use super::batch::Batch;
use crate::sequence::SequenceModel;
use crate::tap::Tap;

/// Adam as "Attention Is All You Need" has it, section 5.3.
pub fn adam() -> AdamConfig {
    AdamConfig::new().with_beta_2(0.98).with_epsilon(1e-9)
}

/// What fills short rows of a batch.
pub fn padding(model: &dyn SequenceModel) -> u32 {
    let control = model.control();
    control.padding.or(control.end()).unwrap_or_default()
}

/// Logits at the places where something is to be predicted, `[tokens, vocabulary]`.
pub fn predict(model: &dyn SequenceModel, batch: &Batch, tap: &mut Tap) -> Tensor<2> {
    let source = model.spec().reads_source().then(|| batch.source());
    let states = model.read(source, Some(batch.input.clone()), tap);
    model.logits(states.flatten::<2>(0, 1).select(0, batch.predicted.clone()))
}

/// `τ Σ (N + R)` over the real tokens of the source and the places where something is predicted, `[1]` (Graves 2016,
/// equations 11 to 13); `None` of a model whose positions do not halt.
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
