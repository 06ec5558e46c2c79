//! The checks of a configuration in Llama's layout.

use super::facts::QUERY_SCALAR;
use super::{Convention, LlamaConfig};
use crate::config::error::{
    ConfigError, LARGEST_TABLE, MOST_HEADS, MOST_LAYERS, WIDEST, check_base, check_buckets,
    check_dropout, check_epsilon, check_even, check_positive, check_scale, check_sizes,
    check_switches, check_tokens,
};
use crate::positions::PositionalEncoding;

impl LlamaConfig {
    /// Checks that a model can be built.
    ///
    /// # Errors
    /// The first size that is out of reason or does not fit the others, or what is not implemented.
    pub fn validate(&self) -> Result<(), ConfigError> {
        check_sizes(&[
            ("vocab_size", self.vocab_size, LARGEST_TABLE),
            (
                "max_position_embeddings",
                self.max_position_embeddings,
                LARGEST_TABLE,
            ),
            ("hidden_size", self.hidden_size, WIDEST),
            ("num_attention_heads", self.num_attention_heads, MOST_HEADS),
            ("num_key_value_heads", self.key_value_heads(), MOST_HEADS),
            ("head_dim", self.head_dim(), WIDEST),
            ("num_hidden_layers", self.num_hidden_layers, MOST_LAYERS),
        ])?;
        if self.has_feed_forward() {
            check_sizes(&[("intermediate_size", self.intermediate_size, WIDEST)])?;
        }
        check_tokens(
            &[
                ("bos_token_id", self.bos_token_id.as_slice()),
                ("eos_token_id", self.eos_token_id.as_slice()),
                ("forced_eos_token_id", self.forced_eos_token_id.as_slice()),
            ],
            self.vocab_size,
        )?;
        self.check_layers()?;
        self.check_gemma()?;
        let (heads, groups) = (self.num_attention_heads, self.key_value_heads());
        if !heads.is_multiple_of(groups) {
            return Err(ConfigError::Groups { heads, groups });
        }
        check_even("head_dim", self.head_dim())?;
        self.check_rotary_width()?;
        if self.positions == PositionalEncoding::Sinusoidal {
            check_even("hidden_size", self.hidden_size)?;
        }
        check_buckets(self.buckets())?;
        check_scale("initializer_range", self.initializer_range)?;
        check_epsilon("rms_norm_eps", self.rms_norm_eps)?;
        check_base("rope_theta", self.theta())?;
        check_base("rope_local_base_freq", self.local_theta())?;
        self.rope(1)?;
        self.local_rope(1)?;
        check_dropout(self.dropout)
    }

    /// Checks the number of dimensions that RoPE rotates.
    fn check_rotary_width(&self) -> Result<(), ConfigError> {
        if let Some(width) = self.partial_rotary_width() {
            let name = "head_dim · partial_rotary_factor";
            check_sizes(&[(name, width, self.head_dim())])?;
            return check_even(name, width);
        }
        match self.scaling() {
            Some(given) if self.convention != Convention::Phi3 => given.check_whole(),
            _ => Ok(()),
        }
    }

    /// Checks the entries that only Gemma has.
    fn check_gemma(&self) -> Result<(), ConfigError> {
        let unsupported = |name, value: String, implemented| {
            Err(ConfigError::Unsupported {
                name,
                value,
                implemented,
            })
        };
        let by_type = self.local_scaling().or(self
            .rope_parameters
            .as_deref()
            .and_then(|parameters| parameters.full_attention.as_deref()));
        if by_type.is_some() && self.convention != Convention::Gemma3 {
            return unsupported(
                "rope_parameters",
                "by layer type".into(),
                "the same for all layers",
            );
        }
        if !self.convention.is_gemma() {
            return Ok(());
        }
        let is_bidirectional = self.use_bidirectional_attention.unwrap_or(false);
        check_switches(&[("use_bidirectional_attention", is_bidirectional, false)])?;
        let scalar = self.query_pre_attn_scalar.unwrap_or(QUERY_SCALAR);
        check_positive("query_pre_attn_scalar", scalar)?;
        let (scores, logits) = (self.attn_logit_softcapping, self.final_logit_softcapping);
        let capped = scores.flatten();
        if let Some(cap) = capped.filter(|_| self.convention == Convention::Gemma3) {
            return unsupported("attn_logit_softcapping", cap.to_string(), "null in Gemma 3");
        }
        for (name, cap) in [
            ("attn_logit_softcapping", scores),
            ("final_logit_softcapping", logits),
        ] {
            if let Some(cap) = cap.flatten() {
                check_positive(name, cap)?;
            }
        }
        Ok(())
    }
}
