//! Visitors who pay for what they download: whether the browser asks to save data, and how much a model costs.

use js_sys::Reflect;
use leptos::prelude::window;

use super::{checkpoint, storage};

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
        Some(weights) => storage::is_kept(&weights.url).await,
        None => false,
    }
}

/// What a visitor downloads for the checkpoint in `directory`, in bytes, as far as it is known.
pub fn download_bytes(directory: &str) -> u64 {
    let files = checkpoint(directory).into_iter();
    files
        .map(|file| file.packed.map_or(file.bytes, |packed| packed.bytes))
        .sum()
}
