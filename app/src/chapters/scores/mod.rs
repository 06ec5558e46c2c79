//! Ways to score a key against a query.

mod functions;
mod hard;
mod hidden;
mod memory;
mod plane;
mod prompts;
mod toy;

use leptos::prelude::*;

use self::{
    functions::Functions,
    hard::HardAndSoft,
    hidden::Hidden,
    memory::{HeadMemory, InSight},
    plane::Planes,
    prompts::{LongerPrompt, ZeroPrompt},
};
use crate::{
    i18n::{t, t_string, use_i18n},
    navigation::ViewLink,
    state::{View, ViewState, Whose},
    widgets::{Prose, Segmented},
};

/// The chapter.
#[component]
pub fn ScoresChapter() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let sight = InSight::of_view();
    view! {
        <Prose part="intro" />
        <Segmented
            label=Signal::derive(move || t_string!(i18n, scores.whose).to_owned())
            options=Signal::derive(move || vec![
                (Whose::Lecture, t_string!(i18n, scores.whose_lecture).to_owned()),
                (Whose::Head, t_string!(i18n, scores.whose_head).to_owned()),
            ])
            value=sight.whose
            choose=move |whose| state.update_chapters(|chapters| chapters.scores.whose = whose)
        />
        {move || match sight.whose.get() {
            Whose::Lecture => view! {
                <Planes sight />
                <ViewLink
                    change=|view: &mut View| view.chapters.scores.whose = Whose::Head
                    class="own-sentence"
                    test_id="own-sentence"
                >
                    {t!(i18n, lessons.own_sentence)}
                </ViewLink>
            }
            .into_any(),
            Whose::Head => view! { <HeadMemory sight /> }.into_any(),
        }}
        <Functions sight />
        <ZeroPrompt sight />
        <LongerPrompt sight />
        <HardAndSoft sight />
        <Hidden sight />
    }
}
