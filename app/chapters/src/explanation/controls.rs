//! Controls that choose the weights to replace and their replacement.

use crate::explanation::parameters::{Explanation, Replaced, Where};
use attention_core::{
    edits::edit_words,
    engine::Live,
    i18n::{t, t_string, use_i18n},
    selection::{Chosen, HeadControls},
    state::{NewWeights, Reweighed, Scope, ViewState},
    widgets::{NumberField, Segmented},
};
use leptos::prelude::*;

/// Returns the replacement that the controls name.
pub fn new_weights(asked: Explanation) -> NewWeights {
    match asked.by {
        Replaced::Permuted => NewWeights::Shuffled { seed: asked.seed },
        Replaced::Uniform => NewWeights::Uniform,
    }
}

/// Returns the replacement, with its scope, for the chosen head and layer; `None` without a chosen head where one is
/// needed.
pub fn asked_for(asked: Explanation, chosen: Option<Chosen>) -> Option<Reweighed> {
    let scope = match asked.place {
        Where::Head => Scope::Head(chosen?.head),
        Where::Layer => Scope::Layer(chosen?.head.attention),
        Where::Everywhere => Scope::Everywhere,
    };
    Some(Reweighed {
        scope,
        weights: new_weights(asked),
    })
}

/// The controls, the button that replaces the weights, and the one that takes that back.
#[component]
pub fn Controls(
    /// The head in sight.
    chosen: Memo<Option<Chosen>>,
    /// The settings of the controls.
    asked: Memo<Explanation>,
) -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let is_permuted = Memo::new(move |_| asked.get().by == Replaced::Permuted);
    let in_effect = state.select(|view| view.edits.reweighed());
    let next = Memo::new(move |_| asked_for(asked.get(), chosen.get()));
    let is_done = Memo::new(move |_| next.get() == in_effect.get());
    let words = edit_words();
    view! {
        <HeadControls chosen />
        <div class="position-controls">
            <Segmented
                label=Signal::derive(move || t_string!(i18n, explanation.by).to_owned())
                options=Signal::derive(move || vec![
                    (Replaced::Permuted, t_string!(i18n, explanation.permuted).to_owned()),
                    (Replaced::Uniform, t_string!(i18n, explanation.uniform).to_owned()),
                ])
                value=Signal::derive(move || asked.get().by)
                choose=move |by| state.update_chapters(|chapters| chapters.of_mut::<Explanation>().by = by)
            />
            <Segmented
                label=Signal::derive(move || t_string!(i18n, explanation.place).to_owned())
                options=Signal::derive(move || vec![
                    (Where::Head, t_string!(i18n, explanation.in_head).to_owned()),
                    (Where::Layer, t_string!(i18n, explanation.in_layer).to_owned()),
                    (Where::Everywhere, t_string!(i18n, explanation.everywhere).to_owned()),
                ])
                value=Signal::derive(move || asked.get().place)
                choose=move |place| state.update_chapters(|chapters| {
                    chapters.of_mut::<Explanation>().place = place;
                })
            />
            <Show when=move || is_permuted.get()>
                <NumberField
                    name=Signal::derive(move || t_string!(i18n, explanation.seed).to_owned())
                    test_id="explained-seed"
                    bounds=(0, u64::from(u32::MAX))
                    value=Signal::derive(move || u64::from(asked.get().seed))
                    set=move |seed| state.update_chapters(|chapters| {
                        chapters.of_mut::<Explanation>().seed = seed.min(u32::MAX.into()) as u32;
                    })
                />
            </Show>
        </div>
        <div class="position-controls">
            <button
                type="button"
                class="plain-button"
                data-testid="replace-weights"
                aria-disabled=move || is_done.get().to_string()
                on:click=move |_| {
                    if !is_done.get_untracked() {
                        live.edit(|edits| edits.reweigh(next.get_untracked()));
                    }
                }
            >
                {t!(i18n, explanation.replace)}
            </button>
            <button
                type="button"
                class="plain-button"
                data-testid="own-weights"
                aria-disabled=move || in_effect.get().is_none().to_string()
                on:click=move |_| live.edit(|edits| edits.reweigh(None))
            >
                {t!(i18n, explanation.own)}
            </button>
        </div>
        <p class="lesson-reading" role="status" data-testid="in-effect">
            {move || match in_effect.get() {
                Some(reweighed) => words(&reweighed.into()),
                None => t_string!(i18n, explanation.nothing_replaced).to_owned(),
            }}
        </p>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_replaced_is_the_head_its_layer_or_all() {
        let head = "cross.1.3".parse().unwrap();
        let chosen = Some(Chosen { head, query: 0 });
        let spelled = |place, by, chosen| {
            let asked = Explanation {
                place,
                by,
                seed: 7,
                measures: false,
            };
            asked_for(asked, chosen).map(|reweighed| reweighed.to_string())
        };
        let all =
            |by| [Where::Head, Where::Layer, Where::Everywhere].map(|at| spelled(at, by, chosen));
        let [head, layer, everywhere] = all(Replaced::Permuted);
        assert_eq!(head.as_deref(), Some("permuted.7.cross.1.3"));
        assert_eq!(layer.as_deref(), Some("permuted.7.cross.1"));
        assert_eq!(everywhere.as_deref(), Some("permuted.7.all"));
        assert_eq!(
            all(Replaced::Uniform)[1].as_deref(),
            Some("uniform.cross.1")
        );
        assert_eq!(spelled(Where::Head, Replaced::Uniform, None), None);
    }
}
