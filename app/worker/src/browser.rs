//! The worker's side of the browser: its scope, its clock, its event loop.

use attention_protocol::{Message, Reply, RequestId, post_to_page};
pub use attention_protocol::{give_way, integrity::describe};
use js_sys::Uint8Array;
use wasm_bindgen::{JsCast, prelude::wasm_bindgen};
use web_sys::DedicatedWorkerGlobalScope;

/// Returns the address of the directory of this worker's script and of the page; it ends in `/`.
pub fn directory() -> String {
    let script = scope().location().href();
    let path = script.split(['?', '#']).next().unwrap_or_default();
    let end = path.rfind('/').map_or(0, |slash| slash + 1);
    path[..end].to_owned()
}

#[wasm_bindgen]
extern "C" {
    /// Writes an error to the browser's console.
    #[wasm_bindgen(js_namespace = console, js_name = error)]
    pub fn log_error(text: &str);
}

pub fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Sends a reply; `buffer` is copied once, out of WebAssembly's memory, and then transferred.
pub fn post(id: RequestId, body: Reply, buffer: Option<&[u8]>) {
    let buffer = buffer.map(|bytes| Uint8Array::from(bytes).buffer());
    if let Err(error) = post_to_page(&scope(), Message { id, body, buffer }) {
        // Nobody is left to tell but the console.
        wasm_bindgen::throw_str(&error.to_string());
    }
}

/// Returns the time of the browser's clock in milliseconds.
pub fn now_ms() -> f64 {
    scope()
        .performance()
        .map_or(0.0, |performance| performance.now())
}
