//! A check of a device against the CPU: small known computations on both, compared.

mod alone;
mod difference;
mod known;
mod observation;

use burn::prelude::*;

use crate::checkpoint::Checkpoint;
use crate::error::ModelError;
use crate::sequence::SequenceModel;

use difference::row_sum_error;
use observation::{Observation, Pass};

/// The largest difference between two devices that still counts as agreement: absolute for attention
/// weights, which are in [0, 1], and relative to the largest value for all other numbers.
pub const TOLERANCE: f32 = 1e-3;

/// A result of a device that differs from the reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Disagreement {
    /// The largest difference from the right numbers; `None` if a result was not a number.
    pub difference: Option<f32>,
    /// The kernels that are wrong when they run alone, by the names of their shaders; empty if none of them is at
    /// fault.
    pub kernels: Vec<&'static str>,
}

/// Checks all operations that a model needs of a device: a pass over some tokens and a beam search with a cache, with a
/// tiny model of each family; together they run every kernel, in the forms for many rows and for few. `reference` is a
/// device that is known to be right.
///
/// # Errors
/// If a device fails.
pub async fn check_device(
    device: &Device,
    reference: &Device,
) -> Result<Option<Disagreement>, ModelError> {
    for model in known::MODELS {
        let expected = Observation::of(&*model(reference)?, reference).await?;
        let found = Observation::of(&*model(device)?, device).await?;
        if let Some(disagreement) = compare(&found, &expected, device, reference).await? {
            return Ok(Some(disagreement));
        }
    }
    Ok(None)
}

/// Checks that a model's results on `device` equal `expected`, those on `reference`: it was loaded completely, and the
/// device handles its sizes correctly.
///
/// # Errors
/// If a device fails.
pub async fn check_model(
    model: &dyn SequenceModel,
    device: &Device,
    expected: &dyn SequenceModel,
    reference: &Device,
) -> Result<Option<Disagreement>, ModelError> {
    let expected = Observation::of(expected, reference).await?;
    let found = Observation::of(model, device).await?;
    compare(&found, &expected, device, reference).await
}

/// Checks that a checkpoint's attention is valid, without a reference: each row of its weights sums to one, and its
/// logits are numbers.
///
/// # Errors
/// If the device fails.
pub async fn check_attention(
    checkpoint: &Checkpoint,
    device: &Device,
) -> Result<Option<Disagreement>, ModelError> {
    let pass = Pass::of(&*checkpoint.model, device).await?;
    let finite = pass.logits.iter().all(|logit| logit.is_finite());
    // What a window leaves of a row sums to less.
    let recurrence = checkpoint.spec().recurrence;
    let is_local = recurrence.is_some_and(|it| it.attention.window().is_some());
    let difference = match finite {
        true if is_local => 0.0,
        true => row_sum_error(&pass.weights, pass.tokens),
        false => f32::INFINITY,
    };
    Ok((difference > TOLERANCE).then(|| disagreement(difference, vec![])))
}

async fn compare(
    found: &Observation,
    expected: &Observation,
    device: &Device,
    reference: &Device,
) -> Result<Option<Disagreement>, ModelError> {
    let difference = found.difference(expected);
    if difference <= TOLERANCE {
        return Ok(None);
    }
    let kernels = alone::wrong_kernels(device, reference).await?;
    Ok(Some(disagreement(difference, kernels)))
}

fn disagreement(difference: f32, kernels: Vec<&'static str>) -> Disagreement {
    Disagreement {
        difference: difference.is_finite().then_some(difference),
        kernels,
    }
}
