//! What a head's own queries and keys make of distance, taken out of a trace.

use attention_trace::{Trace, positions::rope_decay};

use crate::heads::HeadChoice;

/// Largest distance drawn.
pub const DISTANCES: usize = 64;

/// Curves of `q·k` against distance for one head.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadDecay {
    /// The chosen query and key, the key standing before the query, as in a causal model.
    pub before: Vec<f32>,
    /// The same, the key standing after the query.
    pub after: Vec<f32>,
    /// The mean over all queries and keys of the sentence, keys before queries.
    pub mean: Vec<f32>,
    /// `q·k` of the chosen pair as the forward pass computed it, where they really stand.
    pub recorded: Option<f32>,
}

impl HeadDecay {
    /// The curves of a head; `None` where the model has no RoPE, the trace recorded no vectors
    /// before rotation, or it has no such tokens.
    pub fn of(trace: &Trace, choice: HeadChoice, query: usize, key: usize) -> Option<Self> {
        let base = trace.meta.rope_theta?;
        let array = |name: &str| trace.array(&trace.meta.array_name(choice.site, name));
        let (queries, keys) = (array("unrotated_query")?, array("unrotated_key")?);
        let q = queries.row(&[choice.head, query])?;
        let k = keys.row(&[choice.head, key])?;
        // R(m)ᵀR(n) depends on n − m alone, so a key d places before the query scores as a query
        // d places after the key.
        let before = |q: &[f32], k: &[f32]| rope_decay(k, q, DISTANCES + 1, base);
        let mean_query = mean_row(queries.matrix(choice.head)?, q.len());
        let mean_key = mean_row(keys.matrix(choice.head)?, k.len());
        Some(HeadDecay {
            before: before(q, k),
            after: rope_decay(q, k, DISTANCES + 1, base),
            // q·Rk is linear in both, so the mean over all pairs is that of the mean vectors.
            mean: before(&mean_query, &mean_key),
            recorded: recorded(trace, choice, query, key),
        })
    }
}

fn recorded(trace: &Trace, choice: HeadChoice, query: usize, key: usize) -> Option<f32> {
    let row = |name: &str, position: usize| {
        let array = trace.array(&trace.meta.array_name(choice.site, name))?;
        array.row(&[choice.head, position])
    };
    let (q, k) = (row("query", query)?, row("key", key)?);
    Some(q.iter().zip(k).map(|(q, k)| q * k).sum())
}

fn mean_row(matrix: &[f32], width: usize) -> Vec<f32> {
    let mut mean = vec![0.0; width];
    let rows = matrix.len() / width.max(1);
    for row in matrix.chunks_exact(width.max(1)) {
        for (sum, value) in mean.iter_mut().zip(row) {
            *sum += value / rows as f32;
        }
    }
    mean
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use attention_trace::{Array, AttentionKind, Family, Token, TraceMeta, positions::rotate};

    use super::*;

    const WIDTH: usize = 8;
    const LENGTH: usize = 5;
    const BASE: f32 = 10_000.0;

    /// A head of known queries and keys, rotated as the model rotates them.
    fn trace() -> Trace {
        let vectors = |phase: f32| -> Vec<f32> {
            (0..LENGTH * WIDTH)
                .map(|i| (i as f32 * 0.7 + phase).sin())
                .collect()
        };
        let rotated = |vectors: &[f32]| -> Vec<f32> {
            let rows = vectors.chunks(WIDTH).enumerate();
            rows.flat_map(|(position, row)| rotate(row, position, BASE))
                .collect()
        };
        let (queries, keys) = (vectors(0.0), vectors(1.0));
        let array = |data: Vec<f32>| Array {
            shape: vec![1, LENGTH, WIDTH],
            data,
        };
        let name = |array: &str| format!("model.layers.0.self_attn.{array}");
        Trace {
            arrays: BTreeMap::from([
                (name("query"), array(rotated(&queries))),
                (name("key"), array(rotated(&keys))),
                (name("unrotated_query"), array(queries)),
                (name("unrotated_key"), array(keys)),
            ]),
            decoding: None,
            meta: TraceMeta {
                family: Family::Llama,
                source: vec![],
                target: (0..LENGTH as u32)
                    .map(|id| Token {
                        id,
                        text: id.to_string(),
                        unknown: false,
                    })
                    .collect(),
                encoder_layers: 0,
                decoder_layers: 1,
                heads: 1,
                d_model: WIDTH,
                rope_theta: Some(BASE),
            },
        }
    }

    fn head(trace: &Trace) -> HeadChoice {
        HeadChoice::resolve(&trace.meta, AttentionKind::DecoderSelf, 0, 0)
    }

    #[test]
    fn the_curve_passes_through_what_the_pass_recorded() {
        let trace = trace();
        for (query, key) in [(4, 1), (3, 3), (2, 0)] {
            let decay = HeadDecay::of(&trace, head(&trace), query, key).unwrap();
            let on_curve = decay.before[query - key];
            assert!((on_curve - decay.recorded.unwrap()).abs() < 1e-4);
        }
        let decay = HeadDecay::of(&trace, head(&trace), 1, 4).unwrap();
        assert!((decay.after[3] - decay.recorded.unwrap()).abs() < 1e-4);
    }

    #[test]
    fn the_mean_is_that_of_all_pairs() {
        let trace = trace();
        let mean = HeadDecay::of(&trace, head(&trace), 0, 0).unwrap().mean;
        let pairs = (0..LENGTH * LENGTH).map(|pair| (pair / LENGTH, pair % LENGTH));
        let sum: f32 = pairs
            .map(|(q, k)| HeadDecay::of(&trace, head(&trace), q, k).unwrap().before[7])
            .sum();
        assert!((mean[7] - sum / (LENGTH * LENGTH) as f32).abs() < 1e-4);
    }

    #[test]
    fn without_rope_or_its_vectors_there_is_no_curve() {
        let mut trace = trace();
        assert_eq!(HeadDecay::of(&trace, head(&trace), 9, 0), None);
        trace
            .arrays
            .remove("model.layers.0.self_attn.unrotated_key");
        assert_eq!(HeadDecay::of(&trace, head(&trace), 0, 0), None);
        let mut trace = super::tests::trace();
        trace.meta.rope_theta = None;
        assert_eq!(HeadDecay::of(&trace, head(&trace), 0, 0), None);
    }
}
