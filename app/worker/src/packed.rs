//! Files that are transferred packed, whether or not their host compresses them.

use js_sys::{ArrayBuffer, Uint8Array};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;
use web_sys::{ReadableStream, Response};

#[wasm_bindgen]
extern "C" {
    /// The browser's decompressor of streams.
    type DecompressionStream;

    #[wasm_bindgen(constructor, catch)]
    fn new(format: &str) -> Result<DecompressionStream, JsValue>;

    /// A stream that can be piped through another.
    #[wasm_bindgen(extends = ReadableStream)]
    type Body;

    #[wasm_bindgen(method, catch, js_name = pipeThrough)]
    fn pipe_through(this: &Body, through: &DecompressionStream) -> Result<ReadableStream, JsValue>;
}

/// Returns the file from its packed copy.
///
/// # Errors
/// If the browser cannot unpack, or the copy is damaged.
pub async fn unpacked(copy: &[u8]) -> Result<Vec<u8>, JsValue> {
    let compressed = Response::new_with_opt_js_u8_array(Some(&Uint8Array::from(copy)))?;
    let body: Body = compressed
        .body()
        .ok_or_else(|| JsValue::from_str("no body"))?
        .unchecked_into();
    let stream = body.pipe_through(&DecompressionStream::new("gzip")?)?;
    let inflated = Response::new_with_opt_readable_stream(Some(&stream))?;
    let buffer: ArrayBuffer = JsFuture::from(inflated.array_buffer()?)
        .await?
        .unchecked_into();
    attention_packing::unpack(&Uint8Array::new(&buffer).to_vec())
        .ok_or_else(|| JsValue::from_str("the packed copy is damaged"))
}
