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

    /// Returns the path of the list of a stack's layers.
    pub(super) fn layers(self, stack: Stack) -> Option<String> {
        let path = match (self, stack) {
            (Family::Bart, stack) => return Some(format!("model.model.{stack}.layers")),
            (Family::T5, stack) => return Some(format!("model.{stack}.block")),
            (Family::Llama, Stack::Decoder) => "model.model.layers",
            (Family::Gpt2, Stack::Decoder) => "model.transformer.h",
            (Family::GptNeox, Stack::Decoder) => "model.gpt_neox.layers",
            // An encoder without a head is its own base model.
            (Family::Bert, Stack::Encoder) => "model.base_model.encoder.layer",
            (Family::DistilBert, Stack::Encoder) => "model.base_model.transformer.layer",
            (Family::ModernBert, Stack::Encoder) => "model.base_model.layers",
            _ => return None,
        };
        Some(path.to_owned())
    }

    /// Returns the path of a layer's module.
    pub(super) fn layer(self, stack: Stack, layer: usize) -> Option<String> {
        Some(format!("{}[{layer}]", self.layers(stack)?))
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

    /// Returns the expression that makes logits of `state`, the residual stream of the last stack, as the model does after
    /// its last layer.
    pub(super) fn logits_of_state(self, model_type: &str) -> &'static str {
        match (self, model_type) {
            (Family::Bart, "m2m_100") => "model.lm_head(model.model.decoder.layer_norm(state))",
            (Family::Bart, _) => "model.lm_head(state) + model.final_logits_bias",
            // A model whose output matrix is the embedding scales what it reads; older versions of the library say so by
            // another name.
            (Family::T5, "t5") => {
                "model.lm_head(\n        model.decoder.final_layer_norm(state)\n        * (model.config.d_model**-0.5 if getattr(model.config, \"scale_decoder_outputs\", model.config.tie_word_embeddings) else 1)\n    )"
            }
            (Family::T5, _) => "model.lm_head(model.decoder.final_layer_norm(state))",
            (Family::Llama, _) => "model.lm_head(model.model.norm(state))",
            (Family::Gpt2, _) => "model.lm_head(model.transformer.ln_f(state))",
            // The matrix has another name in older versions of the library.
            (Family::GptNeox, _) => {
                "model.get_output_embeddings()(model.gpt_neox.final_layer_norm(state))"
            }
            (Family::Bert, "bert") => "model.cls(state)",
            (Family::Bert, _) => "model.lm_head(state)",
            (Family::DistilBert, _) => {
                "model.vocab_projector(model.vocab_layer_norm(model.activation(model.vocab_transform(state))))"
            }
            (Family::ModernBert, _) => {
                "model.decoder(model.head(model.base_model.final_norm(state)))"
            }
        }
    }
}
