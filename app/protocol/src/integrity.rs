//! Checks of a file's bytes against the build's description of them.

use js_sys::{ArrayBuffer, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::SubtleCrypto;

use crate::ServedFile;

/// Returns the fault of `bytes`, the contents of `file`; `None` if they are as published. Pages that came over an
/// insecure connection cannot compute digests: there only the length is checked.
pub async fn fault(file: &ServedFile, bytes: &Uint8Array) -> Option<String> {
    let length = u64::from(bytes.length());
    if length != file.bytes {
        let wanted = file.bytes;
        return Some(format!(
            "{} has {length} bytes instead of {wanted}",
            file.name
        ));
    }
    match sha256(bytes).await {
        Ok(Some(found)) if found != file.sha256 => Some(format!(
            "{} has other contents than were published",
            file.name
        )),
        Ok(_) => None,
        Err(error) => Some(describe(&error)),
    }
}

/// Returns the message of a JavaScript error.
pub fn describe(error: &JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.message()),
        None => format!("{error:?}"),
    }
}

/// Computes the SHA-256 digest in hexadecimal by the browser, off this thread.
async fn sha256(bytes: &Uint8Array) -> Result<Option<String>, JsValue> {
    let crypto = Reflect::get(&js_sys::global(), &"crypto".into())?;
    let subtle = Reflect::get(&crypto, &"subtle".into())?;
    if subtle.is_undefined() {
        return Ok(None);
    }
    let subtle: SubtleCrypto = subtle.unchecked_into();
    let digest = subtle.digest_with_str_and_js_u8_array("SHA-256", bytes)?;
    let digest: ArrayBuffer = JsFuture::from(digest).await?.unchecked_into();
    let bytes = Uint8Array::new(&digest).to_vec();
    Ok(Some(
        bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
    ))
}
