//! Says beside an answer what was changed in the passes that made it.

use leptos::prelude::*;
use leptos_i18n::I18nContext;

use crate::{
    engine::Live,
    i18n::{Locale, t_string, use_i18n},
};

/// What is changed in the result on screen; nothing where nothing is.
#[component]
pub fn EditedMark() -> impl IntoView {
    let i18n = use_i18n();
    let counts = Live::expect().select(|engine| {
        let shown = engine.shown.as_ref();
        shown.map_or((0, 0), |shown| {
            let changes = shown.changes();
            (changes.off.len(), changes.weights.len())
        })
    });
    view! {
        <p
            class="badge"
            class:is-hidden=move || counts.get() == (0, 0)
            data-testid="edited-mark"
        >
            {move || edited(i18n, counts.get())}
        </p>
    }
}

/// How many heads are off and how many weights are given, in words.
pub fn edited(i18n: I18nContext<Locale>, (off, weights): (usize, usize)) -> String {
    let off = match off {
        0 => None,
        1 => Some(t_string!(i18n, edits.one_off).to_owned()),
        count => Some(t_string!(i18n, edits.many_off, count = count)),
    };
    let weights = match weights {
        0 => None,
        1 => Some(t_string!(i18n, edits.one_weight).to_owned()),
        count => Some(t_string!(i18n, edits.many_weights, count = count)),
    };
    match (off, weights) {
        (Some(off), Some(weights)) => {
            t_string!(i18n, edits.off_and_weights, off = off, weights = weights)
        }
        (off, weights) => off.or(weights).unwrap_or_default(),
    }
}
