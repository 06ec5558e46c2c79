//! The web worker that downloads models from a hub.

use attention_protocol::{
    Message, OrLogged, RequestId,
    hub::{HubFailure, HubReply, HubRequest},
    post_to_worker, receive, received_files,
};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{Blob, ErrorEvent, Event, MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::assets::address;

const SCRIPT: &str = "worker-hub.js";

/// A reply of the worker, the number of the request that it answers, and its files.
pub struct Heard {
    pub id: RequestId,
    pub reply: HubReply,
    pub files: Vec<Blob>,
}

/// A running worker; dropping it ends the worker.
pub struct HubWorker {
    worker: Worker,
    // The listeners live as long as the worker.
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(Event)>,
}

impl HubWorker {
    /// Starts the worker; `tell` is called with its replies, and with a failure if it crashes.
    ///
    /// # Errors
    /// If the browser refuses to start it.
    pub fn start(tell: impl Fn(Heard) + Clone + 'static) -> Result<Self, JsValue> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(&address(SCRIPT), &options)?;
        let on_message = {
            let tell = tell.clone();
            Closure::new(move |event: MessageEvent| tell(heard(&event)))
        };
        let on_error = Closure::new(move |event: Event| {
            let error = event.dyn_ref::<ErrorEvent>();
            tell(failed(error.map(ErrorEvent::message).unwrap_or_default()));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        worker.set_onmessageerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(HubWorker {
            worker,
            _on_message: on_message,
            _on_error: on_error,
        })
    }

    /// Sends a request; a failure is logged.
    pub fn post(&self, id: RequestId, body: HubRequest) {
        let message = Message {
            id,
            body,
            buffer: None,
        };
        post_to_worker(&self.worker, message).or_logged("asking the worker of models on a hub");
    }
}

impl Drop for HubWorker {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.set_onmessageerror(None);
        self.worker.terminate();
    }
}

fn heard(event: &MessageEvent) -> Heard {
    match receive::<HubReply>(event) {
        Ok(Message { id, body, .. }) => Heard {
            id,
            reply: body,
            files: received_files(event),
        },
        Err(error) => failed(error.to_string()),
    }
}

/// The failure of the worker itself, which answers no request.
fn failed(reason: String) -> Heard {
    Heard {
        id: 0,
        reply: HubReply::Failed(HubFailure::Protocol { reason }),
        files: Vec::new(),
    }
}
