//! The facts of a model in Llama's layout that follow from its convention and its entries.

use super::{Convention, LlamaConfig};
use crate::positions::Buckets;
use crate::{Nonlinearity, NormPlacement};

/// The width of a head in Qwen3 if `config.json` does not give it.
const QWEN3_HEAD_DIM: usize = 128;
/// The same in Gemma.
const GEMMA_HEAD_DIM: usize = 256;
/// The number whose root Gemma divides scores by if `config.json` does not give it.
pub(super) const QUERY_SCALAR: f64 = 256.0;
/// The cap of Gemma 2's scores if `config.json` does not give it.
const SCORE_CAP: f64 = 50.0;
/// The cap of Gemma 2's logits if `config.json` does not give it.
const LOGIT_CAP: f64 = 30.0;

impl LlamaConfig {
    /// Width of a head.
    pub fn head_dim(&self) -> usize {
        self.head_dim.unwrap_or(match self.convention {
            Convention::Qwen3 => QWEN3_HEAD_DIM,
            Convention::Gemma2 | Convention::Gemma3 => GEMMA_HEAD_DIM,
            _ => self.hidden_size / self.num_attention_heads.max(1),
        })
    }

    /// True if the projections to queries, keys and values have a bias.
    pub fn inward_bias(&self) -> bool {
        match self.convention {
            Convention::Qwen2 => true,
            Convention::Mistral | Convention::Phi3 => false,
            _ => self.attention_bias,
        }
    }

    /// True if the projection of the heads' outputs back to the model's width has a bias.
    pub fn outward_bias(&self) -> bool {
        match self.convention {
            Convention::Qwen2 | Convention::Mistral | Convention::Phi3 => false,
            _ => self.attention_bias,
        }
    }

    /// True if a layer has a feed-forward network; one without an inner width has attention alone, which only models of
    /// ours have.
    pub fn has_feed_forward(&self) -> bool {
        let may_lack_it = matches!(self.convention, Convention::Llama | Convention::Qwen3);
        self.intermediate_size > 0 || !may_lack_it
    }

    /// True if the feed-forward networks' matrices have a bias.
    pub fn feed_forward_bias(&self) -> bool {
        matches!(self.convention, Convention::Llama | Convention::SmolLM3) && self.mlp_bias
    }

    /// True if queries and keys are normalised before RoPE, each head by itself with one gain for
    /// all.
    pub fn normalises_heads(&self) -> bool {
        matches!(self.convention, Convention::Qwen3 | Convention::Gemma3)
    }

    /// True if queries and keys are normalised before RoPE, all heads of a position together.
    pub fn normalises_whole(&self) -> bool {
        self.convention == Convention::Olmo2
    }

    /// Returns the placement of the sub-layers' norms.
    pub fn norm_placement(&self) -> NormPlacement {
        match self.convention {
            Convention::Olmo2 => NormPlacement::Output,
            Convention::Gemma2 | Convention::Gemma3 => NormPlacement::Both,
            _ => NormPlacement::Pre,
        }
    }

    /// Returns the factor that token embeddings are multiplied by.
    pub fn embedding_factor(&self) -> f32 {
        match self.convention.is_gemma() {
            true => (self.hidden_size as f32).sqrt(),
            false => 1.0,
        }
    }

    /// Returns the non-linearity of the feed-forward networks' gates.
    pub fn activation(&self) -> Nonlinearity {
        match self.convention.is_gemma() {
            true => self.hidden_activation.unwrap_or(Nonlinearity::GeluNew),
            false => Nonlinearity::Silu,
        }
    }

    /// Returns the number that scores are divided by; `None` if it is `√d_k`.
    pub fn score_divisor(&self) -> Option<f32> {
        let scalar = self.query_pre_attn_scalar.unwrap_or(QUERY_SCALAR);
        let is_own = self.convention.is_gemma() && scalar != self.head_dim() as f64;
        is_own.then(|| scalar.sqrt() as f32)
    }

    /// Returns the cap of scores.
    pub fn score_cap(&self) -> Option<f32> {
        let is_capped = self.convention == Convention::Gemma2;
        let cap = self.attn_logit_softcapping.unwrap_or(Some(SCORE_CAP));
        cap.filter(|_| is_capped).map(|cap| cap as f32)
    }

    /// Returns the cap of logits.
    pub fn logit_cap(&self) -> Option<f32> {
        let by_default = (self.convention == Convention::Gemma2).then_some(LOGIT_CAP);
        let cap = self.final_logit_softcapping.unwrap_or(by_default);
        cap.filter(|_| self.convention.is_gemma())
            .map(|cap| cap as f32)
    }

    /// Returns the buckets of T5's position bias.
    pub fn buckets(&self) -> Buckets {
        Buckets {
            count: self.relative_attention_num_buckets,
            furthest: self.relative_attention_max_distance,
            ..Buckets::CAUSAL
        }
    }

    /// Key and value heads of each layer.
    pub fn key_value_heads(&self) -> usize {
        self.num_key_value_heads.unwrap_or(self.num_attention_heads)
    }
}
