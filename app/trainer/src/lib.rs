//! The Web Worker that trains a small model while someone watches, on burn's CPU backend with gradients.
//!
//! Like the worker of the lectures' computations it is apart from the one that owns a model: the page starts it when a
//! run is asked for, and ends it without harm to what is on screen.

mod browser;
mod run;
mod turns;

use std::cell::RefCell;
use std::rc::Rc;

use attention_protocol::training::{TrainingFailure, TrainingReply, TrainingRequest};
use attention_protocol::{Message, RequestId, receive};
use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;
use web_sys::MessageEvent;

use browser::{post, scope};
use run::Run;
use turns::Turns;

/// The run, if there is one.
type Current = Rc<RefCell<Option<Run>>>;

/// Listens to the page and says so. To be called once.
///
/// # Errors
/// If the browser has no message channels.
#[wasm_bindgen]
pub fn listen() -> Result<(), JsValue> {
    console_error_panic_hook::set_once();
    let worker = Worker::new()?;
    let listener =
        Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            match receive::<TrainingRequest>(&event) {
                Ok(message) => worker.handle(message),
                Err(error) => {
                    let reason = error.to_string();
                    fail(0, TrainingFailure::Protocol { reason });
                }
            }
        });
    scope().set_onmessage(Some(listener.as_ref().unchecked_ref()));
    // The listener lives as long as the worker.
    listener.forget();
    post(0, TrainingReply::Booted, None);
    Ok(())
}

struct Worker {
    current: Current,
    turns: Turns,
}

impl Worker {
    fn new() -> Result<Self, JsValue> {
        let current = Current::default();
        let run = current.clone();
        let turns = Turns::new(move || {
            let mut current = run.borrow_mut();
            settle(&mut current, Run::turn);
            current.as_ref().is_some_and(Run::goes_on)
        })?;
        Ok(Worker { current, turns })
    }

    fn handle(&self, message: Message<TrainingRequest>) {
        let mut current = self.current.borrow_mut();
        match message.body {
            TrainingRequest::Start {
                settings,
                from,
                snapshot_every,
                watch,
            } => {
                // The memory of the one before is there for this one.
                current.take();
                let buffer = message
                    .buffer
                    .map(|buffer| Uint8Array::new(&buffer).to_vec());
                let buffer = buffer.unwrap_or_default();
                match Run::start(message.id, settings, from, &buffer, snapshot_every) {
                    Ok(run) => *current = Some(run),
                    Err(failure) => return fail(message.id, failure),
                }
                if let Some(example) = watch {
                    watched(&mut current, |run| run.watch(&example));
                }
                settle(&mut current, |run| run.say_snapshot());
                current.iter().for_each(Run::say_end);
            }
            TrainingRequest::Stop => *current = None,
            _ if current.is_none() => fail(message.id, TrainingFailure::NotStarted),
            TrainingRequest::Pause => settle(&mut current, Run::pause),
            TrainingRequest::Resume => current.iter_mut().for_each(Run::resume),
            TrainingRequest::Watch { input } => {
                if watched(&mut current, |run| run.watch_input(&input)) {
                    settle(&mut current, |run| run.say_snapshot());
                }
            }
        }
        if current.as_ref().is_some_and(Run::goes_on) {
            self.turns.ask();
        }
    }
}

/// Has the run do something; a failure ends it.
fn settle(current: &mut Option<Run>, act: impl FnOnce(&mut Run) -> Result<(), TrainingFailure>) {
    let Some(run) = current else { return };
    if let Err(failure) = act(run) {
        fail(run.id(), failure);
        *current = None;
    }
}

/// Has the run watch something, if there is such an example; where there is none the run goes on as it was.
fn watched(
    current: &mut Option<Run>,
    watch: impl FnOnce(&mut Run) -> Result<(), TrainingFailure>,
) -> bool {
    let Some(run) = current else { return false };
    let watched = watch(run);
    let is_watched = watched.is_ok();
    if let Err(failure) = watched {
        fail(run.id(), failure);
    }
    is_watched
}

fn fail(id: RequestId, failure: TrainingFailure) {
    post(id, TrainingReply::Failed(failure), None);
}
