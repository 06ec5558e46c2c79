//! Visits without a network: the service worker that stores the page's files.

use attention_protocol::OrLogged;
use js_sys::Reflect;
use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{ServiceWorkerContainer, ServiceWorkerRegistration};

use crate::{
    assets::{absolute, address},
    engine::{Live, Phase, Source},
};

/// Stores the page and the engine in use once the model has answered. Not earlier: the files of the first picture and
/// the first answer come first.
pub fn keep_for_later(live: Live) {
    let engine = live.select(
        |engine| match (&engine.shown.as_ref()?.source, &engine.phase) {
            (Source::Live(_), Phase::Ready { reply, .. }) => {
                Some(absolute(&address(&format!("{}.js", reply.engine))))
            }
            _ => None,
        },
    );
    // An effect because the service worker lies outside the reactive graph.
    Effect::new(move |told: Option<Option<String>>| {
        let told = told.flatten();
        let engine = engine.get();
        if engine.is_none() || engine == told {
            return told;
        }
        let script = engine.clone()?;
        spawn_local(async move {
            // Without it the page works all the same, as long as there is a network.
            keep(&script).await.or_logged("keeping the page for later");
        });
        engine
    });
}

async fn keep(engine: &str) -> Result<(), JsValue> {
    let Some(container) = container()? else {
        return Ok(());
    };
    let registered = JsFuture::from(container.register("service-worker.js")).await?;
    let registration: ServiceWorkerRegistration = registered.unchecked_into();
    tell(&registration, engine)?;
    // This page may be newer than that worker, and its own not found yet. Last, since a browser may take its time, and
    // without a network there is no newer one.
    if registration.active().is_some() && JsFuture::from(registration.update()?).await.is_ok() {
        tell(&registration, engine)?;
    }
    Ok(())
}

/// Names the engine to all service workers; each stores it if it is of its own build.
fn tell(registration: &ServiceWorkerRegistration, engine: &str) -> Result<(), JsValue> {
    let workers = [
        registration.installing(),
        registration.waiting(),
        registration.active(),
    ];
    workers
        .into_iter()
        .flatten()
        .try_for_each(|worker| worker.post_message(&engine.into()))
}

/// Returns the service worker container, which browsers hide from pages that came over an insecure connection.
fn container() -> Result<Option<ServiceWorkerContainer>, JsValue> {
    let container = Reflect::get(&window().navigator(), &"serviceWorker".into())?;
    Ok((!container.is_undefined()).then(|| container.unchecked_into()))
}
