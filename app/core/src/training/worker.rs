//! The web worker that trains a model.

use attention_protocol::{
    Message, post_to_worker, receive,
    training::{Snapshot, TrainingDevice, TrainingFailure, TrainingReply, TrainingRequest},
};
use js_sys::Uint8Array;
use leptos::task::spawn_local;
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{ErrorEvent, Event as DomEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::{run::RunNumber, runs::Event};
use crate::{
    assets::{address, mend},
    engine::describe,
};

/// Returns the script of a worker that trains on a device. The CPU's is much smaller.
fn script(device: TrainingDevice) -> &'static str {
    match device {
        TrainingDevice::Cpu => "worker-trainer.js",
        TrainingDevice::WebGpu { .. } => "worker-trainer-webgpu.js",
    }
}

/// A running worker; dropping it ends the worker.
pub struct TrainerWorker {
    run: RunNumber,
    worker: Worker,
    // The listeners live as long as the worker.
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(DomEvent)>,
}

impl TrainerWorker {
    /// Starts a run's worker for `device`; `tell` is called with its replies, and if it crashes.
    ///
    /// # Errors
    /// If the browser refuses to start it.
    pub fn start(
        run: RunNumber,
        device: TrainingDevice,
        tell: impl Fn(Event) + Clone + 'static,
    ) -> Result<Self, String> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(&address(script(device)), &options)
            .map_err(|error| describe(&error))?;
        let on_message = {
            let tell = tell.clone();
            Closure::new(move |event: MessageEvent| tell(heard(run, &event)))
        };
        let on_error = Closure::new(move |event: DomEvent| {
            let error = event.dyn_ref::<ErrorEvent>();
            let reason = error.map(ErrorEvent::message).unwrap_or_default();
            let tell = tell.clone();
            spawn_local(async move {
                mend(script(device)).await;
                tell(Event::Died(run, reason));
            });
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        worker.set_onmessageerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(TrainerWorker {
            run,
            worker,
            _on_message: on_message,
            _on_error: on_error,
        })
    }

    /// Sends a request with an optional buffer.
    ///
    /// # Errors
    /// If the browser refuses to send it.
    pub fn post(&self, body: TrainingRequest, buffer: Option<&[u8]>) -> Result<(), String> {
        let message = Message {
            // A worker trains one run alone.
            id: self.run as u32,
            body,
            buffer: buffer.map(|bytes| Uint8Array::from(bytes).buffer()),
        };
        post_to_worker(&self.worker, message).map_err(|error| error.to_string())
    }
}

impl Drop for TrainerWorker {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.set_onmessageerror(None);
        self.worker.terminate();
    }
}

fn heard(run: RunNumber, event: &MessageEvent) -> Event {
    match receive::<TrainingReply>(event) {
        Ok(Message {
            id: 0,
            body: TrainingReply::Failed(TrainingFailure::Protocol { reason }),
            ..
        }) => Event::Died(run, reason),
        Ok(Message { body, buffer, .. }) => {
            let snapshot = match (&body, buffer) {
                (TrainingReply::Snapshot(header), Some(buffer)) => header
                    .as_ref()
                    .clone()
                    .read(&Uint8Array::new(&buffer).to_vec()),
                _ => None::<Snapshot>,
            };
            Event::Reply(run, body, snapshot)
        }
        Err(error) => Event::Died(run, error.to_string()),
    }
}
