//! Keys and values that decoding keeps: their number, the cells of a map that are computed with and without them, and
//! keys and values made of a short vector (multi-head latent attention, DeepSeek-V2 2024).

use serde::{Deserialize, Serialize};

use crate::site::AttentionKind;
use crate::spec::{ModelSpec, StackSpec};

impl StackSpec {
    /// Returns the numbers that a cache keeps of a token's self-attention: a key and a value for each layer and each of
    /// `groups` heads of keys.
    pub fn kept_numbers(&self, groups: usize) -> usize {
        self.layers * 2 * groups * self.head_width
    }

    /// Returns the numbers of heads of keys that its own can be averaged to, the most first.
    pub fn group_counts(&self) -> Vec<usize> {
        let heads = self.key_value_heads;
        let divisors = (1..=heads).rev();
        divisors
            .filter(|&groups| heads.is_multiple_of(groups))
            .collect()
    }
}

impl ModelSpec {
    /// Returns the stack that decodes token by token with a cache of keys and values; `None` if the model has none.
    pub fn cached_stack(&self) -> Option<&StackSpec> {
        self.attention(AttentionKind::DecoderSelf)
            .filter(|stack| stack.causal && self.recurrence.is_none())
    }
}

/// Returns the number of times that each cell of a head's map is computed, until `tokens` tokens were read one by one:
/// `[n, n]`, with 0 above the diagonal. With a cache every row is computed once, without it again in each later step.
pub fn times_computed(tokens: usize, n: usize, has_cache: bool) -> Vec<u32> {
    let cell = |query: usize, key: usize| match query < tokens && key <= query {
        true if has_cache => 1,
        true => (tokens - query) as u32,
        false => 0,
    };
    let cells = (0..n).flat_map(|query| (0..n).map(move |key| (query, key)));
    cells.map(|(query, key)| cell(query, key)).collect()
}

/// A question about decoding or given texts that is answered by many passes, with progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeriesQuestion {
    /// The time of each token of greedy search after a text, with a cache and without one. The end is not chosen, so that
    /// there are as many as asked for, or as the model has room for. Answered by [`Series::Times`].
    Decoding {
        /// The text that the model reads.
        text: String,
        /// The most tokens that are decoded.
        tokens: usize,
    },
    /// `log p` of texts, in passes with keys and values averaged to each of several numbers of groups in every layer of
    /// self-attention. Answered by [`Series::LogProbabilities`].
    Grouped {
        /// The texts, read from their first token by a model that continues texts.
        texts: Vec<String>,
        /// The numbers of groups; each divides the number of heads of keys.
        groups: Vec<usize>,
    },
}

/// The answer to a [`SeriesQuestion`], or what is known of it so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Series {
    /// Times, in the order of the tokens.
    Times {
        /// The times so far.
        times: Vec<TokenTime>,
        /// The number of tokens in all.
        total: usize,
    },
    /// Sums over the texts, in the order of the numbers of groups.
    LogProbabilities {
        /// The sums so far.
        sums: Vec<GroupedSum>,
        /// The number of passes in all.
        total: usize,
    },
}

/// The time of one decoded token.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TokenTime {
    /// The number of tokens that were read when it was predicted.
    pub read: usize,
    /// Milliseconds of the pass over the newest token, with the keys and values of the others kept.
    pub cached_ms: f64,
    /// Milliseconds of the pass over all tokens.
    pub recomputed_ms: f64,
}

/// `log p` of several texts with so many heads of keys and values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupedSum {
    /// The number of heads of keys and values that are left.
    pub groups: usize,
    /// The number of texts that were read.
    pub texts: usize,
    /// The number of tokens that were predicted, each text's end included.
    pub tokens: usize,
    /// The sum of `ln p` over these tokens.
    pub log_probability: f64,
}

impl GroupedSum {
    /// Returns the mean of `ln p` for each token.
    pub fn mean(self) -> f64 {
        self.log_probability / self.tokens.max(1) as f64
    }

    /// Returns the perplexity, `e` to the mean of `−ln p`.
    pub fn perplexity(self) -> f64 {
        (-self.mean()).exp()
    }
}

/// Latent attention by hand: a token's vector, the matrices that shorten it and make a key and a value of it. Matrices are
/// row-major; vectors are rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Latent {
    /// The width of a token's vector.
    pub width: usize,
    /// The width of the short vector that is kept.
    pub rank: usize,
    /// The width of all heads' keys, and of all heads' values.
    pub keys: usize,
    /// The matrix that shortens a token's vector, `[width, rank]`.
    pub down: Vec<f32>,
    /// The matrix that makes keys, `[rank, keys]`.
    pub up_key: Vec<f32>,
    /// The matrix that makes values, `[rank, keys]`.
    pub up_value: Vec<f32>,
}

impl Latent {
    /// Returns the short vectors `c = x W_down`, `[n, rank]`, of the tokens' vectors, `[n, width]`.
    pub fn shortened(&self, x: &[f32]) -> Vec<f32> {
        product(x, &self.down, self.width, self.rank)
    }

    /// Returns the keys `k = c W_up`, `[n, keys]`.
    pub fn keys(&self, c: &[f32]) -> Vec<f32> {
        product(c, &self.up_key, self.rank, self.keys)
    }

    /// Returns the values, `[n, keys]`.
    pub fn values(&self, c: &[f32]) -> Vec<f32> {
        product(c, &self.up_value, self.rank, self.keys)
    }

    /// Returns a query that is compared with short vectors instead of keys: `q W_upᵀ`, `[rank]`.
    pub fn absorbed(&self, query: &[f32]) -> Vec<f32> {
        let rows = self.up_key.chunks(self.keys.max(1));
        rows.map(|row| row.iter().zip(query).map(|(w, q)| w * q).sum())
            .collect()
    }

    /// Returns the numbers kept of a token: the short vector alone.
    pub fn kept(&self) -> usize {
        self.rank
    }

    /// Returns the numbers that keys and values would take.
    pub fn without(&self) -> usize {
        2 * self.keys
    }
}

/// Returns `a b` of `a`, `[n, inner]`, and `b`, `[inner, columns]`.
fn product(a: &[f32], b: &[f32], inner: usize, columns: usize) -> Vec<f32> {
    let rows = a.chunks(inner.max(1));
    let cell = |row: &[f32], column: usize| -> f32 {
        let terms = row.iter().enumerate();
        terms
            .map(|(at, value)| value * b[at * columns + column])
            .sum()
    };
    rows.flat_map(|row| (0..columns).map(move |column| cell(row, column)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{GruConfig, LlamaConfig, MarianConfig};

    #[test]
    fn the_smollm2_cache_is_as_large_as_published_sizes_make_it() {
        let spec = LlamaConfig {
            num_hidden_layers: 30,
            num_attention_heads: 9,
            num_key_value_heads: Some(3),
            hidden_size: 576,
            ..LlamaConfig::default()
        }
        .spec();
        let stack = spec.cached_stack().unwrap();
        assert_eq!(stack.kept_numbers(stack.key_value_heads), 30 * 2 * 3 * 64);
        assert_eq!(stack.group_counts(), [3, 1]);
    }

    #[test]
    fn only_what_decodes_with_attention_keeps_keys() {
        assert!(MarianConfig::default().spec().cached_stack().is_some());
        assert!(GruConfig::default().spec().cached_stack().is_none());
    }

    #[test]
    fn a_cache_computes_every_cell_once() {
        let with = times_computed(3, 4, true);
        #[rustfmt::skip]
        assert_eq!(with, [
            1, 0, 0, 0,
            1, 1, 0, 0,
            1, 1, 1, 0,
            0, 0, 0, 0,
        ]);
        let without = times_computed(3, 4, false);
        #[rustfmt::skip]
        assert_eq!(without, [
            3, 0, 0, 0,
            2, 2, 0, 0,
            1, 1, 1, 0,
            0, 0, 0, 0,
        ]);
        for n in 0..9 {
            let of = |has_cache| times_computed(n, n, has_cache).iter().sum::<u32>() as usize;
            assert_eq!(of(true), n * (n + 1) / 2);
            assert_eq!(of(false), n * (n + 1) * (n + 2) / 6);
        }
    }

    #[test]
    fn a_query_meets_short_vectors_as_it_meets_keys() {
        let latent = Latent {
            width: 4,
            rank: 2,
            keys: 4,
            down: vec![1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 2.0],
            up_key: vec![1.0, 0.0, 2.0, 0.0, 0.0, 1.0, 0.0, -1.0],
            up_value: vec![0.0, 1.0, 1.0, 0.0, 3.0, 0.0, 0.0, 1.0],
        };
        let x = [1.0, 2.0, 3.0, 4.0, 0.0, 1.0, 0.0, -1.0];
        let c = latent.shortened(&x);
        assert_eq!(c, [4.0, 10.0, 0.0, -1.0]);
        assert_eq!(
            latent.keys(&c),
            [4.0, 10.0, 8.0, -10.0, 0.0, -1.0, 0.0, 1.0]
        );
        assert_eq!(latent.values(&c)[..4], [30.0, 4.0, 4.0, 10.0]);
        let query = [1.0, 2.0, -1.0, 1.0];
        let absorbed = latent.absorbed(&query);
        for (key, c) in latent.keys(&c).chunks(4).zip(c.chunks(2)) {
            let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
            assert_eq!(dot(&query, key), dot(&absorbed, c));
        }
        assert_eq!((latent.kept(), latent.without()), (2, 8));
    }

    #[test]
    fn a_series_survives_the_way_to_the_worker() {
        let question = SeriesQuestion::Grouped {
            texts: vec!["a".to_owned()],
            groups: vec![6, 1],
        };
        let json = serde_json::to_string(&question).unwrap();
        assert_eq!(
            serde_json::from_str::<SeriesQuestion>(&json).unwrap(),
            question
        );
        let sum = GroupedSum {
            groups: 1,
            texts: 1,
            tokens: 4,
            log_probability: -8.0,
        };
        assert_eq!(sum.mean(), -2.0);
        assert!((sum.perplexity() - 2.0_f64.exp()).abs() < 1e-9);
    }
}
