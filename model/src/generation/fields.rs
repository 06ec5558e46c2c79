//! The settings that `GenerationConfig` of `transformers` has, and what becomes of each here.

use serde_json::Value;

/// What becomes of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Decoding follows it.
    Obeyed,
    /// Whoever asks for a text says this, whatever the file says.
    Callers,
    /// It would change the text, and nothing follows it: it is named.
    NotObeyed,
    /// It changes no text, or acts only together with what no file says.
    Silent,
}

/// A setting.
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What becomes of it.
    pub becomes: Use,
    /// The values that change nothing, as JSON, besides `null`.
    neutral: &'static [&'static str],
}

impl Field {
    /// Whether this value changes nothing.
    pub fn is_neutral(&self, value: &Value) -> bool {
        let neutral = self.neutral.iter().map(|json| serde_json::from_str(json));
        value.is_null() || neutral.flatten().any(|neutral| equal(&neutral, value))
    }
}

/// Whether two values are the same; a number is, however it is written.
pub fn equal(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one.total_cmp(&other).is_eq(),
        _ => one == other,
    }
}

const fn field(name: &'static str, becomes: Use, neutral: &'static [&'static str]) -> Field {
    Field {
        name,
        becomes,
        neutral,
    }
}

/// The setting of that name.
pub fn find(name: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|field| field.name == name)
}

/// All of them, those of earlier versions included.
pub const FIELDS: &[Field] = &[
    field("bos_token_id", Use::Obeyed, &[]),
    field("eos_token_id", Use::Obeyed, &[]),
    field("decoder_start_token_id", Use::Obeyed, &[]),
    field("bad_words_ids", Use::Obeyed, &["[]"]),
    field("suppress_tokens", Use::Obeyed, &["[]"]),
    field("begin_suppress_tokens", Use::Obeyed, &["[]"]),
    field("forced_bos_token_id", Use::Obeyed, &[]),
    field("forced_eos_token_id", Use::Obeyed, &[]),
    field("force_bos_token_to_be_generated", Use::Obeyed, &["false"]),
    field("min_length", Use::Obeyed, &["0"]),
    field("min_new_tokens", Use::Obeyed, &["0"]),
    field("no_repeat_ngram_size", Use::Obeyed, &["0"]),
    field("max_length", Use::Callers, &["20"]),
    field("max_new_tokens", Use::Callers, &[]),
    field("num_beams", Use::Callers, &["1"]),
    field("length_penalty", Use::Callers, &["1"]),
    field("do_sample", Use::Callers, &["false"]),
    field("temperature", Use::Callers, &["1"]),
    field("top_k", Use::Callers, &["50", "0"]),
    field("top_p", Use::Callers, &["1"]),
    field("num_return_sequences", Use::Callers, &["1"]),
    field("early_stopping", Use::NotObeyed, &["false"]),
    field("max_time", Use::NotObeyed, &[]),
    field("stop_strings", Use::NotObeyed, &["[]"]),
    field("use_mtp", Use::NotObeyed, &["false"]),
    field("min_p", Use::NotObeyed, &["0"]),
    field("top_h", Use::NotObeyed, &[]),
    field("typical_p", Use::NotObeyed, &["1"]),
    field("epsilon_cutoff", Use::NotObeyed, &["0"]),
    field("eta_cutoff", Use::NotObeyed, &["0"]),
    field("repetition_penalty", Use::NotObeyed, &["1"]),
    field("encoder_repetition_penalty", Use::NotObeyed, &["1"]),
    field("encoder_no_repeat_ngram_size", Use::NotObeyed, &["0"]),
    field("renormalize_logits", Use::NotObeyed, &["false"]),
    field("exponential_decay_length_penalty", Use::NotObeyed, &[]),
    field("sequence_bias", Use::NotObeyed, &["[]", "{}"]),
    field("token_healing", Use::NotObeyed, &["false"]),
    field("guidance_scale", Use::NotObeyed, &["1"]),
    field("watermarking_config", Use::NotObeyed, &[]),
    field("penalty_alpha", Use::NotObeyed, &["0"]),
    field("dola_layers", Use::NotObeyed, &[]),
    field("diversity_penalty", Use::NotObeyed, &["0"]),
    field("num_beam_groups", Use::NotObeyed, &["1"]),
    field("constraints", Use::NotObeyed, &["[]"]),
    field("force_words_ids", Use::NotObeyed, &["[]"]),
    field("cache_implementation", Use::NotObeyed, EXACT_CACHES),
    // A batch has one row here: nothing is padded.
    field("pad_token_id", Use::Silent, &[]),
    // Weights and logits are finite.
    field("remove_invalid_values", Use::Silent, &[]),
    field("use_cache", Use::Silent, &[]),
    field("cache_config", Use::Silent, &[]),
    field("max_cache_len", Use::Silent, &[]),
    field("low_memory", Use::Silent, &[]),
    field("output_attentions", Use::Silent, &[]),
    field("output_hidden_states", Use::Silent, &[]),
    field("output_scores", Use::Silent, &[]),
    field("output_logits", Use::Silent, &[]),
    field("return_dict_in_generate", Use::Silent, &[]),
    field("compile_config", Use::Silent, &[]),
    field("disable_compile", Use::Silent, &[]),
    field("continuous_batching_config", Use::Silent, &[]),
    field("prefill_chunk_size", Use::Silent, &[]),
    // A faster way to the same tokens, or one that needs a second model.
    field("is_assistant", Use::Silent, &[]),
    field("num_assistant_tokens", Use::Silent, &[]),
    field("num_assistant_tokens_schedule", Use::Silent, &[]),
    field("assistant_confidence_threshold", Use::Silent, &[]),
    field("prompt_lookup_num_tokens", Use::Silent, &[]),
    field("max_matching_ngram_size", Use::Silent, &[]),
    field("assistant_early_exit", Use::Silent, &[]),
    field("assistant_lookbehind", Use::Silent, &[]),
    field("target_lookbehind", Use::Silent, &[]),
    field("assistant_ensemble_weight", Use::Silent, &[]),
    field("speculation_type", Use::Silent, &[]),
    field("transformers_version", Use::Silent, &[]),
    field("_from_model_config", Use::Silent, &[]),
    field("_commit_hash", Use::Silent, &[]),
];

/// Caches that keep what was computed as it is.
const EXACT_CACHES: &[&str] = &[
    "\"dynamic\"",
    "\"dynamic_full\"",
    "\"static\"",
    "\"offloaded\"",
    "\"offloaded_static\"",
    "\"hybrid\"",
    "\"hybrid_chunked\"",
    "\"sliding_window\"",
];
