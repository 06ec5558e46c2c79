//! The Web Worker that owns a model and answers the page.
//!
//! It is the only code that knows both the model and the browser. Requests run as tasks on the
//! worker's event loop; a long one gives way to messages between tokens, so that a newer
//! request, or [`Request::Cancel`], can end it.

mod adapter;
mod browser;
mod disk;
mod download;
mod engine;
mod failure;
mod packed;
mod patching;
mod storage;
#[cfg(feature = "threads")]
mod threads;
mod tokenizer;
mod vitality;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use attention_protocol::{
    Failure, Message, ReadyReply, Reply, Request, RequestId, receive, received_files,
};
use attention_trace::{Array, Excerpt, LIGHT_BYTES, LensQuestion, Trace};
#[cfg(feature = "webgpu")]
pub use attention_trainer::train;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Blob, MessageEvent};

use engine::{Engine, Found, Outcome};

/// Weights of a model that is not kept in memory beside another from the visitor's disk.
const LARGE: usize = 30_000_000;

/// What the worker remembers between messages.
#[derive(Default)]
struct Worker {
    /// The engine's script.
    name: String,
    /// The newest request; older ones stop when they see that they are not it.
    newest: Cell<RequestId>,
    engine: RefCell<Option<Rc<Engine>>>,
    /// The newest result.
    result: RefCell<Option<Kept>>,
    devices: adapter::Devices,
}

/// What is kept of a result, for who asks for more of it.
struct Kept {
    run: RequestId,
    /// What computed it; by now another model may have been loaded.
    engine: Rc<Engine>,
    /// What was found.
    found: Found,
    /// What was recorded, if it was too large to be sent whole.
    trace: Option<Trace>,
}

/// Listens to the page and says so. To be called once, on the engine's main thread; `name` is that of the engine's
/// script, without the ending.
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
        // Who asks for more of a result, for a score or for a sign of life stops nothing that runs.
        let stops_nothing = |request: &Request| {
            matches!(
                request,
                Request::Fetch { .. }
                    | Request::Score { .. }
                    | Request::Force { .. }
                    | Request::Lens { .. }
                    | Request::Patch { .. }
                    | Request::Ping
            )
        };
        if !stops_nothing(&message.body) {
            self.newest.set(id);
        }
        match message.body {
            Request::Cancel => {}
            Request::Ping => browser::post(id, Reply::Alive, None),
            Request::Fetch { run, excerpts } => self.send_parts(id, run, excerpts),
            Request::Score {
                text,
                target,
                edits,
            } => spawn_local(async move {
                let engine = self.engine.borrow().clone();
                let Some(engine) = engine else {
                    return fail(id, Failure::NotReady);
                };
                match engine.score(&text, &target, &edits).await {
                    Ok(scores) => post_parts(id, &scores.map(Some)),
                    Err(failure) => fail(id, failure),
                }
            }),
            Request::Force {
                text,
                target,
                edits,
            } => spawn_local(async move {
                let engine = self.engine.borrow().clone();
                let Some(engine) = engine else {
                    return fail(id, Failure::NotReady);
                };
                match engine.force(&text, &target, &edits).await {
                    Ok(tokens) => browser::post(id, Reply::Forced { tokens }, None),
                    Err(failure) => fail(id, failure),
                }
            }),
            Request::Lens { run, question } => self.send_lens(id, run, question),
            Request::Patch { question } => spawn_local(async move {
                let engine = self.engine.borrow().clone();
                let Some(engine) = engine else {
                    return fail(id, Failure::NotReady);
                };
                let newest = self.newest.get();
                match engine
                    .patch(id, &question, || self.newest.get() == newest)
                    .await
                {
                    Ok(answer) => browser::post(id, Reply::Patching { answer }, None),
                    Err(failure) => fail(id, failure),
                }
            }),
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
                match engine.run(id, &request, || self.newest.get() == id).await {
                    Ok(outcome) => self.send_trace(id, engine, outcome),
                    Err(failure) => fail(id, failure),
                }
            }),
        }
    }

    /// Lets go of a large model, so that two of them are never in memory; a small one goes on answering for its result.
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

    /// A small trace travels whole; of a large one, the arrays stay until they are asked for.
    fn send_trace(&self, id: RequestId, engine: Rc<Engine>, outcome: Outcome) {
        let Outcome {
            reply,
            trace,
            found,
        } = outcome;
        let light = (trace.bytes() > LIGHT_BYTES).then(|| trace.light());
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
            trace: light.map(|_| trace),
        }));
    }

    /// What the residual stream of a result says.
    fn send_lens(&self, id: RequestId, run: RequestId, question: LensQuestion) {
        let result = self.result.borrow();
        let Some(kept) = result.as_ref().filter(|kept| kept.run == run) else {
            return fail(id, Failure::NotReady);
        };
        let (engine, found) = (kept.engine.clone(), kept.found.clone());
        spawn_local(async move {
            match engine.lens(&found, &question).await {
                Ok(answer) => browser::post(id, Reply::Lens { answer }, None),
                Err(failure) => fail(id, failure),
            }
        });
    }

    /// What was recorded is there at once; everything else is read or computed now.
    fn send_parts(self: Rc<Self>, id: RequestId, run: RequestId, excerpts: Vec<Excerpt>) {
        let result = self.result.borrow();
        let Some(kept) = result.as_ref().filter(|kept| kept.run == run) else {
            return fail(id, Failure::NotReady);
        };
        let recorded = |excerpt| kept.trace.as_ref()?.excerpt(excerpt);
        let mut parts: Vec<Option<Array>> = excerpts.iter().map(recorded).collect();
        let missing = excerpts.iter().zip(&parts);
        let missing = missing.filter(|(_, part)| part.is_none());
        let missing: Vec<Excerpt> = missing.map(|(excerpt, _)| excerpt.clone()).collect();
        if missing.is_empty() {
            return post_parts(id, &parts);
        }
        let (engine, found) = (kept.engine.clone(), kept.found.clone());
        spawn_local(async move {
            match engine.parts(&found, &missing).await {
                Ok(made) => {
                    let places = parts.iter_mut().filter(|part| part.is_none());
                    places.zip(made).for_each(|(place, made)| *place = made);
                    post_parts(id, &parts);
                }
                Err(failure) => fail(id, failure),
            }
        });
    }
}

fn post_parts(id: RequestId, parts: &[Option<Array>]) {
    let shapes = parts.iter().map(|part| Some(part.as_ref()?.shape.clone()));
    let shapes = shapes.collect();
    let bytes: Vec<&[u8]> = parts.iter().flatten().map(Array::bytes).collect();
    browser::post(id, Reply::Parts { shapes }, Some(&bytes.concat()));
}

fn fail(id: RequestId, failure: Failure) {
    browser::post(id, Reply::Failed(failure), None);
}
