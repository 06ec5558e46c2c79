//! The worked example: a trace that is served with the page.

use std::sync::Arc;

use attention_trace::Trace;
use js_sys::{ArrayBuffer, Uint8Array};
use leptos::prelude::window;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

use super::data::Problem;
use crate::assets::address;

const NAME: &str = "examples/je-suis-etudiant.safetensors";

/// Fetches and reads the worked example.
pub async fn fetch_example() -> Result<Arc<Trace>, Problem> {
    let buffer = fetch(&address(NAME))
        .await
        .map_err(|error| Problem::Example(describe(&error)))?;
    read_trace(&buffer).map_err(Problem::Example)
}

/// Reads a trace out of a buffer that was fetched or transferred.
pub fn read_trace(buffer: &ArrayBuffer) -> Result<Arc<Trace>, String> {
    Trace::from_safetensors(&Uint8Array::new(buffer).to_vec())
        .map(Arc::new)
        .map_err(|error| error.to_string())
}

/// What a browser's exception says.
pub fn describe(error: &JsValue) -> String {
    error
        .dyn_ref::<js_sys::Error>()
        .map(|error| String::from(error.message()))
        .or_else(|| error.as_string())
        .unwrap_or_else(|| format!("{error:?}"))
}

async fn fetch(address: &str) -> Result<ArrayBuffer, JsValue> {
    let response: Response = JsFuture::from(window().fetch_with_str(address))
        .await?
        .dyn_into()?;
    if !response.ok() {
        let status = format!("{}: {}", address, response.status());
        return Err(JsValue::from_str(&status));
    }
    JsFuture::from(response.array_buffer()?).await?.dyn_into()
}
