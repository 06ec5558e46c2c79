//! The worker's side of the browser: its scope, its clock, its memory.

use attention_protocol::training::TrainingReply;
use attention_protocol::{Message, RequestId, post_to_page};
use js_sys::{ArrayBuffer, Uint8Array, WebAssembly};
use wasm_bindgen::JsCast;
use web_sys::DedicatedWorkerGlobalScope;

pub fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Sends a reply; `buffer` is copied once, out of WebAssembly's memory, and then transferred.
pub fn post(id: RequestId, body: TrainingReply, buffer: Option<&[u8]>) {
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

/// Returns the memory of this worker's module in bytes.
pub fn memory_bytes() -> u64 {
    let memory: WebAssembly::Memory = wasm_bindgen::memory().unchecked_into();
    let buffer: ArrayBuffer = memory.buffer().unchecked_into();
    u64::from(buffer.byte_length())
}
