//! Running a checkpoint: text in, decoding and the trace of every attention weight out.

mod next_token;

use attention_trace::positions::PositionalEncoding;
use attention_trace::{
    Array, Candidate, Decoding, Experiment, Family, Hypothesis, Quantities, Quantity, Search, Step,
    Token, Trace, TraceMeta,
};
use burn::prelude::*;

use crate::checkpoint::{Checkpoint, Model};
use crate::decoding::{Bounds, Sequence, log_softmax, search, top};
use crate::error::ModelError;
use crate::pass::{Blind, Pass};

pub(crate) use next_token::{LlamaNext, MarianNext};

/// The name of the array of logits, which belongs to no layer.
const LOGITS: &str = "logits";
/// Candidates reported at each decoding step.
const CANDIDATES: usize = 10;

/// What to decode and what to record.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// How to search.
    pub search: Search,
    /// Target tokens forced before the search begins.
    pub prefix: Vec<u32>,
    /// The most tokens to append; the model's own limit where that is lower.
    pub max_new_tokens: usize,
    /// What the traced pass records.
    pub quantities: Quantities,
}

impl Checkpoint {
    /// The architecture.
    pub fn family(&self) -> Family {
        match self.model {
            Model::Marian(_) => Family::Marian,
            Model::Llama(_) => Family::Llama,
        }
    }

    /// The most tokens of a sequence.
    pub fn max_tokens(&self) -> usize {
        match &self.model {
            Model::Marian(marian) => marian.config().max_position_embeddings,
            Model::Llama(llama) => llama.config().max_position_embeddings,
        }
    }

    /// Rows of the embedding table, and logits: at least as many as the tokenizer has pieces.
    pub fn vocabulary(&self) -> usize {
        match &self.model {
            Model::Marian(marian) => marian.config().vocab_size,
            Model::Llama(llama) => llama.config().vocab_size,
        }
    }

    /// Number of weights.
    pub fn parameters(&self) -> usize {
        match &self.model {
            Model::Marian(marian) => marian.num_params(),
            Model::Llama(llama) => llama.num_params(),
        }
    }

    /// Decodes `text`; the sequences found, best first, none where no token may be appended. `watch`
    /// sees the best tokens after every step and says whether to go on.
    ///
    /// # Errors
    /// If the input is empty or too long, a prefix token unknown, the search cancelled, or the
    /// device fails.
    pub async fn decode(
        &self,
        text: &str,
        options: &RunOptions,
        device: &Device,
        watch: impl AsyncFnMut(&[u32]) -> bool,
    ) -> Result<Vec<Sequence>, ModelError> {
        let input = self.encode_input(text)?;
        if options.max_new_tokens == 0 {
            return Ok(vec![]);
        }
        let bounds = |start: Vec<u32>, end, forced_end, banned| Bounds {
            max_new_tokens: options
                .max_new_tokens
                .min(self.max_tokens() - start.len())
                .max(1),
            start,
            prefix: options.prefix.clone(),
            end,
            forced_end,
            banned,
        };
        match &self.model {
            Model::Marian(model) => {
                let mut next = MarianNext::new(model, &ids(&input), device);
                let config = model.config();
                let bounds = bounds(
                    vec![config.decoder_start_token_id],
                    config.eos_token_id,
                    config.forced_eos_token_id,
                    vec![config.pad_token_id],
                );
                search(&mut next, options.search, &bounds, watch).await
            }
            Model::Llama(model) => {
                let mut next = LlamaNext::new(model, device);
                let config = model.config();
                let (end, forced_end) = (config.eos_token_id, config.forced_eos_token_id);
                let bounds = bounds(ids(&input), end, forced_end, vec![]);
                search(&mut next, options.search, &bounds, watch).await
            }
        }
    }

    /// One forward pass over `text` and the given target tokens, all positions at once, recording
    /// `options.quantities`; `sequences` (from [`decode`](Self::decode)) becomes the trace's decoding,
    /// its first sequence the target.
    ///
    /// # Errors
    /// As `decode`.
    pub async fn trace(
        &self,
        text: &str,
        sequences: &[Sequence],
        options: &RunOptions,
        device: &Device,
    ) -> Result<Trace, ModelError> {
        let appended = appended(sequences);
        let read = all_but_last(appended);
        let (source, target) = self.sides(text, read)?;
        let mut pass = Pass::recording(options.quantities);
        let logits = self.forward(&source, &target, device, &mut pass);
        let [_, vocabulary] = logits.dims();
        let (mut arrays, mut also) = pass.read(vec![logits.flatten(0, 1)]).await?;
        let logits = also.pop().unwrap_or_default();
        let first_row = target.len() - read.len() - 1;
        let rows: Vec<&[f32]> = logits.chunks(vocabulary).collect();
        let steps = appended
            .iter()
            .enumerate()
            .map(|(index, &token)| {
                let row = first_row + index;
                self.step(row, rows[row], token, index < options.prefix.len())
            })
            .collect();
        let decoding = Decoding {
            search: options.search,
            hypotheses: self.hypotheses(sequences)?,
            steps,
        };
        if options.quantities.contains(Quantity::Logits) {
            let shape = vec![target.len(), vocabulary];
            arrays.insert(
                LOGITS.to_owned(),
                Array {
                    shape,
                    data: logits,
                },
            );
        }
        let meta = self.meta(source, target);
        let decoding = (!sequences.is_empty()).then_some(decoding);
        Ok(Trace {
            meta,
            decoding,
            arrays,
        })
    }

    /// One array of the pass that [`trace`](Self::trace) would make, or that an experiment makes of it, by
    /// its name; `None` if the pass makes no such array. Much of a pass is too much to keep on the chance
    /// that someone asks.
    ///
    /// # Errors
    /// As `trace`, and if the experiment's order is no permutation of the tokens.
    pub async fn array(
        &self,
        text: &str,
        sequences: &[Sequence],
        name: &str,
        experiment: Option<&Experiment>,
        device: &Device,
    ) -> Result<Option<Array>, ModelError> {
        let (mut source, mut target) = self.sides(text, all_but_last(appended(sequences)))?;
        let mut pass = Pass::recording_array(name);
        if let Some(experiment) = experiment {
            let tokens = match self.family() {
                Family::Marian => &mut source,
                Family::Llama => &mut target,
            };
            reorder(tokens, experiment)?;
            pass = pass.blind(Blind {
                to_positions: !experiment.positions,
                to_causality: !experiment.causal,
            });
        }
        let logits = self.forward(&source, &target, device, &mut pass);
        if name == LOGITS {
            let shape = logits.dims().to_vec();
            let (_, mut also) = pass.read(vec![logits.flatten(0, 1)]).await?;
            return Ok(also.pop().map(|data| Array { shape, data }));
        }
        let (mut arrays, _) = pass.read(vec![]).await?;
        Ok(arrays.remove(name))
    }

    /// What encoder and decoder read: the input, and the target tokens `read` after it or after the
    /// start token.
    fn sides(&self, text: &str, read: &[u32]) -> Result<(Vec<Token>, Vec<Token>), ModelError> {
        let input = self.encode_input(text)?;
        let (source, target) = match &self.model {
            Model::Marian(model) => {
                let start = self.tokenizer.token(model.config().decoder_start_token_id);
                (input, [vec![start], self.tokens(read)].concat())
            }
            Model::Llama(_) => (vec![], [input, self.tokens(read)].concat()),
        };
        let limit = self.max_tokens();
        if target.len() > limit {
            return Err(ModelError::InputTooLong {
                tokens: target.len(),
                limit,
            });
        }
        Ok((source, target))
    }

    /// Logits after every target token, `[target, vocabulary]`.
    pub(crate) fn forward(
        &self,
        source: &[Token],
        target: &[Token],
        device: &Device,
        pass: &mut Pass,
    ) -> Tensor<2> {
        self.model.forward(&ids(source), &ids(target), device, pass)
    }

    /// The tokens of what was typed, checked against the model's limit and its table.
    ///
    /// # Errors
    /// If there are none, or too many, or the table has no row for one.
    pub fn encode_input(&self, text: &str) -> Result<Vec<Token>, ModelError> {
        let tokens = self.tokenizer.encode(text)?;
        let rows = self.vocabulary();
        if let Some(token) = tokens.iter().find(|token| token.id as usize >= rows) {
            return Err(ModelError::UnknownToken(token.id));
        }
        // A language model needs room for at least one token more.
        let limit = match self.family() {
            Family::Marian => self.max_tokens(),
            Family::Llama => self.max_tokens() - 1,
        };
        if tokens.len() > limit {
            return Err(ModelError::InputTooLong {
                tokens: tokens.len(),
                limit,
            });
        }
        Ok(tokens)
    }

    fn step(&self, row: usize, logits: &[f32], chosen: u32, forced: bool) -> Step {
        let log_probabilities = log_softmax(logits);
        let candidate = |token: u32| Candidate {
            token: self.tokenizer.token(token),
            logit: logits[token as usize],
            log_probability: log_probabilities[token as usize],
        };
        let best = top(logits, CANDIDATES).into_iter();
        Step {
            row,
            chosen: candidate(chosen),
            forced,
            candidates: best.map(|(token, _)| candidate(token)).collect(),
        }
    }

    fn hypotheses(&self, sequences: &[Sequence]) -> Result<Vec<Hypothesis>, ModelError> {
        sequences
            .iter()
            .map(|sequence| {
                Ok(Hypothesis {
                    tokens: self.tokens(&sequence.tokens),
                    text: self.tokenizer.decode(&sequence.tokens)?,
                    log_probability: sequence.log_probability,
                    score: sequence.score,
                })
            })
            .collect()
    }

    fn meta(&self, source: Vec<Token>, target: Vec<Token>) -> TraceMeta {
        match &self.model {
            Model::Marian(model) => {
                let config = model.config();
                TraceMeta {
                    family: Family::Marian,
                    source,
                    target,
                    encoder_layers: config.encoder_layers,
                    decoder_layers: config.decoder_layers,
                    heads: config.decoder_attention_heads,
                    d_model: config.d_model,
                    positions: Some(PositionalEncoding::Sinusoidal),
                    rope_theta: None,
                    buckets: None,
                }
            }
            Model::Llama(model) => {
                let config = model.config();
                TraceMeta {
                    family: Family::Llama,
                    source,
                    target,
                    encoder_layers: 0,
                    decoder_layers: config.num_hidden_layers,
                    heads: config.num_attention_heads,
                    d_model: config.hidden_size,
                    positions: Some(config.positions),
                    rope_theta: (config.positions == PositionalEncoding::Rope)
                        .then(|| config.theta()),
                    buckets: (config.positions == PositionalEncoding::T5).then(|| config.buckets()),
                }
            }
        }
    }

    fn tokens(&self, ids: &[u32]) -> Vec<Token> {
        ids.iter().map(|&id| self.tokenizer.token(id)).collect()
    }
}

impl Model {
    /// Logits after every target token, `[target, vocabulary]`. The target must not be empty; a
    /// decoder-only model reads no source.
    pub(crate) fn forward(
        &self,
        source: &[u32],
        target: &[u32],
        device: &Device,
        pass: &mut Pass,
    ) -> Tensor<2> {
        let target = row(target, device);
        match self {
            Model::Marian(model) => {
                let memory = model.encode(row(source, device), None, pass);
                let states = model.decode(target, &memory, &mut model.cache(), pass);
                model.logits(states.flatten(0, 1))
            }
            Model::Llama(model) => {
                let states = model.forward(target, &mut model.cache(), pass);
                model.logits(states.flatten(0, 1))
            }
        }
    }
}

/// The tokens of the sequence that a trace shows.
fn appended(sequences: &[Sequence]) -> &[u32] {
    sequences
        .first()
        .map_or(&[], |sequence| sequence.tokens.as_slice())
}

/// The last token is predicted, never read.
fn all_but_last(tokens: &[u32]) -> &[u32] {
    &tokens[..tokens.len().saturating_sub(1)]
}

fn ids(tokens: &[Token]) -> Vec<u32> {
    tokens.iter().map(|token| token.id).collect()
}

/// One sequence, `[1, tokens]`.
fn row(tokens: &[u32], device: &Device) -> Tensor<2, Int> {
    tensor(tokens, [1, tokens.len()], device)
}

fn tensor(tokens: &[u32], shape: [usize; 2], device: &Device) -> Tensor<2, Int> {
    let tokens: Vec<i32> = tokens.iter().map(|&token| token as i32).collect();
    Tensor::from_data(TensorData::new(tokens, shape), device)
}

/// Logits, read to the host, `[rows][vocabulary]`.
pub(crate) async fn read_logits(logits: Tensor<2>) -> Result<Vec<Vec<f32>>, ModelError> {
    let [_, vocabulary] = logits.dims();
    let data = logits
        .into_data_async()
        .await
        .map_err(|error| ModelError::Device(error.to_string()))?;
    let values = data
        .try_into_vec::<f32>()
        .map_err(|error| ModelError::Device(format!("{error:?}")))?;
    Ok(values.chunks(vocabulary).map(<[f32]>::to_vec).collect())
}

/// Puts tokens into an experiment's order.
fn reorder(tokens: &mut Vec<Token>, experiment: &Experiment) -> Result<(), ModelError> {
    if !experiment.is_permutation_of(tokens.len()) {
        return Err(ModelError::Order {
            tokens: tokens.len(),
        });
    }
    let place = |&token: &usize| tokens[token].clone();
    *tokens = experiment.order.iter().map(place).collect();
    Ok(())
}
