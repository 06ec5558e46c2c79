//! The view as a file, for what is too long for a link.

use leptos::{prelude::*, task::spawn_local};

use super::Failed;
use attention_core::{
    assets::download::save,
    engine::{Live, describe},
    i18n::{t, t_string, use_i18n},
    state::{LONG_LINK_BYTES, VIEW_FILE, View, ViewState},
    widgets::numbers::grouped,
};

/// The name of the file without its ending.
const NAME: &str = "attention";

/// A button that saves the view, with the length of its link.
#[component]
pub fn TakeView() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let link_bytes = Memo::new(move |_| state.get().to_fragment().len());
    let failed = RwSignal::new(None::<String>);
    let take = move |_| {
        let view = live.shown_in(state.get_untracked());
        spawn_local(async move {
            failed.try_set(saved(&view).await.err());
        });
    };
    let words = move || {
        let bytes = grouped(link_bytes.get() as u64);
        match link_bytes.get() > LONG_LINK_BYTES {
            true => t_string!(i18n, take.view_long, bytes = bytes),
            false => t_string!(i18n, take.view_hint, bytes = bytes),
        }
    };
    view! {
        <button type="button" class="plain-button" data-testid="take-view" on:click=take>
            {t!(i18n, take.view)}
        </button>
        <p class="hint">{words}</p>
        <Failed reason=failed />
    }
}

async fn saved(view: &View) -> Result<(), String> {
    let text = view.to_file().map_err(|error| error.to_string())?;
    let name = format!("{NAME}{VIEW_FILE}");
    let saved = save(&name, text.as_bytes()).await;
    saved.map_err(|error| describe(&error))
}
