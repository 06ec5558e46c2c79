//! The browser's storage of models, which the engine reads: see `app/worker/src/storage.rs`.

use attention_protocol::{
    OrLogged,
    integrity::describe,
    patience::{STORAGE, within},
};
use js_sys::{ArrayBuffer, Promise, Reflect, Uint8Array};
use leptos::prelude::window;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Cache, CacheStorage, Response, SubtleCrypto};

use super::absolute;

/// The reason why the browser stores no file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StorageError {
    /// The browser offers no storage, as in some browsers' private windows and on insecure connections.
    #[error("this browser keeps nothing for this page")]
    Missing,
    /// The storage did not answer in time.
    #[error("the browser's storage does not answer")]
    Silent,
    /// The browser's own error message, for example that no room is left.
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
    found
        .await
        .or_logged("looking into the browser's storage")
        .is_some_and(|found| !found.is_undefined())
}

/// Stores a file under an address, from which the engine then reads it.
///
/// # Errors
/// If the browser stores nothing for this page, does not answer, or has no room left.
pub async fn keep(url: &str, bytes: &[u8]) -> Result<(), StorageError> {
    let copy = Uint8Array::from(bytes);
    let response = Response::new_with_opt_js_u8_array(Some(&copy))?;
    answer(open().await?.put_with_str(url, &response)).await?;
    Ok(())
}

/// Deletes the copy of the file at `url`.
///
/// # Errors
/// If the browser stores nothing for this page, or does not answer.
pub async fn forget(url: &str) -> Result<(), StorageError> {
    answer(open().await?.delete_with_str(url)).await?;
    Ok(())
}

/// Computes the SHA-256 of bytes, in hexadecimal.
///
/// # Errors
/// If the page came over an insecure connection: browsers compute no digests there, and store nothing either.
pub async fn sha256(bytes: &[u8]) -> Result<String, StorageError> {
    digest(&Uint8Array::from(bytes)).await
}

/// Computes the SHA-256 of bytes that are not copied into the memory of the page's program, in hexadecimal.
///
/// # Errors
/// As [`sha256`].
pub async fn digest(bytes: &Uint8Array) -> Result<String, StorageError> {
    let crypto = Reflect::get(&window(), &"crypto".into())?;
    let subtle: SubtleCrypto = present(Reflect::get(&crypto, &"subtle".into())?)?;
    let digest = subtle.digest_with_str_and_js_u8_array("SHA-256", bytes)?;
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

/// Returns an interface of the browser, if this page may use it.
fn present<T: JsCast>(interface: JsValue) -> Result<T, StorageError> {
    match interface.is_undefined() {
        true => Err(StorageError::Missing),
        false => Ok(interface.unchecked_into()),
    }
}
