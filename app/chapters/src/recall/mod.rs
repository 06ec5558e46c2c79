//! Recall from a state of a fixed size: linear attention and the delta rule beside softmax attention.

mod hybrid;
mod kit;
mod pairs;
pub mod parameters;
mod progress;
mod race;
mod table;
mod written;

use attention_core::{
    i18n::{t, t_string, use_i18n},
    navigation::ViewLink,
    state::{View, ViewState},
    widgets::Prose,
};
use leptos::prelude::*;

use self::{hybrid::HybridStack, parameters::RecallView, race::RecallRace, written::WrittenFigure};
use crate::{
    kit::Kit, needs::Needs, page::Define, recurrent::parameters::RecurrentView, topic::Topic,
};

impl Define for RecallView {
    const NEEDS: Needs = Needs::Nothing;
    const MINUTES: u32 = 7;

    fn topic(_view: &View) -> Topic {
        Topic::Own
    }

    fn title() -> String {
        t_string!(use_i18n(), recall.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        RecallPage().into_any()
    }
}

/// Returns the function that changes the page's state in the address.
fn updates() -> impl Fn(&dyn Fn(&mut RecallView)) + Copy + Send + Sync + 'static {
    let state = ViewState::expect();
    move |change| state.update_chapters(|chapters| change(chapters.of_mut::<RecallView>()))
}

fn open_recurrent(view: &mut View) {
    view.open_chapter::<RecurrentView>();
}

#[component]
pub fn RecallPage() -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <Prose part="intro" />
        <p class="position-controls">
            <ViewLink change=open_recurrent class="link-button" test_id="recall-recurrent">
                {t!(i18n, recall.one_vector)}
            </ViewLink>
        </p>
        <Prose part="state" />
        <Prose part="delta" />
        <WrittenFigure />
        <Prose part="learned" />
        <RecallRace />
        <Prose part="result" />
        <Prose part="hybrid" />
        <HybridStack />
        <Prose part="another" />
        <Prose part="sources" />
    }
}
