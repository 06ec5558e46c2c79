//! Models whose weights stay in their files, mapped into memory: they compute what a copied model computes, take no memory
//! beside their files, and refuse to run after a file was written to.

#![cfg(all(feature = "cli", feature = "tokenizers"))]
// Clippy knows test functions, not what they call.
#![allow(clippy::unwrap_used)]

use std::borrow::Cow;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use attention_model::checkpoint::{Checkpoint, CheckpointFiles};
use attention_model::device;
use attention_model::error::ModelError;
use pollster::block_on;
use safetensors::{Dtype, View, serialize_to_file};
use serde_json::{Map, Value, json};

/// The sizes of a Llama.
#[derive(Clone, Copy)]
struct Sizes {
    width: usize,
    inner: usize,
    layers: usize,
}

const SMALL: Sizes = Sizes {
    width: 64,
    inner: 96,
    layers: 2,
};
const TOKENS: usize = 26;
const HEADS: usize = 4;

/// A tensor with numbers by a generator of congruences, which are written as they are asked for.
struct Random {
    shape: Vec<usize>,
    dtype: Dtype,
    seed: u32,
}

impl View for Random {
    fn dtype(&self) -> Dtype {
        self.dtype
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        let mut state = self.seed;
        let count = self.shape.iter().product();
        let values = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            0.2 * (state >> 8) as f32 / (1 << 24) as f32 - 0.1
        });
        let values = values.take(count).map(f32::to_bits);
        match self.dtype {
            // The upper half of a float of 32 bits.
            Dtype::BF16 => values
                .flat_map(|bits| ((bits >> 16) as u16).to_le_bytes())
                .collect(),
            _ => values.flat_map(u32::to_le_bytes).collect(),
        }
    }

    fn data_len(&self) -> usize {
        let bytes = if self.dtype == Dtype::BF16 { 2 } else { 4 };
        bytes * self.shape.iter().product::<usize>()
    }
}

fn tensors(sizes: Sizes, dtype: Dtype) -> Vec<(String, Random)> {
    let Sizes {
        width,
        inner,
        layers,
    } = sizes;
    let of_layer = [
        ("input_layernorm", vec![width]),
        ("self_attn.q_proj", vec![width, width]),
        ("self_attn.k_proj", vec![width, width]),
        ("self_attn.v_proj", vec![width, width]),
        ("self_attn.o_proj", vec![width, width]),
        ("post_attention_layernorm", vec![width]),
        ("mlp.gate_proj", vec![inner, width]),
        ("mlp.up_proj", vec![inner, width]),
        ("mlp.down_proj", vec![width, inner]),
    ];
    let layers = (0..layers).flat_map(|layer| {
        let named = move |(name, shape): (&str, Vec<usize>)| {
            (format!("model.layers.{layer}.{name}.weight"), shape)
        };
        of_layer.clone().map(named)
    });
    let others = [
        ("model.embed_tokens.weight".to_owned(), vec![TOKENS, width]),
        ("model.norm.weight".to_owned(), vec![width]),
    ];
    let shapes = layers.chain(others).zip(1..);
    let random = |((name, shape), seed)| (name, Random { shape, dtype, seed });
    shapes.map(random).collect()
}

fn config(sizes: Sizes) -> Value {
    json!({
        "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_act": "silu", "hidden_size": sizes.width,
        "intermediate_size": sizes.inner, "num_hidden_layers": sizes.layers, "num_attention_heads": HEADS,
        "num_key_value_heads": HEADS, "vocab_size": TOKENS, "max_position_embeddings": 64, "rms_norm_eps": 1e-6,
        "rope_theta": 1e4, "tie_word_embeddings": true, "bos_token_id": 0, "eos_token_id": 0,
    })
}

/// A tokenizer whose pieces are the letters.
fn tokenizer() -> Value {
    let letters = ('a'..='z').enumerate();
    let vocabulary: Map<String, Value> = letters
        .map(|(id, letter)| (letter.to_string(), id.into()))
        .collect();
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": null, "post_processor": null, "decoder": null,
        "model": {
            "type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "vocab": vocabulary, "merges": [],
        },
    })
}

/// A directory with a model, removed when it is dropped.
struct Model(PathBuf);

impl Model {
    /// Writes a model in so many files.
    fn new(name: &str, sizes: Sizes, dtype: Dtype, parts: usize) -> Self {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mapped-{name}"));
        if directory.exists() {
            fs::remove_dir_all(&directory).unwrap();
        }
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("config.json"), config(sizes).to_string()).unwrap();
        fs::write(directory.join("tokenizer.json"), tokenizer().to_string()).unwrap();
        let model = Model(directory);
        match parts {
            1 => serialize_to_file(tensors(sizes, dtype), None, &model.weights()).unwrap(),
            _ => model.write_parts(tensors(sizes, dtype), parts),
        }
        model
    }

    fn write_parts(&self, tensors: Vec<(String, Random)>, parts: usize) {
        let name = |part: usize| format!("part-{part}.safetensors");
        let numbered = tensors.iter().enumerate();
        let map: Map<String, Value> = numbered
            .map(|(index, (tensor, _))| (tensor.clone(), name(index % parts).into()))
            .collect();
        let index = json!({"weight_map": map}).to_string();
        fs::write(self.0.join("model.safetensors.index.json"), index).unwrap();
        let mut of_parts: Vec<Vec<(String, Random)>> = (0..parts).map(|_| vec![]).collect();
        for (index, tensor) in tensors.into_iter().enumerate() {
            of_parts[index % parts].push(tensor);
        }
        for (part, tensors) in of_parts.into_iter().enumerate() {
            serialize_to_file(tensors, None, &self.0.join(name(part))).unwrap();
        }
    }

    fn weights(&self) -> PathBuf {
        self.0.join("model.safetensors")
    }

    fn open(&self) -> Checkpoint {
        Checkpoint::open(&self.0, &device::cpu()).unwrap()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // A directory of the build that stays is removed by the next run.
        drop(fs::remove_dir_all(&self.0));
    }
}

/// Returns `log p` of some letters, bit by bit.
fn scores(checkpoint: &Checkpoint) -> Result<Vec<u32>, ModelError> {
    let device = device::cpu();
    let scores = block_on(checkpoint.score("attention", &[5, 1, 17], &[], &device))?;
    assert!(scores.iter().all(|score| score.is_finite()), "{scores:?}");
    Ok(scores.into_iter().map(f32::to_bits).collect())
}

#[test]
fn mapped_weights_are_those_that_are_read() {
    for dtype in [Dtype::BF16, Dtype::F32] {
        let name = format!("read-{dtype:?}");
        let whole = Model::new(&name, SMALL, dtype, 1);
        let read = |name: &str| fs::read(whole.0.join(name)).unwrap();
        let files = CheckpointFiles {
            config: read("config.json"),
            weights: read("model.safetensors").into(),
            tokenizer: read("tokenizer.json"),
            ..CheckpointFiles::default()
        };
        let copied = scores(&Checkpoint::load(files, &device::cpu()).unwrap()).unwrap();
        assert_eq!(scores(&whole.open()).unwrap(), copied);
        let parts = Model::new(&format!("{name}-parts"), SMALL, dtype, 3);
        assert_eq!(scores(&parts.open()).unwrap(), copied);
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_does_not_change_the_model() {
    let model = Model::new("replaced", SMALL, Dtype::BF16, 1);
    let checkpoint = model.open();
    let before = scores(&checkpoint).unwrap();
    let other = model.0.join("other");
    fs::write(&other, b"another file").unwrap();
    fs::rename(&other, model.weights()).unwrap();
    assert_eq!(scores(&checkpoint).unwrap(), before);
    fs::remove_file(model.weights()).unwrap();
    assert_eq!(scores(&checkpoint).unwrap(), before);
}

/// A change of a file in place.
#[cfg(unix)]
type Change<'a> = &'a dyn Fn(&Path) -> std::io::Result<()>;

#[cfg(unix)]
#[test]
fn a_model_whose_file_was_cut_or_written_to_is_refused() {
    let cut = |file: &Path| File::options().write(true).open(file)?.set_len(100);
    let write = |file: &Path| fs::write(file, vec![1; fs::metadata(file)?.len() as usize]);
    let changes: [Change<'_>; 2] = [&cut, &write];
    for change in changes {
        let model = Model::new("changed", SMALL, Dtype::BF16, 1);
        let in_file = model.open();
        scores(&in_file).unwrap();
        // Times of files have steps of some milliseconds.
        sleep(Duration::from_millis(50));
        change(&model.weights()).unwrap();
        let message = scores(&in_file).unwrap_err().to_string();
        assert!(message.contains("has changed since"), "{message}");
    }
    // Weights of 32 bits are copied: the file is none of their concern.
    let model = Model::new("changed", SMALL, Dtype::F32, 1);
    let copied = model.open();
    let before = scores(&copied).unwrap();
    cut(&model.weights()).unwrap();
    assert_eq!(scores(&copied).unwrap(), before);
}

#[cfg(target_os = "linux")]
mod memory {
    use std::env;
    use std::process::Command;

    use super::*;

    /// The variable that names the model to a process of its own.
    const MODEL: &str = "ATTENTION_MAPPED_MODEL";
    const MEBIBYTE: u64 = 1 << 20;

    /// A Llama of 48 million weights.
    const LARGE: Sizes = Sizes {
        width: 1024,
        inner: 4096,
        layers: 3,
    };

    /// Opens the model that the variable names, if there is one, and prints the most memory that the process had.
    #[test]
    #[ignore = "the tests below run it in a process of its own"]
    fn opening() {
        let model = env::var(MODEL).unwrap();
        let opened =
            (!model.is_empty()).then(|| Checkpoint::open(Path::new(&model), &device::cpu()));
        assert!(opened.is_none_or(|opened| opened.is_ok()));
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:"));
        println!("{}", line.unwrap());
    }

    /// Returns the most memory of a process that opens a model, in bytes.
    fn peak_bytes(model: &str) -> u64 {
        let output = Command::new(env::current_exe().unwrap())
            .args(["memory::opening", "--exact", "--ignored", "--nocapture"])
            .env(MODEL, model)
            .output()
            .unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{printed}");
        let (_, peak) = printed.split_once("VmHWM:").unwrap();
        let kibibytes: u64 = peak.split_whitespace().next().unwrap().parse().unwrap();
        1024 * kibibytes
    }

    /// Returns the memory that opening a model takes at most, and the bytes of its weights.
    fn opened(model: &Model) -> (u64, u64) {
        let files = fs::read_dir(&model.0).unwrap();
        let bytes = files.map(|file| file.unwrap().metadata().unwrap().len());
        let peak = peak_bytes(model.0.to_str().unwrap());
        (peak.saturating_sub(peak_bytes("")), bytes.sum())
    }

    #[test]
    fn weights_of_16_bits_take_no_memory_beside_their_files() {
        let (took, bytes) = opened(&Model::new("peak-bf16", LARGE, Dtype::BF16, 2));
        assert!(bytes > 90 * MEBIBYTE);
        assert!(took < 24 * MEBIBYTE, "{took} bytes of {bytes}");
    }

    #[test]
    fn weights_of_32_bits_are_in_memory_once() {
        let (took, bytes) = opened(&Model::new("peak-f32", LARGE, Dtype::F32, 2));
        assert!(bytes > 180 * MEBIBYTE);
        // Otherwise nothing was read.
        assert!(took > bytes / 2, "{took} bytes of {bytes}");
        assert!(took < bytes + 48 * MEBIBYTE, "{took} bytes of {bytes}");
    }
}
