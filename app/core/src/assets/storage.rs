//! The browser's storage of models, which the engine reads: see `app/worker/src/storage.rs`.

use attention_protocol::{
    integrity::describe,
    patience::{STORAGE, within},
};
use js_sys::{ArrayBuffer, Promise, Reflect, Uint8Array};
use leptos::prelude::window;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Cache, CacheStorage, Response, SubtleCrypto};

use super::absolute;

/// Why the browser keeps no file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StorageError {
    /// As in private windows of some browsers, and for pages that came over an insecure connection.
    #[error("this browser keeps nothing for this page")]
    Missing,
    /// It was waited for.
    #[error("the browser's storage does not answer")]
    Silent,
    /// In the browser's words, as where no room is left.
    #[error("{0}")]
    Refused(String),
}

impl From<JsValue> for StorageError {
    fn from(error: JsValue) -> Self {
        StorageError::Refused(describe(&error))
    }
}

/// Returns true if the storage holds a copy of the file at `url`.
pub async fn is_kept(url: &str) -> bool {
    let found = async { answer(open().await?.match_with_str(url)).await };
    found.await.is_ok_and(|found| !found.is_undefined())
}

/// Keeps a file under an address, from which the engine then takes it.
///
/// # Errors
/// Where the browser keeps nothing for this page, does not answer, or has no room left.
pub async fn keep(url: &str, bytes: &[u8]) -> Result<(), StorageError> {
    let copy = Uint8Array::from(bytes);
    let response = Response::new_with_opt_js_u8_array(Some(&copy))?;
    answer(open().await?.put_with_str(url, &response)).await?;
    Ok(())
}

/// Drops the copy of the file at `url`.
///
/// # Errors
/// Where the browser keeps nothing for this page, or does not answer.
pub async fn forget(url: &str) -> Result<(), StorageError> {
    answer(open().await?.delete_with_str(url)).await?;
    Ok(())
}

/// SHA-256 in hexadecimal.
///
/// # Errors
/// Where the page came over an insecure connection: browsers compute no digests there, and keep nothing either.
pub async fn sha256(bytes: &[u8]) -> Result<String, StorageError> {
    let crypto = Reflect::get(&window(), &"crypto".into())?;
    let subtle: SubtleCrypto = present(Reflect::get(&crypto, &"subtle".into())?)?;
    let copy = Uint8Array::from(bytes);
    let digest = subtle.digest_with_str_and_js_u8_array("SHA-256", &copy)?;
    let digest: ArrayBuffer = JsFuture::from(digest).await?.unchecked_into();
    let digest = Uint8Array::new(&digest).to_vec();
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

async fn open() -> Result<Cache, StorageError> {
    let caches: CacheStorage = present(Reflect::get(&window(), &"caches".into())?)?;
    // The address of the page's directory follows: other deployments on the same origin have caches of their own.
    let name = format!("attention-scope-models {}", absolute("./"));
    let cache = answer(caches.open(&name)).await?;
    Ok(cache.unchecked_into())
}

/// Waits for the storage's answer to a request; an error if it stays silent too long.
async fn answer(asked: Promise) -> Result<JsValue, StorageError> {
    let answer = within(STORAGE, JsFuture::from(asked)).await;
    Ok(answer.ok_or(StorageError::Silent)??)
}

/// An interface of the browser's, where this page may use it.
fn present<T: JsCast>(interface: JsValue) -> Result<T, StorageError> {
    match interface.is_undefined() {
        true => Err(StorageError::Missing),
        false => Ok(interface.unchecked_into()),
    }
}
