//! The search for the browser's WebGPU adapter.

use js_sys::{Function, Promise, Reflect};
use leptos::prelude::window;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::data::Adapter;

/// Asks the browser for an adapter. By reflection, because the bindings of WebGPU are unstable.
pub async fn probe() -> Adapter {
    match request_adapter().await {
        Some(adapter) if is_software(&adapter) => Adapter::Software,
        Some(_) => Adapter::Hardware,
        None => Adapter::Missing,
    }
}

async fn request_adapter() -> Option<JsValue> {
    let gpu = field(&window().navigator(), "gpu")?;
    let request: Function = field(&gpu, "requestAdapter")?.dyn_into().ok()?;
    let promise: Promise = request.call0(&gpu).ok()?.dyn_into().ok()?;
    let adapter = JsFuture::from(promise).await.ok()?;
    (!adapter.is_null() && !adapter.is_undefined()).then_some(adapter)
}

/// The flag moved from the adapter to its `info`; browsers have either or both.
fn is_software(adapter: &JsValue) -> bool {
    let flag =
        |holder: &JsValue| field(holder, "isFallbackAdapter").and_then(|flag| flag.as_bool());
    let info = field(adapter, "info");
    flag(adapter)
        .or_else(|| info.as_ref().and_then(flag))
        .unwrap_or(false)
}

fn field(holder: &JsValue, name: &str) -> Option<JsValue> {
    let value = Reflect::get(holder, &JsValue::from_str(name)).ok()?;
    (!value.is_undefined() && !value.is_null()).then_some(value)
}
