//! The other model: which it is.

use crate::compare::parameters::Compare;
use attention_core::{
    i18n::{t, use_i18n},
    kept::KeptModels,
    mine::Mine,
    names::full_model_name,
    state::{Model, ViewState},
};
use leptos::prelude::*;

use super::{context::Comparison, other::models};

/// Returns the names of the models of both sides.
pub fn model_names(comparison: Comparison) -> [Memo<Option<String>>; 2] {
    let name = full_model_name();
    let second = comparison.second;
    let left = Memo::new(move |_| Some(name(comparison.shown.get()?.model)));
    let right = Memo::new(move |_| Some(name(second?.shown()?.model)));
    [left, right]
}

/// The list of models; it names its purpose until a model is chosen.
#[component]
pub fn OtherModel() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let (kept, mine) = (KeptModels::expect(), Mine::expect());
    let comparison = Comparison::expect();
    let name = full_model_name();
    let asked = state.select(|view| view.chapters.of::<Compare>().model);
    let offered = Memo::new(move |_| {
        let trained = kept
            .list()
            .into_iter()
            .map(|model| Model::Trained(model.id));
        let own = mine.about().map(|about| Model::Mine(Some(about.id)));
        let shown = comparison.shown.get().map(|job| job.model);
        shown.map_or_else(Vec::new, |shown| models(shown, trained.chain(own)))
    });
    let place = move || {
        let asked = asked.get()?;
        offered.with(|offered| offered.iter().position(|&model| model == asked))
    };
    let option = move |(index, model): (usize, Model)| {
        view! { <option value=index prop:selected=move || place() == Some(index)>{name(model)}</option> }
    };
    let choose = move |index: String| {
        let chosen = index
            .parse()
            .ok()
            .and_then(|index: usize| offered.with_untracked(|offered| offered.get(index).copied()));
        state.update_chapters(|chapters| {
            chapters.of_mut::<Compare>().model = chosen;
            chapters.of_mut::<Compare>().head = None;
            chapters.of_mut::<Compare>().leave_axes();
        });
    };
    let is_same = Memo::new(move |_| {
        let shown = comparison.shown.get().map(|job| job.model);
        asked.get().is_some() && asked.get() == shown
    });
    let lacks_attention = Memo::new(move |_| {
        let meta = comparison.metas[1].get();
        meta.is_some_and(|meta| meta.spec.kinds().is_empty())
    });
    let is_edited = Memo::new(move |_| {
        comparison
            .shown
            .with(|job| job.as_ref().is_some_and(|job| !job.edits.is_empty()))
    });
    view! {
        <label class="number-field">
            <span>{t!(i18n, compare.model)}</span>
            <select
                data-testid="compare-model"
                on:change:target=move |event| choose(event.target().value())
            >
                <option value="" disabled prop:selected=move || place().is_none()>
                    {t!(i18n, compare.choose_model)}
                </option>
                {move || offered.get().into_iter().enumerate().map(option).collect_view()}
            </select>
        </label>
        <Show when=move || asked.get().is_none()>
            <p class="hint">{t!(i18n, compare.model_hint)}</p>
        </Show>
        <Show when=move || is_same.get()>
            <p class="hint" role="status">{t!(i18n, compare.same_model)}</p>
        </Show>
        <Show when=move || lacks_attention.get()>
            <p class="notice" data-testid="compare-lacks">{t!(i18n, heads.lacks_attention)}</p>
        </Show>
        <Show when=move || is_edited.get()>
            <p class="hint">{t!(i18n, compare.edits_left_alone)}</p>
        </Show>
    }
}
