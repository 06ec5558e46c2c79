//! Reading the files in `tests/fixtures`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use attention_model::checkpoint::Checkpoint;
use attention_trace::Array;
use burn::prelude::*;
use safetensors::{Dtype, SafeTensors};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

/// The tiny checkpoints, by family.
pub const MARIANS: [&str; 3] = ["marian-tiny", "marian-relu", "marian-gelu"];
pub const BARTS: [&str; 2] = ["bart-tiny", "bart-untied"];
pub const M2M100S: [&str; 2] = ["m2m-tiny", "nllb-tiny"];
pub const LLAMAS: [&str; 22] = [
    "llama-tiny",
    "llama-gqa",
    "llama-linear",
    "llama-ntk",
    "llama-yarn",
    "llama-llama3",
    "llama-betas",
    "llama-bounds",
    "llama-bias",
    "qwen2",
    "qwen2-window",
    "qwen3",
    "mistral",
    "smollm3",
    "olmo2",
    "gemma2",
    "gemma3",
    "phi3",
    "phi3-long",
    "padded-vocabulary",
    "llama-one-layer",
    "gemma3-scalar",
];
/// The checkpoints whose weights have 16 bits. What is expected of them was computed in f32.
pub const HALVES: [&str; 3] = ["llama-f16", "qwen2-bf16", "gpt-neox-f16"];
pub const GPT2S: [&str; 4] = [
    "gpt2-tiny",
    "gpt2-one-layer",
    "gpt2-inverse",
    "gpt2-unscaled",
];
pub const GPT_NEOXS: [&str; 2] = ["gpt-neox", "gpt-neox-serial"];
pub const T5S: [&str; 3] = ["t5-v1_0", "t5-v1_1", "mt5"];
pub const GRUS: [&str; 7] = [
    "gru-fixed",
    "gru-both-ends",
    "gru-bahdanau",
    "gru-dot",
    "gru-general",
    "gru-concat",
    "gru-local",
];
pub const UNIVERSALS: [&str; 3] = ["universal-act", "universal-eager", "universal-fixed"];
pub const BERTS: [&str; 2] = ["bert-tiny", "bert-relu"];
pub const ROBERTAS: [&str; 2] = ["roberta-tiny", "xlm-roberta-untied"];
pub const DISTILBERTS: [&str; 1] = ["distilbert-tiny"];
pub const MODERNBERTS: [&str; 2] = ["modernbert-tiny", "modernbert-biased"];
/// The encoders that read pictures.
pub const VISIONS: [&str; 5] = [
    "vit-tiny",
    "vit-encoder",
    "dinov2-tiny",
    "dinov2-swiglu",
    "dinov2-registers",
];
/// Encoders whose files have no head for masked words, but others, or none.
pub const HEADLESS: [&str; 6] = [
    "bert-encoder",
    "bert-classifier",
    "camembert-encoder",
    "distilbert-questions",
    "modernbert-encoder",
    "modernbert-classifier",
];

/// Returns the checkpoints that write text.
pub fn writers() -> impl Iterator<Item = &'static str> {
    let decoders = [&LLAMAS[..], &GPT2S, &GPT_NEOXS];
    let families = [&MARIANS[..], &BARTS, &M2M100S, &T5S, &GRUS, &UNIVERSALS];
    let families = families.into_iter().chain(decoders);
    families.flatten().copied()
}

/// Returns the checkpoints that guess masked words.
pub fn guessers() -> impl Iterator<Item = &'static str> {
    let families = [&BERTS[..], &ROBERTAS, &DISTILBERTS, &MODERNBERTS];
    families.into_iter().flatten().copied()
}

/// The scripts' description of the inputs behind a file's arrays, and of the decoding.
#[derive(Debug, Deserialize)]
pub struct Description {
    pub beam_width: usize,
    pub length_penalty: f32,
    pub max_new_tokens: usize,
    pub cases: Vec<Case>,
    pub batch: Option<Batch>,
    /// The SHA-256 of trained weights; for those, files keep every `stride`-th logit.
    pub weights_sha256: Option<String>,
    pub stride: Option<usize>,
}

/// One input and the tokens that the reference decoded from it.
#[derive(Debug, Deserialize)]
pub struct Case {
    pub name: String,
    /// The text that `source` (`target` for a decoder-only model) was tokenized from.
    pub text: Option<String>,
    pub source: Vec<u32>,
    pub target: Vec<u32>,
    /// Tokens appended by greedy search.
    pub greedy: Vec<u32>,
    /// Sequences found by beam search, best first.
    pub beam: Vec<Hypothesis>,
}

/// The tokens that beam search appended, and their score.
#[derive(Debug, Deserialize)]
pub struct Hypothesis {
    pub tokens: Vec<u32>,
    pub score: f32,
}

/// Sources of several lengths, run as one padded batch.
#[derive(Debug, Deserialize)]
pub struct Batch {
    pub sources: Vec<Vec<u32>>,
    pub targets: Vec<Vec<u32>>,
}

/// Arrays by name, and the script's description of them.
pub struct Fixture<D> {
    pub description: D,
    pub arrays: BTreeMap<String, Array>,
}

impl<D: DeserializeOwned> Fixture<D> {
    /// Reads a file under `tests/fixtures`.
    pub fn read(path: &str) -> Self {
        let bytes = std::fs::read(fixtures().join(path)).expect(path);
        let (_, header) = SafeTensors::read_metadata(&bytes).unwrap();
        let description = &header.metadata().as_ref().unwrap()["fixture"];
        let arrays = SafeTensors::deserialize(&bytes).unwrap();
        Fixture {
            description: serde_json::from_str(description).unwrap(),
            arrays: arrays
                .iter()
                .map(|(name, view)| {
                    assert_eq!(view.dtype(), Dtype::F32, "{name}");
                    let data = view
                        .data()
                        .chunks_exact(4)
                        .map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()))
                        .collect();
                    let shape = view.shape().to_vec();
                    (name.to_owned(), Array { shape, data })
                })
                .collect(),
        }
    }

    /// Returns the arrays of one case, without its name.
    pub fn case<'a>(&'a self, case: &'a str) -> impl Iterator<Item = (&'a str, &'a Array)> {
        self.arrays.iter().filter_map(move |(name, array)| {
            let name = name.strip_prefix(case)?.strip_prefix('/')?;
            Some((name, array))
        })
    }
}

pub fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fixtures")
}

/// Opens a tiny checkpoint, on the CPU.
pub fn tiny(name: &str) -> Checkpoint {
    Checkpoint::open(&fixtures().join("tiny").join(name), &Device::flex()).unwrap()
}

/// Returns the 32-bit numbers of an array of a fixture.
pub fn expected(file: &SafeTensors<'_>, name: &str) -> Vec<f32> {
    let (numbers, rest) = file.tensor(name).unwrap().data().as_chunks::<4>();
    assert!(rest.is_empty(), "{name}");
    numbers
        .iter()
        .map(|&bytes| f32::from_le_bytes(bytes))
        .collect()
}

/// Checks that the fixture was computed with these weights, whose SHA-256 it has in its metadata under `entry`.
pub fn assert_made_with(fixture: &[u8], entry: &str, weights: &[u8], script: &str) {
    let (_, header) = SafeTensors::read_metadata(fixture).unwrap();
    let sha256: String = Sha256::digest(weights)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(
        header.metadata().as_ref().unwrap()[entry],
        sha256,
        "the weights are not those the expected numbers were computed with; run `python tests/fixtures/{script}`"
    );
}
