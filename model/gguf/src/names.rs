//! The names of tensors in GGUF and in `model.safetensors`.

use crate::architecture::Architecture;
use crate::config::heads;
use crate::error::GgufError;
use crate::file::Gguf;
use crate::floats::Order;

/// The parts of a name in Llama's layout: in GGUF, in `model.safetensors`.
const LLAMA: [(&str, &str); 11] = [
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
];
/// The names outside Llama's layers.
const LLAMA_OUTSIDE: [(&str, &str); 3] = [
    ("token_embd", "model.embed_tokens"),
    ("output_norm", "model.norm"),
    ("output", "lm_head"),
];
/// The parts of a name in GPT-2's layers.
const GPT2: [(&str, &str); 6] = [
    ("attn_norm", "ln_1"),
    ("attn_qkv", "attn.c_attn"),
    ("attn_output", "attn.c_proj"),
    ("ffn_norm", "ln_2"),
    ("ffn_up", "mlp.c_fc"),
    ("ffn_down", "mlp.c_proj"),
];
/// The names outside GPT-2's layers.
const GPT2_OUTSIDE: [(&str, &str); 4] = [
    ("token_embd", "transformer.wte"),
    ("position_embd", "transformer.wpe"),
    ("output_norm", "transformer.ln_f"),
    ("output", "lm_head"),
];

/// Returns the name in `model.safetensors` and the order of the stored values; the name as it is for a tensor that the
/// architecture does not have.
///
/// # Errors
/// If the metadata lack the number of heads.
pub fn hugging_face(file: &Gguf<'_>, name: &str) -> Result<(String, Order), GgufError> {
    let Some((part, found)) = translated(file.architecture, name) else {
        return Ok((name.to_owned(), Order::Same));
    };
    let order = match (file.architecture, part) {
        (Architecture::Llama, "attn_q") => Order::Alternating {
            heads: heads(file)?.queries,
        },
        (Architecture::Llama, "attn_k") => Order::Alternating {
            heads: heads(file)?.keys,
        },
        (Architecture::Gpt2, "attn_qkv" | "attn_output" | "ffn_up" | "ffn_down")
            if name.ends_with(".weight") =>
        {
            Order::Transposed
        }
        _ => Order::Same,
    };
    Ok((found, order))
}

/// Returns the part of the name within its layer, and the name in `model.safetensors`.
fn translated(architecture: Architecture, name: &str) -> Option<(&str, String)> {
    let (stem, kind) = name.rsplit_once('.')?;
    if !["weight", "bias"].contains(&kind) {
        return None;
    }
    let (layers, inside, outside): (_, &[_], &[_]) = match architecture {
        Architecture::Gpt2 => ("transformer.h", &GPT2, &GPT2_OUTSIDE),
        _ => ("model.layers", &LLAMA, &LLAMA_OUTSIDE),
    };
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
        for (architecture, name, expected) in [
            (
                Architecture::Llama,
                "token_embd.weight",
                "model.embed_tokens.weight",
            ),
            (
                Architecture::Qwen2,
                "blk.11.attn_q.bias",
                "model.layers.11.self_attn.q_proj.bias",
            ),
            (
                Architecture::Qwen3,
                "blk.0.attn_q_norm.weight",
                "model.layers.0.self_attn.q_norm.weight",
            ),
            (
                Architecture::Gpt2,
                "blk.2.attn_qkv.weight",
                "transformer.h.2.attn.c_attn.weight",
            ),
            (
                Architecture::Gpt2,
                "output_norm.bias",
                "transformer.ln_f.bias",
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
        ] {
            assert_eq!(translated(Architecture::Llama, name), None, "{name}");
        }
    }
}
