//! Tests of the readers of messages between page and workers, and of the scores that a page reads.

use attention_protocol::lessons::{LessonReply, Question};
use attention_protocol::training::{SnapshotHeader, TrainingReply, TrainingRequest};
use attention_protocol::{Reply, Request};
use attention_trace::{Array, read_length_scores};
use serde_json::json;

use crate::damage::Input;

/// Returns messages in which as many fields as possible are set.
fn seeds() -> Vec<Vec<u8>> {
    let spec = json!({
        "model_type": "t5", "width": 8, "vocabulary": 9, "max_tokens": 16,
        "decoder": {
            "layers": 2, "heads": 2, "key_value_heads": 1, "head_width": 4, "causal": true, "cross_attention": false,
            "norm": {"kind": "rms_norm", "placement": "pre", "is_last": true},
            "feed_forward": {"width": 16, "activation": "relu", "gated": false, "biased": false},
        },
        "embedding_factor": 1.0, "positions": {"encoding": "rope", "rope_theta": 1e4},
        "scales_scores": true, "output_bias": false, "generates": "continuation",
    });
    let candidate = json!({
        "token": {"id": 4, "text": "a", "unknown": false}, "logit": 1.5, "log_probability": -0.5,
    });
    let array = json!({"shape": [2, 3], "data": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]});
    [
        json!({"load": {
            "base": "http://host/model/", "allow_fallback_adapter": false,
            "files": [{"name": "config.json", "url": "http://host/c", "bytes": 3, "sha256": "00"}],
        }}),
        json!({"run": {
            "text": "Je suis étudiant.", "prefix": [4, 5], "max_new_tokens": 64,
            "search": {"kind": "beam", "width": 4, "length_penalty": 0.75},
            "quantities": ["pattern", "query_before_rope"],
        }}),
        json!({"ask": {
            "question": {"result": {"run": 7, "question": {"parts": [{
                "array": "decoder.0.self.pattern", "slice": {"rows": [1, 2]},
                "edits": [
                    {"kind": "permute", "order": [1, 0]}, {"kind": "without_positions"},
                    {"kind": "scale_head", "attention": "decoder.0.cross", "head": 1, "factor": 0.5},
                    {"kind": "replace", "site": "encoder.1.mlp.out", "array": array},
                ],
            }]}}},
        }}),
        json!({"ask": {
            "question": {"text": {
                "text": "Je suis étudiant.", "question": {"score": {"target": [4, 5, 0]}},
                "edits": [{"kind": "scale_head", "attention": "encoder.0.self", "head": 1, "factor": 0.0}],
            }},
        }}),
        json!({"ask": {
            "question": {"text": {
                "text": "Je suis étudiant.", "question": {"force": {"target": "I am a student."}},
                "edits": [{"kind": "scale_head", "attention": "encoder.0.self", "head": 1, "factor": 0.0}],
            }},
        }}),
        json!({"answer": {"answer": {"forced": [{"given": candidate, "rank": 2, "best": candidate}]}}}),
        json!({"ready": {
            "engine": "engine-webgpu", "device": "webgpu", "adapter": "a", "fallback_adapter": false, "threads": 2,
            "spec": spec, "parameters": 7_600_000, "load_ms": 12.5,
        }}),
        json!({"answer": {"answer": {"arrays": {"shapes": [[3, 4], null]}}}}),
        json!({"failed": {"wrong_numbers": {"difference": 0.5, "kernels": ["rotate"]}}}),
        json!({"products": {"query": array, "key": array}}),
        json!({"softmax": {"scores": [1.0, -2.5], "scales": [0.125]}}),
        json!({"answered": {"jacobian": array}}),
        json!({"start": {
            "snapshot_every": 25, "watch": {"input": "abc", "output": "cba"},
            "from": {"step": 50, "seconds": 1.5, "weights_bytes": 8},
            "device": {"web_gpu": {"allow_software": true}},
            "settings": {
                "task": {"kind": "back", "places": 3, "sequences": {"letters": 8, "shortest": 4, "longest": 8}},
                "shape": {"architecture": "decoder_only", "positions": "t5", "layers": 2, "heads": 4, "width": 32},
                "optimizer": {
                    "kind": "adam_w", "batch": 32, "steps": 1500,
                    "schedule": {"peak": 0.005, "warmup_steps": 50, "decay": "inverse-square-root"},
                },
                "seed": 1,
            },
        }}),
        json!({"watch": {"input": "abc"}}),
        json!({"progress": {
            "seconds": 1.5, "steps_per_second": 80.5, "memory_bytes": 1 << 24,
            "steps": [{"step": 3, "loss": 2.5, "accuracy": 0.25, "learning_rate": 0.001}],
        }}),
        json!({"failed": {"settings": {
            "fault": {"fault": "range", "number": "layers", "value": 9, "least": 1, "most": 6},
        }}}),
        json!({"failed": {"wrong_numbers": {"part": "gradients", "difference": 0.5}}}),
        json!({"failed": {"example": {"fault": {"fault": "character", "character": "é"}}}}),
        json!({"snapshot": snapshot()}),
    ]
    .map(|message| message.to_string().into_bytes())
    .into()
}

/// Returns a snapshot of a layer with two heads over three tokens; its buffer has 8 + 4 + 2 · 72 bytes.
fn snapshot() -> serde_json::Value {
    let token = json!({"id": 4, "text": "a"});
    json!({
        "step": 50, "seconds": 1.5, "config": "{}", "tokenizer": "{}", "loss": 0.5,
        "source": [], "target": [token, token, token], "weights_bytes": 8, "optimizer_bytes": 4,
        "evaluation": {
            "step": 50, "examples": 128, "held_out": true, "loss": 0.5, "token_accuracy": 0.75, "sequence_accuracy": 0.5,
        },
        "predictions": [{"row": 2, "expected": token, "probability": 0.25, "best": token}],
        "attention": [["decoder.0.self", [2, 3, 3]]],
    })
}

#[test]
fn snapshots() {
    let (seed, buffer) = (snapshot().to_string().into_bytes(), [0; 8 + 4 + 2 * 72]);
    let whole: SnapshotHeader = serde_json::from_slice(&seed).unwrap();
    assert!(whole.read(&buffer).is_some());
    bolero::check!()
        .with_type::<(Input, u8)>()
        .with_iterations(10_000)
        .for_each(|(input, length)| {
            if let Ok(header) = serde_json::from_slice::<SnapshotHeader>(&input.json(&seed)) {
                header.read(&buffer[..buffer.len().min(usize::from(*length))]);
            }
        });
}

#[test]
fn messages() {
    let mut seeds = seeds();
    // What they are made of is so spelled: each can be read by one of the readers below.
    assert!(seeds.iter().all(|seed| read(seed)));
    seeds.push(b"[]".to_vec());
    bolero::check!()
        .with_type::<(u8, Input)>()
        .with_iterations(20_000)
        .for_each(|(seed, input)| {
            read(&input.json(&seeds[usize::from(*seed) % seeds.len()]));
        });
}

/// Returns true if any reader of messages accepts these bytes.
fn read(bytes: &[u8]) -> bool {
    let request = serde_json::from_slice::<Request>(bytes).is_ok();
    let reply = serde_json::from_slice::<Reply>(bytes).is_ok();
    let question = serde_json::from_slice::<Question>(bytes).is_ok();
    let lesson = serde_json::from_slice::<LessonReply>(bytes).is_ok();
    let training = serde_json::from_slice::<TrainingRequest>(bytes).is_ok();
    let trained = serde_json::from_slice::<TrainingReply>(bytes).is_ok();
    request || reply || question || lesson || training || trained
}

#[test]
fn arrays_in_messages() {
    let seed = br#"{"shape":[2,1,3],"data":[0.0,1.0,2.0,3.0,4.0,5.0]}"#;
    bolero::check!()
        .with_type::<(Input, usize)>()
        .with_iterations(20_000)
        .for_each(|(input, index)| {
            if let Ok(array) = serde_json::from_slice::<Array>(&input.json(seed)) {
                array.matrix(*index);
                array.row(&[0, 0]);
                array.thumbnails(2);
            }
        });
}

#[test]
fn scores_of_lengths() {
    let scores = include_bytes!("../../../assets/models/positions/results.json");
    let seed = serde_json::from_slice::<serde_json::Value>(scores).unwrap();
    let seed = json!({"rope": [seed["rope"][0]]}).to_string().into_bytes();
    bolero::check!()
        .with_type::<(Input, u8, u8)>()
        .with_iterations(5000)
        .for_each(|(input, first, end)| {
            let text = String::from_utf8_lossy(&input.json(&seed)).into_owned();
            let Ok(models) = read_length_scores(&text) else {
                return;
            };
            for score in models.into_values().flatten() {
                score.between((*first).into(), (*end).into());
                score.from_place((*first).into());
            }
        });
}
