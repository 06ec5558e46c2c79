//! The modules of each family in `transformers`, by their paths.

use crate::{AttentionKind, AttentionLayer, Stack};

/// A family of models whose modules have the same paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// Marian, BART, M2M-100 and NLLB.
    Bart,
    T5,
    /// Llama and all decoders with its module names.
    Llama,
    Gpt2,
    GptNeox,
    /// BERT, RoBERTa and their relatives.
    Bert,
    DistilBert,
    ModernBert,
}

impl Family {
    /// Returns the family of a `model_type` of `config.json`.
    pub(super) fn of(model_type: &str) -> Option<Self> {
        Some(match model_type {
            "marian" | "bart" | "m2m_100" => Family::Bart,
            "t5" | "mt5" => Family::T5,
            "llama" | "qwen2" | "qwen3" | "mistral" | "smollm3" | "olmo2" | "gemma2"
            | "gemma3_text" | "phi3" => Family::Llama,
            "gpt2" => Family::Gpt2,
            "gpt_neox" => Family::GptNeox,
            "bert" | "roberta" | "xlm-roberta" | "camembert" => Family::Bert,
            "distilbert" => Family::DistilBert,
            "modernbert" => Family::ModernBert,
            _ => return None,
        })
    }

    /// Returns the path of a layer's module.
    pub(super) fn layer(self, stack: Stack, layer: usize) -> Option<String> {
        Some(match (self, stack) {
            (Family::Bart, stack) => format!("model.model.{stack}.layers[{layer}]"),
            (Family::T5, stack) => format!("model.{stack}.block[{layer}]"),
            (Family::Llama, Stack::Decoder) => format!("model.model.layers[{layer}]"),
            (Family::Gpt2, Stack::Decoder) => format!("model.transformer.h[{layer}]"),
            (Family::GptNeox, Stack::Decoder) => format!("model.gpt_neox.layers[{layer}]"),
            // An encoder without a head is its own base model.
            (Family::Bert, Stack::Encoder) => format!("model.base_model.encoder.layer[{layer}]"),
            (Family::DistilBert, Stack::Encoder) => {
                format!("model.base_model.transformer.layer[{layer}]")
            }
            (Family::ModernBert, Stack::Encoder) => format!("model.base_model.layers[{layer}]"),
            _ => return None,
        })
    }

    /// Returns the path of the module that attends.
    pub(super) fn attention(self, attention: AttentionLayer) -> Option<String> {
        let AttentionLayer { kind, layer } = attention;
        let module = self.layer(kind.stack(), layer)?;
        let is_cross = kind == AttentionKind::Cross;
        let part = match (self, is_cross) {
            (Family::Bart, true) => "encoder_attn",
            (Family::Bart | Family::Llama, false) => "self_attn",
            (Family::T5, true) => "layer[1].EncDecAttention",
            (Family::T5, false) => "layer[0].SelfAttention",
            (Family::Gpt2 | Family::ModernBert, false) => "attn",
            (Family::GptNeox | Family::DistilBert, false) => "attention",
            (Family::Bert, false) => "attention.self",
            (_, true) => return None,
        };
        Some(format!("{module}.{part}"))
    }

    /// Returns the path of the matrix that a layer's heads are put into, side by side.
    pub(super) fn projection(self, attention: AttentionLayer) -> Option<String> {
        let module = self.attention(attention)?;
        Some(match self {
            Family::Bart => format!("{module}.out_proj"),
            Family::T5 => format!("{module}.o"),
            Family::Llama => format!("{module}.o_proj"),
            Family::Gpt2 => format!("{module}.c_proj"),
            Family::GptNeox => format!("{module}.dense"),
            Family::Bert => {
                let layer = self.layer(Stack::Encoder, attention.layer)?;
                format!("{layer}.attention.output.dense")
            }
            Family::DistilBert => format!("{module}.out_lin"),
            Family::ModernBert => format!("{module}.Wo"),
        })
    }

    /// Returns the paths of the last norm and of the output matrix, of decoders whose logits these two make.
    pub(super) fn ends(self) -> Option<(&'static str, &'static str)> {
        match self {
            Family::Llama => Some(("model.model.norm", "model.lm_head")),
            Family::Gpt2 => Some(("model.transformer.ln_f", "model.lm_head")),
            Family::GptNeox => Some(("model.gpt_neox.final_layer_norm", "model.embed_out")),
            _ => None,
        }
    }
}
