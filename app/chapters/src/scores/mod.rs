//! Ways to score a key against a query.

mod functions;
mod hard;
mod hidden;
mod kit;
mod memory;
pub mod parameters;
mod plane;
mod prompts;
mod toy;

use crate::{
    kit::Kit, needs::Needs, page::Define, scores::parameters::Scores, source::DataSource,
    topic::Topic,
};
use leptos::prelude::*;

use self::{
    functions::Functions,
    hard::HardAndSoft,
    hidden::Hidden,
    memory::{HeadMemory, ScoresSelection},
    plane::Planes,
    prompts::{LongerPrompt, ZeroPrompt},
};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    navigation::ViewLink,
    state::{View, ViewState},
    widgets::{Prose, Segmented},
};

impl Define for Scores {
    const NEEDS: Needs = Needs::SelfAttention;
    const MINUTES: u32 = 5;

    fn topic(_view: &View) -> Topic {
        Topic::Head
    }

    fn title() -> String {
        t_string!(use_i18n(), scores.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        ScoresChapter().into_any()
    }
}

#[component]
pub fn ScoresChapter() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let selection = ScoresSelection::of_view();
    view! {
        <Prose part="intro" />
        <Segmented
            label=Signal::derive(move || t_string!(i18n, scores.whose).to_owned())
            options=Signal::derive(move || vec![
                (DataSource::Lecture, t_string!(i18n, scores.whose_lecture).to_owned()),
                (DataSource::Head, t_string!(i18n, scores.whose_head).to_owned()),
            ])
            value=selection.source
            choose=move |source| state.update_chapters(|chapters| chapters.of_mut::<Scores>().source = source)
        />
        {move || match selection.source.get() {
            DataSource::Lecture => view! {
                <Planes selection />
                <ViewLink
                    change={|view: &mut View| view.chapters.of_mut::<Scores>().source = DataSource::Head}
                    class="own-sentence"
                    test_id="own-sentence"
                >
                    {t!(i18n, lessons.own_sentence)}
                </ViewLink>
            }
            .into_any(),
            DataSource::Head => view! { <HeadMemory selection /> }.into_any(),
        }}
        <Functions selection />
        <ZeroPrompt selection />
        <LongerPrompt selection />
        <HardAndSoft selection />
        <Hidden selection />
    }
}
