//! Three kinds of Transformer on one sentence: what their tokens can see, and what they make of a masked word.

mod cloze;
mod context;
mod guesses;
mod kit;
mod maps;
pub mod parameters;
mod sentence;

use attention_core::{
    i18n::{t_string, use_i18n},
    state::{View, ViewState},
    widgets::Prose,
};
use leptos::prelude::*;

use self::{
    context::KindsContext, guesses::Guesses, maps::Maps, parameters::Kinds, sentence::Sentence,
};
use crate::{kit::Kit, needs::Needs, page::Define, topic::Topic};

impl Define for Kinds {
    const NEEDS: Needs = Needs::Nothing;
    const MINUTES: u32 = 5;

    fn topic(_view: &View) -> Topic {
        Topic::Whole
    }

    fn title() -> String {
        t_string!(use_i18n(), kinds.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        KindsPage().into_any()
    }
}

#[component]
pub fn KindsPage() -> impl IntoView {
    KindsContext::provide();
    let runs = ViewState::expect().select(|view| view.chapters.of::<Kinds>().run);
    view! {
        <Prose part="intro" />
        <Sentence />
        <Prose part="see" />
        <Show when=move || runs.get()>
            <section class="lesson-figure">
                <Maps />
            </section>
        </Show>
        <Prose part="mask" />
        <Show when=move || runs.get()>
            <section class="lesson-figure">
                <Guesses />
            </section>
        </Show>
        <Prose part="can" />
        <Prose part="others" />
    }
}
