//! The browser's local storage for this page. If the browser refuses it, nothing is stored.

use leptos::prelude::*;
use web_sys::Storage;

/// Returns the value stored under a name.
pub fn read(name: &str) -> Option<String> {
    storage()?.get_item(name).ok()?
}

/// Stores a value under a name.
pub fn write(name: &str, value: &str) {
    if let Some(storage) = storage() {
        // Fails where the storage is full: what it was then holds for this visit.
        let _ = storage.set_item(name, value);
    }
}

/// Deletes the value under a name.
pub fn remove(name: &str) {
    if let Some(storage) = storage() {
        // Fails only where nothing is kept.
        let _ = storage.remove_item(name);
    }
}

/// Returns the local storage; `None` if the browser stores nothing for this page.
fn storage() -> Option<Storage> {
    window().local_storage().ok()?
}
