//! The self-attentive sentence embedding ([Lin et al. 2017](https://arxiv.org/abs/1703.03130)) in small: a
//! bidirectional recurrent encoder gives each word a state, `H`; `A = softmax(W₂ tanh(W₁Hᵀ))` weighs the states in `r`
//! ways, and `M = AH` is the sentence. The mark that ended the sentence is predicted from it. The paper uses LSTMs; the
//! cell here is the GRU of our [recurrent encoder–decoders](crate::gru).
//!
//! It is not a [`SequenceModel`](crate::sequence::SequenceModel): it writes nothing.

mod config;
#[cfg(feature = "cli")]
mod data;
#[cfg(feature = "cli")]
mod learn;

use std::collections::HashMap;

use attention_trace::Array;
use attention_trace::lessons::{
    EmbeddedSentence, MOST_WORDS, Mark, ReadWord, overlap, penalty, unmarked, words,
};
use burn::nn::{Embedding, EmbeddingConfig, Linear, LinearConfig};
use burn::prelude::*;
use burn::tensor::activation::{relu, softmax};

pub use self::config::{EmbedderConfig, UNKNOWN};
#[cfg(feature = "cli")]
pub use self::data::{Marked, MarkedSentences, marked_sentences};
#[cfg(feature = "cli")]
pub(crate) use self::data::{frequent_words, of_one_length};
#[cfg(feature = "cli")]
pub use self::learn::{EmbedderRun, EmbedderScores, LearnError, Learned, learn};
use crate::error::ModelError;
use crate::gru::cell::{Gru, project, tanh};
use crate::weights::{self, Layout};

/// Predicts the mark that ended a sentence. Field names are the checkpoint's.
#[derive(Module, Debug)]
pub struct SentenceEmbedder {
    embedding: Embedding,
    forward: Gru,
    backward: Gru,
    w1: Linear,
    w2: Linear,
    inner: Linear,
    readout: Linear,
}

/// A pass over sentences of one length.
struct Pass {
    /// `A`, `[batch, hops, words]`.
    weights: Tensor<3>,
    /// `M`, `[batch, hops, width]`.
    rows: Tensor<3>,
}

impl SentenceEmbedder {
    /// Creates a new model with random weights: PyTorch's for recurrences and layers, `N(0, 1)` for embeddings.
    ///
    /// # Errors
    /// If the sizes make no model.
    pub fn new(config: &EmbedderConfig, device: &Device) -> Result<Self, ModelError> {
        config.check()?;
        let width = config.width();
        let plain = |input: usize, output: usize| {
            let layer = LinearConfig::new(input, output).with_bias(false);
            layer.init(device)
        };
        Ok(SentenceEmbedder {
            embedding: EmbeddingConfig::new(config.vocabulary.len(), config.embedding_size)
                .init(device),
            forward: Gru::new(config.embedding_size, config.state_size, device),
            backward: Gru::new(config.embedding_size, config.state_size, device),
            w1: plain(width, config.attention_size),
            w2: plain(config.attention_size, config.hops),
            inner: LinearConfig::new(config.hops * width, config.inner_size).init(device),
            readout: LinearConfig::new(config.inner_size, Mark::ALL.len()).init(device),
        })
    }

    /// Reads sentences of one length.
    ///
    /// # Shapes
    /// - words: `[batch, words]`, their numbers
    fn pass(&self, words: Tensor<2, Int>) -> Pass {
        let x = self.embedding.forward(words);
        let forward = self.forward.read(x.clone(), None, false);
        let backward = self.backward.read(x, None, true);
        // H, [batch, words, width]
        let states = Tensor::cat(vec![forward, backward], 2);
        let scores = project(tanh(project(states.clone(), &self.w1)), &self.w2);
        let weights = softmax(scores.swap_dims(1, 2), 2);
        Pass {
            rows: weights.clone().matmul(states),
            weights,
        }
    }

    /// Logits, `[batch, marks]`, of `M`, `[batch, hops, width]`: its rows one behind the other, a layer with ReLU and
    /// one to the logits.
    fn read_out(&self, rows: Tensor<3>) -> Tensor<2> {
        let inner = relu(self.inner.forward(rows.flatten::<2>(1, 2)));
        self.readout.forward(inner)
    }
}

/// A trained model with its words.
#[derive(Debug)]
pub struct SentenceReader {
    model: SentenceEmbedder,
    numbers: HashMap<String, i32>,
    hops: usize,
}

impl SentenceReader {
    /// Loads the model of `config.json` and `model.safetensors`.
    ///
    /// # Errors
    /// If a file is broken, or a weight is missing or has another shape.
    pub fn load(config: &[u8], weights: &[u8], device: &Device) -> Result<Self, ModelError> {
        let config: EmbedderConfig = serde_json::from_slice(config)?;
        let model = SentenceEmbedder::new(&config, device)?;
        Ok(SentenceReader {
            model: weights::load(model, &weights, &Layout::PATHS)?,
            hops: config.hops,
            numbers: numbers(&config.vocabulary),
        })
    }

    /// Runs the model on a sentence without its final marks. For the second set of probabilities, the rows of `M` of
    /// the hops in `off`, counted from 0, are set to zero.
    ///
    /// # Errors
    /// If the sentence has no words or more than [`MOST_WORDS`], or the device fails.
    pub fn see(&self, sentence: &str, off: &[usize]) -> Result<EmbeddedSentence, ModelError> {
        let words = words(unmarked(sentence).0);
        match words.len() {
            0 => return Err(ModelError::EmptyInput),
            count if count > MOST_WORDS => {
                return Err(ModelError::InputTooLong {
                    tokens: count,
                    limit: MOST_WORDS,
                });
            }
            _ => {}
        }
        let device = self.model.readout.weight.device();
        let pass = self.model.pass(batch(&[&self.read(&words)], &device));
        let weights = Array {
            shape: vec![self.hops, words.len()],
            data: floats(pass.weights)?,
        };
        let left = pass.rows.clone() * self.switches(off, &device);
        let logits = self.model.read_out(pass.rows);
        let overlap = overlap(&weights);
        Ok(EmbeddedSentence {
            penalty: penalty(&overlap),
            weights,
            overlap,
            probabilities: floats(softmax(logits.clone(), 1))?,
            logits: floats(logits)?,
            probabilities_left: floats(softmax(self.model.read_out(left), 1))?,
            words: words
                .into_iter()
                .map(|text| ReadWord {
                    known: self.numbers.contains_key(&text),
                    text,
                })
                .collect(),
        })
    }

    /// Returns the number of each word.
    fn read(&self, words: &[String]) -> Vec<i32> {
        let number = |word: &String| self.numbers.get(word).copied().unwrap_or(0);
        words.iter().map(number).collect()
    }

    /// `[1, hops, 1]`, 0 at hops that are off.
    fn switches(&self, off: &[usize], device: &Device) -> Tensor<3> {
        let switch = |hop| f32::from(u8::from(!off.contains(&hop)));
        let switches: Vec<f32> = (0..self.hops).map(switch).collect();
        Tensor::from_data(TensorData::new(switches, [1, self.hops, 1]), device)
    }
}

/// Maps each word to its number; unknown words have none.
pub(crate) fn numbers(vocabulary: &[String]) -> HashMap<String, i32> {
    let words = vocabulary.iter().enumerate().skip(1);
    words
        .map(|(number, word)| (word.clone(), number as i32))
        .collect()
}

/// Sentences of one length, `[batch, words]`.
pub(crate) fn batch(sentences: &[&Vec<i32>], device: &Device) -> Tensor<2, Int> {
    let length = sentences.first().map_or(0, |sentence| sentence.len());
    let words: Vec<i32> = sentences
        .iter()
        .flat_map(|one| one.iter().copied())
        .collect();
    Tensor::from_data(TensorData::new(words, [sentences.len(), length]), device)
}

pub(crate) fn floats<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f32>, ModelError> {
    tensor
        .try_into_vec_as::<f32>()
        .map_err(|error| ModelError::Device(error.to_string()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn reader() -> SentenceReader {
        let config = EmbedderConfig::of_words(["are", "you", "here", "no"].map(str::to_owned));
        let device = crate::device::cpu();
        SentenceReader {
            model: SentenceEmbedder::new(&config, &device).unwrap(),
            hops: config.hops,
            numbers: numbers(&config.vocabulary),
        }
    }

    #[test]
    fn the_mark_has_no_part_in_the_answer() {
        let reader = reader();
        let asked = reader.see("Are you here?", &[]).unwrap();
        assert_eq!(asked, reader.see("are you here", &[]).unwrap());
        assert_eq!(asked.weights.shape, [4, 3]);
        assert_eq!(asked.probabilities, asked.probabilities_left);
    }

    #[test]
    fn words_that_are_not_known_are_one_to_the_model() {
        let reader = reader();
        let first = reader.see("Are Ann here?", &[]).unwrap();
        let second = reader.see("Are Bob here?", &[]).unwrap();
        assert_eq!(first.logits, second.logits);
        let known: Vec<bool> = first.words.iter().map(|word| word.known).collect();
        assert_eq!(known, [true, false, true]);
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        let reader = reader();
        assert!(matches!(
            reader.see(" ?!", &[]),
            Err(ModelError::EmptyInput)
        ));
        let long = "no ".repeat(MOST_WORDS + 1);
        assert!(matches!(
            reader.see(&long, &[]),
            Err(ModelError::InputTooLong { .. })
        ));
    }

    #[test]
    fn without_any_hop_every_sentence_is_the_same() {
        let (reader, all) = (reader(), [0, 1, 2, 3]);
        let one = reader.see("are you here", &all).unwrap();
        let other = reader.see("no", &all).unwrap();
        assert_eq!(one.probabilities_left, other.probabilities_left);
        assert_ne!(one.probabilities, other.probabilities);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        #[test]
        fn rows_and_probabilities_sum_to_one(sentence in "(are|you|here|no|other)( (are|you|here|no)){0,9}") {
            let seen = reader().see(&sentence, &[1]).unwrap();
            for row in seen.weights.data.chunks(seen.words.len()) {
                prop_assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            }
            for probabilities in [&seen.probabilities, &seen.probabilities_left] {
                prop_assert!((probabilities.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            }
            prop_assert!((seen.penalty - penalty(&overlap(&seen.weights))).abs() < 1e-6);
        }
    }
}
