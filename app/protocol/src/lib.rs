//! The messages between the page and the worker that owns the model.
//!
//! A message is a small header, as JSON, and at most one `ArrayBuffer` that is transferred, never copied. The page
//! numbers its requests; replies carry the number of the request they answer, so that the answer to an older request
//! can be recognised and dropped. A newer [`Request::Run`] cancels an older one.

#![warn(missing_docs)]

pub mod class;
mod files;
pub mod frame;
pub mod hub;
#[cfg(feature = "browser")]
pub mod integrity;
pub mod lessons;
mod logged;
#[cfg(feature = "browser")]
mod message;
mod parts;
#[cfg(feature = "browser")]
pub mod patience;
mod questions;
mod server;
mod tokenizers;
pub mod training;

use attention_trace::card::ModelCard;
use attention_trace::{
    Considered, Edit, EditFault, ModelSpec, Openings, Quantities, Search, TemplateFault,
};
use serde::{Deserialize, Serialize};

pub use files::FilesFault;
pub use logged::OrLogged;
#[cfg(feature = "browser")]
pub use message::{
    Message, MessageError, give_way, post_files_to_page, post_files_to_worker, post_to_page,
    post_to_worker, receive, received_files,
};
pub use parts::parts_of_weights;
pub use questions::{Answer, Partial, Question, ResultQuestion, RolesTurn, TextQuestion};
pub use server::{Closed, Connect, NO_PLACE, ServedModel, WRONG_TOKEN};
pub use tokenizers::{MARIAN_TOKENIZER, TOKENIZER, tokenizer_files};

/// The number of a request; replies without a request carry 0.
pub type RequestId = u32;

/// A kind of device that runs a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Device {
    /// WebAssembly with SIMD, on threads if the page is cross-origin isolated.
    Cpu,
    /// The browser's GPU interface.
    WebGpu,
}

/// A request of the page to the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// Load a checkpoint and make it the current one. Answered by [`Reply::Progress`] many times, then [`Reply::Ready`]
    /// or [`Reply::Failed`].
    Load {
        /// The address of the directory with `config.json`, `tokenizer.json`, `model.safetensors`, ending in `/`.
        base: String,
        /// The files described by the manifest; the others are known by name alone.
        #[serde(default)]
        files: Vec<ServedFile>,
        /// True if a software WebGPU adapter is allowed.
        allow_fallback_adapter: bool,
    },
    /// Load a checkpoint from files carried by the message, from the visitor's disk, and make it the current one. They
    /// are read in the worker and not stored. Answered as [`Request::Load`].
    Open {
        /// The roles of the files, in the order of the message: `config.json`, the [tokenizer's](tokenizer_files),
        /// `model.safetensors`,
        /// and those of `generation_config.json`, `tokenizer_config.json` and `chat_template.jinja` that are there; or
        /// `model.gguf` alone.
        names: Vec<String>,
        /// True if a software WebGPU adapter is allowed.
        allow_fallback_adapter: bool,
    },
    /// Decode `text` and trace the result. Answered by [`Reply::Decoded`] now and then between tokens, then
    /// [`Reply::Traced`] or [`Reply::Failed`].
    Run(RunRequest),
    /// Stop the running request, which answers [`Failure::Cancelled`].
    Cancel,
    /// Confirm that the worker listens. Does not interrupt a running request. Answered by [`Reply::Alive`].
    Ping,
    /// Answer a question. Does not interrupt a running request. Answered by [`Reply::Partial`] where parts of the
    /// answer are known early, then [`Reply::Answer`] or [`Reply::Failed`].
    Ask {
        /// The question to be answered.
        question: Question,
    },
}

/// A file of a checkpoint as described by the manifest of the build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedFile {
    /// The name in the checkpoint.
    pub name: String,
    /// The address, which changes with the contents.
    pub url: String,
    /// The size in bytes, before compression.
    pub bytes: u64,
    /// The SHA-256 digest of the contents, in hexadecimal.
    pub sha256: String,
    /// A packed copy of the file, which is fetched first: many hosts do not compress weights.
    #[serde(default)]
    pub packed: Option<PackedFile>,
}

/// A copy of a file, packed by `attention_packing` and compressed with gzip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedFile {
    /// The address of the copy.
    pub url: String,
    /// The size of the download in bytes.
    pub bytes: u64,
}

/// The text to decode, the search, and the arrays to record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRequest {
    /// The text typed by the visitor.
    pub text: String,
    /// The search among target tokens.
    pub search: Search,
    /// The target tokens forced before the search begins.
    pub prefix: Vec<u32>,
    /// The largest number of tokens to append.
    pub max_new_tokens: usize,
    /// The quantities recorded by the traced pass.
    pub quantities: Quantities,
    /// The edits applied in every pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<Edit>,
    /// Width and height in pixels of the picture that the text names; the message's buffer has its pixels,
    /// `[height, width, 4]`, red, green, blue and opacity. `None` for a model that reads texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture_px: Option<[usize; 2]>,
}

/// A reply of the worker to the page.
// No field is its tag: serde would have to keep the fields until it finds it, which takes 200 kB of code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// The worker has started and listens for requests.
    Booted,
    /// A part of the checkpoint has arrived.
    Progress {
        /// The bytes of all files received so far, after decompression.
        received_bytes: u64,
        /// The bytes of all files; absent if neither a manifest nor the server gives their sizes.
        total_bytes: Option<u64>,
    },
    /// The checkpoint is loaded, and a small known forward pass gave the right result.
    Ready(Box<ReadyReply>),
    /// Decoding has advanced by a token or a beam step.
    Decoded {
        /// The number of tokens appended so far.
        tokens: usize,
        /// The best text so far.
        text: String,
        /// The prefixes that the search has examined since the last such message, parents first; parents are numbered
        /// over the whole run.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        considered: Vec<Considered>,
    },
    /// The result; the message's buffer is the trace as safetensors, decoding included. For a long text it contains
    /// thumbnails only; the arrays are available through [`ResultQuestion::Parts`].
    Traced {
        /// The time of decoding in milliseconds.
        decode_ms: f64,
        /// The time of the traced forward pass in milliseconds, read-back included.
        forward_ms: f64,
    },
    /// A part of an answer that is known before the rest.
    Partial {
        /// The part that became known after the last such message.
        partial: Partial,
    },
    /// The answer to a question.
    Answer {
        /// The answer to the page's question.
        answer: Answer,
    },
    /// The worker listens or computes. Sent unasked now and then during a pass, in which the worker reads no messages.
    Alive,
    /// The request failed for the given reason.
    Failed(Failure),
    /// The connection to the server is closed. Sent by the worker that relays to it.
    Closed(Closed),
}

/// A loaded model and the engine and device that run it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadyReply {
    /// The running engine, one of several builds: the name of its script, without the extension.
    pub engine: String,
    /// The kind of device that runs the model.
    pub device: Device,
    /// The name of the adapter, on WebGPU.
    pub adapter: Option<String>,
    /// True if the adapter is a software one.
    pub fallback_adapter: bool,
    /// The number of threads that share the work on the CPU.
    pub threads: usize,
    /// The architecture and the sizes of the model.
    pub spec: ModelSpec,
    /// The number of weights.
    pub parameters: usize,
    /// The time from the request to readiness in milliseconds.
    pub load_ms: f64,
    /// The checkpoint's chat template, if it has one.
    #[serde(default)]
    pub chat: Option<ChatTemplate>,
    /// The beginnings of texts that choose a task or a language.
    #[serde(default)]
    pub openings: Openings,
    /// The tensors of the checkpoint's weights.
    #[serde(default)]
    pub card: ModelCard,
    /// The model of a server, which has that one alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served: Option<ServedModel>,
}

/// A checkpoint's chat template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChatTemplate {
    /// The template writes conversations.
    Writes,
    /// The template writes none, for the given reason.
    Fails(TemplateFault),
}

/// The reason why a request failed; the page describes it in the visitor's language.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// The text of the request is empty.
    EmptyInput,
    /// The request needs a model where there is a recorded pass alone.
    Recorded,
    /// The text has more tokens than the model accepts.
    InputTooLong {
        /// The number of tokens typed.
        tokens: usize,
        /// The largest number of tokens that the model accepts.
        limit: usize,
    },
    /// The model cannot read the picture.
    Picture {
        /// The fault, in `attn`'s words.
        reason: String,
    },
    /// The picture that an address names is not on this page.
    NoPicture {
        /// The name of the picture.
        name: String,
    },
    /// A target token to be forced is not in the model's vocabulary.
    ForcedToken {
        /// The number of the token.
        token: u32,
        /// The number of tokens in the vocabulary.
        vocabulary: usize,
    },
    /// A file could not be fetched.
    Download {
        /// The address of the file.
        url: String,
        /// The message of the browser or the server.
        reason: String,
    },
    /// The download of a file stalled.
    Stalled {
        /// The address of the file.
        url: String,
        /// The seconds without any new data.
        silent_s: u64,
    },
    /// A file of the checkpoint is damaged or does not fit the others.
    Checkpoint {
        /// A description of the fault.
        reason: String,
    },
    /// The files from the visitor's disk make no model that runs here.
    Files {
        /// The fault of the files.
        fault: FilesFault,
    },
    /// There is no WebGPU adapter, or only a software one that is not allowed.
    NoWebGpu,
    /// The device computed a known example wrongly.
    WrongNumbers {
        /// The largest difference from the right numbers; `None` if a result was NaN, which JSON cannot represent.
        difference: Option<f32>,
        /// The names of the kernels that compute wrongly; empty if none of this project's kernels does.
        #[serde(default)]
        kernels: Vec<String>,
    },
    /// The device was lost or failed while running.
    DeviceLost {
        /// The error message of the device.
        reason: String,
    },
    /// The model cannot make an edit of the request.
    Edit {
        /// The fault of the edit.
        fault: EditFault,
    },
    /// The chat template refuses a conversation, or there is none.
    Template {
        /// The fault of the template.
        fault: TemplateFault,
    },
    /// The page asked to stop, or sent a newer request.
    Cancelled,
    /// No model is loaded.
    NotReady,
    /// The server has another model than the page asked for.
    OtherModel {
        /// The name of the model that it has.
        name: String,
        /// True if the model that was asked for can run in the browser.
        runs_here: bool,
    },
    /// The worker could not read the message: page and worker are of different versions.
    Protocol {
        /// The error found when reading the message.
        reason: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_alone_is_enough_to_load_from() {
        let json = r#"{"load":{"base":"http://host/model/","allow_fallback_adapter":false}}"#;
        let request: Request = serde_json::from_str(json).unwrap();
        assert!(matches!(request, Request::Load { files, .. } if files.is_empty()));
    }

    #[test]
    fn every_failure_survives_the_way_to_the_page() {
        let reason = || "r".to_owned();
        let failures = [
            Failure::EmptyInput,
            Failure::Recorded,
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
            Failure::Template {
                fault: TemplateFault {
                    line: Some(3),
                    reason: reason(),
                },
            },
            Failure::Cancelled,
            Failure::NotReady,
            Failure::OtherModel {
                name: "n".to_owned(),
                runs_here: true,
            },
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
