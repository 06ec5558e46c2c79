//! The number of parameters computed from a configuration equals that of burn's module.

use std::path::PathBuf;

use attention_model::checkpoint::Checkpoint;
use attention_model::llama::{Llama, LlamaConfig};
use attention_model::marian::{Marian, MarianConfig};
use attention_trace::config::{
    BertConfig, DistilBertConfig, Gpt2Config, GptNeoXConfig, GruConfig, Known, ModelConfig,
    ModernBertConfig, Parameters, Part, T5Config, UniversalConfig,
};
use attention_trace::positions::PositionalEncoding;
use burn::module::Module;
use burn::prelude::Device;
use proptest::prelude::*;
use safetensors::SafeTensors;
use serde::de::DeserializeOwned;

use crate::files::Files;
use crate::fixture::{
    BERTS, DISTILBERTS, GPT_NEOXS, GPT2S, GRUS, LLAMAS, MODERNBERTS, ROBERTAS, T5S, UNIVERSALS,
    tiny,
};

/// Generates small sizes that fit each other.
fn marian_configs() -> impl Strategy<Value = MarianConfig> {
    let heads = || prop::sample::select(vec![1usize, 2, 4]);
    (
        2usize..40,
        1usize..5,
        heads(),
        heads(),
        0usize..3,
        0usize..3,
    )
        .prop_flat_map(
            |(vocab_size, width, encoder_heads, decoder_heads, encoder, decoder)| {
                (1usize..20, 1usize..20).prop_map(move |(encoder_inner, decoder_inner)| {
                    MarianConfig {
                        vocab_size,
                        d_model: 4 * width,
                        encoder_layers: encoder + 1,
                        decoder_layers: decoder + 1,
                        encoder_attention_heads: encoder_heads,
                        decoder_attention_heads: decoder_heads,
                        encoder_ffn_dim: encoder_inner,
                        decoder_ffn_dim: decoder_inner,
                        ..MarianConfig::default()
                    }
                })
            },
        )
}

/// As [`marian_configs`], with every kind of positions, heads in groups, tied or not.
fn llama_configs() -> impl Strategy<Value = LlamaConfig> {
    let positions = prop::sample::select(vec![
        PositionalEncoding::None,
        PositionalEncoding::Learned,
        PositionalEncoding::Sinusoidal,
        PositionalEncoding::T5,
        PositionalEncoding::Rope,
        PositionalEncoding::Alibi,
    ]);
    let heads = prop::sample::select(vec![(1usize, 1usize), (2, 1), (4, 2), (3, 3)]);
    let sizes = (1usize..40, 1usize..5, 1usize..20, 1usize..4, 1usize..30);
    (positions, heads, sizes, any::<bool>(), any::<bool>()).prop_map(
        |(positions, (heads, groups), (vocab, pairs, inner, layers, length), tied, wide)| {
            LlamaConfig {
                vocab_size: vocab,
                hidden_size: heads * 2 * pairs,
                intermediate_size: inner,
                num_hidden_layers: layers,
                num_attention_heads: heads,
                num_key_value_heads: (groups != heads).then_some(groups),
                head_dim: wide.then_some(6),
                positions,
                max_position_embeddings: length,
                tie_word_embeddings: tied,
                ..LlamaConfig::default()
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_marian_model_has_the_parameters_that_are_counted(config in marian_configs()) {
        let model = Marian::new(&config, &Device::flex()).unwrap();
        prop_assert_eq!(config.parameters().total(), model.num_params() as u64);
    }

    #[test]
    fn a_llama_model_has_the_parameters_that_are_counted(config in llama_configs()) {
        let model = Llama::new(&config, &Device::flex()).unwrap();
        prop_assert_eq!(config.parameters().total(), model.num_params() as u64);
    }
}

/// The families that are read and not trained, in every configuration of the tiny checkpoints.
#[test]
fn tiny_models_have_the_parameters_that_are_counted() {
    fn counted<C: DeserializeOwned>(name: &str, parameters: impl Fn(&C) -> Parameters) {
        let config = serde_json::from_slice(&Files::read(name).config).unwrap();
        let built = tiny(name).model.weights();
        assert_eq!(parameters(&config).total(), built as u64, "{name}");
    }
    counted("bart-tiny", MarianConfig::parameters);
    counted("m2m-tiny", MarianConfig::parameters);
    for name in LLAMAS {
        counted(name, LlamaConfig::parameters);
    }
    for name in GPT2S {
        counted(name, Gpt2Config::parameters);
    }
    for name in GPT_NEOXS {
        counted(name, GptNeoXConfig::parameters);
    }
    for name in T5S {
        counted(name, T5Config::parameters);
    }
    for name in BERTS {
        counted(name, BertConfig::parameters);
    }
    for name in ROBERTAS {
        counted(name, BertConfig::parameters);
    }
    let without_head = |config: BertConfig| BertConfig {
        has_head: false,
        ..config
    };
    for name in ["bert-encoder", "bert-classifier", "camembert-encoder"] {
        counted(name, |config: &BertConfig| {
            without_head(config.clone()).parameters()
        });
    }
    for name in MODERNBERTS {
        counted(name, ModernBertConfig::parameters);
    }
    for name in ["modernbert-encoder", "modernbert-classifier"] {
        counted(name, |config: &ModernBertConfig| {
            let headless = ModernBertConfig {
                has_head: false,
                ..config.clone()
            };
            headless.parameters()
        });
    }
    for name in DISTILBERTS {
        counted(name, |config: &DistilBertConfig| {
            config.bert().unwrap().parameters()
        });
    }
    counted("distilbert-questions", |config: &DistilBertConfig| {
        without_head(config.bert().unwrap()).parameters()
    });
    for name in UNIVERSALS {
        counted(name, UniversalConfig::parameters);
    }
    for name in GRUS {
        let config: GruConfig = serde_json::from_slice(&Files::read(name).config).unwrap();
        let built = tiny(name).model.weights();
        assert_eq!(config.parameters(), built as u64, "{name}");
    }
}

fn models() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../assets/models")
}

/// The page's own two models: the sizes in its calculator are those of the files, and give as many parameters.
#[test]
fn the_pages_own_models_are_counted_to_the_last_parameter() {
    for (model, name) in [
        (Known::Translator, "translator"),
        (Known::Sentences, "sentences"),
    ] {
        let checkpoint = Checkpoint::open(&models().join(name), &Device::flex()).unwrap();
        let bytes = std::fs::read(models().join(name).join("config.json")).unwrap();
        let config = match model {
            Known::Translator => ModelConfig::Marian(serde_json::from_slice(&bytes).unwrap()),
            _ => ModelConfig::Llama(serde_json::from_slice(&bytes).unwrap()),
        };
        let counted = model.config().parameters();
        assert_eq!(counted.total(), checkpoint.model.weights() as u64, "{name}");
        assert_eq!(counted, config.parameters(), "{name}");
        assert_eq!(model.config().operations(9), config.operations(9), "{name}");
    }
}

/// The parts, by the names of the translator's parameters in its file.
#[test]
fn parameters_are_where_the_counts_say() {
    let bytes = std::fs::read(models().join("translator/model.safetensors")).unwrap();
    let mut sums = [0u64; Part::ALL.len()];
    for (name, tensor) in SafeTensors::deserialize(&bytes).unwrap().tensors() {
        let part = match name.as_str() {
            name if name.contains("layer_norm") => Part::Norms,
            name if name.contains("attn") => Part::Attention,
            name if name.contains("fc1") || name.contains("fc2") => Part::FeedForward,
            name if name.contains("shared") => Part::Embedding,
            _ => Part::Output,
        };
        sums[part as usize] += tensor.shape().iter().product::<usize>() as u64;
    }
    let counted = Known::Translator.config().parameters();
    assert_eq!(Part::ALL.map(|part| counted.of(part)), sums);
}
