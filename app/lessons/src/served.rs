//! Files of the small models that answer some questions: fetched when one is asked, and held to what the build said of them.

use attention_protocol::{
    ServedFile,
    integrity::{describe, fault},
    lessons::LessonFailure,
};
use js_sys::{ArrayBuffer, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{RequestCache, RequestInit, Response};

use crate::scope;

/// The contents of the file of this name, as published: out of the browser's HTTP cache, of the copies that the service
/// worker keeps or from the server, and past the cache where that has something else.
pub async fn contents(files: &[ServedFile], name: &str) -> Result<Vec<u8>, LessonFailure> {
    let named = files.iter().find(|file| file.name == name);
    let file = named.ok_or_else(|| LessonFailure::Missing(name.to_owned()))?;
    let mut wrong = String::new();
    for cache in [RequestCache::Default, RequestCache::Reload] {
        let fetched = fetched(&file.url, cache).await;
        let bytes = fetched.map_err(|error| LessonFailure::Missing(describe(&error)))?;
        match fault(file, &bytes).await {
            None => return Ok(bytes.to_vec()),
            Some(reason) => wrong = reason,
        }
    }
    Err(LessonFailure::Missing(wrong))
}

async fn fetched(url: &str, cache: RequestCache) -> Result<Uint8Array, JsValue> {
    let options = RequestInit::new();
    options.set_cache(cache);
    let asked = scope().fetch_with_str_and_init(url, &options);
    let response: Response = JsFuture::from(asked).await?.dyn_into()?;
    if !response.ok() {
        let status = format!("HTTP {}", response.status());
        return Err(js_sys::Error::new(&status).into());
    }
    let buffer: ArrayBuffer = JsFuture::from(response.array_buffer()?).await?.dyn_into()?;
    Ok(Uint8Array::new(&buffer))
}
