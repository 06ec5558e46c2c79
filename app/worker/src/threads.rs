//! The engine's threads, each a Web Worker that shares the module's memory.

use attention_protocol::OrLogged;
use js_sys::{Function, JsString, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen(module = "/src/threads.js")]
extern "C" {
    /// Starts `count` workers on the engine at `address`; resolves when each has called [`run_thread`].
    #[wasm_bindgen(js_name = startThreads, catch)]
    fn start_threads(
        address: &JsString,
        module: JsValue,
        memory: JsValue,
        count: usize,
    ) -> Result<Promise, JsValue>;
}

#[wasm_bindgen]
extern "C" {
    /// The address of the engine's own script.
    #[wasm_bindgen(thread_local_v2, js_namespace = ["import", "meta"], js_name = url)]
    static ADDRESS: JsString;
}

/// Starts threads so that `count` of them, this one included, share passes, and waits until they are ready.
///
/// # Errors
/// If the browser cannot start more workers.
#[wasm_bindgen(js_name = shareWork)]
pub async fn share_work(count: usize) -> Result<(), JsValue> {
    let others = count.saturating_sub(1);
    let address = ADDRESS.with(JsString::clone);
    let (module, memory) = (wasm_bindgen::module(), wasm_bindgen::memory());
    JsFuture::from(start_threads(&address, module, memory, others)?).await?;
    Ok(())
}

/// Runs a thread that helps with passes. Calls `ready` first.
#[wasm_bindgen(js_name = runThread)]
pub fn run_thread(ready: &Function) {
    attention_model::device::help_cpu(|| {
        ready.call0(&JsValue::NULL).or_logged("announcing a thread");
    })
}

/// Handles a thread whose [`run_thread`] ended in a trap: a pass that waits for it fails, instead of waiting forever.
#[wasm_bindgen(js_name = threadDied)]
pub fn thread_died() {
    attention_model::device::cpu_helper_died();
}
