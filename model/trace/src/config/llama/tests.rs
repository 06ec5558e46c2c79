use super::*;
use crate::config::Rope;
use crate::config::error::ConfigError;

#[test]
fn sizes_that_do_not_fit_are_named() {
    let refused = |change: fn(&mut LlamaConfig)| {
        let mut config = LlamaConfig::default();
        change(&mut config);
        config.validate().unwrap_err()
    };
    assert_eq!(LlamaConfig::default().validate(), Ok(()));
    assert_eq!(
        refused(|config| config.num_key_value_heads = Some(5)),
        ConfigError::Groups {
            heads: 32,
            groups: 5
        }
    );
    assert_eq!(
        refused(|config| config.num_attention_heads = 0).to_string(),
        "num_attention_heads is 0; it must be between 1 and 1024"
    );
    assert_eq!(
        refused(|config| config.head_dim = Some(3)).to_string(),
        "head_dim 3 must be even: positions pair its dimensions"
    );
    assert!(matches!(
        refused(|config| config.rms_norm_eps = f64::NAN),
        ConfigError::Rate { .. }
    ));
    for theta in [f32::NAN, f32::INFINITY, 0.0, -1e4] {
        let config = LlamaConfig {
            rope_theta: Some(theta),
            ..LlamaConfig::default()
        };
        let refused = config.validate().unwrap_err().to_string();
        assert!(refused.starts_with("rope_theta is "), "{refused}");
    }
    assert_eq!(
        refused(|config| config.rms_norm_eps = 1e300).to_string(),
        format!(
            "rms_norm_eps is {}; it must be positive and finite as a 32-bit number",
            1e300
        )
    );
    assert_eq!(
        refused(|config| config.forced_eos_token_id = 32_000.into()).to_string(),
        "forced_eos_token_id is 32000, but vocab_size is 32000"
    );
}

fn read(json: serde_json::Value) -> LlamaConfig {
    let config: LlamaConfig = serde_json::from_value(json).unwrap();
    assert_eq!(config.validate(), Ok(()));
    config
}

/// Qwen2-0.5B's and Qwen3-0.6B's published `config.json`, without what says nothing of numbers.
pub fn qwens() -> [LlamaConfig; 2] {
    let qwen2 = serde_json::json!({
        "model_type": "qwen2", "bos_token_id": 151_643, "eos_token_id": 151_643, "hidden_act": "silu",
        "hidden_size": 896, "intermediate_size": 4864, "max_position_embeddings": 131_072,
        "max_window_layers": 24, "num_attention_heads": 14, "num_hidden_layers": 24,
        "num_key_value_heads": 2, "rms_norm_eps": 1e-6, "rope_theta": 1_000_000.0,
        "sliding_window": 131_072, "tie_word_embeddings": true, "use_sliding_window": false,
        "vocab_size": 151_936
    });
    let qwen3 = serde_json::json!({
        "model_type": "qwen3", "attention_bias": false, "bos_token_id": 151_643, "eos_token_id": 151_645,
        "head_dim": 128, "hidden_act": "silu", "hidden_size": 1024, "intermediate_size": 3072,
        "max_position_embeddings": 40_960, "max_window_layers": 28, "num_attention_heads": 16,
        "num_hidden_layers": 28, "num_key_value_heads": 8, "rms_norm_eps": 1e-6, "rope_scaling": null,
        "rope_theta": 1_000_000, "sliding_window": null, "tie_word_embeddings": true,
        "use_sliding_window": false, "vocab_size": 151_936
    });
    [read(qwen2), read(qwen3)]
}

#[test]
fn conventions_differ_in_biases_and_norms() {
    let [qwen2, qwen3] = qwens();
    assert!(qwen2.inward_bias() && !qwen2.outward_bias() && !qwen2.normalises_heads());
    assert!(!qwen3.inward_bias() && !qwen3.outward_bias() && qwen3.normalises_heads());
    let narrow = LlamaConfig {
        head_dim: None,
        ..qwen3
    };
    assert_eq!(narrow.head_dim(), 128);
    let llama = LlamaConfig {
        attention_bias: true,
        mlp_bias: true,
        ..LlamaConfig::default()
    };
    assert!(llama.inward_bias() && llama.outward_bias() && llama.feed_forward_bias());
}

/// Gemma 3 1B's and Phi-4 mini's published `config.json`, without what says nothing of numbers.
fn gemma3_and_phi4() -> [LlamaConfig; 2] {
    let gemma = serde_json::json!({
        "model_type": "gemma3_text", "attn_logit_softcapping": null, "bos_token_id": 2, "eos_token_id": [1, 106],
        "final_logit_softcapping": null, "head_dim": 256, "hidden_activation": "gelu_pytorch_tanh",
        "hidden_size": 1152, "intermediate_size": 6912, "max_position_embeddings": 32_768,
        "num_attention_heads": 4, "num_hidden_layers": 26, "num_key_value_heads": 1,
        "query_pre_attn_scalar": 256, "rms_norm_eps": 1e-6, "rope_local_base_freq": 10_000, "rope_scaling": null,
        "rope_theta": 1_000_000, "sliding_window": 512, "sliding_window_pattern": 6, "vocab_size": 262_144
    });
    let [short, long] = [vec![1.5; 48], vec![6.0; 48]];
    let phi = serde_json::json!({
        "model_type": "phi3", "bos_token_id": 199_999, "eos_token_id": 199_999, "hidden_size": 3072,
        "intermediate_size": 8192, "max_position_embeddings": 131_072, "num_attention_heads": 24,
        "num_hidden_layers": 32, "num_key_value_heads": 8, "original_max_position_embeddings": 4096,
        "partial_rotary_factor": 0.75, "rms_norm_eps": 1e-5, "rope_theta": 10_000.0, "sliding_window": 262_144,
        "rope_scaling": {"type": "longrope", "short_factor": short, "long_factor": long},
        "tie_word_embeddings": true, "vocab_size": 200_064
    });
    [read(gemma), read(phi)]
}

#[test]
fn gemma_3_has_two_bases_and_a_window_in_five_of_six_layers() {
    let [gemma, _] = gemma3_and_phi4();
    assert_eq!((gemma.theta(), gemma.local_theta()), (1e6, 1e4));
    let full: Vec<usize> = (0..26)
        .filter(|&layer| gemma.window(layer).is_none())
        .collect();
    assert_eq!(full, [5, 11, 17, 23]);
    assert_eq!(gemma.local_rope(1), Ok(Some(Rope::plain(1e4))));
    assert_eq!(
        (gemma.score_divisor(), gemma.score_cap(), gemma.logit_cap()),
        (None, None, None)
    );
    let spec = gemma.spec();
    assert_eq!(spec.positions.rope_theta, None);
    let theta = |layer| {
        spec.decoder
            .as_ref()
            .unwrap()
            .attention_in(layer)
            .rope_theta
    };
    assert_eq!((theta(4), theta(5)), (Some(1e4), Some(1e6)));
}

#[test]
fn gemma_2_has_the_caps_of_the_paper_where_the_file_says_nothing() {
    let gemma = |more: serde_json::Value| {
        let mut json = serde_json::json!({
            "model_type": "gemma2", "hidden_size": 64, "intermediate_size": 64, "max_position_embeddings": 64,
            "num_attention_heads": 2, "num_hidden_layers": 2, "rms_norm_eps": 1e-6, "vocab_size": 64,
            "bos_token_id": 2
        });
        json.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        serde_json::from_value::<LlamaConfig>(json).unwrap()
    };
    let absent = gemma(serde_json::json!({}));
    assert_eq!(absent.validate(), Ok(()));
    assert_eq!(
        (absent.score_cap(), absent.logit_cap()),
        (Some(50.0), Some(30.0))
    );
    assert_eq!((absent.head_dim(), absent.score_divisor()), (256, None));
    let given = gemma(serde_json::json!({
        "attn_logit_softcapping": null, "final_logit_softcapping": 7.0, "query_pre_attn_scalar": 144
    }));
    assert_eq!((given.score_cap(), given.logit_cap()), (None, Some(7.0)));
    assert_eq!(given.score_divisor(), Some(12.0));
    for (more, words) in [
        (
            serde_json::json!({"final_logit_softcapping": 0.0}),
            "final_logit_softcapping is 0",
        ),
        (
            serde_json::json!({"use_bidirectional_attention": true}),
            "use_bidirectional_attention is true",
        ),
        (
            serde_json::json!({"query_pre_attn_scalar": -1}),
            "query_pre_attn_scalar is -1",
        ),
    ] {
        let refused = gemma(more).validate().unwrap_err().to_string();
        assert!(refused.starts_with(words), "{refused}");
    }
}

#[test]
fn phi_4_turns_three_quarters_of_a_head_by_factors_for_short_texts_and_for_long_ones() {
    let [_, phi] = gemma3_and_phi4();
    assert_eq!((phi.head_dim(), phi.rotary_width()), (128, 96));
    assert_eq!(phi.max_tokens(), Some(131_072));
    assert_eq!(phi.longrope_limit(), Some(4096));
    let rope = phi.rope(1).unwrap();
    let factors = |length| phi.rope(length).unwrap().factors[47];
    assert_eq!([1, 4096, 4097, 131_072].map(factors), [1.5, 1.5, 6.0, 6.0]);
    let expected = (1.0 + 32f64.ln() / 4096f64.ln()).sqrt();
    assert!((rope.attention_factor - expected).abs() < 1e-12);
    let mut fewer = phi.clone();
    fewer.partial_rotary_factor = Some(0.5);
    assert_eq!(
        fewer.validate().unwrap_err().to_string(),
        "short_factor has 48 entries for 32 pairs of dimensions"
    );
    let llama = LlamaConfig {
        rope_parameters: serde_json::from_value(serde_json::json!({"partial_rotary_factor": 0.25}))
            .unwrap(),
        ..LlamaConfig::default()
    };
    let refused = llama.validate().unwrap_err().to_string();
    assert_eq!(
        refused,
        "partial_rotary_factor is 0.25; only 1 is implemented"
    );
}

#[test]
fn parameters_by_layer_type_are_gemma_3s_alone() {
    let by_type = serde_json::json!({"full_attention": {"rope_type": "default"}});
    let config = LlamaConfig {
        rope_parameters: serde_json::from_value(by_type).unwrap(),
        ..LlamaConfig::default()
    };
    let refused = config.validate().unwrap_err().to_string();
    assert!(
        refused.starts_with("rope_parameters is by layer type"),
        "{refused}"
    );
}

#[test]
fn what_is_written_is_read_again() {
    let others = vec![LlamaConfig::default()];
    for config in [qwens().to_vec(), gemma3_and_phi4().to_vec(), others].concat() {
        let json = serde_json::to_value(&config).unwrap();
        assert_eq!(serde_json::from_value::<LlamaConfig>(json).unwrap(), config);
    }
}
