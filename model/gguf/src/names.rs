//! The names of tensors in GGUF and in `model.safetensors`.

use crate::architecture::Architecture;

/// The names of an architecture's tensors: each is a part of the name in GGUF and in `model.safetensors`.
pub struct Names {
    /// The beginning of the names of layers in `model.safetensors`.
    layers: &'static str,
    /// The names within a layer.
    inside: &'static [(&'static str, &'static str)],
    /// The names outside the layers.
    outside: &'static [(&'static str, &'static str)],
}

const LLAMA: Names = Names {
    layers: "model.layers",
    inside: &[
        ("attn_norm", "input_layernorm"),
        ("attn_q", "self_attn.q_proj"),
        ("attn_k", "self_attn.k_proj"),
        ("attn_v", "self_attn.v_proj"),
        ("attn_output", "self_attn.o_proj"),
        ("attn_q_norm", "self_attn.q_norm"),
        ("attn_k_norm", "self_attn.k_norm"),
        ("ffn_norm", "post_attention_layernorm"),
        ("ffn_gate", "mlp.gate_proj"),
        ("ffn_up", "mlp.up_proj"),
        ("ffn_down", "mlp.down_proj"),
    ],
    outside: &[
        ("token_embd", "model.embed_tokens"),
        ("output_norm", "model.norm"),
        ("output", "lm_head"),
    ],
};
/// Gemma and OLMo 2, with norms of the sub-layers' outputs.
const NORMED_OUTPUTS: Names = Names {
    layers: LLAMA.layers,
    inside: &[
        ("attn_norm", "input_layernorm"),
        ("attn_q", "self_attn.q_proj"),
        ("attn_k", "self_attn.k_proj"),
        ("attn_v", "self_attn.v_proj"),
        ("attn_output", "self_attn.o_proj"),
        ("attn_q_norm", "self_attn.q_norm"),
        ("attn_k_norm", "self_attn.k_norm"),
        ("post_attention_norm", "post_attention_layernorm"),
        ("ffn_norm", "pre_feedforward_layernorm"),
        ("ffn_gate", "mlp.gate_proj"),
        ("ffn_up", "mlp.up_proj"),
        ("ffn_down", "mlp.down_proj"),
        ("post_ffw_norm", "post_feedforward_layernorm"),
    ],
    outside: LLAMA.outside,
};
const GPT2: Names = Names {
    layers: "transformer.h",
    inside: &[
        ("attn_norm", "ln_1"),
        ("attn_qkv", "attn.c_attn"),
        ("attn_output", "attn.c_proj"),
        ("ffn_norm", "ln_2"),
        ("ffn_up", "mlp.c_fc"),
        ("ffn_down", "mlp.c_proj"),
    ],
    outside: &[
        ("token_embd", "transformer.wte"),
        ("position_embd", "transformer.wpe"),
        ("output_norm", "transformer.ln_f"),
        ("output", "lm_head"),
    ],
};
const GPT_NEOX: Names = Names {
    layers: "gpt_neox.layers",
    inside: &[
        ("attn_norm", "input_layernorm"),
        ("attn_qkv", "attention.query_key_value"),
        ("attn_output", "attention.dense"),
        ("ffn_norm", "post_attention_layernorm"),
        ("ffn_up", "mlp.dense_h_to_4h"),
        ("ffn_down", "mlp.dense_4h_to_h"),
    ],
    outside: &[
        ("token_embd", "gpt_neox.embed_in"),
        ("output_norm", "gpt_neox.final_layer_norm"),
        ("output", "lm_head"),
    ],
};
const BERT: Names = Names {
    layers: "bert.encoder.layer",
    inside: &[
        ("attn_q", "attention.self.query"),
        ("attn_k", "attention.self.key"),
        ("attn_v", "attention.self.value"),
        ("attn_output", "attention.output.dense"),
        ("attn_output_norm", "attention.output.LayerNorm"),
        ("ffn_up", "intermediate.dense"),
        ("ffn_down", "output.dense"),
        ("layer_output_norm", "output.LayerNorm"),
    ],
    outside: &[
        ("token_embd", "bert.embeddings.word_embeddings"),
        ("position_embd", "bert.embeddings.position_embeddings"),
        ("token_types", "bert.embeddings.token_type_embeddings"),
        ("token_embd_norm", "bert.embeddings.LayerNorm"),
    ],
};

impl Names {
    fn of(architecture: Architecture) -> &'static Names {
        match architecture {
            Architecture::Gemma2 | Architecture::Gemma3 | Architecture::Olmo2 => &NORMED_OUTPUTS,
            Architecture::Gpt2 => &GPT2,
            Architecture::GptNeoX => &GPT_NEOX,
            Architecture::Bert => &BERT,
            _ => &LLAMA,
        }
    }
}

/// Returns the part of the name within its layer, and the name in `model.safetensors`; `None` for a tensor that the
/// architecture does not have.
pub fn translated(architecture: Architecture, name: &str) -> Option<(&str, String)> {
    let (stem, kind) = name.rsplit_once('.')?;
    if !["weight", "bias"].contains(&kind) {
        return None;
    }
    let Names {
        layers,
        inside,
        outside,
    } = Names::of(architecture);
    let find = |table: &[(&str, &'static str)], part: &str| {
        let found = table.iter().find(|(gguf, _)| *gguf == part);
        found.map(|(_, other)| *other)
    };
    let Some((layer, part)) = stem.strip_prefix("blk.").and_then(|it| it.split_once('.')) else {
        return Some((stem, format!("{}.{kind}", find(outside, stem)?)));
    };
    let number: usize = layer.parse().ok()?;
    Some((
        part,
        format!("{layers}.{number}.{}.{kind}", find(inside, part)?),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_translated() {
        use Architecture::{Bert, Gemma3, Gpt2, GptNeoX, Llama, Olmo2, Phi3, Qwen2, Qwen3};

        for (architecture, name, expected) in [
            (Llama, "token_embd.weight", "model.embed_tokens.weight"),
            (
                Qwen2,
                "blk.11.attn_q.bias",
                "model.layers.11.self_attn.q_proj.bias",
            ),
            (
                Qwen3,
                "blk.0.attn_q_norm.weight",
                "model.layers.0.self_attn.q_norm.weight",
            ),
            (
                Phi3,
                "blk.0.ffn_norm.weight",
                "model.layers.0.post_attention_layernorm.weight",
            ),
            (
                Gemma3,
                "blk.0.ffn_norm.weight",
                "model.layers.0.pre_feedforward_layernorm.weight",
            ),
            (
                Olmo2,
                "blk.3.post_ffw_norm.weight",
                "model.layers.3.post_feedforward_layernorm.weight",
            ),
            (
                Gpt2,
                "blk.2.attn_qkv.weight",
                "transformer.h.2.attn.c_attn.weight",
            ),
            (Gpt2, "output_norm.bias", "transformer.ln_f.bias"),
            (
                GptNeoX,
                "blk.1.ffn_up.bias",
                "gpt_neox.layers.1.mlp.dense_h_to_4h.bias",
            ),
            (
                Bert,
                "blk.1.layer_output_norm.weight",
                "bert.encoder.layer.1.output.LayerNorm.weight",
            ),
        ] {
            let found = translated(architecture, name).map(|(_, found)| found);
            assert_eq!(found.as_deref(), Some(expected));
        }
        for name in [
            "blk.x.attn_q.weight",
            "blk.0.ssm_a.weight",
            "attn_q.weight",
            "blk.0.attn_q.scale",
            "blk.0.post_ffw_norm.weight",
        ] {
            assert_eq!(translated(Llama, name), None, "{name}");
        }
    }
}
