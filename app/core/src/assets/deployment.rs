//! Detection of a newer build on the server. Every file is named after its contents, so files that this page has not
//! fetched yet may no longer exist after a new deployment.

use attention_protocol::OrLogged;
use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{RequestCache, RequestInit, Response};

use super::version;

thread_local! {
    /// Global to the page, like its manifest: code outside of components misses files too.
    static REPLACED: ArcRwSignal<bool> = ArcRwSignal::new(false);
}

/// True once another build is known to be published; reactive.
pub fn was_replaced() -> bool {
    REPLACED.with(ArcRwSignal::clone).get()
}

/// Checks whether another build has been published. To be called when a file could not be fetched.
pub fn look() {
    let replaced = REPLACED.with(ArcRwSignal::clone);
    if replaced.get_untracked() {
        return;
    }
    spawn_local(async move {
        // Without an answer from the server nothing is known.
        if is_replaced().await.or_logged("looking for a newer page") == Some(true) {
            replaced.try_set(true);
        }
    });
}

/// Returns true if the page on the server is from another build than this one.
async fn is_replaced() -> Result<bool, JsValue> {
    let options = RequestInit::new();
    options.set_cache(RequestCache::NoCache);
    let answer = JsFuture::from(window().fetch_with_str_and_init("./", &options)).await?;
    let response: Response = answer.dyn_into()?;
    let text = JsFuture::from(response.text()?).await?;
    let text = text.as_string().unwrap_or_default();
    // Captive portals answer with a page of their own.
    let is_ours = response.ok() && text.contains("id=\"manifest\"");
    Ok(is_ours && version().is_some_and(|version| !text.contains(&version)))
}
