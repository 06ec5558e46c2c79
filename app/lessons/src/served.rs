//! The files of the small models that answer some questions: fetched at a question, and checked against the build's
//! description.

use attention_protocol::{
    OrLogged, ServedFile,
    integrity::{describe, fault},
    lessons::LessonFailure,
    patience::{STORAGE, within},
};
use js_sys::{ArrayBuffer, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{CacheStorage, RequestCache, RequestInit, Response};

use crate::scope;

/// Returns the contents of the file of this name, as published: from the copies kept by the engine or the service
/// worker, from the browser's HTTP cache or from the server, without the HTTP cache if its copy differs.
pub async fn contents(files: &[ServedFile], name: &str) -> Result<Vec<u8>, LessonFailure> {
    let named = files.iter().find(|file| file.name == name);
    let file = named.ok_or_else(|| LessonFailure::Missing(name.to_owned()))?;
    if let Some(bytes) = within(STORAGE, kept(&file.url)).await.flatten()
        && fault(file, &bytes).await.is_none()
    {
        return Ok(bytes.to_vec());
    }
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

/// Returns a stored copy of an address, whoever stored it: a model that was trained here exists nowhere else. A failure
/// of the storage is logged; the file is then requested.
async fn kept(url: &str) -> Option<Uint8Array> {
    let caches = Reflect::get(&scope(), &"caches".into()).or_logged("opening the storage")?;
    if caches.is_undefined() {
        return None;
    }
    let caches: CacheStorage = caches.unchecked_into();
    let found = JsFuture::from(caches.match_with_str(url))
        .await
        .or_logged("looking into the storage")?;
    bytes_of(found.dyn_into().ok()?)
        .await
        .or_logged("reading a stored file")
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
    bytes_of(response).await
}

async fn bytes_of(response: Response) -> Result<Uint8Array, JsValue> {
    let buffer: ArrayBuffer = JsFuture::from(response.array_buffer()?).await?.dyn_into()?;
    Ok(Uint8Array::new(&buffer))
}
