//! The Web Worker that owns a model and answers the page.
//!
//! It is the only code that depends on both the model and the browser. Requests run as tasks on the worker's event
//! loop; a long one gives way to messages between tokens, so that a newer request, or [`Request::Cancel`], can end it.

mod adapter;
mod browser;
mod disk;
mod download;
mod engine;
mod failure;
mod local;
mod memory;
mod packed;
mod patching;
mod questions;
mod roles;
mod storage;
mod stream;
#[cfg(feature = "threads")]
mod threads;
mod tokenizer;
mod vitality;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use attention_protocol::{
    Failure, Message, ReadyReply, Reply, Request, RequestId, receive, received_files,
};
use attention_trace::{LIGHT_BYTES, Trace};
#[cfg(feature = "webgpu")]
pub use attention_trainer::train;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Blob, MessageEvent};

use engine::{Engine, Found, Outcome};

/// The number of weights from which a model is not kept in memory together with another from the visitor's disk.
const LARGE: usize = 30_000_000;

/// The state of the worker between messages.
#[derive(Default)]
struct Worker {
    /// The name of the engine's script.
    name: String,
    /// The number of the newest request; older requests stop when it differs from theirs.
    newest: Cell<RequestId>,
    engine: RefCell<Option<Rc<Engine>>>,
    /// The result of the newest run.
    result: RefCell<Option<Kept>>,
    devices: adapter::Devices,
}

/// The data kept of a result, for later questions about it.
struct Kept {
    run: RequestId,
    /// The engine that computed the result; another model may have been loaded since.
    engine: Rc<Engine>,
    /// The result of decoding.
    found: Found,
    /// The recorded arrays, if they were too large to be sent whole, or thumbnails alone.
    trace: Option<Trace>,
}

/// Listens to the page and announces it with [`Reply::Booted`]. Must be called once, on the engine's main thread;
/// `name` is that of the engine's script, without the extension.
#[wasm_bindgen]
pub fn listen(name: String) {
    #[cfg(feature = "webgpu")]
    attention_gpu::run_constructors();
    console_error_panic_hook::set_once();
    vitality::show();
    let worker = Rc::new(Worker {
        name,
        ..Worker::default()
    });
    let listener =
        Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            match receive::<Request>(&event) {
                Ok(message) => worker.clone().handle(message, received_files(&event)),
                Err(error) => fail(
                    0,
                    Failure::Protocol {
                        reason: error.to_string(),
                    },
                ),
            }
        });
    browser::scope().set_onmessage(Some(listener.as_ref().unchecked_ref()));
    // The listener lives as long as the worker.
    listener.forget();
    browser::post(0, Reply::Booted, None);
}

impl Worker {
    fn handle(self: Rc<Self>, message: Message<Request>, attached: Vec<Blob>) {
        let id = message.id;
        // A question or a sign of life stops nothing that runs.
        if !matches!(message.body, Request::Ask { .. } | Request::Ping) {
            self.newest.set(id);
        }
        match message.body {
            Request::Cancel => {}
            Request::Ping => browser::post(id, Reply::Alive, None),
            Request::Ask { question } => {
                spawn_local(async move { self.reply(id, question).await });
            }
            Request::Load {
                base,
                files,
                allow_fallback_adapter,
            } => spawn_local(async move {
                let current = || self.newest.get() == id;
                let chosen = self.devices.choose(allow_fallback_adapter).await;
                let loaded = match chosen {
                    Ok(chosen) => Engine::load(&self.name, id, &base, files, chosen, current).await,
                    Err(failure) => Err(failure),
                };
                self.use_loaded(id, loaded);
            }),
            Request::Open {
                names,
                allow_fallback_adapter,
            } => spawn_local(async move {
                let current = || self.newest.get() == id;
                let chosen = self.devices.choose(allow_fallback_adapter).await;
                let loaded = match chosen {
                    Ok(chosen) => {
                        self.make_room();
                        Engine::open(&self.name, id, &names, &attached, chosen, current).await
                    }
                    Err(failure) => Err(failure),
                };
                self.use_loaded(id, loaded);
            }),
            Request::Run(request) => spawn_local(async move {
                let engine = self.engine.borrow().clone();
                let Some(engine) = engine else {
                    return fail(id, Failure::NotReady);
                };
                if let Err(failure) = engine.show(&request, message.buffer.as_ref()) {
                    return fail(id, failure);
                }
                match engine.run(id, &request, || self.newest.get() == id).await {
                    Ok(outcome) => self.send_trace(id, engine, outcome),
                    Err(failure) => fail(id, failure),
                }
            }),
        }
    }

    /// Drops a large model, so that two of them are never in memory; a small one continues to answer questions about
    /// its result.
    fn make_room(&self) {
        let is_large = |engine: &Rc<Engine>| engine.checkpoint.model.weights() > LARGE;
        if self.engine.borrow().as_ref().is_some_and(is_large) {
            self.engine.replace(None);
            self.result.replace(None);
        }
    }

    fn use_loaded(&self, id: RequestId, loaded: Result<(Engine, ReadyReply), Failure>) {
        match loaded {
            Ok((engine, ready)) => {
                self.engine.replace(Some(Rc::new(engine)));
                browser::post(id, Reply::Ready(Box::new(ready)), None);
            }
            Err(failure) => fail(id, failure),
        }
    }

    /// Sends a small trace whole; the arrays of a large one stay here until they are requested.
    fn send_trace(&self, id: RequestId, engine: Rc<Engine>, outcome: Outcome) {
        let Outcome {
            reply,
            trace,
            found,
        } = outcome;
        let is_large = trace.bytes() > LIGHT_BYTES && !trace.is_reduced();
        let light = is_large.then(|| trace.light());
        match light.as_ref().unwrap_or(&trace).to_safetensors() {
            Ok(bytes) => browser::post(id, reply, Some(&bytes)),
            Err(error) => {
                let reason = error.to_string();
                fail(id, Failure::Protocol { reason });
            }
        }
        self.result.replace(Some(Kept {
            run: id,
            engine,
            found,
            trace: (light.is_some() || trace.is_reduced()).then_some(trace),
        }));
    }
}

fn fail(id: RequestId, failure: Failure) {
    browser::post(id, Reply::Failed(failure), None);
}
