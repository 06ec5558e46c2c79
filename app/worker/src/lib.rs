//! The Web Worker that owns a model and answers the page.
//!
//! It is the only code that depends on both the model and the browser. Requests run as tasks on the worker's event
//! loop; a long one gives way to messages between tokens, so that a newer request, or [`Request::Cancel`], can end it.

mod adapter;
mod browser;
mod disk;
mod download;
mod loading;
mod local;
mod memory;
mod packed;
mod storage;
mod stream;
#[cfg(feature = "threads")]
mod threads;
mod tokenizer;
mod vitality;

use std::rc::Rc;

use attention_engine::{Host, Session};
use attention_protocol::{Failure, Message, Reply, Request, receive, received_files};
#[cfg(feature = "webgpu")]
pub use attention_trainer::train;
use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Blob, MessageEvent};

use browser::Browser;

/// The state of the worker between messages.
struct Worker {
    /// The name of the engine's script.
    name: String,
    session: Session<Browser>,
    devices: adapter::Devices,
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
        session: Session::new(Browser, usize::MAX),
        devices: adapter::Devices::default(),
    });
    let listener =
        Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            match receive::<Request>(&event) {
                Ok(message) => worker.clone().handle(message, received_files(&event)),
                Err(error) => {
                    let reason = error.to_string();
                    worker.session.fail(0, Failure::Protocol { reason });
                }
            }
        });
    browser::scope().set_onmessage(Some(listener.as_ref().unchecked_ref()));
    // The listener lives as long as the worker.
    listener.forget();
    Browser.post(0, Reply::Booted, None);
}

impl Worker {
    fn handle(self: Rc<Self>, message: Message<Request>, attached: Vec<Blob>) {
        let id = message.id;
        self.session.arrived(id, &message.body);
        match message.body {
            Request::Cancel => {}
            Request::Ping => Browser.post(id, Reply::Alive, None),
            Request::Ask { question } => {
                spawn_local(async move { self.session.reply(id, question).await });
            }
            Request::Load {
                base,
                files,
                allow_fallback_adapter,
            } => spawn_local(async move {
                let current = || self.session.is_newest(id);
                let chosen = self.devices.choose(allow_fallback_adapter).await;
                let loaded = match chosen {
                    Ok(chosen) => {
                        loading::load(&self.name, id, &base, files, chosen, current).await
                    }
                    Err(failure) => Err(failure),
                };
                self.session.use_loaded(id, loaded);
            }),
            Request::Open {
                names,
                allow_fallback_adapter,
            } => spawn_local(async move {
                let current = || self.session.is_newest(id);
                let chosen = self.devices.choose(allow_fallback_adapter).await;
                let loaded = match chosen {
                    Ok(chosen) => {
                        self.session.make_room();
                        loading::open(&self.name, id, &names, &attached, chosen, current).await
                    }
                    Err(failure) => Err(failure),
                };
                self.session.use_loaded(id, loaded);
            }),
            Request::Run(request) => spawn_local(async move {
                let pixels = message.buffer.as_ref();
                let pixels = pixels.map(|pixels| Uint8Array::new(pixels).to_vec());
                self.session.run(id, &request, pixels.as_deref()).await;
            }),
        }
    }
}
