//! Care for visitors who pay for downloads: the browser's data saver, and the size of a model's download.

use js_sys::Reflect;
use leptos::prelude::window;

use super::{checkpoint, storage};

/// True if the browser's data saver is on.
pub fn saves_data() -> bool {
    let connection = Reflect::get(&window().navigator(), &"connection".into());
    connection
        .and_then(|connection| Reflect::get(&connection, &"saveData".into()))
        // Browsers without a data saver have no `connection`.
        .is_ok_and(|saves| saves.is_truthy())
}

/// Returns true if the weights of the checkpoint in `directory` are in the engine's storage and need no download.
pub async fn is_kept(directory: &str) -> bool {
    let weights = checkpoint(directory)
        .into_iter()
        .find(|file| file.name == "model.safetensors");
    match weights {
        Some(weights) => storage::is_kept(&weights.url).await,
        None => false,
    }
}

/// Returns the size of the download of the checkpoint in `directory`, in bytes, as far as it is known.
pub fn download_bytes(directory: &str) -> u64 {
    let files = checkpoint(directory).into_iter();
    files
        .map(|file| file.packed.map_or(file.bytes, |packed| packed.bytes))
        .sum()
}
