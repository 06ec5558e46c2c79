//! The pool of threads: rayon's, each thread a Web Worker that shares the module's memory.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};

use js_sys::{JsString, Promise};
use rayon::{ThreadBuilder, ThreadPoolBuilder};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// Where threads fetch what they are to run.
type Start = Mutex<Receiver<ThreadBuilder>>;

#[wasm_bindgen(module = "/src/threads.js")]
extern "C" {
    /// Starts `count` workers on the engine at `address`, each of which calls [`run_thread`] once the
    /// promise has resolved.
    #[wasm_bindgen(js_name = startThreads, catch)]
    fn start_threads(
        address: &JsString,
        module: JsValue,
        memory: JsValue,
        count: usize,
        start: *const Start,
    ) -> Result<Promise, JsValue>;
}

#[wasm_bindgen]
extern "C" {
    /// The address of the engine's own script.
    #[wasm_bindgen(thread_local_v2, js_namespace = ["import", "meta"], js_name = url)]
    static ADDRESS: JsString;
}

/// Makes a pool of `count` threads, this one among them, and waits until they run.
///
/// # Errors
/// If the browser starts no more workers, or the pool exists already.
#[wasm_bindgen(js_name = shareWork)]
pub async fn share_work(count: usize) -> Result<(), JsValue> {
    let (sender, receiver) = channel::<ThreadBuilder>();
    // Threads read it for as long as the worker lives.
    let start: &'static Start = Box::leak(Box::new(Mutex::new(receiver)));
    let others = count.saturating_sub(1);
    let address = ADDRESS.with(JsString::clone);
    let (module, memory) = (wasm_bindgen::module(), wasm_bindgen::memory());
    let started = start_threads(&address, module, memory, others, start)?;
    // A worker that is blocked cannot start others, so all of them wait before rayon blocks this one.
    JsFuture::from(started).await?;
    ThreadPoolBuilder::new()
        .num_threads(count.max(1))
        .use_current_thread()
        .spawn_handler(move |thread| {
            let sent = sender.send(thread);
            sent.map_err(|error| std::io::Error::other(error.to_string()))
        })
        .build_global()
        .map_err(|error| JsValue::from_str(&error.to_string()))
}

/// A thread's life: to wait for its part in the pool, and to play it.
#[wasm_bindgen(js_name = runThread)]
pub fn run_thread(start: *const Start) {
    // SAFETY: the address is that of the leaked value above, passed through JavaScript.
    #[allow(unsafe_code)]
    let start = unsafe { &*start };
    let thread = start.lock().unwrap_or_else(PoisonError::into_inner).recv();
    if let Ok(thread) = thread {
        thread.run();
    }
}
