//! The engine's events, its commands to the browser, and the result on screen, as plain data.

use std::sync::Arc;

use attention_protocol::{
    Closed, Device, Failure, NO_PLACE, ReadyReply, Reply, RequestId, WRONG_TOKEN,
};
use attention_trace::{Array, Considered, ModelSpec, Search, Trace};

use super::{
    machine::Probe,
    question::{Answer, Question},
};
use crate::state::{Ablation, Beginning, Conversation, DeviceChoice, EditList, Model, View};

/// A run that a model is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// The model that runs.
    pub model: Model,
    /// The text that the visitor typed.
    pub text: String,
    /// The conversation that the text was written from, if there is one.
    pub conversation: Option<Conversation>,
    /// The beginnings that choose the task or the languages.
    pub beginning: Beginning,
    /// The index of the sentence that is run, from 0.
    pub sentence: usize,
    /// That sentence: what the model reads.
    pub reads: String,
    /// The search for target tokens.
    pub search: Search,
    /// The largest number of tokens that the model writes.
    pub most_new: usize,
    /// Target tokens that are forced first.
    pub prefix: Vec<u32>,
    /// The edits of the model's passes, all of them on.
    pub edits: EditList,
}

impl From<&View> for Job {
    fn from(view: &View) -> Self {
        let mut sentences = match view.conversation {
            // Its white space is the template's.
            Some(_) => vec![view.text.clone()],
            None => view.model.sentences(&view.text),
        };
        let sentence = view.sentence.min(sentences.len().saturating_sub(1));
        Job {
            model: view.model,
            text: view.text.clone(),
            conversation: view.conversation.clone(),
            beginning: view.beginning.clone(),
            sentence,
            reads: sentences.swap_remove(sentence),
            search: view.search,
            most_new: view.most_new(),
            prefix: view.prefix.clone(),
            edits: view.edits.on(),
        }
    }
}

impl Job {
    /// The text's sentences, as the model reads them.
    pub fn sentences(&self) -> Vec<String> {
        self.model.sentences(&self.text)
    }

    /// Returns true if both jobs have the same text, model, search and edits, whichever sentence they run.
    pub fn is_same_text(&self, other: &Job) -> bool {
        let how = |job: &Job| (job.model, job.search);
        let what = |job: &Job| (job.text.clone(), job.beginning.clone());
        how(self) == how(other) && what(self) == what(other) && self.edits == other.edits
    }

    /// Returns true if both jobs have the same text, model and search, whatever is changed in the passes.
    pub fn is_same_text_changed(&self, other: &Job) -> bool {
        self.unedited().is_same_text(&other.unedited())
    }

    /// Returns the model's input, including the beginning that selects its task or language.
    pub fn input(&self) -> String {
        match self.model.card().prefix {
            Some(prefix) if !self.reads.is_empty() => format!("{prefix} {}", self.reads),
            _ if !self.reads.is_empty() => format!("{}{}", self.beginning.source, self.reads),
            _ => String::new(),
        }
    }

    /// The same with nothing changed.
    pub fn unedited(&self) -> Job {
        self.with_edits(EditList::default())
    }

    /// The same with these edits.
    pub fn with_edits(&self, edits: EditList) -> Job {
        Job {
            edits,
            ..self.clone()
        }
    }

    /// Returns the job with only those edits that such a model can make.
    pub fn fitting(&self, spec: &ModelSpec) -> Job {
        self.with_edits(self.edits.fitting(spec))
    }

    /// The same view with this job asked for.
    pub fn put_into(self, view: View) -> View {
        View {
            model: self.model,
            text: self.text,
            conversation: self.conversation,
            beginning: self.beginning,
            sentence: self.sentence,
            search: self.search,
            most_new: Some(self.most_new)
                .filter(|&tokens| tokens != self.model.card().most_new_tokens),
            prefix: self.prefix,
            edits: view.edits.with_on(&self.edits),
            ..view
        }
    }
}

/// A build of the worker and the adapter it may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The CPU build of the worker.
    Cpu,
    /// The WebGPU build of the worker.
    WebGpu {
        /// True if a software adapter is accepted.
        software: bool,
    },
    /// A server, to which a worker relays.
    Server,
}

impl Backend {
    /// Returns true if the build may use a software adapter.
    pub fn takes_software(self) -> bool {
        self == Backend::WebGpu { software: true }
    }

    pub fn script(self) -> &'static str {
        match self {
            Backend::Cpu => "worker-cpu.js",
            Backend::WebGpu { .. } => "worker-webgpu.js",
            Backend::Server => "worker-server.js",
        }
    }
}

/// The WebGPU adapter that the browser offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adapter {
    /// No WebGPU, or no adapter.
    Missing,
    /// An adapter that computes on the CPU.
    Software,
    /// An adapter that computes on a GPU.
    Hardware,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Phase {
    /// The worker is starting.
    Booting,
    /// The checkpoint is on its way.
    Loading {
        /// The model that is being loaded.
        model: Model,
        id: RequestId,
        /// The bytes received so far.
        received_bytes: u64,
        /// Bytes in all, where known.
        total_bytes: Option<u64>,
    },
    /// The model is ready to answer.
    Ready {
        /// The model that is loaded.
        model: Model,
        /// The worker's reply, with the device that it uses.
        reply: Box<ReadyReply>,
    },
    /// Nothing runs, because loading failed or was cancelled.
    Stopped,
}

/// A job that the worker is busy with.
#[derive(Clone, Debug, PartialEq)]
pub struct Running {
    pub id: RequestId,
    /// The job that was asked for.
    pub job: Job,
    /// True if the job first runs with nothing changed, for comparison.
    pub is_unedited: bool,
    /// The best text so far.
    pub text: String,
    /// Tokens appended so far.
    pub tokens: usize,
    /// The beginnings that its search has looked at so far, parents first.
    pub considered: Vec<Considered>,
    /// Seconds since the visitor cancelled it.
    pub cancelled_s: Option<u32>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Problem {
    /// The worker said so.
    Failure(Failure),
    /// The worker does not start, or died.
    Died(String),
    /// The worker does not answer any more.
    Silent,
    /// A part of the result on screen cannot be had.
    Part(Failure),
    /// The result cannot be read.
    Unreadable(String),
    /// The stored example cannot be had.
    Example(String),
    /// The server cannot be reached, or refuses.
    Server(ServerFault),
}

/// The reason why a server does not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerFault {
    /// The address names no server.
    Unnamed,
    /// The address names a server on another host than the page's, and the visitor has not agreed.
    Unconfirmed,
    /// There is no connection.
    Gone,
    /// The token is not that of the server.
    Token,
    /// All places are taken.
    Full,
    /// The server ended the connection, for the reason that it gave.
    Ended(String),
}

impl ServerFault {
    /// Returns true if another attempt may succeed.
    pub fn may_pass(&self) -> bool {
        !matches!(
            self,
            ServerFault::Unnamed | ServerFault::Unconfirmed | ServerFault::Token
        )
    }
}

impl From<Closed> for ServerFault {
    fn from(Closed { code, reason }: Closed) -> Self {
        match code {
            WRONG_TOKEN => ServerFault::Token,
            NO_PLACE => ServerFault::Full,
            _ if reason.is_empty() => ServerFault::Gone,
            _ => ServerFault::Ended(reason),
        }
    }
}

impl Problem {
    /// Returns true if the model's files are at fault, so that another device would fail in the same way.
    pub fn is_about_files(&self) -> bool {
        matches!(
            self,
            Problem::Failure(
                Failure::Download { .. }
                    | Failure::Stalled { .. }
                    | Failure::Checkpoint { .. }
                    | Failure::Files { .. }
            )
        )
    }
}

/// The source of the trace on screen.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A file that is served with the page.
    Example,
    /// The model in the visitor's browser.
    Live(Timing),
    /// A file from the visitor's disk, without the model that made it.
    Recorded,
}

/// The times and the device of a live result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// The device that computed the result.
    pub device: Device,
    /// The duration of decoding in milliseconds.
    pub decode_ms: f64,
    /// Milliseconds of the traced forward pass.
    pub forward_ms: f64,
}

/// The trace on screen.
#[derive(Clone, Debug)]
pub struct Shown {
    pub trace: Arc<Trace>,
    /// The source of the trace.
    pub source: Source,
    /// The job that made the trace, if it is live.
    pub job: Option<Job>,
}

impl Shown {
    /// Returns the edits of the passes that made the trace.
    pub fn edits(&self) -> EditList {
        let job = self.job.as_ref();
        job.map_or_else(EditList::default, |job| {
            job.edits.fitting(&self.trace.meta.spec)
        })
    }
}

impl PartialEq for Shown {
    // A trace is megabytes: the same one is the same allocation.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.trace, &other.trace) && self.source == other.source
    }
}

/// A trace that equals only itself, so that a signal of it never compares megabytes.
#[derive(Clone, Debug)]
pub struct TraceHandle(pub Arc<Trace>);

impl PartialEq for TraceHandle {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A part of a trace that equals only itself, so that a signal of it never compares megabytes.
#[derive(Clone, Debug)]
pub struct Part(pub Arc<Array>);

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A reply, its buffer already read.
#[derive(Debug)]
pub enum Received {
    /// One without a buffer.
    Plain(Reply),
    Answer(Answer),
    /// The server is not asked.
    Unasked(ServerFault),
    /// The recorded pass that stands in for a run.
    Recorded(Arc<Trace>),
    /// A traced result of a run.
    Traced {
        /// The trace, or why it cannot be read.
        trace: Result<Arc<Trace>, Problem>,
        /// The duration of decoding in milliseconds.
        decode_ms: f64,
        /// Milliseconds of the traced forward pass.
        forward_ms: f64,
    },
}

/// An event that the engine handles.
#[derive(Debug)]
pub enum Event {
    /// The stored example is here, or is not.
    Example(Result<Arc<Trace>, Problem>),
    /// The search for an adapter ended.
    Adapter(Adapter),
    Reply {
        /// The number of the worker; messages of one that was replaced are ignored.
        worker: u32,
        /// The request it answers; 0 for none.
        id: RequestId,
        reply: Received,
    },
    /// A worker failed, or never started.
    Died {
        worker: u32,
        /// The error message of the browser.
        reason: String,
    },
    /// The visitor wants a result.
    Run(Job),
    /// A figure has a question. What failed or was stopped is asked again.
    Ask(Question),
    /// A figure does not have that question any more.
    Leave(Question),
    /// All figures on screen have asked for what they need.
    Gather,
    /// The visitor stops what is computed for a question that can be stopped; what is known of it is kept.
    Stop,
    /// The visitor turned the measurement of each head's importance to the text on or off.
    Measure {
        /// The change that is tried on each head.
        probe: Probe,
        /// True if the measurement is on.
        is_wanted: bool,
    },
    /// Heads are to be taken out one after the other until the text changes, or no more.
    Prune(Option<Ablation>),
    /// The visitor stopped that measurement; the results so far are kept.
    StopMeasuring,
    /// A second has passed since [`Command::Tick`].
    Tick,
    /// The visitor wants what runs, or loads, to stop.
    Cancel,
    /// The visitor wants the last job tried again, the engine started anew if it stopped.
    Retry,
    /// The visitor wants another device.
    Device(DeviceChoice),
}

/// A command to the browser.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Look for a WebGPU adapter.
    Probe,
    /// End a worker, if it is there.
    Kill { worker: u32 },
    /// Start a new worker.
    Spawn {
        worker: u32,
        /// The build of the worker.
        backend: Backend,
        /// True if the worker may have threads.
        threads: bool,
    },
    /// Have a worker load a model.
    Load {
        worker: u32,
        id: RequestId,
        /// The model to load.
        model: Model,
        /// True if a software adapter is accepted.
        software: bool,
    },
    /// Have a worker run.
    Run {
        worker: u32,
        id: RequestId,
        job: Job,
    },
    /// Have a worker answer a question.
    Ask {
        worker: u32,
        id: RequestId,
        question: attention_protocol::Question,
    },
    /// Send [`Event::Gather`] when all figures on screen have asked for what they need.
    Gather,
    /// Ask a worker to confirm that it handles messages.
    Ping { worker: u32 },
    /// Send [`Event::Tick`] in a second.
    Tick,
    /// Have a worker stop what it runs.
    Cancel { worker: u32, id: RequestId },
}
