//! `config.json` and `tokenizer.json`: what they lack, and what of theirs is not implemented.

use attention_trace::Quantities;
use serde_json::json;

use super::{
    BERT, GPT2, LLAMA, MARIAN, T5, assert_says, is_config, is_tokenizer, is_unsupported,
    is_weights, refusal,
};
use crate::files::Files;
use crate::run::{Input, run};

#[test]
fn of_several_ends_the_first_is_taken() {
    let files = LLAMA.clone().with_config(json!({"eos_token_id": [5, 1]}));
    assert_eq!(files.load().unwrap().model.control().end, Some(5));
    let files = LLAMA.clone().with_config(json!({"eos_token_id": []}));
    assert_says(&refusal(files, is_config), &["empty"]);
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
            json!({"scale_attn_by_inverse_layer_idx": true}),
            "scale_attn_by_inverse_layer_idx",
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
