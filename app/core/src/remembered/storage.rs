//! The browser's local storage for this page. If the browser refuses it, nothing is stored.

use attention_protocol::OrLogged;
use leptos::prelude::*;
use web_sys::Storage;

/// Returns the value stored under a name.
pub fn read(name: &str) -> Option<String> {
    storage()?
        .get_item(name)
        .or_logged("reading from the local storage")?
}

/// Stores a value under a name.
pub fn write(name: &str, value: &str) {
    if let Some(storage) = storage() {
        // Fails where the storage is full: the value then holds for this visit.
        storage
            .set_item(name, value)
            .or_logged("writing to the local storage");
    }
}

/// Deletes the value under a name.
pub fn remove(name: &str) {
    if let Some(storage) = storage() {
        storage
            .remove_item(name)
            .or_logged("deleting from the local storage");
    }
}

/// Returns the local storage; `None` if the browser stores nothing for this page.
fn storage() -> Option<Storage> {
    window()
        .local_storage()
        .or_logged("opening the local storage")?
}
