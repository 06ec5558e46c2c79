//! The browser's storage of models, which the engine reads: see `app/worker/src/storage.rs`.

use js_sys::{ArrayBuffer, Reflect, Uint8Array};
use leptos::prelude::window;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Cache, CacheStorage, Response, SubtleCrypto};

use super::absolute;

/// Whether a copy of the file at `url` is kept.
pub async fn is_kept(url: &str) -> bool {
    let found = async { JsFuture::from(open().await?.match_with_str(url)).await };
    found.await.is_ok_and(|found| !found.is_undefined())
}

/// Keeps a file under an address, from which the engine then takes it.
///
/// # Errors
/// Where the browser keeps nothing for this page, or has no room left.
pub async fn keep(url: &str, bytes: &[u8]) -> Result<(), JsValue> {
    let copy = Uint8Array::from(bytes);
    let response = Response::new_with_opt_js_u8_array(Some(&copy))?;
    JsFuture::from(open().await?.put_with_str(url, &response)).await?;
    Ok(())
}

/// Drops the copy of the file at `url`.
///
/// # Errors
/// Where the browser keeps nothing for this page.
pub async fn forget(url: &str) -> Result<(), JsValue> {
    JsFuture::from(open().await?.delete_with_str(url)).await?;
    Ok(())
}

/// SHA-256 in hexadecimal.
///
/// # Errors
/// Where the page came over an insecure connection: browsers compute no digests there, and keep nothing either.
pub async fn sha256(bytes: &[u8]) -> Result<String, JsValue> {
    let crypto = Reflect::get(&window(), &"crypto".into())?;
    let subtle: SubtleCrypto = present(Reflect::get(&crypto, &"subtle".into())?)?;
    let copy = Uint8Array::from(bytes);
    let digest = subtle.digest_with_str_and_js_u8_array("SHA-256", &copy)?;
    let digest: ArrayBuffer = JsFuture::from(digest).await?.unchecked_into();
    let digest = Uint8Array::new(&digest).to_vec();
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

async fn open() -> Result<Cache, JsValue> {
    let caches: CacheStorage = present(Reflect::get(&window(), &"caches".into())?)?;
    // The address of the page's directory follows: other deployments on the same origin have caches of their own.
    let name = format!("attention-scope-models {}", absolute("./"));
    let cache = JsFuture::from(caches.open(&name)).await?;
    Ok(cache.unchecked_into())
}

/// An interface of the browser's, where this page may use it.
fn present<T: JsCast>(interface: JsValue) -> Result<T, JsValue> {
    match interface.is_undefined() {
        true => Err(JsValue::from_str(
            "this browser keeps nothing for this page",
        )),
        false => Ok(interface.unchecked_into()),
    }
}
