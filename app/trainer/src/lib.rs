//! The Web Worker that trains a small model while a visitor watches, on burn's CPU backend with gradients, or on
//! WebGPU's. For the CPU it is a module of its own; for WebGPU it is a part of the engine's module, to avoid a second
//! copy of the engine.
//!
//! Like the worker of the lectures' computations it is separate from the one that owns a model: the page starts it when
//! a run is requested, and can end it without affecting the figures on screen.

mod browser;
mod device;
mod inbox;
mod run;

use std::rc::Rc;

use attention_protocol::training::{TrainingFailure, TrainingReply, TrainingRequest};
use attention_protocol::{Message, RequestId, give_way, receive};
use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::MessageEvent;

use browser::{post, scope};
use device::Devices;
use inbox::Inbox;
use run::Run;

/// Listens to the page and announces it. Must be called once, in a worker that does nothing else.
#[wasm_bindgen]
pub fn train() {
    #[cfg(feature = "webgpu")]
    attention_gpu::run_constructors();
    console_error_panic_hook::set_once();
    let inbox = Rc::new(Inbox::default());
    spawn_local(work(inbox.clone()));
    let listener =
        Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            match receive::<TrainingRequest>(&event) {
                Ok(message) => inbox.put(message),
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
}

/// Handles the page's requests in their order, and trains in between. The worker waits for a GPU, so a request can
/// arrive in the middle of a turn; it is read after that turn.
async fn work(inbox: Rc<Inbox<Message<TrainingRequest>>>) {
    let mut worker = Worker::default();
    loop {
        let message = match worker.goes_on() {
            true => inbox.take(),
            false => Some(inbox.next().await),
        };
        if let Some(message) = message {
            worker.handle(message).await;
            continue;
        }
        worker.turn().await;
        if let Err(error) = give_way().await {
            wasm_bindgen::throw_val(error);
        }
    }
}

/// The state of the worker between messages.
#[derive(Default)]
struct Worker {
    /// The current run, if there is one.
    run: Option<Run>,
    devices: Devices,
}

impl Worker {
    /// Returns true if a turn would make a step.
    fn goes_on(&self) -> bool {
        self.run.as_ref().is_some_and(Run::goes_on)
    }

    async fn turn(&mut self) {
        if let Some(run) = &mut self.run {
            let turned = run.turn().await;
            self.settle(turned);
        }
    }

    async fn handle(&mut self, message: Message<TrainingRequest>) {
        if let TrainingRequest::Start { .. } = message.body {
            // The memory of the one before is there for this one.
            self.run = None;
            let id = message.id;
            if let Err(failure) = self.start(message).await {
                fail(id, failure);
                self.run = None;
            }
            return;
        }
        let Some(run) = &mut self.run else {
            if message.body != TrainingRequest::Stop {
                fail(message.id, TrainingFailure::NotStarted);
            }
            return;
        };
        match message.body {
            TrainingRequest::Start { .. } => {}
            TrainingRequest::Stop => self.run = None,
            TrainingRequest::Pause => {
                let paused = run.pause().await;
                self.settle(paused);
            }
            TrainingRequest::Resume => run.resume(),
            // Where there is no such example the run goes on as it was.
            TrainingRequest::Watch { input } => match run.watch_input(&input) {
                Ok(()) => {
                    let said = run.say_snapshot().await;
                    self.settle(said);
                }
                Err(failure) => fail(run.id(), failure),
            },
        }
    }

    /// Begins a run and sends its first replies.
    async fn start(&mut self, message: Message<TrainingRequest>) -> Result<(), TrainingFailure> {
        let buffer = message
            .buffer
            .map(|buffer| Uint8Array::new(&buffer).to_vec());
        let TrainingRequest::Start {
            settings,
            device,
            from,
            snapshot_every,
            watch,
        } = message.body
        else {
            return Ok(());
        };
        let placed = self.devices.open(device).await?;
        let state = from.map(|from| (from, buffer.unwrap_or_default()));
        let run = Run::start(message.id, *settings, placed, state, snapshot_every).await?;
        let run = self.run.insert(run);
        if let Some(Err(failure)) = watch.map(|example| run.watch(&example)) {
            fail(run.id(), failure);
        }
        run.say_snapshot().await?;
        run.say_end();
        Ok(())
    }

    /// Reports a failure, which ends the run.
    fn settle(&mut self, done: Result<(), TrainingFailure>) {
        let Err(failure) = done else { return };
        if let Some(run) = self.run.take() {
            fail(run.id(), failure);
        }
    }
}

fn fail(id: RequestId, failure: TrainingFailure) {
    post(id, TrainingReply::Failed(failure), None);
}
