//! Exhaustive search: every sequence of the table, ranked.

use crate::search::parameters::SearchLab;
use attention_trace::search::{Ending, Path};
use leptos::prelude::*;

use super::{
    beams::AlphaSlider,
    context::{SearchContext, cost_in_words},
    results::Ranked,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    state::ViewState,
    widgets::Segmented,
};

/// The number of sequences listed before the visitor asks for all.
const FIRST: usize = 10;

/// The sequences by `(1/L^α) Σ ln p`; those that score the same stay in the order of their probability.
fn ranked(mut found: Vec<Path>, alpha: f64) -> Vec<Path> {
    found.sort_by(|one, other| other.score(alpha).total_cmp(&one.score(alpha)));
    found
}

/// The definition of a sequence, and the list of all of them, the best first.
#[component]
pub fn ListedView() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = SearchContext::expect();
    let ending = Memo::new(move |_| context.lab.with(|lab| lab.ending));
    let all = Memo::new(move |_| context.lab.with(|lab| lab.all));
    let alpha = Signal::derive(move || match ending.get() {
        Ending::AllSteps => None,
        Ending::End => Some(context.lab.with(|lab| lab.alpha())),
    });
    let searched = Memo::new(move |_| match ending.get() {
        Ending::AllSteps => context.all.get(),
        Ending::End => context.ended.get(),
    });
    let count = Memo::new(move |_| {
        searched.with(|searched| searched.as_ref().map_or(0, |searched| searched.found.len()))
    });
    let found = Signal::derive(move || {
        let found = searched
            .get()
            .map_or_else(Vec::new, |searched| searched.found);
        let mut found = match alpha.get() {
            Some(alpha) => ranked(found, alpha),
            None => found,
        };
        if !all.get() {
            found.truncate(FIRST);
        }
        found
    });
    let cost = move || {
        let cost = searched.with(|searched| searched.as_ref().map(|searched| searched.cost));
        cost_in_words(i18n, cost.unwrap_or_default())
    };
    view! {
        <Segmented
            label=Signal::derive(move || t_string!(i18n, search.ending).to_owned())
            options=Signal::derive(move || vec![
                (Ending::AllSteps, t_string!(i18n, search.four_steps).to_owned()),
                (Ending::End, t_string!(i18n, search.until_end).to_owned()),
            ])
            value=ending
            choose=move |ending| state.update_chapters(|chapters| chapters.of_mut::<SearchLab>().ending = ending)
        />
        <Show when=move || ending.get() == Ending::End><AlphaSlider /></Show>
        <p class="lesson-reading number" role="status" data-testid="sequence-count">
            {move || match ending.get() {
                Ending::AllSteps => t_string!(i18n, search.count_all, count = count.get()),
                Ending::End => t_string!(i18n, search.count_ended, count = count.get()),
            }}
        </p>
        <Ranked
            name=Signal::derive(move || t_string!(i18n, search.all_sequences).to_owned())
            test_id="all-sequences"
            found
            alpha
        />
        <button
            type="button"
            class="plain-button"
            data-testid="list-all"
            aria-expanded=move || all.get().to_string()
            on:click=move |_| state.update_chapters(|chapters| chapters.of_mut::<SearchLab>().all ^= true)
        >
            {move || match all.get() {
                true => t_string!(i18n, search.list_first, count = FIRST),
                false => t_string!(i18n, search.list_all, count = count.get()),
            }}
        </button>
        <p class="hint" data-testid="search-cost">{cost}</p>
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::search::{TableModel, exhaustive};

    use super::*;
    use crate::search::context::written;

    #[test]
    fn alpha_lifts_the_longer_sequences_over_a_eos() {
        let found = exhaustive(&TableModel::default(), Ending::End)
            .unwrap()
            .found;
        let first = |alpha| written(&ranked(found.clone(), alpha)[0].tokens);
        assert!(["A eos", "eos"].contains(&first(0.0).as_str()));
        assert_eq!(first(0.75), "A C B eos");
    }
}
