//! A made-up language model in Hugging Face's layout: its sizes are what matters.

use serde_json::{Map, Value, json};

use crate::error::Error;

const LAYERS: usize = 12;
const HEADS: usize = 12;
/// Narrow, so that it is the pictures that take time.
const WIDTH: usize = 96;
const INNER: usize = 192;
const WORDS: usize = 1024;
const LONGEST: usize = 1024;
const SPECIAL: [&str; 3] = ["<pad>", "</s>", "<unk>"];

/// Large enough for attention to be sharp here and there.
const ATTENTION_SCALE: f32 = 0.6;
const SCALE: f32 = 0.1;

/// The three files: their names and contents.
///
/// # Errors
/// If a header cannot be written.
pub fn files() -> Result<[(&'static str, Vec<u8>); 3], Error> {
    Ok([
        ("config.json", serde_json::to_vec(&config())?),
        ("tokenizer.json", serde_json::to_vec(&tokenizer())?),
        ("model.safetensors", weights()?),
    ])
}

fn config() -> Value {
    json!({
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "vocab_size": WORDS + SPECIAL.len(),
        "hidden_size": WIDTH,
        "intermediate_size": INNER,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "max_position_embeddings": LONGEST,
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "hidden_act": "silu",
        "attention_bias": false,
        "mlp_bias": false,
        "tie_word_embeddings": true,
        "bos_token_id": 1,
        "eos_token_id": 1
    })
}

/// Every word is a token: `w0`, `w1`, ….
fn tokenizer() -> Value {
    let words = (0..WORDS).map(|word| format!("w{word}"));
    let tokens = SPECIAL.map(str::to_owned).into_iter().chain(words);
    let vocabulary: Map<String, Value> = tokens
        .enumerate()
        .map(|(id, token)| (token, json!(id)))
        .collect();
    let special = SPECIAL.iter().enumerate().map(|(id, token)| {
        json!({
            "id": id, "content": token, "single_word": false, "lstrip": false, "rstrip": false,
            "normalized": false, "special": true
        })
    });
    json!({
        "version": "1.0",
        "truncation": null,
        "padding": null,
        "added_tokens": special.collect::<Vec<_>>(),
        "normalizer": null,
        "pre_tokenizer": { "type": "WhitespaceSplit" },
        "post_processor": null,
        "decoder": null,
        "model": { "type": "WordLevel", "vocab": vocabulary, "unk_token": "<unk>" }
    })
}

fn weights() -> Result<Vec<u8>, Error> {
    let mut file = Weights::default();
    file.random(
        "model.embed_tokens.weight",
        &[WORDS + SPECIAL.len(), WIDTH],
        1.0,
    );
    for layer in 0..LAYERS {
        let name = |part: &str| format!("model.layers.{layer}.{part}.weight");
        for part in ["input_layernorm", "post_attention_layernorm"] {
            file.ones(&name(part), WIDTH);
        }
        for part in ["q_proj", "k_proj"] {
            file.random(
                &name(&format!("self_attn.{part}")),
                &[WIDTH, WIDTH],
                ATTENTION_SCALE,
            );
        }
        for part in ["v_proj", "o_proj"] {
            file.random(&name(&format!("self_attn.{part}")), &[WIDTH, WIDTH], SCALE);
        }
        for part in ["gate_proj", "up_proj"] {
            file.random(&name(&format!("mlp.{part}")), &[INNER, WIDTH], SCALE);
        }
        file.random(&name("mlp.down_proj"), &[WIDTH, INNER], SCALE);
    }
    file.ones("model.norm.weight", WIDTH);
    file.finish()
}

/// A safetensors file in the making: a header in JSON, then the numbers.
#[derive(Default)]
struct Weights {
    header: Map<String, Value>,
    data: Vec<u8>,
    state: u64,
}

impl Weights {
    /// Numbers between −`scale` and `scale`, the same in every run.
    fn random(&mut self, name: &str, shape: &[usize], scale: f32) {
        let count = shape.iter().product();
        let values: Vec<f32> = (0..count).map(|_| self.uniform() * scale).collect();
        self.put(name, shape, &values);
    }

    fn ones(&mut self, name: &str, length: usize) {
        self.put(name, &[length], &vec![1.0; length]);
    }

    fn put(&mut self, name: &str, shape: &[usize], values: &[f32]) {
        let start = self.data.len();
        self.data
            .extend(values.iter().flat_map(|value| value.to_le_bytes()));
        let offsets = [start, self.data.len()];
        let entry = json!({ "dtype": "F32", "shape": shape, "data_offsets": offsets });
        self.header.insert(name.to_owned(), entry);
    }

    /// A number between −1 and 1 (a linear congruential generator with Knuth's constants).
    fn uniform(&mut self) -> f32 {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    fn finish(self) -> Result<Vec<u8>, Error> {
        let mut header = serde_json::to_vec(&self.header)?;
        // The numbers begin at a multiple of eight.
        header.resize(header.len().next_multiple_of(8), b' ');
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend(header);
        file.extend(self.data);
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_begin_where_the_header_says() -> Result<(), Error> {
        let file = weights()?;
        let length = u64::from_le_bytes(file[..8].try_into().unwrap());
        let length = usize::try_from(length).unwrap();
        let header: Value = serde_json::from_slice(&file[8..8 + length])?;
        let norm = &header["model.norm.weight"];
        let start = 8 + length + norm["data_offsets"][0].as_u64().unwrap_or_default() as usize;
        assert_eq!(file[start..start + 4], 1f32.to_le_bytes());
        assert_eq!(start + 4 * WIDTH, file.len());
        Ok(())
    }

    #[test]
    fn random_numbers_stay_between_their_bounds_and_are_the_same_every_time() {
        let mut weights = Weights::default();
        let values: Vec<f32> = (0..1000).map(|_| weights.uniform()).collect();
        assert!(values.iter().all(|value| (-1.0..1.0).contains(value)));
        assert_eq!(values[0], Weights::default().uniform());
    }
}
