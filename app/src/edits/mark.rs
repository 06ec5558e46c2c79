//! Says beside an answer that heads were switched off in it.

use leptos::prelude::*;
use leptos_i18n::I18nContext;

use crate::{
    engine::Live,
    i18n::{Locale, t_string, use_i18n},
};

/// How many heads are off in the result on screen; nothing where none is.
#[component]
pub fn EditedMark() -> impl IntoView {
    let i18n = use_i18n();
    let count = Live::expect().select(|engine| {
        let shown = engine.shown.as_ref();
        shown.map_or(0, |shown| shown.off().len())
    });
    view! {
        <p
            class="badge"
            class:is-hidden=move || count.get() == 0
            data-testid="edited-mark"
        >
            {move || heads_off(i18n, count.get())}
        </p>
    }
}

/// So many heads are off, in words.
pub fn heads_off(i18n: I18nContext<Locale>, count: usize) -> String {
    match count {
        1 => t_string!(i18n, edits.one_off).to_owned(),
        count => t_string!(i18n, edits.many_off, count = count),
    }
}
