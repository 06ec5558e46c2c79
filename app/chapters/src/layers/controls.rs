//! The sizes of the stacks.

use crate::layers::parameters::LayersLab;
use leptos::prelude::*;

use super::words::lab;
use attention_core::{
    i18n::{t_string, use_i18n},
    state::ViewState,
    widgets::{Check, Slider},
};

/// Changes the figure's settings, which restarts it from the first step.
fn change(state: ViewState, set: impl FnOnce(&mut LayersLab)) {
    state.update_chapters(|chapters| {
        set(chapters.of_mut::<LayersLab>());
        chapters.stage = 0;
    });
}

/// Sliders of the tokens, the layers and the kernel.
#[component]
pub fn StackControls() -> impl IntoView {
    let i18n = use_i18n();
    let (state, lab) = (ViewState::expect(), lab());
    let number = move |read: fn(&LayersLab) -> usize| Memo::new(move |_| lab.with(read));
    let (tokens, layers, kernel) = (
        number(|lab| lab.tokens),
        number(|lab| lab.layers),
        number(|lab| lab.kernel),
    );
    view! {
        <div class="position-controls">
            <Slider
                name=Signal::derive(move || t_string!(i18n, layers.tokens).to_owned())
                test_id="layers-n"
                range=LayersLab::TOKENS
                value=tokens
                words=Signal::derive(move || tokens.get().to_string())
                set=move |tokens| change(state, |lab| lab.tokens = tokens)
            />
            <Slider
                name=Signal::derive(move || t_string!(i18n, layers.layers).to_owned())
                test_id="layers-count"
                range=LayersLab::LAYERS
                value=layers
                words=Signal::derive(move || layers.get().to_string())
                set=move |layers| change(state, |lab| lab.layers = layers)
            />
            <Slider
                name=Signal::derive(move || t_string!(i18n, layers.kernel).to_owned())
                test_id="layers-k"
                range=LayersLab::KERNELS
                value=kernel
                words=Signal::derive(move || kernel.get().to_string())
                set=move |kernel| change(state, |lab| lab.kernel = kernel)
            />
            <Check
                name=Signal::derive(move || t_string!(i18n, layers.dilated).to_owned())
                test_id="layers-dilated"
                on=Signal::derive(move || lab.with(|lab| lab.dilated))
                set=move |dilated| change(state, |lab| lab.dilated = dilated)
            />
            <Check
                name=Signal::derive(move || t_string!(i18n, layers.bidirectional).to_owned())
                test_id="layers-both"
                on=Signal::derive(move || lab.with(|lab| lab.bidirectional))
                set=move |both| change(state, |lab| lab.bidirectional = both)
            />
        </div>
    }
}
