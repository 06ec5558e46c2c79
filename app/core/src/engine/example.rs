//! The worked example: a trace that is served with the page.

use std::sync::Arc;

use attention_trace::Trace;
use js_sys::{ArrayBuffer, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::data::Problem;
use crate::assets::fetch;

const NAME: &str = "examples/je-suis-etudiant.safetensors";

/// Fetches and reads the worked example.
pub async fn fetch_example() -> Result<Arc<Trace>, Problem> {
    fetch_trace(NAME).await.map_err(Problem::Example)
}

/// Fetches and reads the trace that has this name in the repository.
///
/// # Errors
/// What the server says, or why it is no trace.
pub async fn fetch_trace(name: &str) -> Result<Arc<Trace>, String> {
    let fetched = async {
        let response = fetch(name).await?;
        JsFuture::from(response.array_buffer()?).await?.dyn_into()
    };
    let buffer = fetched.await.map_err(|error: JsValue| describe(&error))?;
    read_trace(&buffer)
}

/// Reads a trace out of a buffer that was fetched or transferred.
pub fn read_trace(buffer: &ArrayBuffer) -> Result<Arc<Trace>, String> {
    let bytes = Uint8Array::new(buffer);
    Trace::read_safetensors(bytes.length() as usize, |from_byte, into| {
        let (from, to) = (from_byte as u32, (from_byte + into.len()) as u32);
        bytes.subarray(from, to).copy_to(into);
    })
    .map(Arc::new)
    .map_err(|error| error.to_string())
}

/// Returns the message of a browser's exception.
pub fn describe(error: &JsValue) -> String {
    error
        .dyn_ref::<js_sys::Error>()
        .map(|error| String::from(error.message()))
        .or_else(|| error.as_string())
        .unwrap_or_else(|| format!("{error:?}"))
}
