//! `model.safetensors` with tensors that are missing, of another shape or type, or unexpected; and with extra tensors
//! that are allowed.

use attention_model::weights::Precision;
use attention_trace::Quantities;
use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde_json::json;

use super::{
    BERT, GPT2, GRU, LLAMA, MARIAN, PHI3, T5, UNIVERSAL, assert_says, is_weights, refusal,
};
use crate::files::Files;
use crate::fixture::{GRUS, LLAMAS, MARIANS, UNIVERSALS, tiny};
use crate::run::{Input, run};

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

/// Returns a file with more tensors, each a copy of an existing one.
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

/// `transformers` 5 marks every T5 as tied.
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
fn a_fused_matrix_of_another_shape_is_named() {
    for (changes, words) in [
        (
            json!({"num_key_value_heads": 4}),
            ["self_attn.qkv_proj.weight", "[64, 32]", "[96, 32]"],
        ),
        (
            json!({"intermediate_size": 24}),
            ["mlp.gate_up_proj.weight", "[80, 32]", "[48, 32]"],
        ),
    ] {
        let broken = PHI3.clone().with_config(changes);
        assert_says(&refusal(broken, is_weights), &words);
    }
    let cut = Files {
        weights: PHI3.weights[..1000].to_vec(),
        ..PHI3.clone()
    };
    assert_says(&refusal(cut, is_weights), &["cut short"]);
}

/// Returns the file with other names.
fn renamed(files: &Files, name: impl Fn(&str) -> String) -> Files {
    files.with_tensors(|tensor, view| vec![(name(&tensor), view)])
}

fn logits(files: Files) -> Vec<f32> {
    let input = Input {
        source: vec![4, 9, 1],
        target: vec![0, 7, 8],
        ..Input::default()
    };
    run(&files.load().unwrap(), &input, Quantities::NONE)
        .logits
        .data
}

#[test]
fn what_wrappers_put_before_names_is_passed_over() {
    for files in [&*MARIAN, &*LLAMA, &*GPT2, &*T5, &*BERT, &*GRU, &*UNIVERSAL] {
        let expected = logits(files.clone());
        let prefixed = ["_orig_mod.", "module.", "module._orig_mod."];
        for prefix in prefixed {
            let wrapped = renamed(files, |name| format!("{prefix}{name}"));
            assert_eq!(logits(wrapped), expected, "{prefix}");
        }
    }
    let compiled_inside = renamed(&LLAMA, |name| name.replace("model.", "model._orig_mod."));
    assert_eq!(logits(compiled_inside), logits(LLAMA.clone()));
    let twice = with_copies(
        &LLAMA,
        &[("model.norm.weight", "_orig_mod.model.norm.weight")],
    );
    assert_says(&refusal(twice, is_weights), &["model.norm.weight", "twice"]);
}

/// A base model lacks nothing if its head is the table.
#[test]
fn a_base_model_is_read_where_its_head_is_tied() {
    for (files, base) in [
        (&*MARIAN, "model."),
        (&*LLAMA, "model."),
        (&*GPT2, "transformer."),
    ] {
        let bare = renamed(files, |name| {
            name.strip_prefix(base).unwrap_or(name).to_owned()
        });
        assert_eq!(logits(bare), logits(files.clone()), "{base}");
    }
}

#[test]
fn a_model_without_its_head_says_what_is_needed() {
    let untied = LLAMA
        .clone()
        .with_config(json!({"tie_word_embeddings": false}));
    let bare = renamed(&untied, |name| name.replacen("model.", "", 1));
    assert_says(
        &refusal(bare, is_weights),
        &[
            "lm_head.weight",
            "missing",
            "base model",
            "LlamaForCausalLM",
        ],
    );
}

/// Without any part of the head for masked words, and with another head, BERT is an encoder; with a part of it, the
/// rest is missing.
#[test]
fn berts_head_is_whole_or_absent() {
    let head = "cls.predictions.transform.";
    let of_encoder = BERT.with_tensors(|tensor, view| match tensor.strip_prefix("bert.") {
        Some(name) => vec![(name.to_owned(), view)],
        None => vec![],
    });
    let classifier = BERT.with_tensors(|tensor, view| match tensor.as_str() {
        "bert.embeddings.LayerNorm.weight" => {
            vec![(tensor, view.clone()), ("classifier.weight".into(), view)]
        }
        _ if tensor.starts_with("cls.") => vec![],
        _ => vec![(tensor, view)],
    });
    let input = Input {
        source: vec![2, 50, 4, 3],
        ..Input::default()
    };
    let states = |files: &Files| {
        let outcome = run(&files.clone().load().unwrap(), &input, Quantities::all());
        outcome.array("encoder.1.mlp.norm").clone()
    };
    for files in [&of_encoder, &classifier] {
        assert_eq!(states(files), states(&BERT));
    }
    let broken = BERT.with_tensors(|tensor, view| match tensor.starts_with(head) {
        true => vec![],
        false => vec![(tensor, view)],
    });
    assert_says(&refusal(broken, is_weights), &[head, "missing"]);
}

#[test]
fn quantised_weights_are_told_by_their_names() {
    let name = "model.layers.0.mlp.gate_proj.weight";
    let quantised = renamed(&LLAMA, |tensor| match tensor == name {
        true => tensor.replace(".weight", ".qweight"),
        false => tensor.to_owned(),
    });
    assert_says(
        &refusal(quantised, is_weights),
        &[name, "missing", "quantised", "qweight"],
    );
}

/// Without a table, an output matrix that the configuration declares to be separate is not used as one.
#[test]
fn an_untied_head_is_not_taken_for_the_table() {
    let files = with_copies(&LLAMA, &[("model.embed_tokens.weight", "lm_head.weight")]);
    let without = files.with_tensors(|tensor, view| match tensor == "model.embed_tokens.weight" {
        true => vec![],
        false => vec![(tensor, view)],
    });
    assert!(without.clone().load().is_ok());
    let untied = without.with_config(json!({"tie_word_embeddings": false}));
    assert_says(
        &refusal(untied, is_weights),
        &["model.embed_tokens.weight", "missing"],
    );
}

#[test]
fn families_that_are_not_trained_are_not_written() {
    for name in ["gpt-neox", "t5-v1_0", "modernbert-tiny"] {
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
fn what_we_save_we_read() {
    let (read_only, llamas): (Vec<&str>, Vec<&str>) = LLAMAS
        .into_iter()
        .partition(|name| name.starts_with("gemma") || name.starts_with("phi3"));
    for name in read_only {
        let refused = tiny(name).model.published(Precision::Half).unwrap_err();
        assert_says(&refused.to_string(), &["read, not written"]);
    }
    let families = MARIANS.into_iter().chain(llamas).chain(GRUS);
    for name in families.chain(UNIVERSALS) {
        let (config, weights) = tiny(name).model.published(Precision::Half).unwrap();
        let saved = Files {
            weights,
            config: serde_json::to_vec(&config).unwrap(),
            ..Files::read(name)
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

/// Returns a safetensors file with this header.
fn with_header(files: &Files, header: &str, data: &[u8]) -> Files {
    let length = (header.len() as u64).to_le_bytes();
    Files {
        weights: [&length, header.as_bytes(), data].concat(),
        ..files.clone()
    }
}

#[test]
fn a_header_that_lies_is_refused() {
    let tensor = |shape: &str, from: u64, to: u64| {
        format!(r#"{{"dtype":"F32","shape":{shape},"data_offsets":[{from},{to}]}}"#)
    };
    for header in [
        // Beyond the file, and before its own beginning.
        format!(r#"{{"a":{}}}"#, tensor("[4]", 0, 16)),
        format!(r#"{{"a":{}}}"#, tensor("[2]", u64::MAX - 7, u64::MAX)),
        format!(r#"{{"a":{}}}"#, tensor("[2]", 8, 0)),
        // Over another, and behind a gap.
        format!(
            r#"{{"a":{},"b":{}}}"#,
            tensor("[2]", 0, 8),
            tensor("[1]", 4, 8)
        ),
        format!(r#"{{"a":{}}}"#, tensor("[1]", 4, 8)),
        // Other sizes than the bytes, beyond all numbers.
        format!(r#"{{"a":{}}}"#, tensor("[3]", 0, 8)),
        format!(r#"{{"a":{}}}"#, tensor("[4611686018427387904]", 0, 8)),
        format!(r#"{{"a":{}}}"#, tensor("[4611686018427387904,4]", 0, 8)),
        format!(r#"{{"a":{}}}"#, tensor("[-1]", 0, 8)),
        format!(r#"{{"a":{}}}"#, tensor("[1e99]", 0, 8)),
        // Twice, so that the first one's bytes are no tensor's.
        format!(
            r#"{{"a":{},"a":{}}}"#,
            tensor("[1]", 0, 4),
            tensor("[1]", 4, 8)
        ),
        // Of no known type, and no header at all.
        r#"{"a":{"dtype":"Q4_0","shape":[2],"data_offsets":[0,8]}}"#.to_owned(),
        r#"["a"]"#.to_owned(),
    ] {
        let message = refusal(with_header(&MARIAN, &header, &[0; 8]), is_weights);
        assert_says(&message, &["not a complete safetensors file"]);
    }
    for length in [u64::MAX, 1 << 62, 9, 0] {
        let weights = [&length.to_le_bytes(), b"{}".as_slice()].concat();
        let files = Files {
            weights,
            ..MARIAN.clone()
        };
        assert_says(
            &refusal(files, is_weights),
            &["not a complete safetensors file"],
        );
    }
}
