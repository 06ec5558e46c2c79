//! The engine as the page sees it: a worker that loads a model and answers.
//!
//! [`Engine`] is the state and its transitions, without a browser; [`Live`] drives it with a real
//! worker, [`Second`] one beside it.

mod adapter;
mod data;
mod example;
mod live;
mod machine;
mod question;
mod replay;
mod second;
mod server;
mod worker;

pub use data::{
    Adapter, Backend, Command, Event, Job, Part, Phase, Problem, Received, Running, ServerFault,
    Shown, Source, Timing, TraceHandle,
};
pub use example::{describe, fetch_trace};
pub use live::Live;
pub use machine::{Engine, Importance, Probe, Pruning};
pub use question::{
    Answer, Forced, ForcedTarget, Known, LensRead, PatchingAsked, PatchingRead, Policy, Question,
    SeriesAsked, SeriesRead,
};
pub use second::Second;
pub use server::{connect_to, wait_before_attempt_s};
