//! What the runs in the browsers write.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The file of one run of the bench.
#[derive(Clone, Debug, Deserialize)]
pub struct Measured<T> {
    /// Where.
    pub machine: Machine,
    /// Of what.
    pub versions: BTreeMap<String, String>,
    /// The figures.
    pub results: Vec<T>,
}

/// The machine it ran on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Machine {
    /// What the processor calls itself.
    pub processor: String,
    /// Cores.
    pub cores: usize,
    /// Memory.
    pub memory_bytes: u64,
    /// System and architecture.
    pub platform: String,
}

/// One case on one device.
#[derive(Clone, Debug, Deserialize)]
pub struct Case {
    /// Its name.
    pub case: String,
    /// What was done.
    pub kind: Kind,
    /// On what.
    pub device: String,
    /// How far the two sides' numbers are apart; absent where none were kept.
    pub differs: Option<Comparison>,
    /// On WebGPU, how far each side's numbers are from each side's on the CPU.
    #[serde(default)]
    pub against_cpu: Vec<Against>,
    /// In the order in which they took place.
    pub runs: Vec<Run>,
}

/// What a case does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// One pass over the whole text, logits and attention read.
    Forward,
    /// Greedy decoding with a cache.
    Decode,
}

/// Who ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Engine {
    /// This project's worker.
    #[serde(rename = "ours")]
    Ours,
    /// onnxruntime-web.
    #[serde(rename = "ort")]
    Ort,
    /// transformers.js.
    #[serde(rename = "transformers.js")]
    Transformers,
}

/// The outputs of both sides held against each other.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Comparison {
    /// They could not be.
    Failed {
        /// Why.
        error: String,
    },
    /// Largest absolute differences.
    Made {
        /// Arrays compared.
        arrays: usize,
        /// Of the logits; absent where they are not a number.
        logits: Option<f64>,
        /// Of the attention weights.
        attention: Option<f64>,
    },
}

/// An engine's outputs held against an engine's on the CPU.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Against {
    /// Whose on WebGPU.
    pub engine: Engine,
    /// Whose on the CPU.
    pub cpu: Engine,
    /// How far they are apart.
    pub differs: Comparison,
}

/// One engine in one fresh browser.
#[derive(Clone, Debug, Deserialize)]
pub struct Run {
    /// Who.
    pub engine: Engine,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Warnings and errors in the browser's console.
    pub complaint_count: usize,
    /// The first of them.
    pub complaints: Vec<String>,
}

/// What came of a run.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Outcome {
    /// It did not end well.
    Failed {
        /// Why.
        error: String,
    },
    /// Passes.
    Passes {
        /// What every run has.
        #[serde(flatten)]
        common: Common,
        /// Each pass in its worker.
        pass_ms: Vec<f64>,
        /// Each pass as the page sees it.
        round_trip_ms: Vec<f64>,
    },
    /// Decodings.
    Decodings {
        /// What every run has.
        #[serde(flatten)]
        common: Common,
        /// The very first.
        first_decode_ms: f64,
        /// Those that end after one token.
        prompt_ms: Vec<f64>,
        /// Those of full length.
        decode_ms: Vec<f64>,
        /// What was appended.
        tokens: Vec<u32>,
    },
}

/// What passes and decodings have in common.
#[derive(Clone, Debug, Deserialize)]
pub struct Common {
    /// From starting the worker until it listens.
    pub boot_ms: f64,
    /// From the request to load until it is done.
    pub load_ms: f64,
    /// Runs that came before the steady ones.
    pub warm_up: usize,
    /// Largest resident sizes.
    pub memory: Memory,
    /// Code downloaded.
    pub code: Code,
    /// Whether more than one thread computed.
    pub threaded: bool,
    /// Chromium's version.
    pub browser: String,
}

/// Largest resident sizes; absent where the system does not tell.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Memory {
    /// Of the page's process.
    pub renderer_bytes: Option<u64>,
    /// Of the process that WebGPU runs in.
    pub gpu_bytes: Option<u64>,
}

/// Code downloaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Code {
    /// As it is.
    pub raw_bytes: u64,
    /// As brotli sends it.
    pub brotli_bytes: u64,
}
