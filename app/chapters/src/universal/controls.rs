//! Controls of halting: ε and the most depths, which apply to every figure of the sentence.

use crate::universal::parameters::UniversalView;
use leptos::prelude::*;

use super::context::UniversalContext;
use attention_core::{
    i18n::{t, t_string, use_i18n},
    state::ViewState,
    widgets::{Slider, numbers::decimal},
};

/// Both sliders, and the button that restores the trained settings.
#[component]
pub fn HaltingControls() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = UniversalContext::expect();
    let epsilon = Memo::new(move |_| context.halts.get().map_or(0.0, |it| it.halting.epsilon));
    let depths = Memo::new(move |_| context.halts.get().map_or(1, |it| it.depths));
    let most = Memo::new(move |_| context.own.get().map_or(1, |it| it.depths));
    let is_changed = Memo::new(move |_| !context.edits().is_empty());
    let set = move |change: fn(&mut UniversalView, Option<usize>), value| {
        state.update_chapters(|chapters| change(chapters.of_mut::<UniversalView>(), value));
    };
    view! {
        <section class="lesson-figure" data-testid="halting-controls">
            <div class="position-controls">
                <Slider
                    name=Signal::derive(|| "ε".to_owned())
                    test_id="halt-epsilon"
                    range=UniversalView::EPSILONS
                    value=Signal::derive(move || (100.0 * epsilon.get()).round() as usize)
                    words=Signal::derive(move || decimal(epsilon.get(), 2))
                    set=move |hundredths| set(|view, value| view.epsilon = value, Some(hundredths))
                />
                <Slider
                    name=Signal::derive(move || t_string!(i18n, universal.most_depths).to_owned())
                    test_id="halt-depths"
                    range=Signal::derive(move || (1, most.get()))
                    value=depths
                    words=Signal::derive(move || depths.get().to_string())
                    set=move |depths| set(|view, value| view.depths = value, Some(depths))
                />
                <button
                    type="button"
                    class="plain-button"
                    data-testid="halt-own"
                    disabled=move || !is_changed.get()
                    on:click=move |_| {
                        set(|view, value| view.epsilon = value, None);
                        set(|view, value| view.depths = value, None);
                    }
                >
                    {t!(i18n, universal.as_trained)}
                </button>
            </div>
            <p class="hint" role="status" data-testid="halting-said">
                {move || match is_changed.get() {
                    true => t_string!(i18n, universal.changed),
                    false => t_string!(i18n, universal.unchanged),
                }}
            </p>
        </section>
    }
}
