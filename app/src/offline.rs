//! A second visit without a network: the service worker that keeps the page's files.

use js_sys::Reflect;
use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{ServiceWorkerContainer, ServiceWorkerRegistration};

use crate::engine::{Live, Source};

/// Once the model has answered, has the page and the engine that answered kept. Not earlier: what
/// the first picture and the first answer need comes first.
pub fn keep_for_later(live: Live) {
    let script = live.select(|engine| match engine.shown.as_ref()?.source {
        Source::Live(_) => Some(engine.backend.script()),
        Source::Example => None,
    });
    // An effect because the service worker lies outside the reactive graph.
    Effect::new(move |_| {
        if let Some(script) = script.get() {
            spawn_local(async move {
                // Without it the page works all the same, as long as there is a network.
                if let Err(error) = keep(script).await {
                    leptos::logging::warn!("the page is not kept for later: {error:?}");
                }
            });
        }
    });
}

/// Has a file kept that was fetched when it was needed, once the page is kept at all.
pub async fn keep_too(name: &str) {
    let told = async {
        match container()? {
            Some(container) => tell(&container, name).await,
            None => Ok(()),
        }
    };
    if let Err(error) = told.await {
        leptos::logging::warn!("`{name}` is not kept for later: {error:?}");
    }
}

async fn keep(script: &str) -> Result<(), JsValue> {
    let Some(container) = container()? else {
        return Ok(());
    };
    JsFuture::from(container.register("service-worker.js")).await?;
    tell(&container, script).await
}

/// Browsers hide it from pages that came over an insecure connection.
fn container() -> Result<Option<ServiceWorkerContainer>, JsValue> {
    let container = Reflect::get(&window().navigator(), &"serviceWorker".into())?;
    Ok((!container.is_undefined()).then(|| container.unchecked_into()))
}

/// Names a file to the service worker, as soon as there is one.
async fn tell(container: &ServiceWorkerContainer, name: &str) -> Result<(), JsValue> {
    let ready = JsFuture::from(container.ready()?).await?;
    let registration: ServiceWorkerRegistration = ready.unchecked_into();
    match registration.active() {
        Some(active) => active.post_message(&name.into()),
        None => Ok(()),
    }
}
