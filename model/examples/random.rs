//! Writes a checkpoint of random weights in the shape of Qwen2.5-0.5B: 494 million weights, a table of 151,936 tokens that
//! is the output matrix too, and a tokenizer of single bytes. Too large for the repository and for tests; its time and its
//! memory are those of the real one.
//!
//! ```sh
//! cargo run --release -p attention-model --example random -- --out /tmp/half-billion --precision bf16
//! /usr/bin/time -v target/release/attn trace --model /tmp/half-billion --text "A text." --weights-only --out pass.safetensors
//! ```

use std::borrow::Cow;
use std::error::Error;
use std::fs;
use std::path::PathBuf;

use burn::tensor::{bf16, f16};
use clap::{Parser, ValueEnum};
use safetensors::{Dtype, View, serialize_to_file};
use serde_json::{Value, json};

const LAYERS: usize = 24;
const WIDTH: usize = 896;
const INNER: usize = 4_864;
const HEADS: usize = 14;
const KEY_VALUE_HEADS: usize = 2;
const HEAD_WIDTH: usize = WIDTH / HEADS;
const TOKENS: usize = 151_936;

/// Write a checkpoint of random weights.
#[derive(Parser)]
struct Options {
    /// The directory for config.json, model.safetensors and tokenizer.json
    #[arg(long)]
    out: PathBuf,
    /// The precision of all weights
    #[arg(long, default_value = "bf16")]
    precision: Precision,
}

#[derive(Clone, Copy, ValueEnum)]
enum Precision {
    /// Floats of 16 bits as in IEEE 754
    F16,
    /// The upper halves of floats of 32 bits
    Bf16,
    /// Floats of 32 bits
    F32,
}

/// A tensor whose values are made when they are written.
struct Random {
    shape: Vec<usize>,
    precision: Precision,
    seed: u64,
}

impl View for Random {
    fn dtype(&self) -> Dtype {
        match self.precision {
            Precision::F16 => Dtype::F16,
            Precision::Bf16 => Dtype::BF16,
            Precision::F32 => Dtype::F32,
        }
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        let mut bytes = Vec::with_capacity(self.data_len());
        for index in 0..self.shape.iter().product::<usize>() {
            let value = self.value(index as u64);
            match self.precision {
                Precision::F16 => bytes.extend(f16::from_f32(value).to_le_bytes()),
                Precision::Bf16 => bytes.extend(bf16::from_f32(value).to_le_bytes()),
                Precision::F32 => bytes.extend(value.to_le_bytes()),
            }
        }
        bytes.into()
    }

    fn data_len(&self) -> usize {
        let bytes = match self.precision {
            Precision::F16 | Precision::Bf16 => 2,
            Precision::F32 => 4,
        };
        bytes * self.shape.iter().product::<usize>()
    }
}

impl Random {
    /// Returns the value at a place: 1 for gains of norms, otherwise a number with the deviation 0.02, by SplitMix64
    /// (Steele et al. 2014).
    fn value(&self, index: u64) -> f32 {
        const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
        /// √3 times the deviation.
        const LARGEST: f32 = 0.034_64;
        if self.seed == 0 {
            return 1.0;
        }
        let mut bits = GOLDEN.wrapping_mul((self.seed << 32) + index + 1);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        LARGEST * ((bits >> 40) as f32 / (1 << 23) as f32 - 1.0)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let Options { out, precision } = Options::parse();
    fs::create_dir_all(&out)?;
    fs::write(out.join("config.json"), config().to_string())?;
    fs::write(out.join("tokenizer.json"), tokenizer().to_string())?;
    let tensors = shapes().into_iter().enumerate();
    let tensors = tensors.map(|(index, (name, shape))| {
        let is_gain = name.ends_with("norm.weight");
        let seed = if is_gain { 0 } else { index as u64 + 1 };
        (
            name,
            Random {
                shape,
                precision,
                seed,
            },
        )
    });
    serialize_to_file(tensors, None, &out.join("model.safetensors"))?;
    Ok(())
}

fn config() -> Value {
    json!({
        "model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "hidden_act": "silu",
        "hidden_size": WIDTH, "intermediate_size": INNER, "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS, "num_key_value_heads": KEY_VALUE_HEADS, "vocab_size": TOKENS,
        "max_position_embeddings": 32_768, "rms_norm_eps": 1e-6, "rope_theta": 1e6, "tie_word_embeddings": true,
        "bos_token_id": 151_643, "eos_token_id": 151_643,
    })
}

/// Returns the names and shapes of all tensors.
fn shapes() -> Vec<(String, Vec<usize>)> {
    let key_value = KEY_VALUE_HEADS * HEAD_WIDTH;
    let of_layer = [
        ("input_layernorm.weight", vec![WIDTH]),
        ("self_attn.q_proj.weight", vec![WIDTH, WIDTH]),
        ("self_attn.q_proj.bias", vec![WIDTH]),
        ("self_attn.k_proj.weight", vec![key_value, WIDTH]),
        ("self_attn.k_proj.bias", vec![key_value]),
        ("self_attn.v_proj.weight", vec![key_value, WIDTH]),
        ("self_attn.v_proj.bias", vec![key_value]),
        ("self_attn.o_proj.weight", vec![WIDTH, WIDTH]),
        ("post_attention_layernorm.weight", vec![WIDTH]),
        ("mlp.gate_proj.weight", vec![INNER, WIDTH]),
        ("mlp.up_proj.weight", vec![INNER, WIDTH]),
        ("mlp.down_proj.weight", vec![WIDTH, INNER]),
    ];
    let layers = (0..LAYERS).flat_map(|layer| {
        let named = |(name, shape): &(&str, Vec<usize>)| {
            (format!("model.layers.{layer}.{name}"), shape.clone())
        };
        of_layer.iter().map(named).collect::<Vec<_>>()
    });
    let others = [
        ("model.embed_tokens.weight".to_owned(), vec![TOKENS, WIDTH]),
        ("model.norm.weight".to_owned(), vec![WIDTH]),
    ];
    layers.chain(others).collect()
}

/// Returns a tokenizer whose pieces are the 256 bytes, in GPT-2's spelling.
fn tokenizer() -> Value {
    let is_shown = |byte: u8| matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    let hidden = (0..=u8::MAX).filter(|&byte| !is_shown(byte));
    let shown = (0..=u8::MAX).filter(|&byte| is_shown(byte)).map(char::from);
    let replaced = hidden
        .zip(256_u32..)
        .filter_map(|(_, code)| char::from_u32(code));
    let pieces = shown.chain(replaced).enumerate();
    let vocabulary: serde_json::Map<String, Value> = pieces
        .map(|(id, piece)| (piece.to_string(), id.into()))
        .collect();
    let bytes = json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true});
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": bytes, "post_processor": null, "decoder": bytes,
        "model": {
            "type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "vocab": vocabulary, "merges": [],
        },
    })
}
