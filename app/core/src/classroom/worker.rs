//! The worker that relays to the class of a server.

use attention_protocol::{
    Closed, Connect, Message, OrLogged,
    class::{ClassReply, ClassRequest},
    post_to_worker, receive,
};
use serde::Serialize;
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::assets::address;

const SCRIPT: &str = "worker-server.js";

/// A running worker; dropping it leaves the class.
pub struct ClassWorker {
    worker: Worker,
    // The listener lives as long as the worker.
    _on_message: Closure<dyn FnMut(MessageEvent)>,
}

impl ClassWorker {
    /// Starts the worker and connects it; `tell` is called with the replies of the class.
    ///
    /// # Errors
    /// If the browser refuses to start it.
    pub fn start(to: Connect, tell: impl Fn(ClassReply) + 'static) -> Result<Self, JsValue> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(&address(SCRIPT), &options)?;
        let on_message = Closure::new(move |event: MessageEvent| tell(heard(&event)));
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        let started = ClassWorker {
            worker,
            _on_message: on_message,
        };
        started.send(to);
        Ok(started)
    }

    /// Sends a request to the class.
    pub fn post(&self, body: ClassRequest) {
        self.send(body);
    }

    fn send(&self, body: impl Serialize) {
        let message = Message {
            id: 0,
            body,
            buffer: None,
        };
        post_to_worker(&self.worker, message).or_logged("telling the class");
    }
}

impl Drop for ClassWorker {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.terminate();
    }
}

/// Returns the reply of a message; one that cannot be read is the end of the connection.
fn heard(event: &MessageEvent) -> ClassReply {
    match receive::<ClassReply>(event) {
        Ok(Message { body, .. }) => body,
        Err(error) => ClassReply::Closed(Closed {
            code: 1002,
            reason: error.to_string(),
        }),
    }
}
