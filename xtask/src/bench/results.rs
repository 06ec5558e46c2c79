//! The files that the runs in the browsers write.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The file of one run of the bench.
#[derive(Clone, Debug, Deserialize)]
pub struct Measured<T> {
    pub machine: Machine,
    /// The versions of the engines, by name.
    pub versions: BTreeMap<String, String>,
    pub results: Vec<T>,
}

/// The machine it ran on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Machine {
    /// The name that the processor reports.
    pub processor: String,
    pub cores: usize,
    pub memory_bytes: u64,
    /// The system and its architecture.
    pub platform: String,
}

/// One case on one device.
#[derive(Clone, Debug, Deserialize)]
pub struct Case {
    /// Its name in the tables.
    pub case: String,
    pub kind: Kind,
    /// The device that computes, as the tables name it.
    pub device: String,
    /// The difference between the two sides' numbers; absent where none were kept.
    pub differs: Option<Comparison>,
    /// On WebGPU, how far each side's numbers are from each side's on the CPU.
    #[serde(default)]
    pub against_cpu: Vec<Against>,
    /// In the order in which they took place.
    pub runs: Vec<Run>,
}

/// The computation of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// One pass over the whole text, logits and attention read.
    Forward,
    /// Greedy decoding with a cache.
    Decode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Engine {
    /// The worker of this project.
    #[serde(rename = "ours")]
    Ours,
    #[serde(rename = "ort")]
    Ort,
    #[serde(rename = "transformers.js")]
    Transformers,
}

/// The outputs of both sides held against each other.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Comparison {
    /// They could not be.
    Failed {
        /// The reason, as the browser reports it.
        error: String,
    },
    /// The largest absolute differences.
    Made {
        /// The number of arrays compared.
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
    /// The engine that ran on WebGPU.
    pub engine: Engine,
    /// The engine that ran on the CPU.
    pub cpu: Engine,
    /// The difference between the two.
    pub differs: Comparison,
}

/// One engine in one fresh browser.
#[derive(Clone, Debug, Deserialize)]
pub struct Run {
    pub engine: Engine,
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Warnings and errors in the browser's console.
    pub complaint_count: usize,
    /// The first of them.
    pub complaints: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Outcome {
    /// It did not end well.
    Failed {
        /// The reason, as the browser reports it.
        error: String,
    },
    /// Passes over a text.
    Passes {
        #[serde(flatten)]
        common: Common,
        /// Each pass in its worker.
        pass_ms: Vec<f64>,
        /// Each pass as the page sees it.
        round_trip_ms: Vec<f64>,
    },
    /// Decodings of a prompt.
    Decodings {
        #[serde(flatten)]
        common: Common,
        /// The time of the first decoding.
        first_decode_ms: f64,
        /// Those that end after one token.
        prompt_ms: Vec<f64>,
        /// Those of full length.
        decode_ms: Vec<f64>,
        /// The tokens that were appended.
        tokens: Vec<u32>,
    },
}

/// The figures that passes and decodings have in common.
#[derive(Clone, Debug, Deserialize)]
pub struct Common {
    /// From starting the worker until it listens.
    pub boot_ms: f64,
    /// From the request to load until it is done.
    pub load_ms: f64,
    /// Runs that came before the steady ones.
    pub warm_up: usize,
    pub memory: Memory,
    pub code: Code,
    /// True if more than one thread computed.
    pub threaded: bool,
    /// The version of Chromium.
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

/// The size of the downloaded code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Code {
    /// The size without compression.
    pub raw_bytes: u64,
    /// The size as brotli sends it.
    pub brotli_bytes: u64,
}

/// True if all engines decoded the same tokens.
pub fn same_tokens(runs: &[Run]) -> bool {
    let mut decoded = runs.iter().filter_map(|run| match &run.outcome {
        Outcome::Decodings { tokens, .. } => Some(tokens),
        _ => None,
    });
    let first = decoded.next();
    decoded.all(|tokens| Some(tokens) == first)
}
