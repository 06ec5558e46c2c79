//! Keys and values that decoding keeps: their number, and the cells of a map that are computed with and without them.

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
}
