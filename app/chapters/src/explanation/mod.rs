//! Do weights explain the answer? They are permuted or made uniform, and the text is decoded again.

mod controls;
mod kit;
mod measured;
mod moved;
pub mod parameters;
pub mod questions;
mod rows;

use crate::{
    explanation::parameters::Explanation, kit::Kit, needs::Needs, page::Define, topic::Topic,
};
use attention_core::{
    edits::Texts,
    i18n::{t_string, use_i18n},
    selection::{WhenLive, chosen_head},
    state::{View, ViewState},
    widgets::{Prose, numbers::share_of_one},
};
use leptos::prelude::*;

use self::{
    controls::{Controls, asked_for, new_weights},
    measured::EveryHead,
    moved::moved,
};

impl Define for Explanation {
    const NEEDS: Needs = Needs::Attention;
    const MINUTES: u32 = 6;

    fn topic(_view: &View) -> Topic {
        Topic::Head
    }

    fn title() -> String {
        t_string!(use_i18n(), explanation.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        ExplanationChapter().into_any()
    }
}

#[component]
pub fn ExplanationChapter() -> impl IntoView {
    view! {
        <Prose part="intro" />
        <WhenLive>
            <Experiment />
        </WhenLive>
        <Prose part="against" />
        <Prose part="for" />
        <Prose part="here" />
    }
}

/// The controls, the effect of the replaced weights, and every head by itself.
#[component]
fn Experiment() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let chosen = chosen_head();
    let asked = state.select(|view| *view.chapters.of::<Explanation>());
    let in_effect = state.select(|view| view.edits.reweighed());
    let weights = Signal::derive(move || {
        let effective = in_effect.get().map(|it| it.weights);
        effective.unwrap_or_else(|| new_weights(asked.get()))
    });
    let all_moved = moved(weights);
    // Of the heads whose weights are replaced, or would be.
    let share = Memo::new(move |_| {
        let scope = in_effect
            .get()
            .or_else(|| asked_for(asked.get(), chosen.get()))?
            .scope;
        let moved = all_moved.read();
        let of_scope = moved.iter().filter(|(head, _)| scope.contains(*head));
        let (sum, count) = of_scope.fold((0.0, 0_usize), |(sum, count), (_, moved)| {
            (sum + moved, count + 1)
        });
        (count > 0).then(|| (sum / count as f32, count))
    });
    let share_words = move || {
        // First what changes alone: the share may stay as it is.
        let is_replaced = in_effect.get().is_some();
        let (share, count) = share.get()?;
        let share = share_of_one(share, 2);
        Some(match is_replaced {
            true => t_string!(i18n, explanation.has_moved, share = share, count = count),
            false => t_string!(i18n, explanation.would_move, share = share, count = count),
        })
    };
    view! {
        <Prose part="try" />
        <section class="lesson-figure">
            <Controls chosen asked />
            <p class="hint" data-testid="weight-moved">{share_words}</p>
            <div data-testid="explained-texts"><Texts /></div>
        </section>
        <Prose part="heads" />
        <section class="lesson-figure"><EveryHead chosen asked /></section>
    }
}
