use super::*;
use crate::written::{Written, entry, list};

/// A Llama of two heads of four dimensions.
fn llama() -> Written {
    decoder("llama")
}

/// A model of another architecture with the same sizes.
fn decoder(architecture: &str) -> Written {
    let mut written = Written::model(architecture);
    for epsilon in ["layer_norm_rms_epsilon", "layer_norm_epsilon"] {
        written = written.with_real(&format!("{architecture}.attention.{epsilon}"), 0.5);
    }
    for (name, number) in [
        ("embedding_length", 8),
        ("feed_forward_length", 16),
        ("block_count", 1),
        ("attention.head_count", 2),
        ("context_length", 64),
    ] {
        written = written.with_number(&format!("{architecture}.{name}"), number);
    }
    written
}

fn read(written: &Written) -> Result<Map<String, Value>, GgufError> {
    let bytes = written.bytes();
    config(&Gguf::read(&bytes)?)
}

#[test]
fn a_configuration_is_that_of_transformers() {
    let expected = json!({
        "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_act": "silu", "vocab_size": 3,
        "hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
        "num_key_value_heads": 2, "head_dim": 4, "max_position_embeddings": 64, "rms_norm_eps": 0.5,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0}, "attention_bias": false,
        "mlp_bias": false, "use_sliding_window": false, "tie_word_embeddings": true, "eos_token_id": 2,
    });
    let found = read(&llama().with_number("tokenizer.ggml.eos_token_id", 2));
    assert_eq!(Value::Object(found.unwrap()), expected);
    for (turn, ends) in [(2, json!(2)), (1, json!([2, 1]))] {
        let ended = llama()
            .with_number("tokenizer.ggml.eos_token_id", 2)
            .with_number("tokenizer.ggml.eot_token_id", turn);
        assert_eq!(read(&ended).unwrap()["eos_token_id"], ends);
    }
    let wide = llama()
        .with_number("llama.attention.key_length", 6)
        .with_number("llama.attention.value_length", 6)
        .with_number("llama.attention.head_count_kv", 1)
        .with_text("llama.rope.scaling.type", "linear")
        .with_real("llama.rope.scaling.factor", 4.0);
    let found = read(&wide).unwrap();
    assert_eq!(
        (&found["head_dim"], &found["num_key_value_heads"]),
        (&json!(6), &json!(1))
    );
    let way = json!({"rope_type": "linear", "factor": 4.0, "rope_theta": 10000.0});
    assert_eq!(found["rope_parameters"], way);
}

#[test]
fn what_is_not_implemented_is_named() {
    for (written, words) in [
        (
            Written::model("llama"),
            "llama.embedding_length: it is missing",
        ),
        (
            Written::model("phi2"),
            "general.architecture: phi2 is not implemented",
        ),
        (
            llama().with_text("general.type", "adapter"),
            "general.type: adapter is not a model",
        ),
        (
            llama().with_number("split.count", 3),
            "split.count: 3 parts",
        ),
        (
            llama().with_number("llama.expert_count", 8),
            "llama.expert_count: 8 is not implemented",
        ),
        (
            decoder("qwen3").with_number("qwen3.attention.sliding_window", 4096),
            "qwen3.attention.sliding_window: 4096 is not",
        ),
        (
            decoder("olmo2").with_number("olmo2.attention.sliding_window", 4096),
            "olmo2.attention.sliding_window: 4096 is not",
        ),
        (
            decoder("bert").with_boolean("bert.attention.causal", true),
            "bert.attention.causal: true is not implemented; false is",
        ),
        (decoder("bert"), "token_types.weight: it is missing"),
        (
            decoder("gemma2").with_real("gemma2.rope.freq_base_swa", 5.0),
            "gemma2.rope.freq_base_swa: 5 differs",
        ),
        (
            decoder("gemma3")
                .with_text("gemma3.attention.sliding_window_pattern", "x")
                .with_number("gemma3.attention.sliding_window", 5),
            "gemma3.attention.sliding_window_pattern: x is neither",
        ),
        (
            decoder("gemma2").with_numbers("gemma2.attention.sliding_window_pattern", &[1]),
            "gemma2.attention.sliding_window_pattern: 1 is not a Boolean",
        ),
        (
            decoder("phi3").with_number("phi3.rope.dimension_count", 6),
            "phi3.rope.dimension_count: 6 is more than the width of a head, 4",
        ),
        (
            decoder("phi3").with_tensor("rope_factors_long.weight", &[2]),
            "rope_factors_short.weight: it is missing",
        ),
        (
            llama().with_boolean("llama.attention.causal", false),
            "causal: false is not",
        ),
        (
            llama().with_real("llama.logit_scale", 2.0),
            "llama.logit_scale: 2 is not",
        ),
        (
            llama().with_number("llama.attention.value_length", 6),
            "value_length: 6 differs",
        ),
        (
            llama().with_number("llama.rope.dimension_count", 2),
            "dimension_count: 2 is not the width",
        ),
        (
            llama().with_text("llama.rope.scaling.type", "longrope"),
            "type: longrope is not",
        ),
        (
            llama().with_real("llama.rope.scaling.attn_factor", 2.0),
            "attn_factor: 2 is not",
        ),
        (
            llama().with_numbers("llama.attention.head_count_kv", &[1, 2]),
            "head_count_kv: it is not a whole",
        ),
    ] {
        let refused = read(&written).unwrap_err().to_string();
        assert!(refused.contains(words), "{refused} | {words}");
    }
}

#[test]
fn a_window_in_llamas_file_is_mistrals() {
    let config = read(&llama().with_number("llama.attention.sliding_window", 7)).unwrap();
    assert_eq!(
        (&config["model_type"], &config["sliding_window"]),
        (&json!("mistral"), &json!(7))
    );
}

#[test]
fn gemmas_windows_caps_and_bases_are_read() {
    let two = decoder("gemma2")
        .with_number("gemma2.attention.sliding_window", 9)
        .with_real("gemma2.attn_logit_softcapping", 40.0)
        .with_real("gemma2.final_logit_softcapping", 20.0);
    let config = read(&two).unwrap();
    for (name, value) in [
        ("sliding_window", json!(9)),
        ("attn_logit_softcapping", json!(40.0)),
        ("final_logit_softcapping", json!(20.0)),
        ("query_pre_attn_scalar", json!(4)),
        (
            "rope_parameters",
            json!({"rope_type": "default", "rope_theta": 10000.0}),
        ),
    ] {
        assert_eq!(config[name], value, "{name}");
    }
    assert!(!config.contains_key("layer_types"));
    let pattern = two.with_number("gemma2.attention.sliding_window_pattern", 1);
    assert_eq!(
        read(&pattern).unwrap()["layer_types"],
        json!(["full_attention"])
    );

    let three = decoder("gemma3")
        .with_number("gemma3.attention.sliding_window", 9)
        .with_entry(entry(
            "gemma3.attention.sliding_window_pattern",
            9,
            &list(7, 2, &[1, 0]),
        ))
        .with_real("gemma3.rope.freq_base", 1e6)
        .with_text("gemma3.rope.scaling.type", "linear")
        .with_real("gemma3.rope.scaling.factor", 8.0);
    let config = read(&three).unwrap();
    assert_eq!(
        config["layer_types"],
        json!(["sliding_attention", "full_attention"])
    );
    let rope = json!({
        "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6},
        "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
    });
    assert_eq!(config["rope_parameters"], rope);
    // Without a window, no layer has one.
    let config = read(&decoder("gemma3")).unwrap();
    assert_eq!(
        (&config["sliding_window"], &config["layer_types"]),
        (&Value::Null, &json!(["full_attention"]))
    );
}

/// Gemma 2 27B has 46 layers, 32 heads of 128 dimensions and a width of 4608; its scores are divided by `√144`.
#[test]
fn the_largest_gemmas_divide_by_another_root() {
    let mut large =
        Written::model("gemma2").with_real("gemma2.attention.layer_norm_rms_epsilon", 1e-6);
    for (name, number) in [
        ("embedding_length", 4608),
        ("feed_forward_length", 36_864),
        ("block_count", 46),
        ("attention.head_count", 32),
        ("attention.head_count_kv", 16),
        ("attention.key_length", 128),
        ("attention.value_length", 128),
        ("context_length", 8192),
    ] {
        large = large.with_number(&format!("gemma2.{name}"), number);
    }
    assert_eq!(read(&large).unwrap()["query_pre_attn_scalar"], 144);
}

#[test]
fn a_part_of_a_head_is_turned_in_phi3_and_gpt_neox() {
    let phi3 = decoder("phi3")
        .with_number("phi3.rope.dimension_count", 2)
        .with_number("phi3.attention.sliding_window", 0)
        .with_number("phi3.rope.scaling.original_context_length", 16)
        .with_real("phi3.rope.scaling.attn_factor", 1.5)
        .with_tensor("rope_factors_short.weight", &[1])
        .with_tensor("rope_factors_long.weight", &[1]);
    let config = read(&phi3).unwrap();
    assert_eq!(
        (
            &config["sliding_window"],
            &config["original_max_position_embeddings"]
        ),
        (&Value::Null, &json!(16))
    );
    let rope = json!({
        "rope_type": "longrope", "short_factor": [0.0], "long_factor": [0.0], "attention_factor": 1.5,
        "rope_theta": 10000.0, "partial_rotary_factor": 0.5,
    });
    assert_eq!(config["rope_parameters"], rope);
    let neox = decoder("gptneox")
        .with_number("gptneox.rope.dimension_count", 2)
        .with_boolean("gptneox.use_parallel_residual", false);
    let config = read(&neox).unwrap();
    assert_eq!(
        (&config["model_type"], &config["use_parallel_residual"]),
        (&json!("gpt_neox"), &json!(false))
    );
    assert_eq!(config["rope_parameters"]["partial_rotary_factor"], 0.5);
}
