//! Broken checkpoints are refused in words that help, and never panic.

use std::sync::LazyLock;

use attention_model::error::ModelError;
use attention_model::weights::Precision;
use attention_trace::Quantities;
use proptest::prelude::*;
use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde_json::json;

use crate::files::Files;
use crate::fixture::{LLAMAS, MARIANS, tiny};
use crate::run::{Input, run};

static MARIAN: LazyLock<Files> = LazyLock::new(|| Files::read("marian-tiny"));
static LLAMA: LazyLock<Files> = LazyLock::new(|| Files::read("llama-tiny"));
static GPT2: LazyLock<Files> = LazyLock::new(|| Files::read("gpt2-tiny"));
static T5: LazyLock<Files> = LazyLock::new(|| Files::read("t5-v1_1"));
static BERT: LazyLock<Files> = LazyLock::new(|| Files::read("bert-tiny"));

/// The message of a refusal, which must be of the right kind.
fn refusal(files: Files, kind: fn(&ModelError) -> bool) -> String {
    let error = files.load().expect_err("a broken checkpoint was accepted");
    assert!(kind(&error), "{error:?}");
    error.to_string()
}

fn is_weights(error: &ModelError) -> bool {
    matches!(error, ModelError::Weights(_))
}

fn is_unsupported(error: &ModelError) -> bool {
    matches!(error, ModelError::Unsupported(_) | ModelError::Sizes(_))
}

fn is_config(error: &ModelError) -> bool {
    matches!(error, ModelError::Config(_))
}

fn is_tokenizer(error: &ModelError) -> bool {
    matches!(error, ModelError::Tokenizer(_))
}

fn assert_says(message: &str, words: &[&str]) {
    for word in words {
        assert!(message.contains(word), "`{word}` is not in: {message}");
    }
}

#[test]
fn a_missing_tensor_is_named() {
    for (files, name) in [
        (
            &*MARIAN,
            "model.decoder.layers.1.encoder_attn.k_proj.weight",
        ),
        (&*MARIAN, "model.encoder.layers.0.final_layer_norm.bias"),
        (&*LLAMA, "model.layers.0.input_layernorm.weight"),
        (&*GPT2, "h.1.attn.c_attn.bias"),
        (&*T5, "decoder.block.0.layer.1.EncDecAttention.k.weight"),
        (
            &*T5,
            "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
        ),
        (&*BERT, "bert.encoder.layer.1.attention.self.key.weight"),
        (&*BERT, "cls.predictions.transform.LayerNorm.bias"),
    ] {
        let broken = files.with_tensors(|tensor, view| match tensor == name {
            true => vec![],
            false => vec![(tensor, view)],
        });
        assert_says(&refusal(broken, is_weights), &[name, "missing"]);
    }
}

#[test]
fn marians_logit_bias_may_be_missing() {
    let without = MARIAN.with_tensors(|tensor, view| match tensor == "final_logits_bias" {
        true => vec![],
        false => vec![(tensor, view)],
    });
    assert!(without.load().is_ok());
}

#[test]
fn a_wrong_shape_is_named_as_pytorch_has_it() {
    let broken = MARIAN.clone().with_config(json!({"encoder_ffn_dim": 40}));
    assert_says(
        &refusal(broken, is_weights),
        &["model.encoder.layers.0.fc1", "48", "40"],
    );
    // A matrix that only a transposition would make fit.
    let name = "model.layers.0.mlp.gate_proj.weight";
    let broken = LLAMA.with_tensors(|tensor, view| {
        let view = match tensor == name {
            true => TensorView::new(Dtype::F32, vec![32, 48], view.data()).unwrap(),
            false => view,
        };
        vec![(tensor, view)]
    });
    assert_says(
        &refusal(broken, is_weights),
        &[name, "[32, 48]", "[48, 32]"],
    );
}

#[test]
fn biases_that_the_configuration_asks_for_and_the_file_lacks_are_missing() {
    for (changes, name) in [
        (
            json!({"attention_bias": true}),
            "model.layers.0.self_attn.k_proj.bias",
        ),
        (
            json!({"mlp_bias": true}),
            "model.layers.0.mlp.down_proj.bias",
        ),
    ] {
        let broken = LLAMA.clone().with_config(changes);
        assert_says(&refusal(broken, is_weights), &[name, "missing"]);
    }
}

/// GPT-2's matrices have a row for each input.
#[test]
fn a_matrix_of_the_other_layout_is_refused() {
    let name = "h.0.attn.c_attn.weight";
    let broken = GPT2.with_tensors(|tensor, view| {
        let view = match tensor == name {
            true => TensorView::new(Dtype::F32, vec![72, 24], view.data()).unwrap(),
            false => view,
        };
        vec![(tensor, view)]
    });
    assert_says(
        &refusal(broken, is_weights),
        &[name, "[72, 24]", "[24, 72]"],
    );
}

/// A file with more tensors, each a copy of one that it has.
fn with_copies(files: &Files, copies: &[(&str, &str)]) -> Files {
    files.with_tensors(|tensor, view| {
        let copies = copies.iter().filter(|(of, _)| *of == tensor);
        let copies = copies.map(|(_, name)| ((*name).to_owned(), view.clone()));
        let copies: Vec<_> = copies.collect();
        [vec![(tensor, view)], copies].concat()
    })
}

#[test]
fn what_published_files_hold_beside_the_model_is_passed_over() {
    let bias = "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight";
    for (files, copies) in [
        (&*GPT2, [("ln_f.bias", "h.1.attn.masked_bias")]),
        (&*GPT2, [("wte.weight", "lm_head.weight")]),
        (
            &*BERT,
            [("cls.predictions.bias", "cls.predictions.decoder.bias")],
        ),
        (
            &*BERT,
            [(
                "bert.embeddings.word_embeddings.weight",
                "cls.predictions.decoder.weight",
            )],
        ),
        (
            &*T5,
            [(
                bias,
                "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight",
            )],
        ),
        (&*T5, [("shared.weight", "encoder.embed_tokens.weight")]),
    ] {
        let [(_, name)] = copies;
        assert!(with_copies(files, &copies).load().is_ok(), "{name}");
    }
    for files in [&*GPT2, &*BERT, &*T5] {
        let file = safetensors::SafeTensors::deserialize(&files.weights).unwrap();
        let first = file.names()[0].to_owned();
        let broken = with_copies(files, &[(&first, "one.too.many")]);
        assert_says(&refusal(broken, is_weights), &["one.too.many"]);
    }
}

#[test]
fn an_output_layer_of_berts_own_takes_the_tables_place() {
    let copies = [
        (
            "bert.embeddings.word_embeddings.weight",
            "cls.predictions.decoder.weight",
        ),
        ("cls.predictions.bias", "cls.predictions.decoder.bias"),
    ];
    let untied = json!({"tie_word_embeddings": false});
    let input = Input {
        source: vec![2, 50, 4, 3],
        ..Input::default()
    };
    let logits = |files: Files| {
        let logits = run(&files.load().unwrap(), &input, Quantities::NONE).logits;
        logits.data
    };
    let (one, other) = (
        logits(BERT.clone()),
        logits(with_copies(&BERT, &copies).with_config(untied.clone())),
    );
    let difference = crate::run::largest_difference(&one, &other);
    assert!(difference < 1e-4, "{difference}");
    let broken = BERT.clone().with_config(untied);
    assert_says(
        &refusal(broken, is_weights),
        &["cls.predictions.decoder.weight", "missing"],
    );
}

/// `transformers` 5 writes of every T5 that it is tied.
#[test]
fn an_output_matrix_that_is_not_the_table_is_used_whatever_the_configuration_says() {
    let input = Input {
        source: vec![4, 9, 1],
        target: vec![0, 7, 8],
        ..Input::default()
    };
    let logits = |files: Files| run(&files.load().unwrap(), &input, Quantities::NONE).logits;
    let rewritten = T5.clone().with_config(json!({"tie_word_embeddings": true}));
    assert_eq!(logits(rewritten), logits(T5.clone()));
}

#[test]
fn of_several_ends_the_first_is_taken() {
    let files = LLAMA.clone().with_config(json!({"eos_token_id": [5, 1]}));
    assert_eq!(files.load().unwrap().model.control().end, Some(5));
    let files = LLAMA.clone().with_config(json!({"eos_token_id": []}));
    assert_says(&refusal(files, is_config), &["empty"]);
}

#[test]
fn families_that_are_not_trained_are_not_written() {
    for name in ["gpt2-tiny", "t5-v1_0", "bert-tiny"] {
        let error = tiny(name).model.published(Precision::Half).unwrap_err();
        assert_says(&error.to_string(), &["read, not written"]);
    }
}

#[test]
fn a_wrong_type_is_named() {
    let broken = LLAMA.with_tensors(|tensor, view| {
        let view = match tensor == "model.norm.weight" {
            true => TensorView::new(Dtype::I32, view.shape().to_vec(), view.data()).unwrap(),
            false => view,
        };
        vec![(tensor, view)]
    });
    assert_says(&refusal(broken, is_weights), &["model.norm.weight", "I32"]);
}

#[test]
fn a_tensor_that_would_go_unused_is_named() {
    let name = "model.layers.0.self_attn.q_proj.bias";
    let broken = LLAMA.with_tensors(|tensor, view| {
        if tensor == "model.norm.weight" {
            vec![(tensor, view.clone()), (name.into(), view)]
        } else {
            vec![(tensor, view)]
        }
    });
    assert_says(&refusal(broken, is_weights), &[name]);
    // Too few layers asked for: the rest of the file has no place.
    let broken = LLAMA.clone().with_config(json!({"num_hidden_layers": 1}));
    assert_says(&refusal(broken, is_weights), &["model.layers.1."]);
}

#[test]
fn repeated_and_computed_tensors_of_older_checkpoints_are_passed_over() {
    let older = MARIAN.with_tensors(|tensor, view| {
        if tensor == "model.shared.weight" {
            let copies = [
                "model.shared.weight",
                "model.encoder.embed_tokens.weight",
                "model.decoder.embed_tokens.weight",
                "model.encoder.embed_positions.weight",
                "lm_head.weight",
            ];
            copies.map(|name| (name.to_owned(), view.clone())).into()
        } else {
            vec![(tensor, view)]
        }
    });
    assert!(older.load().is_ok());
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

#[test]
fn what_we_save_we_read() {
    for name in MARIANS.into_iter().chain(LLAMAS) {
        let (config, weights) = tiny(name).model.published(Precision::Half).unwrap();
        let saved = Files {
            weights,
            config: serde_json::to_vec(&config).unwrap(),
            tokenizer: Files::read(name).tokenizer,
        };
        let input = Input {
            source: vec![4, 9, 1],
            target: vec![0, 7, 8],
            ..Input::default()
        };
        let before = run(&tiny(name), &input, Quantities::NONE).logits.data;
        let after = run(&saved.load().unwrap(), &input, Quantities::NONE)
            .logits
            .data;
        // Weights are stored as f16: eleven bits.
        let scale = before.iter().fold(1.0_f32, |scale, x| scale.max(x.abs()));
        let difference = crate::run::largest_difference(&before, &after);
        assert!(difference < 0.02 * scale, "{name}: {difference} of {scale}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn weights_cut_short_anywhere_are_refused(part in 0.0f64..1.0, header in any::<bool>()) {
        // Half of the cuts in the header, which is where parsing happens.
        let end = if header { 2000 } else { MARIAN.weights.len() };
        let length = (part * end as f64) as usize;
        let broken = Files { weights: MARIAN.weights[..length].to_vec(), ..MARIAN.clone() };
        let message = refusal(broken, is_weights);
        prop_assert!(message.contains("cut short"), "{message}");
    }

    #[test]
    fn garbage_is_refused(garbage in prop::collection::vec(any::<u8>(), 0..300)) {
        let files = MARIAN.clone();
        for broken in [
            Files { weights: garbage.clone(), ..files.clone() },
            Files { config: garbage.clone(), ..files.clone() },
            Files { tokenizer: garbage, ..files },
        ] {
            prop_assert!(broken.load().is_err());
        }
    }

    #[test]
    fn a_damaged_header_never_panics(at in 0usize..4000, byte in any::<u8>()) {
        let mut files = LLAMA.clone();
        files.weights[at] = byte;
        // Some changes still say something sensible; whatever they say must be an answer.
        let _ = files.load();
    }

    #[test]
    fn no_size_in_the_configuration_panics(
        field in prop::sample::select(vec![
            "vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "head_dim",
            "num_attention_heads", "num_key_value_heads", "max_position_embeddings",
            "bos_token_id", "eos_token_id",
        ]),
        value in prop_oneof![0u64..300, any::<u64>(), Just(u64::from(u32::MAX))],
    ) {
        let _ = LLAMA.clone().with_config(json!({ field: value })).load();
    }

    #[test]
    fn no_size_of_the_other_families_panics(
        (name, field) in prop::sample::select(vec![
            ("gpt2-tiny", "vocab_size"), ("gpt2-tiny", "n_positions"), ("gpt2-tiny", "n_embd"), ("gpt2-tiny", "n_layer"),
            ("gpt2-tiny", "n_head"), ("gpt2-tiny", "n_inner"), ("gpt2-tiny", "eos_token_id"),
            ("t5-v1_1", "vocab_size"), ("t5-v1_1", "d_model"), ("t5-v1_1", "d_kv"), ("t5-v1_1", "d_ff"), ("t5-v1_1", "num_layers"),
            ("t5-v1_1", "num_decoder_layers"), ("t5-v1_1", "num_heads"), ("t5-v1_1", "relative_attention_num_buckets"),
            ("t5-v1_1", "relative_attention_max_distance"), ("t5-v1_1", "n_positions"),
            ("bert-tiny", "vocab_size"), ("bert-tiny", "hidden_size"), ("bert-tiny", "num_hidden_layers"),
            ("bert-tiny", "num_attention_heads"), ("bert-tiny", "intermediate_size"), ("bert-tiny", "type_vocab_size"),
            ("bert-tiny", "max_position_embeddings"), ("bert-tiny", "pad_token_id"),
        ]),
        value in prop_oneof![0u64..300, any::<u64>(), Just(u64::from(u32::MAX))],
    ) {
        let _ = Files::read(name).with_config(json!({ field: value })).load();
    }
}
