//! Numbers that are not finite are refused by name before anything is computed with them.

use attention_model::error::ModelError;
use attention_model::inference::RunOptions;
use attention_trace::{Quantities, Search};
use burn::prelude::Device;
use safetensors::Dtype;
use serde_json::json;

use crate::files::Files;
use crate::fixture::tiny;

/// Returns `files` with the first `count` values of a tensor of f32 overwritten.
fn with_value(files: &Files, tensor: &str, count: usize, value: f32) -> Files {
    files.with_values(|name, view| {
        let mut bytes = view.data().to_vec();
        if name == tensor {
            assert_eq!(view.dtype(), Dtype::F32);
            for stored in bytes.chunks_exact_mut(4).take(count) {
                stored.copy_from_slice(&value.to_le_bytes());
            }
        }
        (bytes, view.shape().to_vec())
    })
}

#[test]
fn weights_are_named_and_counted() {
    for (model, tensor, values) in [
        ("marian-tiny", "model.encoder.layers.1.fc1.weight", 48 * 32),
        ("marian-tiny", "final_logits_bias", 128),
        ("llama-tiny", "model.embed_tokens.weight", 128 * 32),
        ("llama-tiny", "model.layers.0.input_layernorm.weight", 32),
    ] {
        let files = Files::read(model);
        assert!(with_value(&files, tensor, 2, 1.0).load().is_ok());
        for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let refused = with_value(&files, tensor, 2, value).load();
            let Err(error @ ModelError::Weights(_)) = refused else {
                panic!("{tensor} with {value} gave {refused:?}");
            };
            let expected = format!(
                "model.safetensors: `{tensor}`: 2 of its {values} values are not finite 32-bit numbers"
            );
            assert_eq!(error.to_string(), expected);
        }
    }
}

#[test]
fn numbers_of_the_configuration_are_named() {
    for (changes, name) in [
        // Too large for 32 bits, so infinite in them.
        (
            json!({"rope_parameters": null, "rope_theta": 1e39}),
            "rope_theta",
        ),
        (
            json!({"rope_parameters": null, "rope_theta": 0.0}),
            "rope_theta",
        ),
        (
            json!({"rope_parameters": null, "rope_theta": -1e4}),
            "rope_theta",
        ),
        (
            json!({"rope_parameters": {"rope_type": "default", "rope_theta": 1e300}}),
            "rope_theta",
        ),
        (json!({"rms_norm_eps": 1e300}), "rms_norm_eps"),
        (json!({"rms_norm_eps": 1e-300}), "rms_norm_eps"),
        (json!({"rms_norm_eps": 0.0}), "rms_norm_eps"),
    ] {
        let refused = Files::read("llama-tiny")
            .with_config(changes.clone())
            .load();
        let Err(error @ (ModelError::Sizes(_) | ModelError::Field { .. })) = refused else {
            panic!("{changes} gave {refused:?}");
        };
        let message = error.to_string();
        let is_named = message.starts_with("config.json: ") && message.contains(name);
        assert!(is_named, "{message}");
    }
}

#[test]
fn a_length_penalty_out_of_range_is_refused() {
    let checkpoint = tiny("marian-tiny");
    for length_penalty in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30] {
        let options = RunOptions {
            search: Search::Beam {
                width: 2,
                length_penalty,
            },
            prefix: vec![],
            max_new_tokens: 4,
            quantities: Quantities::NONE,
            edits: vec![],
        };
        let device = Device::flex();
        let found = checkpoint.decode("the cat", &options, &device, async |_| true);
        let refused = pollster::block_on(found);
        assert!(
            matches!(refused, Err(ModelError::LengthPenalty(_))),
            "{length_penalty}: {refused:?}"
        );
    }
}
