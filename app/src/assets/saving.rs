//! Visitors who pay for what they download: whether the browser asks to save data, and how much a model costs.

use js_sys::Reflect;
use leptos::prelude::window;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::CacheStorage;

use super::{absolute, checkpoint};

/// Whether the browser was told to save data.
pub fn saves_data() -> bool {
    let connection = Reflect::get(&window().navigator(), &"connection".into());
    connection
        .and_then(|connection| Reflect::get(&connection, &"saveData".into()))
        .is_ok_and(|saves| saves.is_truthy())
}

/// Whether the weights of the checkpoint in `directory` are in the engine's storage, so that they need not be
/// downloaded.
pub async fn is_kept(directory: &str) -> bool {
    let weights = checkpoint(directory)
        .into_iter()
        .find(|file| file.name == "model.safetensors");
    match weights {
        Some(weights) => kept(&weights.url).await.is_ok_and(|kept| kept),
        None => false,
    }
}

async fn kept(url: &str) -> Result<bool, JsValue> {
    let caches = Reflect::get(&window(), &"caches".into())?;
    if caches.is_undefined() {
        return Ok(false);
    }
    let caches: CacheStorage = caches.unchecked_into();
    // The engine's cache has the address of the page's directory in its name: see `app/worker/src/storage.rs`.
    let name = format!("attention-scope-models {}", absolute("./"));
    let is_there = JsFuture::from(caches.has(&name)).await?.is_truthy();
    if !is_there {
        return Ok(false);
    }
    let cache: web_sys::Cache = JsFuture::from(caches.open(&name)).await?.unchecked_into();
    let found = JsFuture::from(cache.match_with_str(url)).await?;
    Ok(!found.is_undefined())
}

/// What a visitor downloads for the checkpoint in `directory`, in bytes, as far as it is known.
pub fn download_bytes(directory: &str) -> u64 {
    let files = checkpoint(directory).into_iter();
    files
        .map(|file| file.packed.map_or(file.bytes, |packed| packed.bytes))
        .sum()
}
