//! The worker of the lectures' small computations.

use attention_protocol::{
    Message, RequestId,
    lessons::{LessonFailure, LessonReply, Question},
    post_to_worker, receive,
};
use leptos::task::spawn_local;
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{ErrorEvent, Event as DomEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::queue::Event;
use crate::{
    assets::{address, mend},
    engine::describe,
};

/// The address of the script that starts the worker.
const SCRIPT: &str = "worker-lessons.js";

/// A running worker; dropping it ends the worker.
pub struct LessonsWorker {
    worker: Worker,
    // The listeners live as long as the worker.
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(DomEvent)>,
}

impl LessonsWorker {
    /// Starts the worker; `tell` is called with its replies, and if it crashes.
    ///
    /// # Errors
    /// If the browser refuses to start it.
    pub fn start(tell: impl Fn(Event) + Clone + 'static) -> Result<Self, String> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(&address(SCRIPT), &options)
            .map_err(|error| describe(&error))?;
        let on_message = {
            let tell = tell.clone();
            Closure::new(move |event: MessageEvent| tell(heard(&event)))
        };
        let on_error = Closure::new(move |event: DomEvent| {
            let error = event.dyn_ref::<ErrorEvent>();
            let reason = error.map(ErrorEvent::message).unwrap_or_default();
            let tell = tell.clone();
            spawn_local(async move {
                mend(SCRIPT).await;
                tell(Event::Died(reason));
            });
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        worker.set_onmessageerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(LessonsWorker {
            worker,
            _on_message: on_message,
            _on_error: on_error,
        })
    }

    /// Sends a question.
    ///
    /// # Errors
    /// If the browser refuses to send it.
    pub fn post(&self, id: RequestId, body: Question) -> Result<(), String> {
        let message = Message {
            id,
            body,
            buffer: None,
        };
        post_to_worker(&self.worker, message).map_err(|error| error.to_string())
    }
}

impl Drop for LessonsWorker {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.set_onmessageerror(None);
        self.worker.terminate();
    }
}

fn heard(event: &MessageEvent) -> Event {
    match receive::<LessonReply>(event) {
        Ok(Message {
            id: 0,
            body: LessonReply::Failed(LessonFailure::Protocol(reason)),
            ..
        }) => Event::Died(reason),
        Ok(Message { id, body, .. }) => Event::Reply(id, body),
        Err(error) => Event::Died(error.to_string()),
    }
}
