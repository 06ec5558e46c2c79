//! The answers about a recorded pass, which stand in for those of a worker: there is no model to ask.

use attention_protocol::{Device, Failure, Question, ReadyReply, Reply};
use attention_trace::{Openings, Search, card::ModelCard};

use super::{
    data::{Job, Received},
    question::Answer,
};
use crate::{
    mine::Recorded,
    state::{Beginning, EditList},
};

/// Returns the reply of a worker that has loaded a model.
pub fn ready(recorded: &Recorded) -> Received {
    Received::Plain(Reply::Ready(Box::new(ReadyReply {
        engine: String::new(),
        device: Device::Cpu,
        adapter: None,
        fallback_adapter: false,
        threads: 0,
        spec: recorded.trace.meta.spec.clone(),
        parameters: 0,
        load_ms: 0.0,
        chat: None,
        openings: Openings::default(),
        card: ModelCard::default(),
        served: None,
    })))
}

/// Returns the recorded pass if the job asks for it, or a failure, since another one would need the model.
pub fn replayed(job: &Job, recorded: Recorded) -> Received {
    let is_as_recorded = job.text == recorded.text
        && job.edits == EditList::default()
        && job.search == Search::Greedy
        && job.beginning == Beginning::default()
        && job.prefix.is_empty();
    match is_as_recorded {
        true => Received::Recorded(recorded.trace),
        false => Received::Plain(Reply::Failed(Failure::Recorded)),
    }
}

/// Returns the answer that was recorded, or a failure.
pub fn answered(recorded: &Recorded, question: &Question) -> Received {
    match recorded.answer(question) {
        Some(answer) => Received::Answer(Answer::Plain(answer)),
        None => Received::Plain(Reply::Failed(Failure::Recorded)),
    }
}
