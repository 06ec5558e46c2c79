//! Well-known models whose architecture is one of ours, and the two that come with the page.

use super::{BertConfig, Convention, Gpt2Config, LlamaConfig, MarianConfig, ModelConfig};

/// A published model with fixed sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Known {
    /// The base model of "Attention Is All You Need" (table 3).
    PaperBase,
    /// The paper's big model.
    PaperBig,
    /// The translator that the page uses.
    Translator,
    /// The page's sentence model.
    Sentences,
    /// GPT-2 small ([Radford et al. 2019](https://openai.com/research/better-language-models)).
    Gpt2Small,
    /// Llama 2 7B ([Touvron et al. 2023](https://arxiv.org/abs/2307.09288)).
    Llama2,
    /// Llama 3.2 1B, whose embedding is its output matrix too.
    Llama32,
    /// Llama 3 8B ([Grattafiori et al. 2024](https://arxiv.org/abs/2407.21783)): grouped-query attention.
    Llama3,
    /// Llama 3.1 with 405 billion parameters.
    Llama31,
    /// Qwen3 0.6B ([Yang et al. 2025](https://arxiv.org/abs/2505.09388)): norms of queries and keys.
    Qwen3,
    /// The base model of BERT ([Devlin et al. 2018](https://arxiv.org/abs/1810.04805)) with its head for masked words.
    BertBase,
}

impl Known {
    /// All models known here.
    pub const ALL: [Known; 11] = [
        Known::PaperBase,
        Known::PaperBig,
        Known::Translator,
        Known::Sentences,
        Known::Gpt2Small,
        Known::Llama2,
        Known::Llama32,
        Known::Llama3,
        Known::Llama31,
        Known::Qwen3,
        Known::BertBase,
    ];

    /// Returns the configuration with the model's sizes.
    pub fn config(self) -> ModelConfig {
        match self {
            Known::PaperBase => ModelConfig::Marian(MarianConfig::default()),
            Known::PaperBig => ModelConfig::Marian(marian(6, 16, 1024, 4096, 37_000)),
            Known::Translator => ModelConfig::Marian(marian(3, 8, 256, 1024, 8000)),
            Known::Sentences => ModelConfig::Llama(LlamaConfig {
                tie_word_embeddings: true,
                max_position_embeddings: 128,
                ..llama(4, (6, 6), 192, 512, 4000)
            }),
            Known::Gpt2Small => ModelConfig::Gpt2(Gpt2Config::default()),
            Known::Llama2 => ModelConfig::Llama(llama(32, (32, 32), 4096, 11_008, 32_000)),
            Known::Llama32 => ModelConfig::Llama(LlamaConfig {
                tie_word_embeddings: true,
                ..llama(16, (32, 8), 2048, 8192, 128_256)
            }),
            Known::Llama3 => ModelConfig::Llama(llama(32, (32, 8), 4096, 14_336, 128_256)),
            Known::Llama31 => ModelConfig::Llama(llama(126, (128, 8), 16_384, 53_248, 128_256)),
            Known::Qwen3 => ModelConfig::Llama(LlamaConfig {
                convention: Convention::Qwen3,
                tie_word_embeddings: true,
                ..llama(28, (16, 8), 1024, 3072, 151_936)
            }),
            Known::BertBase => ModelConfig::Bert(BertConfig::default()),
        }
    }

    /// Returns the number of parameters that the authors publish; the papers of the base models and
    /// of BERT round to millions. `None` for the page's own.
    pub fn published(self) -> Option<u64> {
        match self {
            Known::PaperBase => Some(65_000_000),
            Known::PaperBig => Some(213_000_000),
            Known::Translator | Known::Sentences => None,
            Known::Gpt2Small => Some(124_439_808),
            Known::Llama2 => Some(6_738_415_616),
            Known::Llama32 => Some(1_235_814_400),
            Known::Llama3 => Some(8_030_261_248),
            Known::Llama31 => Some(405_853_388_800),
            Known::Qwen3 => Some(596_049_920),
            Known::BertBase => Some(110_000_000),
        }
    }
}

fn marian(
    layers: usize,
    heads: usize,
    width: usize,
    inner: usize,
    vocabulary: usize,
) -> MarianConfig {
    MarianConfig {
        vocab_size: vocabulary,
        d_model: width,
        encoder_layers: layers,
        decoder_layers: layers,
        encoder_attention_heads: heads,
        decoder_attention_heads: heads,
        encoder_ffn_dim: inner,
        decoder_ffn_dim: inner,
        ..MarianConfig::default()
    }
}

fn llama(
    layers: usize,
    (heads, groups): (usize, usize),
    width: usize,
    inner: usize,
    vocabulary: usize,
) -> LlamaConfig {
    LlamaConfig {
        vocab_size: vocabulary,
        hidden_size: width,
        intermediate_size: inner,
        num_hidden_layers: layers,
        num_attention_heads: heads,
        num_key_value_heads: (groups != heads).then_some(groups),
        ..LlamaConfig::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Part;

    fn total(model: Known) -> u64 {
        model.config().parameters().total()
    }

    #[test]
    fn all_can_be_built() {
        for model in Known::ALL {
            assert_eq!(model.config().validate(), Ok(()), "{model:?}");
        }
    }

    #[test]
    fn decoders_have_exactly_the_parameters_that_are_published() {
        use Known::{Gpt2Small, Llama2, Llama3, Llama31, Llama32, Qwen3};
        for model in [Gpt2Small, Llama2, Llama32, Llama3, Llama31, Qwen3] {
            assert_eq!(Some(total(model)), model.published(), "{model:?}");
        }
    }

    /// `BertForMaskedLM` of `transformers`; the paper says 110 million.
    #[test]
    fn berts_base_model() {
        assert_eq!(total(Known::BertBase), 109_514_298);
        let published = Known::BertBase.published().unwrap() as f64;
        assert!((total(Known::BertBase) as f64 / published - 1.0).abs() < 0.01);
    }

    /// The paper says 65 and 213 million, and 37,000 tokens for English and German. 37,000 make 63.1 and
    /// 214.2 million here.
    #[test]
    fn the_papers_base_and_big_models() {
        assert_eq!(total(Known::PaperBase), 63_119_496);
        assert_eq!(total(Known::PaperBig), 214_282_376);
        for (model, apart) in [(Known::PaperBase, 0.03), (Known::PaperBig, 0.01)] {
            let published = model.published().unwrap() as f64;
            let difference = (total(model) as f64 - published).abs() / published;
            assert!(difference < apart, "{model:?}: {difference}");
        }
    }

    /// Rows of the paper's table 3 that vary the base model's sizes: with a vocabulary of 41,000 all come
    /// out as published, so it is the vocabulary, not the layers, that the two counts differ in.
    #[test]
    fn the_papers_variations_of_the_base_model() {
        let varied = |layers, width, inner| MarianConfig {
            vocab_size: 41_000,
            d_model: width,
            encoder_layers: layers,
            decoder_layers: layers,
            encoder_ffn_dim: inner,
            decoder_ffn_dim: inner,
            ..MarianConfig::default()
        };
        let rows = [
            (65, varied(6, 512, 2048)),
            (36, varied(2, 512, 2048)),
            (50, varied(4, 512, 2048)),
            (80, varied(8, 512, 2048)),
            (28, varied(6, 256, 2048)),
            (168, varied(6, 1024, 2048)),
            (53, varied(6, 512, 1024)),
            (90, varied(6, 512, 4096)),
        ];
        for (millions, config) in rows {
            let counted = config.parameters().total() as f64 / 1e6;
            assert!(
                (counted - f64::from(millions)).abs() < 0.6,
                "{millions}: {counted}"
            );
        }
    }

    #[test]
    fn gpt2s_feed_forward_networks_have_two_matrices_four_times_as_wide() {
        let feed_forward = Known::Gpt2Small.config().parameters().of(Part::FeedForward);
        assert_eq!(feed_forward, 12 * (2 * 768 * 3072 + 3072 + 768));
    }

    #[test]
    fn tied_models_have_no_output_matrix() {
        let output = |model: Known| model.config().parameters().of(Part::Output);
        assert_eq!(output(Known::Sentences), 0);
        assert_eq!(output(Known::Llama3), 128_256 * 4096);
    }
}
