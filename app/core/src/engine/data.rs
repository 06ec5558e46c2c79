//! The engine's events, its commands to the browser, and the result on screen, as plain data.

use std::sync::Arc;

use attention_protocol::{Device, Failure, ReadyReply, Reply, RequestId};
use attention_trace::{Array, Considered, ModelSpec, Search, Trace};

use super::{
    machine::Probe,
    question::{Answer, Question},
};
use crate::state::{Ablation, Changes, DeviceChoice, Model, View};

/// What is asked of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// The model.
    pub model: Model,
    /// What the visitor typed.
    pub text: String,
    /// Which of its sentences is run, from 0.
    pub sentence: usize,
    /// That sentence: what the model reads.
    pub reads: String,
    /// How target tokens are searched for.
    pub search: Search,
    /// Target tokens that are forced first.
    pub prefix: Vec<u32>,
    /// What is changed in it.
    pub changes: Changes,
}

impl From<&View> for Job {
    fn from(view: &View) -> Self {
        let mut sentences = view.model.sentences(&view.text);
        let sentence = view.sentence.min(sentences.len().saturating_sub(1));
        Job {
            model: view.model,
            text: view.text.clone(),
            sentence,
            reads: sentences.swap_remove(sentence),
            search: view.search,
            prefix: view.prefix.clone(),
            changes: view.changes(),
        }
    }
}

impl Job {
    /// The text's sentences, as the model reads them.
    pub fn sentences(&self) -> Vec<String> {
        self.model.sentences(&self.text)
    }

    /// Whether it is the same text for the same model, search and edits, whichever of its sentences.
    pub fn is_same_text(&self, other: &Job) -> bool {
        let how = |job: &Job| (job.model, job.search);
        how(self) == how(other) && self.text == other.text && self.changes == other.changes
    }

    /// Whether it is the same text for the same model and search, whatever is changed in the passes.
    pub fn is_same_text_changed(&self, other: &Job) -> bool {
        self.unedited().is_same_text(&other.unedited())
    }

    /// What the model reads, the token that tells it what is wanted included.
    pub fn input(&self) -> String {
        match self.model.prefix() {
            Some(prefix) if !self.reads.is_empty() => format!("{prefix} {}", self.reads),
            _ => self.reads.clone(),
        }
    }

    /// The same with nothing changed.
    pub fn unedited(&self) -> Job {
        self.with_changes(Changes::default())
    }

    /// The same with these changes.
    pub fn with_changes(&self, changes: Changes) -> Job {
        Job {
            changes,
            ..self.clone()
        }
    }

    /// What such a model can be asked for: of the changes those that it can make.
    pub fn fitting(&self, spec: &ModelSpec) -> Job {
        self.with_changes(self.changes.fitting(spec))
    }

    /// The same view with this job asked for.
    pub fn put_into(self, view: View) -> View {
        let is_empty = self.changes.off.is_empty();
        View {
            model: self.model,
            text: self.text,
            sentence: self.sentence,
            search: self.search,
            prefix: self.prefix,
            off: self.changes.off,
            off_by: match self.changes.by {
                // Where nothing is off, what the visitor chose stays.
                Ablation::Zero if is_empty => view.off_by,
                by => by,
            },
            reweighed: self.changes.reweighed,
            weights: view.weights.clone().with_on(&self.changes.weights),
            ..view
        }
    }
}

/// A build of the worker and the adapter it may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The CPU build.
    Cpu,
    /// The WebGPU build.
    WebGpu {
        /// Whether a software adapter will do.
        software: bool,
    },
}

impl Backend {
    /// Whether it may use a software adapter.
    pub fn takes_software(self) -> bool {
        self == Backend::WebGpu { software: true }
    }

    /// The script that starts it.
    pub fn script(self) -> &'static str {
        match self {
            Backend::Cpu => "worker-cpu.js",
            Backend::WebGpu { .. } => "worker-webgpu.js",
        }
    }
}

/// What the browser has to offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adapter {
    /// No WebGPU, or no adapter.
    Missing,
    /// An adapter that computes on the CPU.
    Software,
    /// A real one.
    Hardware,
}

/// How far the engine is.
#[derive(Clone, Debug, PartialEq)]
pub enum Phase {
    /// The worker starts.
    Booting,
    /// The checkpoint is on its way.
    Loading {
        /// Of which model.
        model: Model,
        /// The request.
        id: RequestId,
        /// Bytes so far.
        received_bytes: u64,
        /// Bytes in all, where known.
        total_bytes: Option<u64>,
    },
    /// The model answers.
    Ready {
        /// Which model.
        model: Model,
        /// What it runs on.
        reply: Box<ReadyReply>,
    },
    /// Nothing runs, because loading failed or was cancelled.
    Stopped,
}

/// A job that the worker is busy with.
#[derive(Clone, Debug, PartialEq)]
pub struct Running {
    /// The request.
    pub id: RequestId,
    /// What was asked.
    pub job: Job,
    /// Whether the same is run first with nothing changed, to compare with.
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

/// What went wrong.
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
}

impl Problem {
    /// Whether the model's files are what is wrong, so that another device would fail in the same way.
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

/// Where the trace on screen comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A file that is served with the page.
    Example,
    /// The model in the visitor's browser.
    Live(Timing),
}

/// What a live result took, and on what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// The device.
    pub device: Device,
    /// Milliseconds of decoding.
    pub decode_ms: f64,
    /// Milliseconds of the traced forward pass.
    pub forward_ms: f64,
}

/// The trace on screen.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The trace.
    pub trace: Arc<Trace>,
    /// Where it comes from.
    pub source: Source,
    /// What was asked, if it is live.
    pub job: Option<Job>,
}

impl Shown {
    /// What was changed in it.
    pub fn changes(&self) -> Changes {
        let job = self.job.as_ref();
        job.map_or_else(Changes::default, |job| {
            job.changes.fitting(&self.trace.meta.spec)
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
    /// The answer to a question.
    Answer(Answer),
    /// A traced result.
    Traced {
        /// The trace, or why it cannot be read.
        trace: Result<Arc<Trace>, Problem>,
        /// Milliseconds of decoding.
        decode_ms: f64,
        /// Milliseconds of the traced forward pass.
        forward_ms: f64,
    },
}

/// What happened.
#[derive(Debug)]
pub enum Event {
    /// The stored example is here, or is not.
    Example(Result<Arc<Trace>, Problem>),
    /// The search for an adapter ended.
    Adapter(Adapter),
    /// A worker replied.
    Reply {
        /// Which worker; messages of one that was replaced are ignored.
        worker: u32,
        /// The request it answers; 0 for none.
        id: RequestId,
        /// What it says.
        reply: Received,
    },
    /// A worker failed, or never started.
    Died {
        /// Which worker.
        worker: u32,
        /// The browser's message.
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
        /// What is tried on each head.
        probe: Probe,
        /// Whether it is on.
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

/// What is to be done in the browser.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Look for a WebGPU adapter.
    Probe,
    /// End a worker, if it is there.
    Kill {
        /// Which.
        worker: u32,
    },
    /// Start a worker.
    Spawn {
        /// Its number.
        worker: u32,
        /// Which build.
        backend: Backend,
        /// Whether it may have threads.
        threads: bool,
    },
    /// Have a worker load a model.
    Load {
        /// Which worker.
        worker: u32,
        /// The request.
        id: RequestId,
        /// Which model.
        model: Model,
        /// Whether a software adapter will do.
        software: bool,
    },
    /// Have a worker run.
    Run {
        /// Which worker.
        worker: u32,
        /// The request.
        id: RequestId,
        /// What is asked.
        job: Job,
    },
    /// Have a worker answer a question.
    Ask {
        /// Which worker.
        worker: u32,
        /// The request.
        id: RequestId,
        /// What is asked.
        question: attention_protocol::Question,
    },
    /// Send [`Event::Gather`] when all figures on screen have asked for what they need.
    Gather,
    /// Ask a worker to confirm that it handles messages.
    Ping {
        /// Which worker.
        worker: u32,
    },
    /// Send [`Event::Tick`] in a second.
    Tick,
    /// Have a worker stop what it runs.
    Cancel {
        /// Which worker.
        worker: u32,
        /// The request.
        id: RequestId,
    },
}
