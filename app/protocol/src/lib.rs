//! What the page and the worker that owns the model say to each other.
//!
//! A message is a small header, as JSON, and at most one `ArrayBuffer` that is transferred, never
//! copied. The page numbers its requests; replies carry the number of the request they answer, so
//! that an answer to an older request can be told apart and dropped. A newer [`Request::Run`]
//! cancels an older one.

mod files;
pub mod integrity;
pub mod lessons;
mod message;
pub mod patience;
mod questions;
pub mod training;

use attention_trace::{Considered, Edit, EditFault, ModelSpec, Quantities, Search};
use serde::{Deserialize, Serialize};

pub use files::FilesFault;
pub use message::{
    Message, MessageError, give_way, post_files_to_worker, post_to_page, post_to_worker, receive,
    received_files,
};
pub use questions::{Answer, Partial, Question, ResultQuestion, TextQuestion};

/// The number of a request; replies that answer none carry 0.
pub type RequestId = u32;

/// What a model runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Device {
    /// WebAssembly with vectors, on threads where the page is isolated.
    Cpu,
    /// The browser's GPU interface.
    WebGpu,
}

/// From the page to the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Request {
    /// Load a checkpoint and make it the one that runs. Answered by [`Reply::Progress`] many
    /// times, then [`Reply::Ready`] or [`Reply::Failed`].
    Load {
        /// Address of the directory that holds `config.json`, `tokenizer.json`,
        /// `model.safetensors`, ending in `/`.
        base: String,
        /// Those of the files of which more is known than their names.
        #[serde(default)]
        files: Vec<ServedFile>,
        /// Whether a software WebGPU adapter will do.
        allow_fallback_adapter: bool,
    },
    /// Load a checkpoint out of files that the message carries, from the visitor's disk, and make it the one that runs.
    /// They are read in the worker and stored nowhere. Answered as [`Request::Load`].
    Open {
        /// The files' roles, in the order in which the message carries them: `config.json`, `tokenizer.json`,
        /// `model.safetensors`, and `generation_config.json` where there is one.
        names: Vec<String>,
        /// True if a software WebGPU adapter will do.
        allow_fallback_adapter: bool,
    },
    /// Decode `text` and trace the result. Answered by [`Reply::Decoded`] now and then between tokens, then
    /// [`Reply::Traced`] or [`Reply::Failed`].
    Run(RunRequest),
    /// Stop what is running; it answers [`Failure::Cancelled`].
    Cancel,
    /// Say that you listen. It stops nothing that runs. Answered by [`Reply::Alive`].
    Ping,
    /// Answer a question. It stops nothing that runs. Answered by [`Reply::Partial`] where parts of the answer are known
    /// before it is whole, then [`Reply::Answer`] or [`Reply::Failed`].
    Ask {
        /// What is asked.
        question: Question,
    },
}

/// A file of a checkpoint as the manifest of the build describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedFile {
    /// Its name in the checkpoint.
    pub name: String,
    /// Its address, which changes with its contents.
    pub url: String,
    /// Its size, not compressed.
    pub bytes: u64,
    /// SHA-256 of its contents, in hexadecimal.
    pub sha256: String,
    /// A packed copy of it, which is asked for first: many hosts compress no weights.
    #[serde(default)]
    pub packed: Option<PackedFile>,
}

/// A copy of a file as `attention_packing` writes it, compressed with gzip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedFile {
    /// Its address.
    pub url: String,
    /// Its size, as it travels.
    pub bytes: u64,
}

/// What to decode, how, and what to record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRequest {
    /// What the visitor typed.
    pub text: String,
    /// How to search.
    pub search: Search,
    /// Target tokens that are forced before the search begins.
    pub prefix: Vec<u32>,
    /// The most tokens to append.
    pub max_new_tokens: usize,
    /// What the traced pass records.
    pub quantities: Quantities,
    /// What is changed in every pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<Edit>,
}

/// From the worker to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Reply {
    /// The worker runs and listens.
    Booted,
    /// A part of the checkpoint has arrived.
    Progress {
        /// Bytes of all files so far, as they are after decompression.
        received_bytes: u64,
        /// Bytes of all files; absent where neither a manifest nor the server says.
        total_bytes: Option<u64>,
    },
    /// The checkpoint is loaded, and a small known forward pass came out right.
    Ready(Box<ReadyReply>),
    /// One more token, or one more beam step.
    Decoded {
        /// Tokens appended so far.
        tokens: usize,
        /// The best text so far.
        text: String,
        /// The beginnings that the search has looked at since the last such message, parents first; parents are
        /// numbered over all of the run.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        considered: Vec<Considered>,
    },
    /// The result; the message's buffer is the trace as safetensors, decoding included. Of a long
    /// text it holds thumbnails alone; the arrays are to be had by [`ResultQuestion::Parts`].
    Traced {
        /// Milliseconds of decoding.
        decode_ms: f64,
        /// Milliseconds of the traced forward pass, read-back included.
        forward_ms: f64,
    },
    /// What is known of an answer before it is whole.
    Partial {
        /// That since the last such message.
        partial: Partial,
    },
    /// The answer to a question.
    Answer {
        /// The answer.
        answer: Answer,
    },
    /// It listens, or it computes: a pass, during which it hears nothing, says this now and then by itself.
    Alive,
    /// It did not work.
    Failed(Failure),
}

/// A loaded model and what it runs on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadyReply {
    /// The engine that runs, of several that are built: the name of its script, without the ending.
    pub engine: String,
    /// The device.
    pub device: Device,
    /// The adapter's name, on WebGPU.
    pub adapter: Option<String>,
    /// Whether the adapter is a software one.
    pub fallback_adapter: bool,
    /// Threads that share the work on the CPU.
    pub threads: usize,
    /// What the model is.
    pub spec: ModelSpec,
    /// Number of weights.
    pub parameters: usize,
    /// Milliseconds from request to ready.
    pub load_ms: f64,
}

/// Why a request failed; the page puts it into words in the visitor's language.
// Its tag is not `kind`, since it stands in the same object as the tag of `Reply`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "failure", rename_all = "snake_case")]
pub enum Failure {
    /// Nothing was typed.
    EmptyInput,
    /// More tokens than the model takes.
    InputTooLong {
        /// Tokens typed.
        tokens: usize,
        /// The most it takes.
        limit: usize,
    },
    /// A target token that was to be forced and that the model does not have.
    ForcedToken {
        /// Its number.
        token: u32,
        /// Tokens the model has.
        vocabulary: usize,
    },
    /// A file could not be fetched.
    Download {
        /// Which.
        url: String,
        /// What the browser or the server said.
        reason: String,
    },
    /// Nothing more came of a file.
    Stalled {
        /// Which.
        url: String,
        /// For how long, in seconds.
        silent_s: u64,
    },
    /// A file of the checkpoint is broken or does not fit the others.
    Checkpoint {
        /// What is wrong with it.
        reason: String,
    },
    /// Files from the visitor's disk that make no model here.
    Files {
        /// Why.
        fault: FilesFault,
    },
    /// There is no WebGPU adapter, or only a software one that was not asked for.
    NoWebGpu,
    /// The device computed a known example wrongly.
    WrongNumbers {
        /// The largest difference from the right numbers; `None` if something was not a number, which JSON
        /// cannot say either.
        difference: Option<f32>,
        /// The kernels that compute wrongly, by name; empty where it is none of ours.
        #[serde(default)]
        kernels: Vec<String>,
    },
    /// The device was lost or failed while running.
    DeviceLost {
        /// What it said.
        reason: String,
    },
    /// An edit that the model cannot make.
    Edit {
        /// What is wrong with it.
        fault: EditFault,
    },
    /// The page asked to stop, or sent a newer request.
    Cancelled,
    /// No model is loaded.
    NotReady,
    /// The message was not understood: page and worker are of different versions.
    Protocol {
        /// What was wrong with it.
        reason: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_alone_is_enough_to_load_from() {
        let json = r#"{"kind":"load","base":"http://host/model/","allow_fallback_adapter":false}"#;
        let request: Request = serde_json::from_str(json).unwrap();
        assert!(matches!(request, Request::Load { files, .. } if files.is_empty()));
    }

    #[test]
    fn every_failure_survives_the_way_to_the_page() {
        let reason = || "r".to_owned();
        let failures = [
            Failure::EmptyInput,
            Failure::InputTooLong {
                tokens: 2,
                limit: 1,
            },
            Failure::ForcedToken {
                token: 2,
                vocabulary: 1,
            },
            Failure::Download {
                url: "u".into(),
                reason: reason(),
            },
            Failure::Stalled {
                url: "u".into(),
                silent_s: 20,
            },
            Failure::Checkpoint { reason: reason() },
            Failure::Files {
                fault: FilesFault::Architecture {
                    found: "mamba".to_owned(),
                },
            },
            Failure::NoWebGpu,
            Failure::WrongNumbers {
                difference: Some(0.5),
                kernels: vec!["softmax".to_owned()],
            },
            Failure::WrongNumbers {
                difference: None,
                kernels: vec![],
            },
            Failure::DeviceLost { reason: reason() },
            Failure::Edit {
                fault: EditFault::Head,
            },
            Failure::Cancelled,
            Failure::NotReady,
            Failure::Protocol { reason: reason() },
        ];
        for failure in failures {
            let reply = Reply::Failed(failure);
            let json = serde_json::to_string(&reply).unwrap();
            assert_eq!(
                serde_json::from_str::<Reply>(&json).unwrap(),
                reply,
                "{json}"
            );
        }
    }
}
