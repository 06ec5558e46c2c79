//! Dependence of `q·k` on distance for a head's own queries and keys, computed from a trace.

use attention_trace::{Array, positions::rope_decay};

/// The largest distance in the plot.
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
    /// `q·k` of the chosen pair at its actual positions, as the forward pass computed it.
    pub recorded: Option<f32>,
}

/// The queries and keys of one head, each `[n, d_k]`.
#[derive(Clone, Copy, Debug)]
pub struct HeadVectors<'a> {
    /// The queries before RoPE.
    pub query_before_rope: &'a Array,
    /// The keys before RoPE.
    pub key_before_rope: &'a Array,
    /// The queries after RoPE.
    pub query: &'a Array,
    /// The keys after RoPE.
    pub key: &'a Array,
}

impl HeadDecay {
    /// Returns the curves of a head in a model with RoPE's `base`; `None` if the head has no such tokens.
    pub fn of(base: f32, vectors: HeadVectors<'_>, query: usize, key: usize) -> Option<Self> {
        let HeadVectors {
            query_before_rope,
            key_before_rope,
            ..
        } = vectors;
        let q = query_before_rope.row(&[query])?;
        let k = key_before_rope.row(&[key])?;
        // R(m)ᵀR(n) depends on n − m alone, so a key d places before the query scores as a query
        // d places after the key.
        let before = |q: &[f32], k: &[f32]| rope_decay(k, q, DISTANCES + 1, base);
        let mean_query = mean_row(&query_before_rope.data, q.len());
        let mean_key = mean_row(&key_before_rope.data, k.len());
        let recorded = vectors.query.row(&[query]).zip(vectors.key.row(&[key]));
        Some(HeadDecay {
            before: before(q, k),
            after: rope_decay(q, k, DISTANCES + 1, base),
            // q·Rk is linear in both, so the mean over all pairs is that of the mean vectors.
            mean: before(&mean_query, &mean_key),
            recorded: recorded.map(|(q, k)| q.iter().zip(k).map(|(q, k)| q * k).sum()),
        })
    }
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
    use attention_trace::positions::rotate;

    use super::*;

    const WIDTH: usize = 8;
    const LENGTH: usize = 5;
    const BASE: f32 = 10_000.0;

    fn vectors(phase: f32) -> Array {
        let values = (0..LENGTH * WIDTH).map(|i| (i as f32 * 0.7 + phase).sin());
        Array {
            shape: vec![LENGTH, WIDTH],
            data: values.collect(),
        }
    }

    /// Returns the vectors rotated as in the model.
    fn rotated(vectors: &Array) -> Array {
        let rows = vectors.data.chunks(WIDTH).enumerate();
        Array {
            shape: vectors.shape.clone(),
            data: rows
                .flat_map(|(position, row)| rotate(row, position, BASE))
                .collect(),
        }
    }

    /// Returns the decay of a head with known queries and keys.
    fn decay(query: usize, key: usize) -> Option<HeadDecay> {
        let (queries, keys) = (vectors(0.0), vectors(1.0));
        let vectors = HeadVectors {
            query_before_rope: &queries,
            key_before_rope: &keys,
            query: &rotated(&queries),
            key: &rotated(&keys),
        };
        HeadDecay::of(BASE, vectors, query, key)
    }

    #[test]
    fn the_curve_passes_through_what_the_pass_recorded() {
        for (query, key) in [(4, 1), (3, 3), (2, 0)] {
            let decay = decay(query, key).unwrap();
            let on_curve = decay.before[query - key];
            assert!((on_curve - decay.recorded.unwrap()).abs() < 1e-4);
        }
        let decay = decay(1, 4).unwrap();
        assert!((decay.after[3] - decay.recorded.unwrap()).abs() < 1e-4);
    }

    #[test]
    fn the_mean_is_that_of_all_pairs() {
        let mean = decay(0, 0).unwrap().mean;
        let pairs = (0..LENGTH * LENGTH).map(|pair| (pair / LENGTH, pair % LENGTH));
        let sum: f32 = pairs.map(|(q, k)| decay(q, k).unwrap().before[7]).sum();
        assert!((mean[7] - sum / (LENGTH * LENGTH) as f32).abs() < 1e-4);
    }

    #[test]
    fn a_token_that_is_not_there_has_no_curve() {
        assert_eq!(decay(9, 0), None);
        assert_eq!(decay(0, 9), None);
    }
}
