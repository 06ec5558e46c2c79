//! Counts of parameters and operations of a model in Llama's layout.

use super::LlamaConfig;
use crate::NormPlacement;
use crate::config::count::{Operations, Parameters, Part, matrix};
use crate::positions::PositionalEncoding;

impl LlamaConfig {
    /// Width of all query heads together, and of all key heads.
    fn widths(&self) -> (usize, usize) {
        let of = |heads: usize| heads * self.head_dim();
        (of(self.num_attention_heads), of(self.key_value_heads()))
    }

    /// The parameters in matrices for queries and the way back, and for keys and values, of one layer.
    fn projections(&self) -> u64 {
        let (query, key) = self.widths();
        2 * matrix(self.hidden_size, query) + 2 * matrix(self.hidden_size, key)
    }

    /// The parameters in those projections' biases.
    fn projection_biases(&self) -> u64 {
        let (query, key) = self.widths();
        let inward = if self.inward_bias() {
            query + 2 * key
        } else {
            0
        };
        let outward = if self.outward_bias() {
            self.hidden_size
        } else {
            0
        };
        (inward + outward) as u64
    }

    /// The parameters of gate, up and down of one layer.
    fn feed_forward(&self) -> u64 {
        3 * matrix(self.hidden_size, self.intermediate_size)
    }

    /// The parameters in their biases.
    fn feed_forward_biases(&self) -> u64 {
        match self.feed_forward_bias() && self.has_feed_forward() {
            true => (2 * self.intermediate_size + self.hidden_size) as u64,
            false => 0,
        }
    }

    /// The parameters in the gains of one layer's norms.
    fn norms(&self) -> u64 {
        let (query, key) = self.widths();
        let heads = match (self.normalises_heads(), self.normalises_whole()) {
            (true, _) => 2 * self.head_dim(),
            (_, true) => query + key,
            _ => 0,
        };
        let of_sublayer = match self.norm_placement() {
            NormPlacement::Both => 2,
            _ => 1,
        };
        let sublayers = 1 + usize::from(self.has_feed_forward());
        (sublayers * of_sublayer * self.hidden_size + heads) as u64
    }

    /// The parameters of a model of these sizes. RoPE and every other formula for positions have none.
    pub fn parameters(&self) -> Parameters {
        let d = self.hidden_size;
        let table = matrix(self.vocab_size, d);
        let layer = Parameters::default()
            .and(
                Part::Attention,
                self.projections() + self.projection_biases(),
            )
            .and(
                Part::FeedForward,
                self.feed_forward() + self.feed_forward_biases(),
            )
            .and(Part::Norms, self.norms());
        let positions = match self.positions {
            PositionalEncoding::Learned => matrix(self.max_position_embeddings, d),
            PositionalEncoding::T5 => matrix(self.buckets().count, self.num_attention_heads),
            _ => 0,
        };
        layer
            .times(self.num_hidden_layers)
            .and(Part::Embedding, table)
            .and(Part::Positions, positions)
            .and(Part::Norms, d as u64)
            .and(
                Part::Output,
                if self.tie_word_embeddings { 0 } else { table },
            )
    }

    /// The operations of a forward pass over `tokens`.
    pub fn operations(&self, tokens: usize) -> Operations {
        let layers = self.num_hidden_layers;
        let width = self.num_attention_heads * self.head_dim();
        Operations {
            projections: Operations::product(tokens, self.projections() * layers as u64),
            feed_forward: Operations::product(tokens, self.feed_forward() * layers as u64),
            output: Operations::product(tokens, matrix(self.hidden_size, self.vocab_size)),
            scores: Operations::attention(tokens, width) * layers as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Convention;
    use super::super::tests::qwens;
    use super::*;

    #[test]
    fn operations_follow_the_formulas_of_the_documentation() {
        let config = LlamaConfig::default();
        let (n, d, f, v, layers) = (100.0, 4096.0, 11_008.0, 32_000.0, 32.0);
        let operations = config.operations(100);
        let linear = 2.0 * n * (layers * (4.0 * d * d + 3.0 * d * f) + d * v);
        assert_eq!(operations.linear(), linear);
        assert_eq!(operations.quadratic(), 4.0 * n * n * d * layers);
    }

    #[test]
    fn shared_keys_and_values_save_parameters_and_operations_but_no_scores() {
        let grouped = LlamaConfig {
            num_key_value_heads: Some(8),
            ..LlamaConfig::default()
        };
        let full = LlamaConfig::default();
        let saved = full.parameters().total() - grouped.parameters().total();
        // Of 32 key and value heads 24, each 128 wide, in 32 layers.
        assert_eq!(saved, 32 * 2 * 4096 * 24 * 128);
        let (full, grouped) = (full.operations(7), grouped.operations(7));
        assert_eq!(full.linear() - grouped.linear(), 2.0 * 7.0 * saved as f64);
        assert_eq!(full.scores, grouped.scores);
    }

    #[test]
    fn qwens_have_the_parameters_that_are_published() {
        let [qwen2, qwen3] = qwens();
        assert_eq!(qwen2.parameters().total(), 494_032_768);
        assert_eq!(qwen3.parameters().total(), 596_049_920);
    }

    /// Mistral 7B v0.1, SmolLM3 3B, OLMo 2 7B, Gemma 2 2B, Gemma 3 1B and Phi-3 mini.
    #[test]
    fn other_conventions_have_the_parameters_that_are_published() {
        let config = |convention, heads, (width, inner), layers, (vocabulary, is_tied)| {
            let (query, key, head) = heads;
            LlamaConfig {
                convention,
                vocab_size: vocabulary,
                hidden_size: width,
                intermediate_size: inner,
                num_hidden_layers: layers,
                num_attention_heads: query,
                num_key_value_heads: Some(key),
                head_dim: Some(head),
                tie_word_embeddings: is_tied,
                ..LlamaConfig::default()
            }
        };
        use Convention::{Gemma2, Gemma3, Mistral, Olmo2, Phi3, SmolLM3};
        for (config, published) in [
            (
                config(Mistral, (32, 8, 128), (4096, 14_336), 32, (32_000, false)),
                7_241_732_096,
            ),
            (
                config(SmolLM3, (16, 4, 128), (2048, 11_008), 36, (128_256, true)),
                3_075_098_624,
            ),
            (
                config(Olmo2, (32, 32, 128), (4096, 11_008), 32, (100_352, false)),
                7_298_617_344,
            ),
            (
                config(Gemma2, (8, 4, 256), (2304, 9216), 26, (256_000, true)),
                2_614_341_888,
            ),
            (
                config(Gemma3, (4, 1, 256), (1152, 6912), 26, (262_144, true)),
                999_885_952,
            ),
            (
                config(Phi3, (32, 32, 96), (3072, 8192), 32, (32_064, false)),
                3_821_079_552,
            ),
        ] {
            assert_eq!(config.validate(), Ok(()));
            let name = config.convention.model_type();
            assert_eq!(config.parameters().total(), published, "{name}");
        }
    }

    #[test]
    fn biases_are_parameters_and_no_matrix_products() {
        let llama = LlamaConfig {
            attention_bias: true,
            mlp_bias: true,
            ..LlamaConfig::default()
        };
        let biases = llama.parameters().total() - LlamaConfig::default().parameters().total();
        assert_eq!(biases, 32 * (4 * 4096 + 2 * 11_008 + 4096));
        assert_eq!(llama.operations(7), LlamaConfig::default().operations(7));
    }
}
