//! The long short-term memory-network ([Cheng et al. 2016](https://arxiv.org/abs/1601.06733), section 3) in small, as a
//! model of English sentences: an LSTM that keeps all its states, the hidden tape, and all its memory cells, the memory
//! tape. At each word it weighs the words before by additive attention, and the gates go on from the weighted sums of both
//! tapes in place of the last state and the last cell:
//!
//! ```text
//! aᵢ = vᵀ tanh(W_h hᵢ + W_x xₜ + W_h̃ h̃ₜ₋₁),  s = softmax(a),  h̃ₜ = Σ sᵢ hᵢ,  c̃ₜ = Σ sᵢ cᵢ
//! i, f, o = σ(W [h̃ₜ, xₜ]),  ĉ = tanh(W [h̃ₜ, xₜ]),  cₜ = f ⊙ c̃ₜ + i ⊙ ĉ,  hₜ = o ⊙ tanh(cₜ)
//! ```
//!
//! It is not a [`SequenceModel`](crate::sequence::SequenceModel): it answers a lesson's question.

mod config;
#[cfg(feature = "cli")]
mod learn;

use std::collections::HashMap;

use attention_trace::Array;
use attention_trace::lessons::{MOST_WORDS, NextWord, NextWords, ReadWord, TapeReading, words};
use burn::module::Param;
use burn::nn::{Embedding, EmbeddingConfig, Initializer, Linear};
use burn::prelude::*;
use burn::tensor::activation::{sigmoid, softmax};

pub use self::config::{BOUNDARY, LstmnConfig};
#[cfg(feature = "cli")]
pub use self::learn::{LearnedTapes, LstmnRun, LstmnScores, learn};
use crate::embedding::{batch, floats, numbers};
use crate::error::ModelError;
use crate::gru::cell::{project, project_row, steps, tanh};
use crate::kernels::linear_transposed;
use crate::weights::{self, Layout};

/// The words that are named after each step.
const NAMED: usize = 6;

/// The number of [`BOUNDARY`].
const BOUNDARY_NUMBER: i32 = 1;

/// The recurrent network, its attention and its read-out. Field names are the checkpoint's; gates stand side by side: input, forget, candidate, output.
#[derive(Module, Debug)]
pub struct TapeNetwork {
    embedding: Embedding,
    /// The part of the gates that the word decides, with their biases.
    input: Linear,
    /// The part that the summary `h̃` decides.
    hidden: Linear,
    attention: Option<TapeAttention>,
    /// Maps a state to the width of the table that makes the logits, the embedding's.
    readout: Linear,
    output_bias: Param<Tensor<1>>,
}

/// The additive scores, without biases as in the paper.
#[derive(Module, Debug)]
struct TapeAttention {
    /// `W_h`, for the states on the tape.
    key: Linear,
    /// `W_x`, for the word.
    word: Linear,
    /// `W_h̃`, for the last summary.
    summary: Linear,
    /// The vector `v` of the scores.
    score: Linear,
}

/// A pass over sentences of one length.
struct Pass {
    /// For each step but the first the weights of those before, `[batch, steps before]`; empty in a plain LSTM.
    weights: Vec<Tensor<2>>,
    /// The hidden tape, `[batch, steps, width]`.
    hidden: Tensor<3>,
    /// The memory tape, `[batch, steps, width]`.
    memory: Tensor<3>,
}

/// Both tapes side by side, and what attention makes of the hidden one.
struct Tapes {
    /// States, then cells, `[batch, steps, 2 * width]`.
    states: Tensor<3>,
    /// `W_h h`, `[batch, steps, attention]`.
    keys: Option<Tensor<3>>,
}

impl Tapes {
    /// Returns the tapes with one more step.
    fn with(before: Option<Self>, states: Tensor<3>, keys: Option<Tensor<3>>) -> Self {
        let Some(before) = before else {
            return Tapes { states, keys };
        };
        let behind = |(tape, row)| Tensor::cat(vec![tape, row], 1);
        Tapes {
            states: behind((before.states, states)),
            keys: before.keys.zip(keys).map(behind),
        }
    }
}

impl TapeAttention {
    /// The weights of the steps on the tape, `[batch, steps]`.
    ///
    /// # Shapes
    /// - keys: `[batch, steps, attention]`
    /// - word: `W_x x`, `[batch, attention]`
    /// - summary: the last `h̃`, `[batch, width]`
    fn weigh(&self, keys: Tensor<3>, word: Tensor<2>, summary: Tensor<2>) -> Tensor<2> {
        let query = word + project_row(summary, &self.summary);
        let scores = project(tanh(keys + query.unsqueeze_dim::<3>(1)), &self.score);
        softmax(scores.squeeze_dim::<2>(2), 1)
    }
}

impl TapeNetwork {
    /// Creates a new model with random weights, uniform in `±1/√width` as PyTorch's, and `N(0, embedding_size^-½)` for
    /// embeddings, which make the logits too.
    ///
    /// # Errors
    /// If the sizes make no model.
    pub fn new(config: &LstmnConfig, device: &Device) -> Result<Self, ModelError> {
        config.check()?;
        let (embedding, width) = (config.embedding_size, config.state_size);
        let layer = |[input, output]: [usize; 2], bounded_by: usize, is_biased: bool| {
            let bound = (bounded_by as f64).powf(-0.5);
            let init = Initializer::Uniform {
                min: -bound,
                max: bound,
            };
            Linear {
                weight: init.init([input, output], device),
                bias: is_biased.then(|| init.init([output], device)),
            }
        };
        Ok(TapeNetwork {
            embedding: EmbeddingConfig::new(config.vocabulary.len(), embedding)
                .with_initializer(Initializer::Normal {
                    mean: 0.0,
                    std: (embedding as f64).powf(-0.5),
                })
                .init(device),
            input: layer([embedding, 4 * width], width, true),
            hidden: layer([width, 4 * width], width, false),
            attention: config.attention_size.map(|size| TapeAttention {
                key: layer([width, size], width, false),
                word: layer([embedding, size], embedding, false),
                summary: layer([width, size], width, false),
                score: layer([size, 1], size, false),
            }),
            readout: layer([width, embedding], width, true),
            output_bias: Initializer::Zeros.init([config.vocabulary.len()], device),
        })
    }

    /// Reads sentences of one length.
    ///
    /// # Shapes
    /// - words: `[batch, words]`, their numbers
    fn pass(&self, words: Tensor<2, Int>) -> Pass {
        let [batch, _] = words.dims();
        let [width, _] = self.hidden.weight.dims();
        let x = self.embedding.forward(words);
        let attention = self.attention.as_ref();
        let mut asking = attention
            .map(|attention| steps(project(x.clone(), &attention.word)))
            .into_iter()
            .flatten();
        // What a step goes on from: h̃ and c̃ side by side.
        let mut summary = Tensor::<2>::zeros([batch, 2 * width], &x.device());
        let mut tapes = None::<Tapes>;
        let mut weights = vec![];
        for gates in steps(project(x.clone(), &self.input)) {
            let word = asking.next();
            if let (
                Some(attention),
                Some(word),
                Some(Tapes {
                    states,
                    keys: Some(keys),
                }),
            ) = (attention, word, &tapes)
            {
                let last = summary.narrow(1, 0, width);
                let row = attention.weigh(keys.clone(), word, last);
                let sum = row.clone().unsqueeze_dim::<3>(1).matmul(states.clone());
                summary = sum.squeeze_dim(1);
                weights.push(row);
            }
            let made = self.step(gates, summary.clone());
            let key = attention.map(|attention| {
                let hidden = made.clone().narrow(1, 0, width);
                project_row(hidden, &attention.key).unsqueeze_dim::<3>(1)
            });
            tapes = Some(Tapes::with(tapes, made.clone().unsqueeze_dim::<3>(1), key));
            if attention.is_none() {
                summary = made;
            }
        }
        let none = || Tensor::<3>::zeros([batch, 0, 2 * width], &x.device());
        let states = tapes.map_or_else(none, |tapes| tapes.states);
        Pass {
            weights,
            hidden: states.clone().narrow(2, 0, width),
            memory: states.narrow(2, width, width),
        }
    }

    /// The state and the cell of a step side by side, `[batch, 2 * width]`, of the word's part of the gates,
    /// `[batch, 4 * width]`, and the summary of both tapes, `[batch, 2 * width]`.
    fn step(&self, word: Tensor<2>, summary: Tensor<2>) -> Tensor<2> {
        let [_, width] = summary.dims();
        let width = width / 2;
        let gates = word + project_row(summary.clone().narrow(1, 0, width), &self.hidden);
        let gate = |number: usize| gates.clone().narrow(1, number * width, width);
        let [input, forget, output] = [gate(0), gate(1), gate(3)].map(sigmoid);
        let cell = forget * summary.narrow(1, width, width) + input * tanh(gate(2));
        Tensor::cat(vec![output * tanh(cell.clone()), cell], 1)
    }

    /// Logits of the next word after each state, `[rows, vocabulary]`.
    ///
    /// # Shapes
    /// - states: `[batch, steps, width]`
    fn logits(&self, states: Tensor<3>) -> Tensor<2> {
        let rows = project(states, &self.readout).flatten::<2>(0, 1);
        linear_transposed(rows, self.embedding.weight.val())
            + self.output_bias.val().unsqueeze_dim::<2>(0)
    }
}

/// A trained model with its words.
#[derive(Debug)]
pub struct TapeReader {
    model: TapeNetwork,
    vocabulary: Vec<String>,
    numbers: HashMap<String, i32>,
}

impl TapeReader {
    /// Loads the model of `config.json` and `model.safetensors`.
    ///
    /// # Errors
    /// If a file is broken, or a weight is missing or has another shape.
    pub fn load(config: &[u8], weights: &[u8], device: &Device) -> Result<Self, ModelError> {
        let config: LstmnConfig = serde_json::from_slice(config)?;
        let model = TapeNetwork::new(&config, device)?;
        Ok(TapeReader {
            model: weights::load(model, &weights, &Layout::PATHS)?,
            numbers: numbers(&config.vocabulary),
            vocabulary: config.vocabulary,
        })
    }

    /// Reads a sentence with its marks, word by word, behind [`BOUNDARY`].
    ///
    /// # Errors
    /// If the sentence has no words or more than [`MOST_WORDS`], or the device fails.
    pub fn read(&self, sentence: &str) -> Result<TapeReading, ModelError> {
        let read = words(sentence);
        if read.is_empty() {
            return Err(ModelError::EmptyInput);
        }
        if read.len() > MOST_WORDS {
            return Err(ModelError::InputTooLong {
                tokens: read.len(),
                limit: MOST_WORDS,
            });
        }
        let number = |word: &String| self.numbers.get(word).copied().unwrap_or(0);
        let numbers: Vec<i32> = [BOUNDARY_NUMBER]
            .into_iter()
            .chain(read.iter().map(number))
            .collect();
        let device = self.model.readout.weight.device();
        let pass = self.model.pass(batch(&[&numbers], &device));
        let probabilities = floats(softmax(self.model.logits(pass.hidden.clone()), 1))?;
        let count = numbers.len();
        let tape = |tensor: Tensor<3>| -> Result<Array, ModelError> {
            let [_, steps, width] = tensor.dims();
            Ok(Array {
                shape: vec![steps, width],
                data: floats(tensor)?,
            })
        };
        let rows = probabilities.chunks(self.vocabulary.len()).enumerate();
        let followed = |step: usize| numbers.get(step + 1).map(|&number| number as usize);
        Ok(TapeReading {
            weights: square(pass.weights, count)?,
            hidden: tape(pass.hidden)?,
            memory: tape(pass.memory)?,
            next: rows
                .map(|(step, row)| NextWords {
                    likeliest: self.likeliest(row),
                    followed: followed(step).and_then(|number| row.get(number).copied()),
                })
                .collect(),
            words: [BOUNDARY.to_owned()]
                .into_iter()
                .chain(read)
                .map(|text| ReadWord {
                    known: self.numbers.contains_key(&text),
                    text,
                })
                .collect(),
        })
    }

    /// The likeliest words of a row of probabilities.
    fn likeliest(&self, row: &[f32]) -> Vec<NextWord> {
        let mut ranked: Vec<(&String, f32)> =
            self.vocabulary.iter().zip(row.iter().copied()).collect();
        ranked.sort_by(|one, other| other.1.total_cmp(&one.1));
        let named = ranked.into_iter().take(NAMED);
        named
            .map(|(text, probability)| NextWord {
                text: text.clone(),
                probability,
            })
            .collect()
    }
}

/// The weights of each step in a square, `[count, count]`, zero where nothing was read before.
fn square(rows: Vec<Tensor<2>>, count: usize) -> Result<Array, ModelError> {
    let mut data = vec![0.0; count * count];
    for (step, row) in rows.into_iter().enumerate() {
        for (place, weight) in floats(row)?.into_iter().enumerate() {
            data[(step + 1) * count + place] = weight;
        }
    }
    Ok(Array {
        shape: vec![count, count],
        data,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn reader(has_attention: bool) -> TapeReader {
        let words = ["are", "you", "here", "no"].map(str::to_owned);
        let config = LstmnConfig::of_words(words, has_attention);
        let device = crate::device::cpu();
        TapeReader {
            model: TapeNetwork::new(&config, &device).unwrap(),
            numbers: numbers(&config.vocabulary),
            vocabulary: config.vocabulary,
        }
    }

    #[test]
    fn later_words_change_nothing_before_them() {
        let reader = reader(true);
        let short = reader.read("are you").unwrap();
        let long = reader.read("are you here?").unwrap();
        let width = short.hidden.shape[1];
        let close = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
        assert!(close(&short.hidden.data, &long.hidden.data[..3 * width]));
        assert!(close(&short.memory.data, &long.memory.data[..3 * width]));
        assert_eq!(long.words.len(), 5);
        assert_eq!(long.next[4].followed, None);
        assert!(long.next[3].followed.is_some());
    }

    #[test]
    fn a_plain_network_weighs_nothing_and_differs() {
        let plain = reader(false).read("are you here?").unwrap();
        assert!(plain.weights.data.iter().all(|&weight| weight == 0.0));
    }

    #[test]
    fn without_words_or_with_too_many_nothing_is_read() {
        let reader = reader(true);
        assert!(matches!(reader.read(" "), Err(ModelError::EmptyInput)));
        assert!(matches!(
            reader.read(&"no ".repeat(MOST_WORDS + 1)),
            Err(ModelError::InputTooLong { .. })
        ));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        #[test]
        fn weights_of_words_before_sum_to_one(sentence in "(are|you|here|other)( (are|you|no)){0,9}[.?!]?") {
            let read = reader(true).read(&sentence).unwrap();
            let count = read.words.len();
            for (step, row) in read.weights.data.chunks(count).enumerate() {
                let sum = row[..step].iter().sum::<f32>();
                let expected = f32::from(u8::from(step > 0));
                prop_assert!((sum - expected).abs() < 1e-5);
                prop_assert!(row[step..].iter().all(|&weight| weight == 0.0));
            }
        }
    }
}
