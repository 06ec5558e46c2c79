//! A worker and the listeners on it.

use std::sync::Arc;

use attention_protocol::{
    Answer as WorkerAnswer, Connect, Message, OrLogged, Reply, Request, post_files_to_worker,
    post_to_worker, receive,
};
use attention_trace::Array;
use js_sys::{Array as JsArray, ArrayBuffer, Float32Array, Reflect, global};
use leptos::task::spawn_local;
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{
    Blob, ErrorEvent, Event as DomEvent, MessageEvent, Worker, WorkerOptions, WorkerType,
};

use super::{
    data::{Backend, Event, Problem, Received},
    example::{describe, read_trace},
    question::Answer,
};
use crate::assets::{address, mend};

/// A running worker; it ends when this is dropped.
pub struct WorkerHandle {
    worker: Worker,
    // The listeners live as long as the worker.
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(DomEvent)>,
}

impl WorkerHandle {
    /// Starts worker number `number`, with threads if it may have them and the browser allows it; `tell` is called with
    /// its messages and with the error that ends it.
    ///
    /// # Errors
    /// If the browser refuses to start it.
    pub fn start(
        number: u32,
        backend: Backend,
        threads: bool,
        tell: impl Fn(Event) + Clone + 'static,
    ) -> Result<Self, String> {
        let Started { worker, said } = match early(backend).filter(|_| threads) {
            Some(early) => early,
            None => start(backend, threads).map_err(|error| describe(&error))?,
        };
        let on_message = {
            let tell = tell.clone();
            Closure::new(move |event: MessageEvent| tell(heard(number, &event)))
        };
        let on_error = {
            let tell = tell.clone();
            Closure::new(move |event: DomEvent| {
                let reason = event
                    .dyn_ref::<ErrorEvent>()
                    .map(ErrorEvent::message)
                    .unwrap_or_default();
                let tell = tell.clone();
                spawn_local(async move {
                    mend(backend.script()).await;
                    tell(Event::Died {
                        worker: number,
                        reason,
                    });
                });
            })
        };
        spawn_local(async move {
            for event in said {
                tell(heard(number, &event));
            }
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        worker.set_onmessageerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(WorkerHandle {
            worker,
            _on_message: on_message,
            _on_error: on_error,
        })
    }

    /// Tells a worker that relays to a server which one it is, before anything else.
    ///
    /// # Errors
    /// If the browser refuses to send it.
    pub fn connect(&self, to: Connect) -> Result<(), String> {
        let message = Message {
            id: 0,
            body: to,
            buffer: None,
        };
        post_to_worker(&self.worker, message).map_err(|error| error.to_string())
    }

    /// Sends a request.
    ///
    /// # Errors
    /// If the browser refuses to send it.
    pub fn post(&self, id: u32, body: Request) -> Result<(), String> {
        self.post_with(id, body, None)
    }

    /// Sends a request with the large array that it needs.
    ///
    /// # Errors
    /// If the browser refuses to send it.
    pub fn post_with(
        &self,
        id: u32,
        body: Request,
        buffer: Option<ArrayBuffer>,
    ) -> Result<(), String> {
        let message = Message { id, body, buffer };
        post_to_worker(&self.worker, message).map_err(|error| error.to_string())
    }

    /// Has the worker load a model out of files from the visitor's disk, each with what it is.
    ///
    /// # Errors
    /// If the browser refuses to send it.
    pub fn open(
        &self,
        id: u32,
        files: Vec<(&'static str, Blob)>,
        allow_fallback_adapter: bool,
    ) -> Result<(), String> {
        let (names, files): (Vec<_>, Vec<_>) = files.into_iter().unzip();
        let message = Message {
            id,
            body: Request::Open {
                names: names.into_iter().map(str::to_owned).collect(),
                allow_fallback_adapter,
            },
            buffer: None,
        };
        post_files_to_worker(&self.worker, message, &files).map_err(|error| error.to_string())
    }
}

impl Drop for WorkerHandle {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.set_onmessageerror(None);
        self.worker.terminate();
    }
}

/// A worker, and the messages that it sent before a listener was attached.
struct Started {
    worker: Worker,
    said: Vec<MessageEvent>,
}

fn start(backend: Backend, threads: bool) -> Result<Started, JsValue> {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    if !threads {
        // Its script reads the name. A query in the address would make it another file than the one that is kept offline.
        options.set_name("without-threads");
    }
    let worker = Worker::new_with_options(&address(backend.script()), &options)?;
    Ok(Started {
        worker,
        said: Vec::new(),
    })
}

/// The worker that `boot.js` started while the page was being compiled; `None` from the second call on.
fn early(backend: Backend) -> Option<Started> {
    let name = JsValue::from_str("earlyEngine");
    let early = Reflect::get(&global(), &name).or_logged("taking over the early engine")?;
    if early.is_undefined() || backend != Backend::Cpu {
        return None;
    }
    Reflect::delete_property(global().unchecked_ref::<js_sys::Object>(), &name)
        .or_logged("taking over the early engine")?;
    let field = |name: &str| {
        Reflect::get(&early, &JsValue::from_str(name)).or_logged("taking over the early engine")
    };
    if field("failed")?.is_truthy() {
        return None;
    }
    let said: JsArray = field("heard")?.dyn_into().ok()?;
    Some(Started {
        worker: field("worker")?.dyn_into().ok()?,
        said: said.iter().map(JsCast::unchecked_into).collect(),
    })
}

fn heard(worker: u32, event: &MessageEvent) -> Event {
    match receive::<Reply>(event) {
        Ok(Message { id, body, buffer }) => Event::Reply {
            worker,
            id,
            reply: received(body, buffer),
        },
        Err(error) => Event::Died {
            worker,
            reason: error.to_string(),
        },
    }
}

fn received(reply: Reply, buffer: Option<ArrayBuffer>) -> Received {
    match (reply, buffer) {
        (
            Reply::Traced {
                decode_ms,
                forward_ms,
            },
            buffer,
        ) => Received::Traced {
            trace: buffer
                .ok_or_else(|| "the result has no buffer".to_owned())
                .and_then(|buffer| read_trace(&buffer))
                .map_err(Problem::Unreadable),
            decode_ms,
            forward_ms,
        },
        (
            Reply::Answer {
                answer: WorkerAnswer::Arrays { shapes },
            },
            Some(buffer),
        ) => Received::Answer(Answer::Arrays(arrays(shapes, &buffer))),
        (Reply::Answer { answer }, _) => Received::Answer(Answer::Plain(answer)),
        (reply, _) => Received::Plain(reply),
    }
}

/// Arrays of these shapes out of their numbers, one after the other; none where the numbers are too few.
fn arrays(shapes: Vec<Option<Vec<usize>>>, buffer: &ArrayBuffer) -> Vec<Option<Arc<Array>>> {
    let numbers = buffer.byte_length() / size_of::<f32>() as u32;
    let numbers = Float32Array::new_with_byte_offset_and_length(buffer, 0, numbers);
    let mut from = 0_u32;
    let array = |shape: Option<Vec<usize>>| {
        let shape = shape?;
        let length = shape.iter().try_fold(1_u32, |length, &axis| {
            length.checked_mul(u32::try_from(axis).ok()?)
        })?;
        let to = from.checked_add(length)?;
        let own = (to <= numbers.length()).then(|| numbers.subarray(from, to))?;
        from = to;
        let data = own.to_vec();
        Some(Arc::new(Array { shape, data }))
    };
    shapes.into_iter().map(array).collect()
}
