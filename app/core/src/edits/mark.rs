//! Says beside an answer what was changed in the passes that made it.

use leptos::prelude::*;

use super::words::extent;
use crate::{
    engine::{Live, Shown},
    i18n::use_i18n,
    state::EditList,
};

/// Shows the changes in the result on screen; nothing where there are none.
#[component]
pub fn EditedMark() -> impl IntoView {
    let i18n = use_i18n();
    let edits = Live::expect().select(|engine| {
        let shown = engine.shown.as_ref();
        shown.map_or(EditList::default(), Shown::edits)
    });
    view! {
        <p
            class="badge"
            class:is-hidden=move || edits.read().is_empty()
            data-testid="edited-mark"
        >
            {move || extent(i18n, &edits.read())}
        </p>
    }
}
