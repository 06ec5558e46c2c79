//! The settings of `GenerationConfig` of `transformers`, and the support for each one here.

use serde_json::Value;

/// A way of treating a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Decoding applies the setting.
    Applied,
    /// The caller of decoding sets it, regardless of the file.
    FromCaller,
    /// It would change the text and is not implemented: a note names it.
    Ignored,
    /// It changes no text, or acts only together with a setting that no file has.
    NoEffect,
}

/// A setting of generation.
pub struct Field {
    /// The name of the setting.
    pub name: &'static str,
    /// The treatment of the setting.
    pub becomes: Use,
    /// The values that change nothing, as JSON, besides `null`.
    neutral: &'static [&'static str],
}

impl Field {
    /// Returns true if this value changes nothing.
    pub fn is_neutral(&self, value: &Value) -> bool {
        let neutral = self.neutral.iter().map(|json| serde_json::from_str(json));
        value.is_null() || neutral.flatten().any(|neutral| equal(&neutral, value))
    }
}

/// Returns true if two values are the same; numbers are compared by value, not by notation.
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

/// Returns the setting of that name.
pub fn find(name: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|field| field.name == name)
}

/// All settings, those of earlier versions included.
pub const FIELDS: &[Field] = &[
    field("bos_token_id", Use::Applied, &[]),
    field("eos_token_id", Use::Applied, &[]),
    field("decoder_start_token_id", Use::Applied, &[]),
    field("bad_words_ids", Use::Applied, &["[]"]),
    field("suppress_tokens", Use::Applied, &["[]"]),
    field("begin_suppress_tokens", Use::Applied, &["[]"]),
    field("forced_bos_token_id", Use::Applied, &[]),
    field("forced_eos_token_id", Use::Applied, &[]),
    field("force_bos_token_to_be_generated", Use::Applied, &["false"]),
    field("min_length", Use::Applied, &["0"]),
    field("min_new_tokens", Use::Applied, &["0"]),
    field("no_repeat_ngram_size", Use::Applied, &["0"]),
    field("max_length", Use::FromCaller, &["20"]),
    field("max_new_tokens", Use::FromCaller, &[]),
    field("num_beams", Use::FromCaller, &["1"]),
    field("length_penalty", Use::FromCaller, &["1"]),
    field("do_sample", Use::FromCaller, &["false"]),
    field("temperature", Use::FromCaller, &["1"]),
    field("top_k", Use::FromCaller, &["50", "0"]),
    field("top_p", Use::FromCaller, &["1"]),
    field("num_return_sequences", Use::FromCaller, &["1"]),
    field("early_stopping", Use::Ignored, &["false"]),
    field("max_time", Use::Ignored, &[]),
    field("stop_strings", Use::Ignored, &["[]"]),
    field("use_mtp", Use::Ignored, &["false"]),
    field("min_p", Use::Ignored, &["0"]),
    field("top_h", Use::Ignored, &[]),
    field("typical_p", Use::Ignored, &["1"]),
    field("epsilon_cutoff", Use::Ignored, &["0"]),
    field("eta_cutoff", Use::Ignored, &["0"]),
    field("repetition_penalty", Use::Ignored, &["1"]),
    field("encoder_repetition_penalty", Use::Ignored, &["1"]),
    field("encoder_no_repeat_ngram_size", Use::Ignored, &["0"]),
    field("renormalize_logits", Use::Ignored, &["false"]),
    field("exponential_decay_length_penalty", Use::Ignored, &[]),
    field("sequence_bias", Use::Ignored, &["[]", "{}"]),
    field("token_healing", Use::Ignored, &["false"]),
    field("guidance_scale", Use::Ignored, &["1"]),
    field("watermarking_config", Use::Ignored, &[]),
    field("penalty_alpha", Use::Ignored, &["0"]),
    field("dola_layers", Use::Ignored, &[]),
    field("diversity_penalty", Use::Ignored, &["0"]),
    field("num_beam_groups", Use::Ignored, &["1"]),
    field("constraints", Use::Ignored, &["[]"]),
    field("force_words_ids", Use::Ignored, &["[]"]),
    field("cache_implementation", Use::Ignored, EXACT_CACHES),
    // A batch has one row here: nothing is padded.
    field("pad_token_id", Use::NoEffect, &[]),
    // Weights and logits are finite.
    field("remove_invalid_values", Use::NoEffect, &[]),
    field("use_cache", Use::NoEffect, &[]),
    field("cache_config", Use::NoEffect, &[]),
    field("max_cache_len", Use::NoEffect, &[]),
    field("low_memory", Use::NoEffect, &[]),
    field("output_attentions", Use::NoEffect, &[]),
    field("output_hidden_states", Use::NoEffect, &[]),
    field("output_scores", Use::NoEffect, &[]),
    field("output_logits", Use::NoEffect, &[]),
    field("return_dict_in_generate", Use::NoEffect, &[]),
    field("compile_config", Use::NoEffect, &[]),
    field("disable_compile", Use::NoEffect, &[]),
    field("continuous_batching_config", Use::NoEffect, &[]),
    field("prefill_chunk_size", Use::NoEffect, &[]),
    // A faster way to the same tokens, or one that needs a second model.
    field("is_assistant", Use::NoEffect, &[]),
    field("num_assistant_tokens", Use::NoEffect, &[]),
    field("num_assistant_tokens_schedule", Use::NoEffect, &[]),
    field("assistant_confidence_threshold", Use::NoEffect, &[]),
    field("prompt_lookup_num_tokens", Use::NoEffect, &[]),
    field("max_matching_ngram_size", Use::NoEffect, &[]),
    field("assistant_early_exit", Use::NoEffect, &[]),
    field("assistant_lookbehind", Use::NoEffect, &[]),
    field("target_lookbehind", Use::NoEffect, &[]),
    field("assistant_ensemble_weight", Use::NoEffect, &[]),
    field("speculation_type", Use::NoEffect, &[]),
    field("transformers_version", Use::NoEffect, &[]),
    field("_from_model_config", Use::NoEffect, &[]),
    field("_commit_hash", Use::NoEffect, &[]),
];

/// Kinds of caches that do not change the results.
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
