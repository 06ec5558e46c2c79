//! The conventions of the families in Llama's layout.

use serde::{Deserialize, Serialize};

/// The conventions of a checkpoint for the facts that `config.json` does not give.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Convention {
    /// `LlamaForCausalLM`: biases if `attention_bias` and `mlp_bias` are set.
    #[default]
    Llama,
    /// `Qwen2ForCausalLM`: queries, keys and values always have a bias, nothing else has.
    Qwen2,
    /// `Qwen3ForCausalLM`: queries and keys are normalised, head by head, before they are turned; biases of all
    /// four projections where `attention_bias` says so.
    Qwen3,
    /// `MistralForCausalLM`: no biases, and a sliding window in every layer where there is one.
    Mistral,
    /// `SmolLM3ForCausalLM`: biases as in Llama, and layers without RoPE.
    SmolLM3,
    /// `Olmo2ForCausalLM`: norms of the sub-layers' outputs instead of their inputs, and of all queries and all keys of a
    /// position together.
    Olmo2,
    /// `Gemma2ForCausalLM`: norms of inputs and outputs, gains stored without the 1 that they begin with, scaled
    /// embeddings, GeGLU, a window in every other layer, soft-capped scores and logits.
    Gemma2,
    /// `Gemma3ForCausalLM`: as Gemma 2, with norms of each head's queries and keys instead of soft-capped scores, and
    /// another base of RoPE in layers with a window.
    #[serde(rename = "gemma3_text")]
    Gemma3,
    /// `Phi3ForCausalLM`: no biases, matrices of several projections in one, RoPE of a part of each head, LongRoPE.
    Phi3,
}

impl Convention {
    /// Every convention in one list.
    pub const ALL: [Convention; 9] = [
        Convention::Llama,
        Convention::Qwen2,
        Convention::Qwen3,
        Convention::Mistral,
        Convention::SmolLM3,
        Convention::Olmo2,
        Convention::Gemma2,
        Convention::Gemma3,
        Convention::Phi3,
    ];

    /// Returns the `model_type` of `config.json`.
    pub fn model_type(self) -> &'static str {
        match self {
            Convention::Llama => "llama",
            Convention::Qwen2 => "qwen2",
            Convention::Qwen3 => "qwen3",
            Convention::Mistral => "mistral",
            Convention::SmolLM3 => "smollm3",
            Convention::Olmo2 => "olmo2",
            Convention::Gemma2 => "gemma2",
            Convention::Gemma3 => "gemma3_text",
            Convention::Phi3 => "phi3",
        }
    }

    /// Returns the base of RoPE if `config.json` gives none.
    pub(super) fn base(self) -> f32 {
        match self {
            Convention::SmolLM3 => 2_000_000.0,
            Convention::Gemma3 => 1_000_000.0,
            _ => 10_000.0,
        }
    }

    /// True if the output matrix is the embedding table where `config.json` does not say so.
    pub fn ties_tables(self) -> bool {
        self == Convention::SmolLM3 || self.is_gemma()
    }

    /// True for the conventions of Gemma: the gain of a norm is 1 plus the number in the file.
    pub fn is_gemma(self) -> bool {
        matches!(self, Convention::Gemma2 | Convention::Gemma3)
    }
}
