//! The data of one decoding step, taken from a trace.

use attention_trace::{Array, AttentionKind, Excerpt, Quantity, Slice, Step, Token, TraceMeta};

use super::line::Line;
use attention_core::{selection::HeadChoice, steps::probability};

/// The attention of one query of the decoder.
#[derive(Clone, Debug, PartialEq)]
pub struct AttentionRow {
    /// The keys visible to the query.
    pub keys: Vec<Token>,
    /// The chosen head's weights of those keys.
    pub head: Vec<f32>,
    /// The mean of the weights over all heads of the layer.
    pub mean: Vec<f32>,
    /// The query's own place among the keys, in self-attention.
    pub current: Option<usize>,
}

impl AttentionRow {
    /// Returns the excerpt of a trace with the attention of `query` in every head of the layer of `head`.
    pub fn excerpt(head: HeadChoice, query: usize) -> Excerpt {
        Excerpt::new(head.attention.at(Quantity::Pattern), Slice::Row(query))
    }

    /// Returns the attention of `head` at a step; `rows` is the attention of every head of its layer, with shape `[h,
    /// m]`.
    pub fn of(meta: &TraceMeta, head: HeadChoice, query: usize, rows: &Array) -> Option<Self> {
        let (_, keys) = meta.axes(head.attention.kind);
        let is_self = head.attention.kind == AttentionKind::DecoderSelf;
        // What follows the query is masked: there is nothing to show.
        let seen = if is_self { query + 1 } else { keys.len() };
        Some(AttentionRow {
            keys: keys.get(..seen)?.to_vec(),
            head: rows.row(&[head.head])?.get(..seen)?.to_vec(),
            mean: mean_over_heads(rows)?.get(..seen)?.to_vec(),
            current: is_self.then_some(query),
        })
    }

    /// Returns the tokens with one of the lists of weights.
    pub fn line(&self, weights: fn(&Self) -> &Vec<f32>) -> Line {
        Line {
            keys: self.keys.clone(),
            weights: weights(self).clone(),
            current: self.current,
        }
    }
}

fn mean_over_heads(rows: &Array) -> Option<Vec<f32>> {
    let &[heads, keys] = rows.shape.as_slice() else {
        return None;
    };
    let mut mean = vec![0.0; keys];
    for head in 0..heads {
        for (sum, weight) in mean.iter_mut().zip(rows.row(&[head])?) {
            *sum += weight / heads as f32;
        }
    }
    Some(mean)
}

/// Returns `ln Σ eᶻ` over the whole vocabulary, which converts a logit `z` to a log-probability.
pub fn log_sum_exp(step: &Step) -> f32 {
    step.chosen.logit - step.chosen.log_probability
}

/// Returns the probability of all tokens that are not among the step's candidates.
pub fn remaining_probability(step: &Step) -> f32 {
    let listed: f32 = step.candidates.iter().map(probability).sum();
    (1.0 - listed).max(0.0)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use attention_trace::{Candidate, Trace, config::MarianConfig};

    use super::*;

    fn token(id: u32) -> Token {
        Token {
            id,
            text: format!("▁{id}"),
            unknown: false,
        }
    }

    fn candidate(id: u32, logit: f32, probability: f32) -> Candidate {
        Candidate {
            token: token(id),
            logit,
            log_probability: probability.ln(),
        }
    }

    fn step(chosen: u32, forced: bool) -> Step {
        let candidates = vec![candidate(7, 3.0, 0.6), candidate(8, 2.0, 0.3)];
        let chosen = candidates.iter().find(|c| c.token.id == chosen).unwrap();
        Step {
            row: 0,
            chosen: chosen.clone(),
            forced,
            candidates: candidates.clone(),
        }
    }

    fn trace() -> Trace {
        let weights = |data: Vec<f32>| Array {
            shape: vec![2, 2, data.len() / 4],
            data,
        };
        let config = MarianConfig {
            encoder_layers: 1,
            decoder_layers: 1,
            encoder_attention_heads: 2,
            decoder_attention_heads: 2,
            ..MarianConfig::default()
        };
        Trace {
            arrays: BTreeMap::from([
                (
                    "decoder.0.self.pattern".parse().unwrap(),
                    weights(vec![1.0, 0.0, 0.25, 0.75, 1.0, 0.0, 0.75, 0.25]),
                ),
                (
                    "decoder.0.cross.pattern".parse().unwrap(),
                    weights(vec![
                        1.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 1.0, 0.0, 0.5, 0.0, 0.5,
                    ]),
                ),
            ]),
            ..Trace::new(TraceMeta {
                spec: config.spec(),
                source: vec![token(1), token(2), token(3)],
                target: vec![token(0), token(7)],
                pieces: attention_trace::Pieces::default(),
            })
        }
    }

    fn row(trace: &Trace, kind: AttentionKind, head: usize, query: usize) -> Option<AttentionRow> {
        let head = HeadChoice::resolve(&trace.meta, kind, 0, head);
        let rows = trace.excerpt(&AttentionRow::excerpt(head, query))?;
        AttentionRow::of(&trace.meta, head, query, &rows)
    }

    #[test]
    fn self_attention_shows_the_past_and_marks_the_query() {
        let first = row(&trace(), AttentionKind::DecoderSelf, 0, 0).unwrap();
        assert_eq!(first.head, [1.0]);
        assert_eq!(first.current, Some(0));
        let second = row(&trace(), AttentionKind::DecoderSelf, 0, 1).unwrap();
        assert_eq!(second.head, [0.25, 0.75]);
        assert_eq!(second.mean, [0.5, 0.5]);
        assert_eq!(second.current, Some(1));
    }

    #[test]
    fn cross_attention_shows_the_whole_source() {
        let row = row(&trace(), AttentionKind::Cross, 1, 1).unwrap();
        assert_eq!(row.keys.len(), 3);
        assert_eq!(row.head, [0.5, 0.0, 0.5]);
        assert_eq!(row.mean, [0.5, 0.25, 0.25]);
        assert_eq!(row.current, None);
    }

    #[test]
    fn a_row_that_is_not_there_is_none() {
        assert_eq!(row(&trace(), AttentionKind::DecoderSelf, 0, 2), None);
    }

    #[test]
    fn a_logit_less_the_normaliser_is_the_log_probability() {
        let step = step(7, false);
        let normaliser = log_sum_exp(&step);
        assert!((step.chosen.logit - normaliser - 0.6f32.ln()).abs() < 1e-6);
        assert!((remaining_probability(&step) - 0.1).abs() < 1e-6);
    }
}
