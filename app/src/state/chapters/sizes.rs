//! The model whose sizes chapter "sizes" counts, as plain data.

use attention_trace::{
    config::{BertConfig, Convention, Gpt2Config, Known, LlamaConfig, MarianConfig, ModelConfig},
    positions::PositionalEncoding,
};

use crate::state::{
    fragment::{Reader, Writer},
    values::AddressValue,
};

/// Those that can be sized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Architecture {
    /// That of "Attention Is All You Need".
    EncoderDecoder,
    /// Llama's.
    DecoderOnly,
    /// Qwen3's: Llama's with heads of a width of their own, and norms of queries and keys.
    Qwen3,
    /// GPT-2's: two matrices in the feed-forward network, biases, learned positions.
    Gpt2,
    /// BERT's: an encoder with learned positions and segments, a norm of embeddings and a layer before the logits.
    Bert,
}

/// Sizes as a visitor types them: whatever they are, [`config`](Sizes::config) says whether a model can
/// be built from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The architecture.
    pub architecture: Architecture,
    /// Layers; of an encoder–decoder, of each of the two.
    pub layers: usize,
    /// Query heads of each layer.
    pub heads: usize,
    /// Key and value heads of each layer; as many as query heads but for Llama's and Qwen3's.
    pub groups: usize,
    /// Width of the residual stream.
    pub width: usize,
    /// Inner width of the feed-forward networks.
    pub inner: usize,
    /// Tokens of the vocabulary.
    pub vocabulary: usize,
    /// Learned positions; 0 where a formula gives them, which GPT-2 and BERT have not.
    pub learned: usize,
    /// Whether the output matrix is the embedding; an encoder–decoder's always is.
    pub tied: bool,
    /// Tokens of a forward pass.
    pub tokens: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Sizes::of(&Known::PaperBase.config(), Sizes::TOKENS)
    }
}

impl Sizes {
    /// Tokens of a forward pass, before a visitor chooses.
    pub const TOKENS: usize = 512;
    /// The most tokens of a forward pass.
    pub const MOST_TOKENS: usize = 1 << 17;

    /// The sizes of a configuration.
    pub fn of(config: &ModelConfig, tokens: usize) -> Self {
        match config {
            ModelConfig::Marian(config) => Sizes {
                architecture: Architecture::EncoderDecoder,
                layers: config.encoder_layers,
                heads: config.encoder_attention_heads,
                groups: config.encoder_attention_heads,
                width: config.d_model,
                inner: config.encoder_ffn_dim,
                vocabulary: config.vocab_size,
                learned: 0,
                tied: true,
                tokens,
            },
            ModelConfig::Llama(config) => Sizes {
                architecture: match config.convention {
                    Convention::Qwen3 => Architecture::Qwen3,
                    Convention::Llama | Convention::Qwen2 => Architecture::DecoderOnly,
                },
                layers: config.num_hidden_layers,
                heads: config.num_attention_heads,
                groups: config.key_value_heads(),
                width: config.hidden_size,
                inner: config.intermediate_size,
                vocabulary: config.vocab_size,
                learned: match config.positions {
                    PositionalEncoding::Learned => config.max_position_embeddings,
                    _ => 0,
                },
                tied: config.tie_word_embeddings,
                tokens,
            },
            ModelConfig::Gpt2(config) => Sizes {
                architecture: Architecture::Gpt2,
                layers: config.n_layer,
                heads: config.n_head,
                groups: config.n_head,
                width: config.n_embd,
                inner: config.inner(),
                vocabulary: config.vocab_size,
                learned: config.n_positions,
                tied: config.tie_word_embeddings,
                tokens,
            },
            ModelConfig::Bert(config) => Sizes {
                architecture: Architecture::Bert,
                layers: config.num_hidden_layers,
                heads: config.num_attention_heads,
                groups: config.num_attention_heads,
                width: config.hidden_size,
                inner: config.intermediate_size,
                vocabulary: config.vocab_size,
                learned: config.max_position_embeddings,
                tied: config.tie_word_embeddings,
                tokens,
            },
        }
    }

    /// The configuration of these sizes.
    pub fn config(&self) -> ModelConfig {
        match self.architecture {
            Architecture::EncoderDecoder => ModelConfig::Marian(MarianConfig {
                vocab_size: self.vocabulary,
                d_model: self.width,
                encoder_layers: self.layers,
                decoder_layers: self.layers,
                encoder_attention_heads: self.heads,
                decoder_attention_heads: self.heads,
                encoder_ffn_dim: self.inner,
                decoder_ffn_dim: self.inner,
                // The smallest vocabulary has one token.
                eos_token_id: 0,
                ..MarianConfig::default()
            }),
            Architecture::DecoderOnly => {
                let standard = LlamaConfig::default();
                ModelConfig::Llama(LlamaConfig {
                    vocab_size: self.vocabulary,
                    hidden_size: self.width,
                    intermediate_size: self.inner,
                    num_hidden_layers: self.layers,
                    num_attention_heads: self.heads,
                    num_key_value_heads: Some(self.groups),
                    tie_word_embeddings: self.tied,
                    positions: match self.learned {
                        0 => PositionalEncoding::Rope,
                        _ => PositionalEncoding::Learned,
                    },
                    max_position_embeddings: match self.learned {
                        0 => standard.max_position_embeddings,
                        learned => learned,
                    },
                    ..standard
                })
            }
            Architecture::Qwen3 => ModelConfig::Llama(LlamaConfig {
                convention: Convention::Qwen3,
                vocab_size: self.vocabulary,
                hidden_size: self.width,
                intermediate_size: self.inner,
                num_hidden_layers: self.layers,
                num_attention_heads: self.heads,
                num_key_value_heads: Some(self.groups),
                tie_word_embeddings: self.tied,
                ..LlamaConfig::default()
            }),
            Architecture::Gpt2 => ModelConfig::Gpt2(Gpt2Config {
                vocab_size: self.vocabulary,
                n_positions: self.learned,
                n_embd: self.width,
                n_layer: self.layers,
                n_head: self.heads,
                n_inner: Some(self.inner),
                tie_word_embeddings: self.tied,
                // The smallest vocabulary has one token.
                bos_token_id: 0,
                eos_token_id: 0,
                ..Gpt2Config::default()
            }),
            Architecture::Bert => ModelConfig::Bert(BertConfig {
                vocab_size: self.vocabulary,
                max_position_embeddings: self.learned,
                hidden_size: self.width,
                num_hidden_layers: self.layers,
                num_attention_heads: self.heads,
                intermediate_size: self.inner,
                tie_word_embeddings: self.tied,
                ..BertConfig::default()
            }),
        }
    }

    /// The preset of exactly these sizes.
    pub fn preset(&self) -> Option<Known> {
        let of = |preset: &Known| Sizes::of(&preset.config(), self.tokens) == *self;
        Known::ALL.into_iter().find(of)
    }

    /// Takes over a preset's sizes, over as many tokens.
    pub fn use_preset(&mut self, preset: Known) {
        *self = Sizes::of(&preset.config(), self.tokens);
    }

    /// Changes the architecture; what the new one does not choose is as it always is there.
    pub fn set_architecture(&mut self, architecture: Architecture) {
        self.architecture = architecture;
        match architecture {
            Architecture::EncoderDecoder => {
                (self.groups, self.learned, self.tied) = (self.heads, 0, true);
            }
            Architecture::DecoderOnly => {}
            Architecture::Qwen3 => self.learned = 0,
            Architecture::Gpt2 => self.learn_positions(Gpt2Config::default().n_positions),
            Architecture::Bert => {
                self.learn_positions(BertConfig::default().max_position_embeddings);
            }
        }
    }

    /// Each query head gets keys and values of its own, and positions are learned, as many as are `usual` where a
    /// formula gave them.
    fn learn_positions(&mut self, usual: usize) {
        self.groups = self.heads;
        if self.learned == 0 {
            self.learned = usual;
        }
    }

    /// Changes the number of heads, and of key and value heads where each query head has its own.
    pub fn set_heads(&mut self, heads: usize) {
        if self.groups == self.heads {
            self.groups = heads;
        }
        self.heads = heads;
    }

    /// Writes what differs from the default.
    pub(super) fn write(&self, fragment: &mut Writer) {
        let standard = Sizes::default();
        fragment.choice("sizes-family", self.architecture, standard.architecture);
        fragment.number("sizes-layers", self.layers, standard.layers);
        fragment.number("sizes-heads", self.heads, standard.heads);
        fragment.number("sizes-groups", self.groups, standard.groups);
        fragment.number("sizes-d", self.width, standard.width);
        fragment.number("sizes-ff", self.inner, standard.inner);
        fragment.number("sizes-vocab", self.vocabulary, standard.vocabulary);
        fragment.number("sizes-learned", self.learned, standard.learned);
        fragment.number("sizes-tied", u8::from(self.tied), u8::from(standard.tied));
        fragment.number("sizes-n", self.tokens, standard.tokens);
    }

    /// Reads what [`write`](Self::write) wrote; whatever is missing or no number is at its default.
    pub(super) fn read(fragment: &Reader) -> Self {
        let standard = Sizes::default();
        let number = |name, standard| fragment.number(name).unwrap_or(standard);
        let tokens = number("sizes-n", standard.tokens);
        Sizes {
            architecture: fragment
                .choice("sizes-family")
                .unwrap_or(standard.architecture),
            layers: number("sizes-layers", standard.layers),
            heads: number("sizes-heads", standard.heads),
            groups: number("sizes-groups", standard.groups),
            width: number("sizes-d", standard.width),
            inner: number("sizes-ff", standard.inner),
            vocabulary: number("sizes-vocab", standard.vocabulary),
            learned: number("sizes-learned", standard.learned),
            tied: fragment
                .number::<u8>("sizes-tied")
                .map_or(standard.tied, |tied| tied == 1),
            tokens: tokens.clamp(1, Self::MOST_TOKENS),
        }
    }
}

impl AddressValue for Architecture {
    const VALUES: &'static [(Self, &'static str)] = &[
        (Architecture::EncoderDecoder, "encoder-decoder"),
        (Architecture::DecoderOnly, "decoder"),
        (Architecture::Qwen3, "qwen-3"),
        (Architecture::Gpt2, "gpt-2"),
        (Architecture::Bert, "bert"),
    ];
}

impl AddressValue for Known {
    const VALUES: &'static [(Self, &'static str)] = &[
        (Known::PaperBase, "paper-base"),
        (Known::PaperBig, "paper-big"),
        (Known::Translator, "translator"),
        (Known::Sentences, "sentences"),
        (Known::Gpt2Small, "gpt-2-small"),
        (Known::Llama2, "llama-2-7b"),
        (Known::Llama32, "llama-3.2-1b"),
        (Known::Llama3, "llama-3-8b"),
        (Known::Llama31, "llama-3.1-405b"),
        (Known::Qwen3, "qwen-3-0.6b"),
        (Known::BertBase, "bert-base"),
    ];
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::{prelude::*, test_runner::TestCaseError};

    use super::*;

    /// Sizes of every order of magnitude, seldom ones that make a model.
    pub fn sizes() -> impl Strategy<Value = Sizes> {
        let number = (any::<usize>(), 0..usize::BITS).prop_map(|(number, shift)| number >> shift);
        let one_of_each = prop::array::uniform7(number);
        from_numbers(one_of_each)
    }

    /// Sizes that make a model, from the smallest to the largest there may be.
    fn possible() -> impl Strategy<Value = Sizes> {
        let power = |most: u32| (0..=most).prop_map(|power| 1_usize << power);
        let numbers = (
            1..=256_usize,
            power(10),
            power(10),
            power(5),
            1..=65_536_usize,
        )
            .prop_flat_map(|(layers, heads, groups, dimension, inner)| {
                let width = heads * 2 * dimension;
                let tables = (1..=1_usize << 20, 0..=1_usize << 20);
                tables.prop_map(move |(vocabulary, learned)| {
                    let groups = groups.min(heads);
                    [layers, heads, groups, width, inner, vocabulary, learned]
                })
            });
        from_numbers(numbers)
    }

    fn from_numbers(numbers: impl Strategy<Value = [usize; 7]>) -> impl Strategy<Value = Sizes> {
        let architecture = prop::sample::select(vec![
            Architecture::EncoderDecoder,
            Architecture::DecoderOnly,
            Architecture::Qwen3,
            Architecture::Gpt2,
            Architecture::Bert,
        ]);
        let all = (architecture, numbers, any::<bool>(), 1..=Sizes::MOST_TOKENS);
        all.prop_map(|(architecture, numbers, tied, tokens)| {
            let [layers, heads, groups, width, inner, vocabulary, learned] = numbers;
            Sizes {
                architecture,
                layers,
                heads,
                groups,
                width,
                inner,
                vocabulary,
                learned: match architecture {
                    // They have no formula in their place.
                    Architecture::Gpt2 | Architecture::Bert => learned.max(1),
                    Architecture::Qwen3 => 0,
                    _ => learned,
                },
                tied,
                tokens,
            }
        })
    }

    /// The parameters, counted in numbers that nothing overflows, by the tables of both papers.
    fn counted(sizes: &Sizes) -> u128 {
        let Sizes {
            layers,
            heads,
            groups,
            width,
            inner,
            vocabulary,
            learned,
            ..
        } = *sizes;
        let [l, h, g, d, f, v, n] =
            [layers, heads, groups, width, inner, vocabulary, learned].map(|size| size as u128);
        match sizes.architecture {
            Architecture::EncoderDecoder => {
                let attention = 4 * d * d + 4 * d;
                let feed_forward = 2 * d * f + f + d;
                l * (3 * attention + 2 * feed_forward + 5 * 2 * d) + v * d + v
            }
            Architecture::DecoderOnly => {
                let attention = 2 * d * d + 2 * d * (d / h) * g;
                let output = if sizes.tied { 0 } else { v * d };
                l * (attention + 3 * d * f + 2 * d) + d + v * d + n * d + output
            }
            Architecture::Qwen3 => {
                // Heads are 128 wide, whatever the model's width; each layer has a gain for queries and one for keys.
                let attention = 2 * d * 128 * h + 2 * d * 128 * g;
                let output = if sizes.tied { 0 } else { v * d };
                l * (attention + 3 * d * f + 2 * d + 2 * 128) + d + v * d + output
            }
            Architecture::Gpt2 => {
                let attention = 4 * d * d + 4 * d;
                let feed_forward = 2 * d * f + f + d;
                let output = if sizes.tied { 0 } else { v * d };
                l * (attention + feed_forward + 4 * d) + 2 * d + v * d + n * d + output
            }
            Architecture::Bert => {
                let attention = 4 * d * d + 4 * d;
                let feed_forward = 2 * d * f + f + d;
                // Words, positions, two segments, and the norm of their sum.
                let embedding = v * d + n * d + 2 * d + 2 * d;
                // A matrix, its bias and a norm, then a bias for each word.
                let output_layer = d * d + d + 2 * d + v;
                let output = if sizes.tied { 0 } else { v * d };
                l * (attention + feed_forward + 4 * d) + embedding + output_layer + output
            }
        }
    }

    fn check(sizes: &Sizes) -> Result<(), TestCaseError> {
        let config = sizes.config();
        prop_assert_eq!(u128::from(config.parameters().total()), counted(sizes));
        let operations = config.operations(sizes.tokens);
        prop_assert!(operations.total().is_finite() && operations.total() > 0.0);
        prop_assert!(operations.crossover(sizes.tokens) > 0.0);
        Ok(())
    }

    proptest! {
        #[test]
        fn every_model_that_can_be_built_is_counted_to_the_last_parameter(sizes in possible()) {
            prop_assert_eq!(sizes.config().validate(), Ok(()));
            check(&sizes)?;
        }

        #[test]
        fn no_sizes_are_too_much_to_be_judged(sizes in sizes()) {
            if sizes.config().validate().is_ok() {
                check(&sizes)?;
            }
        }
    }

    #[test]
    fn known_models_are_recognised_and_count_the_same() {
        for preset in Known::ALL {
            let sizes = Sizes::of(&preset.config(), 7);
            assert_eq!(sizes.preset(), Some(preset));
            assert_eq!(sizes.config().validate(), Ok(()));
            assert_eq!(sizes.config().parameters(), preset.config().parameters());
            assert_eq!(
                Known::from_address_value(preset.address_value()),
                Some(preset)
            );
        }
        let changed = Sizes {
            layers: 7,
            ..Sizes::default()
        };
        assert_eq!(changed.preset(), None);
    }

    #[test]
    fn heads_take_their_keys_and_values_along_where_each_has_its_own() {
        let mut sizes = Sizes::default();
        sizes.set_heads(16);
        assert_eq!((sizes.heads, sizes.groups), (16, 16));
        sizes.use_preset(Known::Llama3);
        sizes.set_heads(64);
        assert_eq!((sizes.heads, sizes.groups), (64, 8));
        sizes.set_architecture(Architecture::EncoderDecoder);
        assert_eq!((sizes.groups, sizes.tied), (64, true));
    }

    #[test]
    fn gpt_2s_layout_has_learned_positions_and_a_head_of_keys_for_each_of_queries() {
        let mut sizes = Sizes::default();
        sizes.use_preset(Known::Llama3);
        sizes.set_architecture(Architecture::Gpt2);
        assert_eq!((sizes.groups, sizes.learned), (32, 1024));
        assert_eq!(sizes.config().validate(), Ok(()));
    }

    #[test]
    fn berts_layout_learns_positions_and_qwen3s_has_a_formula() {
        let mut sizes = Sizes::default();
        sizes.use_preset(Known::Llama3);
        sizes.set_architecture(Architecture::Bert);
        assert_eq!((sizes.groups, sizes.learned), (32, 512));
        sizes.set_architecture(Architecture::Qwen3);
        assert_eq!(sizes.learned, 0);
        assert_eq!(sizes.config().validate(), Ok(()));
    }

    #[test]
    fn an_address_of_gpt_2s_sizes_in_llamas_layout_is_still_that() {
        let before = "sizes-family=decoder&sizes-layers=12&sizes-heads=12&sizes-groups=12&sizes-d=768\
                      &sizes-vocab=50257&sizes-learned=1024";
        let sizes = Sizes::read(&Reader::new(before));
        assert_eq!(sizes.architecture, Architecture::DecoderOnly);
        assert_eq!(sizes.config().parameters().total(), 124_337_664);
    }
}
