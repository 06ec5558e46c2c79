//! The training of the model: `attn digits`.

use std::f64::consts::PI;

use attention_trace::lessons::{LabelledPicture, Picture};
use burn::optim::{AdamConfig, GradientsParams};
use burn::prelude::*;
use burn::tensor::activation::log_softmax;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use serde_json::json;
use thiserror::Error;

use super::{DigitConfig, DigitReader, pictures};
use crate::error::ModelError;
use crate::family::merge;
use crate::weights::{Precision, save_weights};

/// The number of pictures in a step.
const BATCH: usize = 64;

/// The initial learning rate; it falls to 0 along half a cosine.
const RATE: f64 = 3e-3;

/// The size of the test set, the last pictures of the data. Their order is kept, so that pictures by the same writer,
/// where adjacent, are in one set.
const TESTED: usize = 360;

/// The settings of a training run.
#[derive(Clone, Copy, Debug)]
pub struct DigitRun {
    /// The seed of weights, order and shifts.
    pub seed: u64,
    /// The number of passes over the pictures.
    pub epochs: usize,
    /// True if attention is trained; otherwise `γ` stays 0, for comparison.
    pub attends: bool,
}

/// The result of a training run.
pub struct Learned {
    /// `config.json`, with the run and its scores.
    pub config: String,
    /// `model.safetensors`, in full precision.
    pub weights: Vec<u8>,
    /// The pictures of the test set.
    pub tested: Vec<LabelledPicture>,
    /// The share of them that is classified correctly.
    pub accuracy: f64,
    /// The same share with `γ = 0`.
    pub accuracy_without: f64,
}

/// The reason why nothing was learned.
#[derive(Debug, Error)]
pub enum LearnError {
    /// Too few pictures to hold some out.
    #[error(
        "there are {0} pictures; {tested} are held out as test set, and at least as many are learned from",
        tested = TESTED
    )]
    Few(usize),
    /// The loss is not a number any more.
    #[error("the loss is no number any more in epoch {0}")]
    Diverged(usize),
    /// The model returned an error.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// Trains a new model; `tell` is called after each epoch with its loss in nats.
///
/// # Errors
/// If there are too few pictures, the loss diverges, or the device fails.
pub fn learn(
    data: &[LabelledPicture],
    run: DigitRun,
    mut tell: impl FnMut(usize, f32),
) -> Result<Learned, LearnError> {
    let learned_from = data.len().saturating_sub(TESTED);
    if learned_from < TESTED {
        return Err(LearnError::Few(data.len()));
    }
    let (mut train, tested) = (data[..learned_from].to_vec(), &data[learned_from..]);
    let device = crate::device::cpu().autodiff();
    device.seed(run.seed);
    let config = DigitConfig::default();
    let mut model = DigitReader::new(&config, &device)?;
    let parameters = model.num_params();
    let mut optimizer = AdamConfig::new().init();
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(run.seed);
    let steps = run.epochs * train.len().div_ceil(BATCH);
    let mut step = 0;
    for epoch in 1..=run.epochs {
        train.shuffle(&mut generator);
        let mut total = 0.0;
        for batch in train.chunks(BATCH) {
            let shifted: Vec<Picture> = batch
                .iter()
                .map(|one| shifted(one, &mut generator))
                .collect();
            let loss = loss(&model, &shifted, batch, run.attends, &device);
            let gradients = GradientsParams::from_grads(loss.backward(), &model);
            total += batch.len() as f32 * loss.into_scalar::<f32>();
            let rate = RATE * 0.5 * (1.0 + (PI * step as f64 / steps as f64).cos());
            model = optimizer.step(rate, model, gradients);
            step += 1;
        }
        if !total.is_finite() {
            return Err(LearnError::Diverged(epoch));
        }
        tell(epoch, total / train.len() as f32);
    }
    let model = model.valid();
    let accuracy = accuracy(&model, tested, run.attends)?;
    let accuracy_without = self::accuracy(&model, tested, false)?;
    let scores = json!({"training": {
        "command": "attn digits",
        "seed": run.seed,
        "epochs": run.epochs,
        "attends": run.attends,
        "parameters": parameters,
        "pictures": train.len(),
        "test_pictures": tested.len(),
        "test_accuracy": accuracy,
        "test_accuracy_without_attention": accuracy_without,
    }});
    let config = serde_json::to_value(&config).map_err(ModelError::from)?;
    Ok(Learned {
        config: format!("{:#}\n", merge(config, scores)),
        weights: save_weights(&model, Precision::Full)?,
        tested: tested.to_vec(),
        accuracy,
        accuracy_without,
    })
}

/// Returns the picture, moved by at most a cell in each direction.
fn shifted(one: &LabelledPicture, generator: &mut Xoshiro256PlusPlus) -> Picture {
    let mut by = || generator.random_range(-1_i32..=1) as isize;
    one.picture.moved(by(), by())
}

/// Computes the mean of `−log p` of each digit.
fn loss(
    model: &DigitReader,
    shifted: &[Picture],
    batch: &[LabelledPicture],
    attends: bool,
    device: &Device,
) -> Tensor<1> {
    let shifted: Vec<&Picture> = shifted.iter().collect();
    let labels: Vec<i32> = batch.iter().map(|one| i32::from(one.digit)).collect();
    let labels = Tensor::<1, Int>::from_data(TensorData::new(labels, [batch.len()]), device);
    let logits = model.logits(pictures(&shifted, device), attends);
    -log_softmax(logits, 1)
        .gather(1, labels.unsqueeze_dim(1))
        .mean()
}

/// Returns the share of pictures whose digit has the largest logit.
fn accuracy(
    model: &DigitReader,
    tested: &[LabelledPicture],
    attends: bool,
) -> Result<f64, ModelError> {
    let shown: Vec<&Picture> = tested.iter().map(|one| &one.picture).collect();
    let device = crate::device::cpu();
    let named = model.logits(pictures(&shown, &device), attends).argmax(1);
    let named: Vec<i32> = named
        .try_into_vec_as::<i32>()
        .map_err(|error| ModelError::Device(error.to_string()))?;
    let right = named.iter().zip(tested);
    let right = right
        .filter(|(named, one)| **named == i32::from(one.digit))
        .count();
    Ok(right as f64 / tested.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns artificial digits: bars whose column encodes the digit.
    fn bars(count: usize) -> Vec<LabelledPicture> {
        let bar = |place: usize| {
            let mut picture = Picture::blank();
            let digit = place % 2;
            for row in 1..7 {
                picture.set(row * Picture::SIDE + 3, Picture::INK);
                if digit == 1 {
                    picture.set(3 * Picture::SIDE + row, Picture::INK);
                }
            }
            LabelledPicture {
                place,
                digit: digit as u8,
                picture,
            }
        };
        (0..count).map(bar).collect()
    }

    fn run(attends: bool) -> DigitRun {
        DigitRun {
            seed: 1,
            epochs: 2,
            attends,
        }
    }

    #[test]
    fn without_attention_gamma_stays_zero() {
        let learned = learn(&bars(2 * TESTED), run(false), |_, _| ()).unwrap();
        let device = crate::device::cpu();
        let read = DigitReader::load(learned.config.as_bytes(), &learned.weights, &device).unwrap();
        assert_eq!(read.see(&learned.tested[0].picture).unwrap().gamma, 0.0);
    }

    #[test]
    fn too_few_pictures_are_refused() {
        let refused = learn(&bars(TESTED + 5), run(true), |_, _| ());
        assert!(matches!(refused, Err(LearnError::Few(365))));
    }
}
