//! The worker's side of the browser: its scope, its clock, its event loop.

use attention_chat::Date;
use attention_engine::Host;
pub use attention_protocol::integrity::describe;
use attention_protocol::{Message, Reply, RequestId, give_way, post_to_page};
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
    fn log_error(text: &str);
}

pub fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// The browser, as the engine's host.
pub struct Browser;

impl Host for Browser {
    fn now_ms(&self) -> f64 {
        scope()
            .performance()
            .map_or(0.0, |performance| performance.now())
    }

    /// Sends a reply; `buffer` is copied once, out of WebAssembly's memory, and then transferred.
    fn post(&self, id: RequestId, body: Reply, buffer: Option<&[u8]>) {
        let buffer = buffer.map(|bytes| Uint8Array::from(bytes).buffer());
        if let Err(error) = post_to_page(&scope(), Message { id, body, buffer }) {
            // Nobody is left to tell but the console.
            wasm_bindgen::throw_str(&error.to_string());
        }
    }

    async fn give_way(&self) -> bool {
        // A browser without message channels would hear no cancellation, so the request ends.
        give_way().await.is_ok()
    }

    fn today(&self) -> Date {
        let now = js_sys::Date::new_0();
        Date {
            year: now.get_full_year(),
            month: now.get_month() + 1,
            day: now.get_date(),
            hour: now.get_hours(),
            minute: now.get_minutes(),
        }
    }

    fn log_error(&self, text: &str) {
        log_error(text);
    }
}
