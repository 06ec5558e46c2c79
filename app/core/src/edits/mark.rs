//! Says beside an answer what was changed in the passes that made it.

use leptos::prelude::*;
use leptos_i18n::I18nContext;

use crate::{
    engine::Live,
    i18n::{Locale, t_string, use_i18n},
    state::{Ablation, Changes},
};

/// The extent of the changes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Extent {
    /// Heads that are off.
    off: usize,
    /// The ablation of the heads that are off.
    by: Ablation,
    /// True if weights of whole heads are replaced.
    is_reweighed: bool,
    /// Weights that are given.
    weights: usize,
}

impl Extent {
    /// Returns the extent of some changes.
    pub fn of(changes: &Changes) -> Self {
        Extent {
            off: changes.off.len(),
            by: changes.by,
            is_reweighed: changes.reweighed.is_some(),
            weights: changes.weights.len(),
        }
    }
}

/// Shows the changes in the result on screen; nothing where there are none.
#[component]
pub fn EditedMark() -> impl IntoView {
    let i18n = use_i18n();
    let extent = Live::expect().select(|engine| {
        let shown = engine.shown.as_ref();
        shown.map_or(Extent::default(), |shown| Extent::of(&shown.changes()))
    });
    view! {
        <p
            class="badge"
            class:is-hidden=move || extent.get() == Extent::default()
            data-testid="edited-mark"
        >
            {move || edited(i18n, extent.get())}
        </p>
    }
}

/// Describes in words the heads that are off, the replaced weights of heads, and the number of given weights.
pub fn edited(i18n: I18nContext<Locale>, extent: Extent) -> String {
    let off = match (extent.off, extent.by) {
        (0, _) => None,
        (1, Ablation::Zero) => Some(t_string!(i18n, edits.one_off).to_owned()),
        (count, Ablation::Zero) => Some(t_string!(i18n, edits.many_off, count = count)),
        (1, Ablation::Mean) => Some(t_string!(i18n, edits.one_mean).to_owned()),
        (count, Ablation::Mean) => Some(t_string!(i18n, edits.many_mean, count = count)),
    };
    let reweighed = t_string!(i18n, edits.replaced).to_owned();
    let weights = match extent.weights {
        0 => None,
        1 => Some(t_string!(i18n, edits.one_weight).to_owned()),
        count => Some(t_string!(i18n, edits.many_weights, count = count)),
    };
    let all = [off, extent.is_reweighed.then_some(reweighed), weights];
    let all = all.into_iter().flatten();
    let both = |off, weights| t_string!(i18n, edits.off_and_weights, off = off, weights = weights);
    all.reduce(both).unwrap_or_default()
}
