//! The training of the model: `attn marks`.

use std::f64::consts::PI;

use attention_trace::lessons::Mark;
use burn::optim::{AdamConfig, GradientsParams};
use burn::prelude::*;
use burn::tensor::activation::log_softmax;
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use serde::Serialize;
use serde_json::json;
use thiserror::Error;

use super::data::{
    Marked, MarkedSentences, by_first_word, frequent_words, most_frequent, of_one_length,
};
use super::{EmbedderConfig, SentenceEmbedder, batch, floats, numbers};
use crate::error::ModelError;
use crate::family::merge;
use crate::weights::{self, Layout, Precision, save_weights};

/// The most sentences in a step, all with the same number of words.
const BATCH: usize = 64;

/// Sentences of a pass when scores are computed.
const SCORED: usize = 256;

/// The learning rate at the beginning; it falls to 0 by half a cosine.
const RATE: f64 = 4e-3;

/// The size of the vocabulary; all other words share one vector.
const WORDS: usize = 3_500;

/// The settings of a training run.
#[derive(Clone, Copy, Debug)]
pub struct EmbedderRun {
    /// The seed of weights and order.
    pub seed: u64,
    /// The number of passes over the sentences.
    pub epochs: usize,
    /// The factor of `‖AAᵀ − I‖²_F` in the loss; 0 leaves it out.
    pub penalty: f64,
}

/// The sentences of one mark in the test set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OfMark {
    /// The mark, a single character.
    pub mark: char,
    /// The number of sentences with this mark.
    pub sentences: usize,
    /// The number of test sentences for which this mark is predicted.
    pub predicted: usize,
    /// The number of sentences with this mark for which it is predicted.
    pub right: usize,
}

/// The scores of the published weights on the test set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EmbedderScores {
    /// The number of test sentences.
    pub sentences: usize,
    /// The share whose mark is predicted.
    pub accuracy: f64,
    /// The share for which the most frequent mark is right.
    pub majority: f64,
    /// The share of sentences whose mark is the most frequent one of those with the same first word.
    pub first_word: f64,
    /// The results for each mark.
    pub marks: Vec<OfMark>,
    /// The mean of `−ln p` of the right mark.
    pub loss: f64,
    /// The mean of `‖AAᵀ − I‖²_F`.
    pub penalty: f64,
    /// The mean over sentences and pairs of different hops of the entries of `AAᵀ`.
    pub overlap: f64,
    /// The mean of the largest weight of each hop.
    pub largest_weight: f64,
}

/// The result of a training run.
pub struct Learned {
    /// `config.json`, with the run and its scores.
    pub config: String,
    /// `model.safetensors`, in half precision, the weights that are scored.
    pub weights: Vec<u8>,
    /// The scores on the test set.
    pub scores: EmbedderScores,
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

/// A sentence as the model reads it.
struct Encoded {
    words: Vec<i32>,
    mark: i32,
}

impl Encoded {
    fn count(&self) -> usize {
        self.words.len()
    }
}

/// Trains a new model; `tell` is called after each step with its number, the number of all steps, and the mean loss of
/// the epoch so far, penalty included.
///
/// # Errors
/// If there are no sentences, the loss diverges, or the device fails.
pub fn learn(
    data: &MarkedSentences,
    run: EmbedderRun,
    mut tell: impl FnMut(usize, usize, f32),
) -> Result<Learned, LearnError> {
    let (train, test) = (data.train.len(), data.test.len());
    if train == 0 || test == 0 {
        return Err(LearnError::Few { train, test });
    }
    let config = EmbedderConfig::of_words(frequent_words(&data.train, WORDS));
    let device = crate::device::cpu().autodiff();
    device.seed(run.seed);
    let mut model = SentenceEmbedder::new(&config, &device)?;
    let parameters = model.num_params();
    let encoded = encode(&data.train, &config);
    let mut optimizer = AdamConfig::new().init();
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(run.seed);
    let mut step = 0;
    for epoch in 1..=run.epochs {
        let batches = batches(&encoded, &mut generator);
        let (steps, mut total) = (run.epochs * batches.len(), 0.0);
        for (done, batch) in batches.iter().enumerate() {
            let loss = loss(&model, batch, run.penalty, &device);
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
    }
    let weights = save_weights(&model.valid(), Precision::Half)?;
    let scores = scores(&config, &weights, data)?;
    let training = json!({"training": {
        "command": "attn marks",
        "seed": run.seed,
        "epochs": run.epochs,
        "penalty": run.penalty,
        "parameters": parameters,
        "sentences": train,
        "scores": scores,
    }});
    let config = serde_json::to_value(&config).map_err(ModelError::from)?;
    Ok(Learned {
        config: format!("{}\n", merge(config, training)),
        weights,
        scores,
    })
}

fn encode(sentences: &[Marked], config: &EmbedderConfig) -> Vec<Encoded> {
    let numbers = numbers(&config.vocabulary);
    let number = |word: &String| numbers.get(word).copied().unwrap_or(0);
    let encoded = sentences.iter().map(|one| Encoded {
        words: one.words.iter().map(number).collect(),
        mark: one.mark.place() as i32,
    });
    encoded.collect()
}

/// Returns all sentences in a new order, in batches of equal numbers of words.
fn batches<'a>(
    sentences: &'a [Encoded],
    generator: &mut Xoshiro256PlusPlus,
) -> Vec<Vec<&'a Encoded>> {
    let mut order: Vec<&Encoded> = sentences.iter().collect();
    order.shuffle(generator);
    let mut batches = of_one_length(order, Encoded::count, BATCH);
    batches.shuffle(generator);
    batches
}

fn words_of(sentences: &[&Encoded], device: &Device) -> Tensor<2, Int> {
    let words: Vec<&Vec<i32>> = sentences.iter().map(|one| &one.words).collect();
    batch(&words, device)
}

/// `−ln p` of the right marks, `[batch, 1]`.
fn losses(logits: Tensor<2>, sentences: &[&Encoded]) -> Tensor<2> {
    let marks: Vec<i32> = sentences.iter().map(|one| one.mark).collect();
    let marks = TensorData::new(marks, [sentences.len(), 1]);
    let marks = Tensor::<2, Int>::from_data(marks, &logits.device());
    -log_softmax(logits, 1).gather(1, marks)
}

/// `AAᵀ − I` of each sentence, `[batch, hops, hops]`.
fn excess(weights: Tensor<3>) -> Tensor<3> {
    let [_, hops, _] = weights.dims();
    let identity = Tensor::<2>::eye(hops, &weights.device()).unsqueeze::<3>();
    weights.clone().matmul(weights.swap_dims(1, 2)) - identity
}

/// Returns the mean over a batch of `−ln p + c·‖AAᵀ − I‖²_F`.
fn loss(
    model: &SentenceEmbedder,
    sentences: &[&Encoded],
    factor: f64,
    device: &Device,
) -> Tensor<1> {
    let pass = model.pass(words_of(sentences, device));
    let named = losses(model.read_out(pass.rows), sentences).mean();
    if factor == 0.0 {
        return named;
    }
    let excess = excess(pass.weights);
    let penalty = (excess.clone() * excess)
        .sum()
        .div_scalar(sentences.len() as f64);
    named + penalty.mul_scalar(factor)
}

/// Scores of the weights as they are published.
fn scores(
    config: &EmbedderConfig,
    weights: &[u8],
    data: &MarkedSentences,
) -> Result<EmbedderScores, ModelError> {
    let device = crate::device::cpu();
    let model = weights::load(
        SentenceEmbedder::new(config, &device)?,
        &weights,
        &Layout::PATHS,
    )?;
    let encoded = encode(&data.test, config);
    let mut marks = Mark::ALL.map(|mark| OfMark {
        mark: mark.sign(),
        ..OfMark::default()
    });
    let [mut loss, mut penalty, mut off_diagonal, mut largest] = [0.0_f64; 4];
    let sum = |tensor: Tensor<3>| -> Result<f64, ModelError> {
        Ok(floats(tensor)?.iter().map(|&value| f64::from(value)).sum())
    };
    for sentences in of_one_length(encoded.iter().collect(), Encoded::count, SCORED) {
        let pass = model.pass(words_of(&sentences, &device));
        let logits = model.read_out(pass.rows);
        let named = logits.clone().argmax(1).try_into_vec_as::<i32>();
        let named = named.map_err(|error| ModelError::Device(error.to_string()))?;
        for (named, one) in named.iter().zip(&sentences) {
            marks[one.mark as usize].sentences += 1;
            marks[*named as usize].predicted += 1;
            marks[one.mark as usize].right += usize::from(*named == one.mark);
        }
        loss += sum(losses(logits, &sentences).unsqueeze())?;
        largest += sum(pass.weights.clone().max_dim(2))?;
        let excess = excess(pass.weights);
        penalty += sum(excess.clone() * excess.clone())?;
        // What is off the diagonal of AAᵀ − I is that of AAᵀ.
        let [_, hops, _] = excess.dims();
        let others = Tensor::<2>::ones([hops, hops], &device) - Tensor::eye(hops, &device);
        off_diagonal += sum(excess * others.unsqueeze())?;
    }
    let (count, hops) = (data.test.len() as f64, config.hops as f64);
    let right: usize = marks.iter().map(|mark| mark.right).sum();
    let (majority, by_first) = (most_frequent(&data.train), by_first_word(&data.train));
    let share = |is_right: &dyn Fn(&Marked) -> bool| {
        data.test.iter().filter(|one| is_right(one)).count() as f64 / count
    };
    Ok(EmbedderScores {
        sentences: data.test.len(),
        accuracy: right as f64 / count,
        majority: share(&|one| one.mark == majority),
        first_word: share(&|one| {
            let named = by_first.get(one.words[0].as_str());
            one.mark == named.copied().unwrap_or(majority)
        }),
        marks: marks.to_vec(),
        loss: loss / count,
        penalty: penalty / count,
        overlap: off_diagonal / (count * (hops * (hops - 1.0)).max(1.0)),
        largest_weight: largest / (count * hops),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_have_one_length_and_every_sentence() {
        let sentence = |length: usize| Encoded {
            words: vec![1; length],
            mark: 0,
        };
        let sentences: Vec<Encoded> = (0..300).map(|place| sentence(1 + place % 3)).collect();
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(3);
        let batches = batches(&sentences, &mut generator);
        assert_eq!(batches.len(), 6);
        assert_eq!(batches.iter().map(Vec::len).sum::<usize>(), 300);
        for batch in &batches {
            assert!(batch.len() <= BATCH);
            assert!(
                batch
                    .iter()
                    .all(|one| one.words.len() == batch[0].words.len())
            );
        }
    }

    #[test]
    fn nothing_is_learned_of_nothing() {
        let run = EmbedderRun {
            seed: 1,
            epochs: 1,
            penalty: 0.0,
        };
        let refused = learn(&MarkedSentences::default(), run, |_, _, _| ());
        assert!(matches!(
            refused,
            Err(LearnError::Few { train: 0, test: 0 })
        ));
    }
}
