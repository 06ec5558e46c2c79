//! The logit lens (nostalgebraist 2020): each layer's residual stream decoded to predictions of the next word, as the
//! last one is.
//!
//! Each layer adds to the residual stream, so the stream after layer `l` is a vector of the same kind as the one that
//! gives the logits. The lens reads it with the model's own last norm, if there is one, and its output matrix:
//! `softmax(W_U · norm(x_l) + b)`. After the last layer that is the model's prediction. A post-norm model, such as
//! Marian, has no norm at the end: a layer's output is normalised already, by its own last norm, and is read as it is.
//! The transform between the last layer and the matrix in BERT is applied too.
//!
//! The earlier layers were never trained to be read in this way. If their vectors use another basis than the last
//! layer's, the lens shows less information than they contain (Belrose et al. 2023 fit a translation for each layer).

use attention_trace::{Array, Edit, Lens, ReadWord, Reading, Token};
use burn::prelude::*;

use super::{all_but_last, appended, read_logits};
use crate::checkpoint::Checkpoint;
use crate::decoding::{Sequence, log_softmax, top};
use crate::error::ModelError;

/// The number of positions read at once: logits of all positions of a long text would need too much memory.
const ROWS: usize = 64;

impl Checkpoint {
    /// Reads every layer's residual stream as logits, in the pass over `text` and the tokens of the first sequence (from
    /// [`decode`](Checkpoint::decode)) with these edits; returns the most probable words of each layer and position.
    ///
    /// # Errors
    /// If the model has no output matrix; else as [`trace`](Checkpoint::trace).
    pub async fn lens(
        &self,
        text: &str,
        sequences: &[Sequence],
        words: usize,
        edits: &[Edit],
        device: &Device,
    ) -> Result<Lens, ModelError> {
        let spec = self.spec();
        if !spec.has_lens() {
            return Err(ModelError::Unsupported(
                "a model without a residual stream or without logits has none to read from its layers".into(),
            ));
        }
        let sites = spec.lens_sites();
        let wanted = sites.iter().copied().collect();
        let mut arrays = self.arrays(text, sequences, &wanted, edits, device).await?;
        let streams: Vec<Array> = sites
            .iter()
            .filter_map(|site| arrays.remove(site))
            .collect();
        let rows = streams.first().map_or(0, |stream| stream.shape[0]);
        let written = appended(sequences);
        let first = rows.saturating_sub(all_but_last(written).len() + 1);
        let mut lens = Lens {
            answers: Vec::with_capacity(rows),
            layers: vec![Vec::with_capacity(rows); streams.len()],
        };
        for from in (0..rows).step_by(ROWS) {
            let count = ROWS.min(rows - from);
            // The last layer first, which says what follows where nothing was appended.
            for (layer, stream) in streams.iter().enumerate().rev() {
                let logits = self.logits_of(stream, from, count, device).await?;
                if layer + 1 == streams.len() {
                    let answer = |(index, row): (usize, &Vec<f32>)| {
                        let appended = (from + index).checked_sub(first);
                        appended
                            .and_then(|place| written.get(place).copied())
                            .unwrap_or_else(|| best(row))
                    };
                    let answers = logits.iter().enumerate().map(answer);
                    lens.answers
                        .extend(answers.map(|id| self.tokenizer.token(id)));
                }
                let readings = logits.iter().zip(&lens.answers[from..]);
                let readings = readings.map(|(row, answer)| self.reading(row, answer, words));
                lens.layers[layer].extend(readings);
            }
        }
        Ok(lens)
    }

    /// Computes logits from rows of a residual stream.
    async fn logits_of(
        &self,
        stream: &Array,
        from: usize,
        count: usize,
        device: &Device,
    ) -> Result<Vec<Vec<f32>>, ModelError> {
        let width = stream.shape[1];
        let values = stream.data[from * width..(from + count) * width].to_vec();
        let states = Tensor::<2>::from_data(TensorData::new(values, [count, width]), device);
        read_logits(self.model.logits(self.model.last_norm(states))).await
    }

    fn reading(&self, logits: &[f32], answer: &Token, words: usize) -> Reading {
        let log_probabilities = log_softmax(logits);
        let probability = |id: u32| log_probabilities[id as usize].exp();
        let word = |(id, _): (u32, f32)| ReadWord {
            token: self.tokenizer.token(id),
            probability: probability(id),
        };
        let own = logits[answer.id as usize];
        Reading {
            words: top(logits, words).into_iter().map(word).collect(),
            rank: 1 + logits.iter().filter(|&&logit| logit > own).count(),
            probability: probability(answer.id),
        }
    }
}

/// Returns the most probable token.
fn best(logits: &[f32]) -> u32 {
    top(logits, 1).first().map_or(0, |&(id, _)| id)
}
