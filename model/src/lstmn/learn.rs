//! The training of the model: `attn lstmn`.

use std::f64::consts::PI;

use burn::grad_clipping::GradientClippingConfig;
use burn::optim::{AdamConfig, GradientsParams};
use burn::prelude::*;
use burn::tensor::activation::log_softmax;
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use serde::Serialize;
use serde_json::json;
use thiserror::Error;

use super::{BOUNDARY_NUMBER, LstmnConfig, TapeNetwork};
use crate::embedding::{
    Marked, MarkedSentences, batch, floats, frequent_words, numbers, of_one_length,
};
use crate::error::ModelError;
use crate::family::merge;
use crate::weights::{self, Layout, Precision, save_weights};

/// The most sentences in a step, all with the same number of words.
const BATCH: usize = 64;

/// Sentences of a pass when scores are computed.
const SCORED: usize = 128;

/// The learning rate at the beginning; it falls to 0 by half a cosine.
const RATE: f64 = 4e-3;

/// The largest norm of a parameter's gradient.
const LARGEST_NORM: f32 = 1.0;

/// The number of words that the model knows; all other words share one vector.
const WORDS: usize = 4_500;

/// The settings of a training run.
#[derive(Clone, Copy, Debug)]
pub struct LstmnRun {
    /// The seed of weights and order.
    pub seed: u64,
    /// The number of passes over the sentences.
    pub epochs: usize,
    /// True for the LSTMN, false for a plain LSTM of the same widths.
    pub has_attention: bool,
}

/// The scores of the published weights on the test set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LstmnScores {
    /// The number of test sentences.
    pub sentences: usize,
    /// The number of predicted words, final marks and the ends of sentences included.
    pub words: usize,
    /// The mean of `−ln p` of the predicted words.
    pub loss: f64,
    /// `exp` of the mean.
    pub perplexity: f64,
    /// The mean over the words from the third on of the weight of the word just before, 1 in a plain LSTM.
    pub weight_of_last: f64,
}

/// The result of a training run.
pub struct LearnedTapes {
    /// `config.json`, with the run and its scores.
    pub config: String,
    /// `model.safetensors`, in half precision, the weights that are scored.
    pub weights: Vec<u8>,
    /// The number of weights.
    pub parameters: usize,
    /// The scores on the test set.
    pub scores: LstmnScores,
}

/// The reason why nothing was learned.
#[derive(Debug, Error)]
pub enum LearnError {
    /// One of the two sets is empty.
    #[error("{train} sentences to learn from and {test} to test: neither may be 0")]
    Few {
        /// The number of training sentences.
        train: usize,
        /// The number of held-out sentences.
        test: usize,
    },
    /// The loss is not a number any more.
    #[error("the loss is no number any more in epoch {0}")]
    Diverged(usize),
    /// The model returned an error.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// Trains a new model. `tell` is called after each step with its number, the number of all steps, and the mean loss of
/// the epoch so far; `kept` after each epoch but the last, with the model as it then is.
///
/// # Errors
/// If there are no sentences, the loss diverges, or the device fails.
pub fn learn(
    data: &MarkedSentences,
    run: LstmnRun,
    mut tell: impl FnMut(usize, usize, f32),
    mut kept: impl FnMut(LearnedTapes),
) -> Result<LearnedTapes, LearnError> {
    let (train, test) = (data.train.len(), data.test.len());
    if train == 0 || test == 0 {
        return Err(LearnError::Few { train, test });
    }
    let config = LstmnConfig::of_words(frequent_words(&data.train, WORDS), run.has_attention);
    let device = crate::device::cpu().autodiff();
    device.seed(run.seed);
    let mut model = TapeNetwork::new(&config, &device)?;
    let encoded = encode(&data.train, &config);
    let clipping = GradientClippingConfig::Norm(LARGEST_NORM);
    let mut optimizer = AdamConfig::new().with_grad_clipping(Some(clipping)).init();
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(run.seed);
    let mut step = 0;
    for epoch in 1..=run.epochs {
        let batches = batches(&encoded, &mut generator);
        let (steps, mut total) = (run.epochs * batches.len(), 0.0);
        for (done, sentences) in batches.iter().enumerate() {
            let (loss, _) = losses(&model, sentences, &device);
            let loss = loss.mean();
            let gradients = GradientsParams::from_grads(loss.backward(), &model);
            total += loss.into_scalar::<f32>();
            let rate = RATE * 0.5 * (1.0 + (PI * step as f64 / steps as f64).cos());
            model = optimizer.step(rate, model, gradients);
            step += 1;
            tell(step, steps, total / (done + 1) as f32);
        }
        if !total.is_finite() {
            return Err(LearnError::Diverged(epoch));
        }
        if epoch < run.epochs {
            kept(written(
                &model,
                &config,
                data,
                LstmnRun {
                    epochs: epoch,
                    ..run
                },
            )?);
        }
    }
    Ok(written(&model, &config, data, run)?)
}

/// The files of a model, and its scores.
fn written(
    model: &TapeNetwork,
    config: &LstmnConfig,
    data: &MarkedSentences,
    run: LstmnRun,
) -> Result<LearnedTapes, ModelError> {
    let (parameters, weights) = (
        model.num_params(),
        save_weights(&model.valid(), Precision::Half)?,
    );
    let scores = scores(config, &weights, data)?;
    let training = json!({"training": {
        "command": "attn lstmn",
        "seed": run.seed,
        "epochs": run.epochs,
        "parameters": parameters,
        "sentences": data.train.len(),
        "scores": scores,
    }});
    let config = serde_json::to_value(config)?;
    Ok(LearnedTapes {
        config: format!("{}\n", merge(config, training)),
        weights,
        parameters,
        scores,
    })
}

/// The numbers of each sentence: its words and its mark, between two boundaries.
fn encode(sentences: &[Marked], config: &LstmnConfig) -> Vec<Vec<i32>> {
    let known = numbers(&config.vocabulary);
    let number = |word: &str| known.get(word).copied().unwrap_or(0);
    let encoded = sentences.iter().map(|one| {
        let words = one.words.iter().map(|word| number(word));
        let mark = number(&one.mark.sign().to_string());
        let ends = [mark, BOUNDARY_NUMBER];
        [BOUNDARY_NUMBER]
            .into_iter()
            .chain(words)
            .chain(ends)
            .collect()
    });
    encoded.collect()
}

/// Returns all sentences in a new order, in batches of equal numbers of words.
fn batches<'a>(
    sentences: &'a [Vec<i32>],
    generator: &mut Xoshiro256PlusPlus,
) -> Vec<Vec<&'a Vec<i32>>> {
    let mut order: Vec<&Vec<i32>> = sentences.iter().collect();
    order.shuffle(generator);
    let mut batches = of_one_length(order, Vec::len, BATCH);
    batches.shuffle(generator);
    batches
}

/// `−ln p` of each word after the first boundary, `[rows, 1]`, and the weights of the pass.
fn losses(
    model: &TapeNetwork,
    sentences: &[&Vec<i32>],
    device: &Device,
) -> (Tensor<2>, Vec<Tensor<2>>) {
    let words = batch(sentences, device);
    let [count, length] = words.dims();
    let pass = model.pass(words.clone().narrow(1, 0, length - 1));
    let next = words
        .narrow(1, 1, length - 1)
        .reshape([count * (length - 1), 1]);
    let logits = model.logits(pass.hidden);
    (-log_softmax(logits, 1).gather(1, next), pass.weights)
}

/// Scores of the weights as they are published.
fn scores(
    config: &LstmnConfig,
    weights: &[u8],
    data: &MarkedSentences,
) -> Result<LstmnScores, ModelError> {
    let device = crate::device::cpu();
    let model = TapeNetwork::new(config, &device)?;
    let model = weights::load(model, &weights, &Layout::PATHS)?;
    let encoded = encode(&data.test, config);
    let (mut sum, mut words, mut of_last, mut steps) = (0.0, 0, 0.0, 0);
    for sentences in of_one_length(encoded.iter().collect(), Vec::len, SCORED) {
        let (losses, rows) = losses(&model, &sentences, &device);
        for loss in floats(losses)? {
            sum += f64::from(loss);
            words += 1;
        }
        // At the second step there is one word before, whose weight is 1.
        for row in rows.into_iter().skip(1) {
            let [_, before] = row.dims();
            for weight in floats(row.narrow(1, before - 1, 1))? {
                of_last += f64::from(weight);
                steps += 1;
            }
        }
    }
    let loss = sum / f64::from(words);
    Ok(LstmnScores {
        sentences: data.test.len(),
        words: words as usize,
        loss,
        perplexity: loss.exp(),
        weight_of_last: match steps {
            0 => 1.0,
            steps => of_last / f64::from(steps),
        },
    })
}

#[cfg(test)]
mod tests {
    use attention_trace::lessons::Mark;

    use super::*;

    #[test]
    fn a_sentence_stands_between_boundaries_with_its_mark() {
        let sentence = Marked {
            words: ["no", "other"].map(str::to_owned).to_vec(),
            mark: Mark::Question,
        };
        let config = LstmnConfig::of_words(["no".to_owned()], true);
        assert_eq!(encode(&[sentence], &config), [[1, 5, 0, 3, 1]]);
    }

    #[test]
    fn without_sentences_nothing_is_learned() {
        let run = LstmnRun {
            seed: 1,
            epochs: 1,
            has_attention: true,
        };
        let refused = learn(&MarkedSentences::default(), run, |_, _, _| (), |_| ());
        assert!(matches!(
            refused,
            Err(LearnError::Few { train: 0, test: 0 })
        ));
    }
}
