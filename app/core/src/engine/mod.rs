//! The engine as the page sees it: a worker that loads a model and answers.
//!
//! [`Engine`] is the state and its transitions, without a browser; [`Live`] drives it with a real
//! worker, [`Second`] one beside it.

mod adapter;
mod data;
mod example;
mod live;
mod machine;
mod second;
mod worker;

pub use data::{
    Adapter, Answer, Backend, Command, Event, Forced, ForcedTarget, Job, LensRead, Part,
    PatchingAsked, Phase, Problem, Running, Shown, Source, Timing, TraceHandle,
};
pub use example::{describe, fetch_trace};
pub use live::Live;
pub use machine::{Engine, Importance, PatchingRead, Probe, Pruning};
pub use second::Second;
