//! `config.json` and `tokenizer.json` with missing entries, or with features that are not implemented.

use attention_trace::Quantities;
use serde_json::{Value, json};

use super::{
    BART, BERT, DISTILBERT, GEMMA, GPT2, GRU, LLAMA, MARIAN, MODERNBERT, NLLB, ROBERTA, T5,
    UNIVERSAL, assert_says, is_config, is_tokenizer, is_unsupported, is_weights, refusal,
};
use crate::files::Files;
use crate::run::{Input, run};

#[test]
fn of_several_ends_the_first_is_written_and_all_end() {
    for files in [&*LLAMA, &*MARIAN, &*GPT2, &*T5, &*GRU, &*UNIVERSAL] {
        let several = files.clone().with_config(json!({"eos_token_id": [5, 1]}));
        let checkpoint = several.load().unwrap();
        assert_eq!(checkpoint.control().rules.end_tokens, [5, 1]);
        assert_eq!(checkpoint.control().end(), Some(5));
        let none = files.clone().with_config(json!({"eos_token_id": []}));
        assert_says(&refusal(none, is_config), &["eos_token_id", "empty"]);
    }
}

/// Sets an entry to `null`, which the tests' own helper would remove from the configuration.
fn with_null(files: &Files, name: &str) -> Files {
    let mut config: Value = serde_json::from_slice(&files.config).unwrap();
    config[name] = Value::Null;
    Files {
        config: serde_json::to_vec(&config).unwrap(),
        ..files.clone()
    }
}

#[test]
fn tokens_that_are_not_needed_may_be_missing_or_null() {
    for name in ["bos_token_id", "eos_token_id", "pad_token_id"] {
        for files in [&*LLAMA, &*MARIAN, &*GPT2, &*T5, &*BERT, &*GRU, &*UNIVERSAL] {
            let missing = files.clone().with_config(json!({ name: null }));
            for files in [missing, with_null(files, name)] {
                let checkpoint = files
                    .load()
                    .unwrap_or_else(|error| panic!("{name}: {error}"));
                let is_end = name == "eos_token_id";
                let ends = &checkpoint.control().rules.end_tokens;
                assert!(!is_end || ends.is_empty(), "{ends:?}");
            }
        }
    }
}

#[test]
fn a_token_that_is_needed_is_named_where_it_is_missing() {
    for files in [&*MARIAN, &*GRU, &*UNIVERSAL] {
        let without = files
            .clone()
            .with_config(json!({"decoder_start_token_id": null}));
        let null = with_null(files, "decoder_start_token_id");
        for broken in [without.clone(), null] {
            assert_says(
                &refusal(broken, is_config),
                &["decoder_start_token_id", "missing", "bos_token_id"],
            );
        }
        let started = without.with_config(json!({"bos_token_id": 3}));
        assert_eq!(started.load().unwrap().control().start, Some(3));
    }
}

#[test]
fn entries_of_a_wrong_type_are_named_though_nothing_uses_them() {
    for (files, changes, words) in [
        (
            &*BERT,
            json!({"hidden_dropout_prob": "x"}),
            ["hidden_dropout_prob", "\"x\""],
        ),
        (
            &*BERT,
            json!({"layer_norm_eps": 1e9}),
            ["layer_norm_eps", "below 1"],
        ),
        (
            &*T5,
            json!({"layer_norm_epsilon": 1e9}),
            ["layer_norm_epsilon", "below 1"],
        ),
        (
            &*LLAMA,
            json!({"rms_norm_eps": [1e-6]}),
            ["rms_norm_eps", "below 1"],
        ),
        (
            &*GPT2,
            json!({"resid_pdrop": 7}),
            ["resid_pdrop", "between 0 and 1"],
        ),
        (
            &*MARIAN,
            json!({"use_cache": 1}),
            ["use_cache", "true or false"],
        ),
        (&*GRU, json!({"hidden_size": -1}), ["hidden_size", "-1"]),
        (
            &*LLAMA,
            json!({"rope_parameters": {"factor": "two"}}),
            ["rope_parameters.factor", "two"],
        ),
        (
            &*UNIVERSAL,
            json!({"halting": {"epsilon": "small"}}),
            ["halting", "small"],
        ),
    ] {
        let broken = files.clone().with_config(changes);
        assert_says(&refusal(broken, is_config), &words);
    }
}

#[test]
fn quantised_weights_are_refused_with_what_would_help() {
    let quantised = json!({"quantization_config": {"quant_method": "gptq", "bits": 4}});
    for files in [&*LLAMA, &*BERT, &*MARIAN] {
        let broken = files.clone().with_config(quantised.clone());
        assert_says(
            &refusal(broken, is_unsupported),
            &["quantization_config", "gptq, 4 bits", "dequantize()"],
        );
    }
}

#[test]
fn generation_settings_of_a_wrong_type_are_named() {
    for (settings, word) in [
        (json!({"eos_token_id": "x"}), "eos_token_id"),
        (json!({"suppress_tokens": [500]}), "token 500"),
        (json!({"min_length": "long"}), "min_length"),
    ] {
        let broken = LLAMA.clone().with_generation(&settings);
        assert_says(
            &refusal(broken, is_config),
            &["generation_config.json", word],
        );
    }
    for bytes in [&b"["[..], b"[]", b"7"] {
        let broken = Files {
            generation: Some(bytes.to_vec()),
            ..LLAMA.clone()
        };
        let error = broken.load().unwrap_err().to_string();
        assert_says(&error, &["generation_config.json"]);
    }
    // What a model that writes nothing would write does not matter.
    let idle = BERT
        .clone()
        .with_generation(&json!({"eos_token_id": "x", "num_beams": 4}));
    assert!(idle.load().unwrap().generation.notes.is_empty());
}

/// Published models lack a row for a padding token that was added to their tokenizer.
#[test]
fn an_added_token_may_lack_a_row_until_a_text_has_it() {
    let mut tokenizer: Value = serde_json::from_slice(&LLAMA.tokenizer).unwrap();
    let added = json!({
        "id": 128, "content": "[PAD]", "single_word": false, "lstrip": false, "rstrip": false,
        "normalized": false, "special": true
    });
    tokenizer["added_tokens"]
        .as_array_mut()
        .unwrap()
        .push(added);
    let files = Files {
        tokenizer: serde_json::to_vec(&tokenizer).unwrap(),
        ..LLAMA.clone()
    };
    let checkpoint = files.load().unwrap();
    assert_eq!(checkpoint.tokenizer.vocabulary(), 129);
    assert!(checkpoint.encode_input("the dog").is_ok());
    let refused = checkpoint
        .encode_input("the [PAD] dog")
        .unwrap_err()
        .to_string();
    assert_says(&refused, &["[PAD]", "128"]);
}

#[test]
fn a_wrong_vocabulary_is_refused() {
    let fewer = MARIAN.clone().with_config(json!({"vocab_size": 100}));
    assert_says(&refusal(fewer, is_tokenizer), &["128", "100"]);
    let more = MARIAN.clone().with_config(json!({"vocab_size": 200}));
    assert_says(&refusal(more, is_weights), &["[1, 128]", "[1, 200]"]);
}

#[test]
fn an_architecture_that_is_not_implemented_is_named() {
    let broken = LLAMA.clone().with_config(json!({"model_type": "mamba"}));
    assert_says(
        &refusal(broken, is_unsupported),
        &["mamba", "marian", "llama", "gpt2", "qwen3", "t5", "bert"],
    );
    let broken = LLAMA.clone().with_config(json!({"model_type": null}));
    assert_says(&refusal(broken, is_unsupported), &["model_type", "missing"]);
}

#[test]
fn what_would_change_the_numbers_and_is_not_implemented_is_refused() {
    for (files, changes, word) in [
        (&*LLAMA, json!({"hidden_act": "gelu"}), "hidden_act"),
        (
            &*LLAMA,
            json!({"rope_scaling": {"type": "longrope", "factor": 2.0}}),
            "longrope",
        ),
        (
            &*LLAMA,
            json!({"rope_parameters": {"rope_type": "llama3", "rope_theta": 1e4, "factor": 8.0}}),
            "low_freq_factor",
        ),
        (
            &*GPT2,
            json!({"reorder_and_upcast_attn": true}),
            "reorder_and_upcast_attn",
        ),
        (
            &*GEMMA,
            json!({"use_bidirectional_attention": true}),
            "use_bidirectional_attention",
        ),
        (
            &*LLAMA,
            json!({"layer_types": ["sliding_attention", "full_attention"]}),
            "layer_types",
        ),
        (
            &*LLAMA,
            json!({"rope_parameters": {"full_attention": {"rope_type": "default"}}}),
            "by layer type",
        ),
        (
            &*T5,
            json!({"is_encoder_decoder": false}),
            "is_encoder_decoder",
        ),
        (
            &*BERT,
            json!({"position_embedding_type": "relative_key"}),
            "relative_key",
        ),
        (
            &*MARIAN,
            json!({"tie_word_embeddings": false}),
            "tie_word_embeddings",
        ),
        (
            &*MARIAN,
            json!({"normalize_before": true}),
            "normalize_before",
        ),
        (
            &*BART,
            json!({"normalize_before": true}),
            "normalize_before",
        ),
        (
            &*BART,
            json!({"normalize_embedding": false}),
            "normalize_embedding",
        ),
        (
            &*BART,
            json!({"static_position_embeddings": true}),
            "static_position_embeddings",
        ),
        (
            &*BART,
            json!({"extra_pos_embeddings": 3}),
            "extra_pos_embeddings",
        ),
        (
            &*ROBERTA,
            json!({"max_position_embeddings": 2}),
            "max_position_embeddings",
        ),
        (
            &*ROBERTA,
            json!({"position_embedding_type": "relative_key"}),
            "relative_key",
        ),
        (&*NLLB, json!({"pad_token_id": 128}), "pad_token_id"),
        (&*NLLB, json!({"d_model": 15}), "15"),
        (
            &*NLLB,
            json!({"tie_word_embeddings": false}),
            "tie_word_embeddings",
        ),
        (&*NLLB, json!({"model_type": "nllb-moe"}), "nllb-moe"),
        (
            &*MODERNBERT,
            json!({"layer_types": ["full_attention"]}),
            "layer_types",
        ),
        (
            &*MODERNBERT,
            json!({"rope_scaling": {"rope_type": "linear", "factor": 2.0}}),
            "rope_type",
        ),
        (&*DISTILBERT, json!({"n_heads": 7}), "heads"),
        (&*DISTILBERT, json!({"dim": 0}), "dim"),
        (&*MARIAN, json!({"encoder_attention_heads": 5}), "heads"),
        (&*MARIAN, json!({"pad_token_id": 5000}), "pad_token_id"),
        (&*MARIAN, json!({"encoder_layers": 0}), "encoder_layers"),
        (&*MARIAN, json!({"d_model": 1u64 << 40}), "d_model"),
        (
            &*LLAMA,
            json!({"num_hidden_layers": 1u64 << 40}),
            "num_hidden_layers",
        ),
        (&*LLAMA, json!({"num_key_value_heads": 3}), "heads"),
    ] {
        let broken = files.clone().with_config(changes);
        assert_says(&refusal(broken, is_unsupported), &[word]);
    }
}

#[test]
fn a_broken_configuration_says_what_it_lacks() {
    let broken = MARIAN.clone().with_config(json!({"d_model": null}));
    assert_says(&refusal(broken, is_config), &["config.json", "d_model"]);
    let broken = MARIAN.clone().with_config(json!({"d_model": "wide"}));
    assert_says(&refusal(broken, is_config), &["config.json", "wide"]);
    let broken = MARIAN
        .clone()
        .with_config(json!({"activation_function": "tanh"}));
    assert_says(&refusal(broken, is_config), &["tanh", "relu"]);
    for text in ["", "{", "[]", "null", "\u{1F415}"] {
        let broken = Files {
            config: text.into(),
            ..MARIAN.clone()
        };
        assert!(broken.load().is_err(), "{text}");
    }
}

#[test]
fn a_broken_tokenizer_is_refused() {
    for bytes in [&b""[..], b"{}", b"not JSON", &MARIAN.tokenizer[..5000]] {
        let broken = Files {
            tokenizer: bytes.into(),
            ..MARIAN.clone()
        };
        assert_says(&refusal(broken, is_tokenizer), &["tokenizer"]);
    }
}

#[test]
fn rope_is_read_as_older_and_newer_configurations_write_it() {
    let input = Input {
        target: vec![1, 20, 30, 40, 50],
        ..Input::default()
    };
    let logits = |files: Files| run(&files.load().unwrap(), &input, Quantities::NONE).logits;
    let newer = Files::read("llama-gqa");
    let expected = logits(newer.clone());
    let older = newer.clone().with_config(json!({
        "rope_parameters": null, "rope_theta": 500_000.0, "rope_scaling": null,
    }));
    assert_eq!(logits(older), expected);
    let other = newer.with_config(json!({"rope_parameters": null, "rope_theta": 10_000.0}));
    assert_ne!(logits(other), expected);
    // What neither says is Llama's own base.
    let silent = LLAMA.clone().with_config(json!({"rope_parameters": null}));
    assert_eq!(logits(silent), logits(LLAMA.clone()));
}
