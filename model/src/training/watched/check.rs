//! A comparison of training on a device with the CPU: the first step and the first evaluation, on both.

use attention_trace::training::{CheckedPart, OptimizerKind};
use burn::optim::GradientsParams;
use burn::prelude::*;

use super::error::WatchError;
use super::learner::Learner;
use super::observe::evaluate;
use super::optimizer::{FlatOptimizer, Gathered};
use super::read::read;
use super::trainer::{batch, pass};
use crate::training::batch::Encoded;
use crate::verification::TOLERANCE;

/// The steps that are computed on both devices.
pub struct Trial<'a> {
    /// The examples of the step.
    pub batch: &'a [Encoded],
    /// The examples that are held out.
    pub examined: &'a [Encoded],
    /// The optimizer that turns gradients into steps.
    pub optimizer: OptimizerKind,
}

/// A model in training, with its device.
pub struct Placed<'a> {
    /// The model that is trained.
    pub model: &'a Learner,
    /// Its device, with autodiff.
    pub device: &'a Device,
}

/// Checks that a device computes the loss of a batch, its gradients, the steps of an optimizer, and the loss of an
/// evaluation as `reference`, which is known to be right, does with the same weights. They are best those of a new
/// model: in a trained one, gradients are small remainders of numbers that nearly cancel.
///
/// # Errors
/// What is wrong, or that a device failed.
pub async fn check(
    found: Placed<'_>,
    reference: Placed<'_>,
    trial: Trial<'_>,
) -> Result<(), WatchError> {
    let of_device = Numbers::of(&found, trial.batch).await?;
    let of_reference = Numbers::of(&reference, trial.batch).await?;
    hold(CheckedPart::Loss, &of_device.loss, &of_reference.loss)?;
    hold(
        CheckedPart::Gradients,
        &of_device.gradients,
        &of_reference.gradients,
    )?;
    // From the device's own gradients, since Adam at first makes steps of one size of gradients of any.
    let moved = of_reference.with_gradients(&of_device.gradients);
    let expected = steps(trial.optimizer, &moved).await?;
    let made = steps(trial.optimizer, &of_device.gathered).await?;
    hold(CheckedPart::Steps, &made, &expected)?;
    let loss = examined(&found, trial.examined).await?;
    let expected = examined(&reference, trial.examined).await?;
    hold(CheckedPart::Examination, &[loss], &[expected])
}

async fn examined(placed: &Placed<'_>, examples: &[Encoded]) -> Result<f32, WatchError> {
    let device = placed.device.clone().inner();
    let examined = evaluate(&placed.model.valid(), examples, &device).await?;
    Ok(examined.loss)
}

/// The numbers of a pass.
struct Numbers {
    loss: Vec<f32>,
    gradients: Vec<f32>,
    gathered: Gathered,
}

impl Numbers {
    async fn of(placed: &Placed<'_>, examples: &[Encoded]) -> Result<Self, WatchError> {
        let model = placed.model;
        let passed = pass(model, &batch(model.sequence(), examples, placed.device));
        let gradients = GradientsParams::from_grads(passed.loss.backward(), model);
        let gathered = Gathered::of(model, &gradients);
        let gathered = gathered.ok_or_else(|| {
            WatchError::Checkpoint("the model has no weights to train".to_owned())
        })?;
        let wanted = vec![passed.loss.inner(), gathered.gradients.clone()];
        let mut found = read(wanted).await?.into_iter();
        let mut next = || found.next().unwrap_or_default();
        Ok(Numbers {
            loss: next(),
            gradients: next(),
            gathered,
        })
    }

    /// Returns the same parameters with other gradients.
    fn with_gradients(&self, gradients: &[f32]) -> Gathered {
        let data = TensorData::new(gradients.to_vec(), [gradients.len()]);
        self.gathered
            .with_gradients(Tensor::from_data(data, &self.gathered.gradients.device()))
    }
}

/// Computes the movement of each parameter in two steps of a new optimizer, both with these gradients, at rate 1: the
/// second step uses the state that the first one left.
async fn steps(kind: OptimizerKind, gathered: &Gathered) -> Result<Vec<f32>, WatchError> {
    let mut optimizer = FlatOptimizer::new(kind);
    optimizer.advance(1.0, gathered)?;
    let after = optimizer.advance(1.0, gathered)?;
    Ok(read(vec![after - gathered.values.clone()]).await?.concat())
}

/// Refuses numbers whose difference from the right ones exceeds [`TOLERANCE`] times the largest of them.
fn hold(part: CheckedPart, found: &[f32], expected: &[f32]) -> Result<(), WatchError> {
    let difference = proportion(found, expected);
    match difference <= TOLERANCE {
        true => Ok(()),
        false => Err(WatchError::WrongNumbers {
            part,
            difference: difference.is_finite().then_some(difference),
        }),
    }
}

/// Returns the largest difference in proportion to the largest of the expected values; infinite if a number is not
/// finite or has no counterpart.
fn proportion(found: &[f32], expected: &[f32]) -> f32 {
    let largest = expected
        .iter()
        .fold(0.0_f32, |largest, value| largest.max(value.abs()));
    let pairs = found.iter().zip(expected);
    let difference = pairs.fold(0.0, |worst: f32, (a, b)| match (a - b).abs() {
        difference if difference.is_finite() => worst.max(difference),
        _ => f32::INFINITY,
    });
    match (found.len() == expected.len(), difference) {
        (false, _) => f32::INFINITY,
        (true, 0.0) => 0.0,
        (true, difference) => match difference / largest {
            proportion if proportion.is_finite() => proportion,
            _ => f32::INFINITY,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_are_held_to_the_largest_of_their_own() {
        assert_eq!(proportion(&[0.001, 0.002], &[0.001, 0.004]), 0.5);
        assert_eq!(proportion(&[0.0], &[0.0]), 0.0);
        // Gradients that a device does not compute at all are not small differences.
        assert_eq!(proportion(&[0.0, 0.0], &[1e-6, 2e-6]), 1.0);
    }

    #[test]
    fn what_is_no_number_or_missing_is_never_near() {
        for found in [&[f32::NAN][..], &[f32::INFINITY], &[], &[1.0, 1.0]] {
            assert_eq!(proportion(found, &[1.0]), f32::INFINITY, "{found:?}");
        }
        let refused = hold(CheckedPart::Loss, &[f32::NAN], &[1.0]);
        assert!(matches!(
            refused,
            Err(WatchError::WrongNumbers {
                part: CheckedPart::Loss,
                difference: None
            })
        ));
    }
}
