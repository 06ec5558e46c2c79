//! The browser's storage of downloaded files, under addresses that identify their contents.

use attention_protocol::{
    OrLogged,
    patience::{STORAGE, within},
};
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Cache, CacheStorage, Response};

use crate::browser;

/// The prefix of the cache of models alone: the page's own files are kept by its service worker, which also deletes
/// models that no build refers to any more. The address of the page's directory follows, as in
/// `assets/service-worker.js`: other deployments on the same origin have caches of their own.
const PREFIX: &str = "attention-scope-models ";

/// The storage of the browser for this page. A failure of the storage is never a failure of the page: files that cannot
/// be kept are downloaded again.
#[derive(Clone)]
pub struct Storage(Cache);

/// The error of a storage that does not answer.
#[derive(Debug)]
pub struct Silent;

impl Storage {
    /// Opens the storage; `None` if the browser has none: in private windows of some browsers, and for pages that came
    /// over an insecure connection. Also `None` if it does not answer in time.
    pub async fn open() -> Option<Self> {
        let caches =
            Reflect::get(&browser::scope(), &"caches".into()).or_logged("opening the storage")?;
        if caches.is_undefined() {
            return None;
        }
        let caches: CacheStorage = caches.unchecked_into();
        let name = format!("{PREFIX}{}", browser::directory());
        let cache = within(STORAGE, JsFuture::from(caches.open(&name)))
            .await?
            .or_logged("opening the storage")?;
        Some(Self(cache.unchecked_into()))
    }

    /// Returns the stored copy of `url`, if there is one.
    ///
    /// # Errors
    /// If the storage does not answer in time.
    pub async fn find(&self, url: &str) -> Result<Option<Response>, Silent> {
        let asked = within(STORAGE, JsFuture::from(self.0.match_with_str(url)));
        let found = asked.await.ok_or(Silent)?;
        Ok(found
            .or_logged("looking into the storage")
            .and_then(|found| found.dyn_into().ok()))
    }

    /// Stores a copy of `bytes` under `url`.
    pub async fn keep(&self, url: &str, bytes: &Uint8Array) -> Result<(), JsValue> {
        let response = Response::new_with_opt_js_u8_array(Some(bytes))?;
        JsFuture::from(self.0.put_with_str(url, &response)).await?;
        Ok(())
    }
}
