//! The menu of files that a visitor takes along: the pass on screen as a file.

use attention_trace::Trace;
use leptos::{prelude::*, task::spawn_local};

use attention_core::{
    assets::download::save,
    engine::{Live, describe},
    i18n::{t, t_string, use_i18n},
    names::full_model_name,
    offline::{Kept, OfflineModels},
    state::{LONG_LINK_BYTES, VIEW_FILE, ViewState},
    widgets::{
        Popover,
        numbers::{grouped, megabytes},
    },
};

/// The ending of a trace's file.
const TRACE: &str = "safetensors";

/// A button that opens the menu.
#[component]
pub fn TakeAlong() -> impl IntoView {
    let i18n = use_i18n();
    // Not earlier: what is kept is looked for in the browser's storage.
    let opened = RwSignal::new(false);
    let name = move || {
        view! {
            <span class="wide-only">{t!(i18n, take.title)}" "</span>
            <span role="img" aria-label=move || t_string!(i18n, take.title)>"⤓"</span>
        }
    };
    view! {
        <Popover class="plain-button" test_id="take" opened name>
            <div class="take">
                <h2 class="about-title">{t!(i18n, take.pass)}</h2>
                <TakeTrace />
                <h2 class="about-title">{t!(i18n, take.this_view)}</h2>
                <TakeView />
                <h2 class="about-title">{t!(i18n, take.offline)}</h2>
                <Show when=move || opened.get()>
                    <KeepModels />
                </Show>
            </div>
        </Popover>
    }
}

/// The pass on screen as a trace.
#[component]
fn TakeTrace() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let model = ViewState::expect().select(|view| view.model);
    let model_name = full_model_name();
    let failed = RwSignal::new(None::<String>);
    let has_trace = Memo::new(move |_| live.trace().is_some());
    let take = move |_| {
        let Some(trace) = untrack(|| live.trace()) else {
            return;
        };
        let name = file_name(&model_name(model.get_untracked()), &trace, TRACE);
        spawn_local(async move {
            let saved = match trace.to_safetensors() {
                Ok(bytes) => save(&name, &bytes).await.map_err(|error| describe(&error)),
                Err(error) => Err(error.to_string()),
            };
            failed.try_set(saved.err());
        });
    };
    view! {
        <button
            type="button"
            class="plain-button"
            data-testid="take-trace"
            aria-disabled=move || (!has_trace.get()).then_some("true")
            on:click=take
        >
            {t!(i18n, take.trace)}
        </button>
        <p class="hint">{t!(i18n, take.trace_hint)}</p>
        <Failed reason=failed />
    }
}

/// The view as a file, for what is too long for a link.
#[component]
fn TakeView() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let link_bytes = Memo::new(move |_| live.shown_in(state.get()).to_fragment().len());
    let failed = RwSignal::new(None::<String>);
    let take = move |_| {
        let view = live.shown_in(state.get_untracked());
        spawn_local(async move {
            let saved = match view.to_file() {
                Ok(text) => save(&format!("attention{VIEW_FILE}"), text.as_bytes())
                    .await
                    .map_err(|error| describe(&error)),
                Err(error) => Err(error.to_string()),
            };
            failed.try_set(saved.err());
        });
    };
    view! {
        <button type="button" class="plain-button" data-testid="take-view" on:click=take>
            {t!(i18n, take.view)}
        </button>
        <p class="hint">
            {move || {
                let bytes = grouped(link_bytes.get() as u64);
                match link_bytes.get() > LONG_LINK_BYTES {
                    true => t_string!(i18n, take.view_long, bytes = bytes),
                    false => t_string!(i18n, take.view_hint, bytes = bytes),
                }
            }}
        </p>
        <Failed reason=failed />
    }
}

/// The reason why a file could not be made, if there is one.
#[component]
fn Failed(reason: RwSignal<Option<String>>) -> impl IntoView {
    let i18n = use_i18n();
    view! {
        {move || reason.get().map(|reason| view! {
            <p class="hint warning" role="alert">
                {move || t_string!(i18n, take.failed, reason = reason.clone())}
            </p>
        })}
    }
}

/// The models of the page in this browser, and the way to have them all.
#[component]
fn KeepModels() -> impl IntoView {
    let i18n = use_i18n();
    let models = OfflineModels::start();
    on_cleanup(move || models.stop());
    let words = move || match models.kept() {
        Kept::Unknown => String::new(),
        Kept::All => t_string!(i18n, take.all_kept).to_owned(),
        Kept::Missing { bytes } => t_string!(i18n, take.missing, size = megabytes(bytes)),
        Kept::Downloading {
            done_bytes,
            total_bytes,
        } => {
            let (done, total) = (megabytes(done_bytes), megabytes(total_bytes));
            t_string!(i18n, take.keeping, done = done, total = total)
        }
        Kept::Failed(error) => {
            let reason = error.to_string();
            t_string!(i18n, take.not_kept, reason = reason)
        }
    };
    let is_busy = Memo::new(move |_| matches!(models.kept(), Kept::Downloading { .. }));
    let may_begin =
        Memo::new(move |_| matches!(models.kept(), Kept::Missing { .. } | Kept::Failed(_)));
    view! {
        <p role="status" data-testid="offline-models">{words}</p>
        <Show when=move || may_begin.get()>
            <button
                type="button"
                class="plain-button"
                data-testid="keep-models"
                on:click=move |_| models.download()
            >
                {t!(i18n, take.keep)}
            </button>
        </Show>
        <Show when=move || is_busy.get()>
            <button
                type="button"
                class="plain-button"
                data-testid="stop-keeping"
                on:click=move |_| models.stop()
            >
                {t!(i18n, take.stop)}
            </button>
        </Show>
    }
}

/// Returns the name of a file about a pass: of letters and digits of the model's name and of the first tokens.
fn file_name(model: &str, trace: &Trace, ending: &str) -> String {
    let meta = &trace.meta;
    let tokens = if meta.source.is_empty() {
        &meta.target
    } else {
        &meta.source
    };
    let shown = tokens.iter().filter(|token| !meta.pieces.is_special(token));
    let text: String = shown.take(WORDS).map(|token| token.text.as_str()).collect();
    let plain = |text: &str| {
        let words = text.split(|character: char| !character.is_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        words.join("-")
    };
    let parts = [plain(model), plain(&text)];
    let parts: Vec<&str> = parts
        .iter()
        .map(String::as_str)
        .filter(|part| !part.is_empty())
        .collect();
    format!("{}.{ending}", parts.join("-"))
}

/// The number of tokens in the name of a file.
const WORDS: usize = 6;
