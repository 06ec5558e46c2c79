//! Published models that this page offers: it serves them itself, in the layout of a hub.

use attention_protocol::{OrLogged, hub::HubAddress};
use leptos::{prelude::*, task::spawn_local};
use serde::Deserialize;

use super::hub::Progress;
use attention_core::{
    assets::{fetch_text, is_served},
    hub::{Hub, Stage},
    i18n::{t, t_string, use_i18n},
    widgets::numbers::{grouped, megabytes},
};

/// The list of the models, in builds that offer some.
const LIST: &str = "offered.json";
/// The hub, beside the page.
const HUB: &str = "hub";

/// A model as the list describes it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Offered {
    /// Owner and name on the hub.
    model: String,
    title: String,
    /// The name of the file with the weights.
    file: String,
    bytes: u64,
    /// The number of weights.
    weights: u64,
    licence: String,
}

/// The group of the models that this page offers; empty if it offers none.
#[component]
pub fn OfferedModels() -> impl IntoView {
    let i18n = use_i18n();
    let offered = RwSignal::new(Vec::new());
    if is_served(LIST) {
        spawn_local(async move {
            // Without the list nothing is offered, and all else goes on.
            let list = fetch_text(LIST).await.or_logged("fetching what is offered");
            let list: Option<Vec<Offered>> = list
                .and_then(|list| serde_json::from_str(&list).or_logged("reading what is offered"));
            offered.try_set(list.unwrap_or_default());
        });
    }
    view! {
        <Show when=move || !offered.read().is_empty()>
            <section class="models-group">
                <h3>{t!(i18n, hub.offered)}</h3>
                <div class="models-entries">
                    {move || offered.get().into_iter().map(|offered| view! { <Entry offered /> }).collect_view()}
                </div>
            </section>
        </Show>
    }
}

#[component]
fn Entry(offered: Offered) -> impl IntoView {
    let i18n = use_i18n();
    let hub = Hub::expect();
    let Offered {
        model,
        title,
        file,
        bytes,
        weights,
        licence,
    } = offered;
    let address = HubAddress::parse(&model, &own_hub()).or_logged("reading what is offered");
    let size = megabytes(bytes);
    let about = {
        let size = size.clone();
        move || {
            let (weights, licence, size) = (grouped(weights), licence.clone(), size.clone());
            t_string!(
                i18n,
                hub.offered_about,
                weights = weights,
                licence = licence,
                size = size
            )
        }
    };
    let kept = {
        let (address, file) = (address.clone(), file.clone());
        Memo::new(move |_| {
            let mut kept = hub.kept().into_iter();
            kept.find(|kept| {
                let is_it = Some(&kept.model.address) == address.as_ref() && kept.weights == file;
                is_it && kept.is_complete()
            })
        })
    };
    let label = {
        let (title, size) = (title.clone(), size.clone());
        move || match kept.read().is_some() {
            true => t_string!(i18n, hub.open_named, model = title.clone()),
            false => t_string!(
                i18n,
                hub.take_named,
                title = title.clone(),
                size = size.clone()
            ),
        }
    };
    let take = move |_| match (kept.get_untracked(), &address) {
        (Some(kept), _) => hub.open(&kept),
        (None, Some(address)) => hub.take(address.clone(), &file),
        (None, None) => {}
    };
    let is_busy =
        Memo::new(move |_| matches!(hub.stage(), Stage::Finding(_) | Stage::Downloading { .. }));
    view! {
        <article class="models-entry" data-testid="offered">
            <h4 class="models-name">{title}</h4>
            <p>{about}</p>
            <div class="models-variants">
                <button
                    type="button"
                    class="plain-button"
                    data-testid="offered-take"
                    aria-label=label
                    disabled=move || is_busy.get()
                    on:click=take
                >
                    {move || match kept.read().is_some() {
                        true => t_string!(i18n, hub.open).to_owned(),
                        false => t_string!(i18n, hub.take, size = size.clone()),
                    }}
                </button>
            </div>
            <Show when=move || hub.is_offered()>
                <Progress />
            </Show>
        </article>
    }
}

/// Returns the address of the hub beside this page.
fn own_hub() -> String {
    let here = window()
        .location()
        .href()
        .or_logged("reading the page's address");
    let here = here.unwrap_or_default();
    let page = here.split(['?', '#']).next().unwrap_or_default();
    let (folder, _) = page.rsplit_once('/').unwrap_or_default();
    format!("{folder}/{HUB}")
}
