//! Models from a hub: the search, the download, and those that this browser keeps.

use attention_protocol::{
    FilesFault,
    hub::{Choice, DEFAULT_HUB, HubAddress, HubModel, KeptModel},
};
use js_sys::Date;
use leptos::{ev::SubmitEvent, html, prelude::*};
use wasm_bindgen::JsValue;

use attention_core::{
    hub::{Hub, Stage, hub_fault},
    i18n::{t, t_string, use_i18n},
    mine::check_size,
    problems::files_fault,
    state::ViewState,
    widgets::numbers::{grouped, megabytes},
};
use attention_trace::config::{MODEL_TYPES, keeps_stored};

/// The search for a model on a hub, what the hub says of it, and the download.
#[component]
pub fn FromHub() -> impl IntoView {
    let i18n = use_i18n();
    let hub = Hub::expect();
    hub.list();
    view! {
        <article class="models-entry models-hub">
            <h4 class="models-name">{t!(i18n, hub.title)}</h4>
            <p>{t!(i18n, hub.about)}</p>
            <Search />
            <Show when=move || !hub.is_offered()>
                <Progress />
            </Show>
        </article>
    }
}

/// The state of the search and the download, and the last fault.
#[component]
pub fn Progress() -> impl IntoView {
    let i18n = use_i18n();
    let hub = Hub::expect();
    // A download's progress changes many times.
    let shown = Memo::new(move |_| match hub.stage() {
        Stage::Downloading { model, weights, .. } => Stage::Downloading {
            model,
            weights,
            received_bytes: 0,
            total_bytes: 0,
        },
        stage => stage,
    });
    view! {
        {move || match shown.get() {
            Stage::Idle => ().into_any(),
            Stage::Finding(address) => view! { <Finding address /> }.into_any(),
            Stage::Found(model) => view! { <Found model=*model /> }.into_any(),
            Stage::Downloading { model, .. } => view! { <Downloading model=*model /> }.into_any(),
        }}
        {move || hub.fault().map(|fault| view! {
            <p class="hint warning" role="alert" data-testid="hub-problem">
                {move || hub_fault(i18n, &fault)}
            </p>
        })}
    }
}

#[component]
fn Search() -> impl IntoView {
    let i18n = use_i18n();
    let hub = Hub::expect();
    let folder = ViewState::expect().select(|view| view.folder.clone());
    let (model, base, token) = (input(), input(), input());
    let is_wrong = RwSignal::new(false);
    let find = move |event: SubmitEvent| {
        event.prevent_default();
        let value = |field: NodeRef<html::Input>| {
            field
                .get_untracked()
                .map(|field| field.value())
                .unwrap_or_default()
        };
        let address = HubAddress::parse(&value(model), &value(base));
        is_wrong.set(address.is_err());
        if let Ok(address) = address {
            let token = value(token).trim().to_owned();
            hub.find(address, Some(token).filter(|token| !token.is_empty()));
        }
    };
    view! {
        <form class="models-search" on:submit=find>
            <label class="models-label">
                {t!(i18n, hub.model)}
                <input
                    class="text-box"
                    type="text"
                    data-testid="hub-model"
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    placeholder=move || t_string!(i18n, hub.example)
                    prop:value=move || linked(&folder.get())
                    aria-invalid=move || is_wrong.get().to_string()
                    node_ref=model
                />
            </label>
            <button type="submit" class="plain-button" data-testid="hub-find">
                {t!(i18n, hub.find)}
            </button>
            <details class="models-more">
                <summary>{t!(i18n, hub.more)}</summary>
                <label class="models-label">
                    {t!(i18n, hub.hub)}
                    <input
                        class="text-box"
                        type="url"
                        data-testid="hub-base"
                        placeholder=DEFAULT_HUB
                        node_ref=base
                    />
                </label>
                <label class="models-label">
                    {t!(i18n, hub.token)}
                    <input
                        class="text-box"
                        type="password"
                        autocomplete="off"
                        data-testid="hub-token"
                        aria-describedby="hub-token-hint"
                        node_ref=token
                    />
                </label>
                <p class="hint" id="hub-token-hint">{t!(i18n, hub.token_hint)}</p>
            </details>
        </form>
        <Show when=move || is_wrong.get()>
            <p class="hint warning" role="alert" data-testid="hub-wrong">
                {t!(i18n, hub.not_an_address)}
            </p>
        </Show>
    }
}

fn input() -> NodeRef<html::Input> {
    NodeRef::new()
}

/// Returns the name of the linked model if it is one on a hub.
fn linked(folder: &str) -> String {
    match HubAddress::parse(folder, "") {
        Ok(address) => address.to_string(),
        Err(_) => String::new(),
    }
}

#[component]
fn Finding(address: HubAddress) -> impl IntoView {
    let i18n = use_i18n();
    let hub = Hub::expect();
    let words = move || {
        let (model, base) = (address.to_string(), address.hub.clone());
        t_string!(i18n, hub.finding, hub = base, model = model)
    };
    view! {
        <p class="models-own" role="status" data-testid="hub-finding">
            {words}
            <button type="button" class="plain-button" on:click=move |_| hub.stop()>
                {t!(i18n, hub.cancel)}
            </button>
        </p>
    }
}

/// The hub's facts about a model, and a button for each set of files that can be downloaded.
#[component]
fn Found(model: HubModel) -> impl IntoView {
    let i18n = use_i18n();
    let HubModel {
        model_type,
        licence,
        parameters,
        ..
    } = model.clone();
    let unknown = model_type
        .clone()
        .filter(|found| !MODEL_TYPES.contains(&found.as_str()));
    let facts = move || {
        let family = model_type.clone();
        let family = family.map(|family| t_string!(i18n, hub.family, family = family));
        let weights =
            parameters.map(|count| t_string!(i18n, hub.weights, weights = grouped(count)));
        let licence = licence.clone();
        let licence = licence.map(|licence| t_string!(i18n, hub.licence, licence = licence));
        let facts: Vec<String> = [family, weights, licence].into_iter().flatten().collect();
        facts.join(" ")
    };
    let name = model.address.to_string();
    let choices = match (unknown, model.choices()) {
        (Some(found), _) => view! {
            <p class="hint warning" data-testid="hub-unsupported">
                {move || {
                    let (found, known) = (found.clone(), MODEL_TYPES.join(", "));
                    t_string!(i18n, hub.unsupported, found = found, known = known)
                }}
            </p>
        }
        .into_any(),
        (None, Err(none)) => view! {
            <p class="hint warning" data-testid="hub-no-choice">
                {move || t_string!(i18n, hub.no_choice, missing = none.missing.join(", "))}
            </p>
        }
        .into_any(),
        (None, Ok(choices)) => choices
            .into_iter()
            .map(|choice| view! { <DownloadButton model=model.clone() choice /> })
            .collect_view()
            .into_any(),
    };
    view! {
        <div class="models-found" role="status" data-testid="hub-found">
            <p><strong>{name}</strong></p>
            <p class="hint">{facts}</p>
            <div class="models-variants">{choices}</div>
        </div>
    }
}

#[component]
fn DownloadButton(model: HubModel, choice: Choice) -> impl IntoView {
    let i18n = use_i18n();
    let hub = Hub::expect();
    let weights = choice.weights.clone();
    let fault = fault_of_size(&model, &choice);
    let words = move || {
        let (name, size) = (choice.weights.clone(), megabytes(choice.bytes()));
        t_string!(i18n, hub.download, name = name, size = size)
    };
    view! {
        <button
            type="button"
            class="plain-button"
            data-testid="hub-download"
            disabled=fault.is_some()
            on:click=move |_| hub.download(model.clone(), &weights)
        >
            {words}
        </button>
        {fault.map(|fault| view! {
            <p class="hint warning" data-testid="hub-too-large">
                {move || files_fault(i18n, &fault)}
            </p>
        })}
    }
}

/// Returns the fault of a choice whose weights a tab has no memory for. Weights of GGUF files, and of models that keep them
/// as they are stored, stay about as large as the file; others become f32, as far as the hub says how many there are.
fn fault_of_size(model: &HubModel, choice: &Choice) -> Option<FilesFault> {
    let bytes = choice.bytes();
    let is_gguf = choice.files.len() == 1;
    let stays = is_gguf || model.model_type.as_deref().is_some_and(keeps_stored);
    let loaded_bytes = match model.parameters.filter(|_| !stays) {
        Some(parameters) => parameters.saturating_mul(4),
        None => bytes,
    };
    check_size(loaded_bytes).err()
}

#[component]
fn Downloading(model: HubModel) -> impl IntoView {
    let i18n = use_i18n();
    let hub = Hub::expect();
    let name = model.address.to_string();
    let bytes = move || match hub.stage() {
        Stage::Downloading {
            received_bytes,
            total_bytes,
            ..
        } => (received_bytes, total_bytes),
        Stage::Idle | Stage::Finding(_) | Stage::Found(_) => (0, 0),
    };
    let words = move || {
        let (received, total) = bytes();
        let (received, total) = (megabytes(received), megabytes(total));
        t_string!(
            i18n,
            hub.downloading,
            model = name.clone(),
            received = received,
            total = total
        )
    };
    view! {
        <div class="models-found" data-testid="hub-downloading">
            <p id="hub-progress">{words}</p>
            <progress
                aria-labelledby="hub-progress"
                max=move || bytes().1.to_string()
                value=move || bytes().0.to_string()
            ></progress>
            <div class="models-variants">
                <button
                    type="button"
                    class="plain-button"
                    data-testid="hub-pause"
                    on:click=move |_| hub.stop()
                >
                    {t!(i18n, hub.pause)}
                </button>
            </div>
        </div>
    }
}

/// The models that this browser keeps.
#[component]
pub fn OnThisMachine() -> impl IntoView {
    let i18n = use_i18n();
    let hub = Hub::expect();
    let free = move || {
        let size = hub.free_bytes()?;
        Some(t_string!(i18n, hub.free, size = megabytes(size)))
    };
    view! {
        <Show when=move || !hub.kept().is_empty()>
            <article class="models-entry" data-testid="hub-kept">
                <h4 class="models-name">{t!(i18n, hub.here)}</h4>
                <p>{t!(i18n, hub.here_about)}</p>
                <ul class="models-list">
                    {move || hub.kept().into_iter().map(|kept| view! { <Kept kept /> }).collect_view()}
                </ul>
                <p class="hint">{free}</p>
            </article>
        </Show>
    }
}

#[component]
fn Kept(kept: KeptModel) -> impl IntoView {
    let i18n = use_i18n();
    let hub = Hub::expect();
    let name = kept.model.address.to_string();
    let is_complete = kept.is_complete();
    let facts = {
        let kept = kept.clone();
        let bytes = kept.files().iter().map(|file| file.bytes).sum();
        move || {
            let (weights, size) = (kept.weights.clone(), megabytes(bytes));
            match is_complete {
                true => {
                    let date = date(kept.used_ms);
                    t_string!(i18n, hub.kept, weights = weights, size = size, date = date)
                }
                false => {
                    let received = megabytes(kept.here_bytes);
                    t_string!(
                        i18n,
                        hub.incomplete,
                        weights = weights,
                        received = received,
                        size = size
                    )
                }
            }
        }
    };
    let go_on = {
        let kept = kept.clone();
        move |_| match is_complete {
            true => hub.open(&kept),
            false => hub.download(kept.model.clone(), &kept.weights),
        }
    };
    let go_on_label = {
        let name = name.clone();
        move || match is_complete {
            true => t_string!(i18n, hub.open_named, model = name.clone()),
            false => t_string!(i18n, hub.resume_named, model = name.clone()),
        }
    };
    let remove_label = {
        let name = name.clone();
        move || t_string!(i18n, hub.remove_named, model = name.clone())
    };
    view! {
        <li class="models-own">
            <strong>{name}</strong>
            <span class="hint">{facts}</span>
            <button
                type="button"
                class="plain-button"
                data-testid="hub-open"
                aria-label=go_on_label
                on:click=go_on
            >
                {move || match is_complete {
                    true => t_string!(i18n, hub.open),
                    false => t_string!(i18n, hub.resume),
                }}
            </button>
            <button
                type="button"
                class="plain-button"
                data-testid="hub-remove"
                aria-label=remove_label
                on:click=move |_| hub.remove(&kept)
            >
                {t!(i18n, hub.remove)}
            </button>
        </li>
    }
}

/// Returns the day of a time in the form of ISO 8601, in UTC.
fn date(ms: f64) -> String {
    let date = Date::new(&JsValue::from_f64(ms));
    let written = date.to_iso_string().as_string().unwrap_or_default();
    written.split('T').next().unwrap_or_default().to_owned()
}
