//! The reasons for dividing scores by √d_k, and for e^x.

mod arrows;
mod exponential;
mod kit;
pub mod parameters;
mod prompts;
mod questions;
mod row;
mod sharpness;
mod variance;

use crate::{
    kit::Kit, needs::Needs, page::Define, scale::parameters::Scale, source::DataSource,
    topic::Topic,
};
use leptos::prelude::*;

use self::{
    arrows::Arrows,
    exponential::Exponential,
    prompts::{ShiftPrompt, VariancePrompt, WeightPrompt},
    row::{RowSection, RowSelection},
    sharpness::Sharpness,
    variance::{HeadVariance, RandomVariance, random_variance},
};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    navigation::ViewLink,
    state::{View, ViewState},
    widgets::Prose,
};

impl Define for Scale {
    const NEEDS: Needs = Needs::SelfAttention;
    const MINUTES: u32 = 6;

    fn topic(_view: &View) -> Topic {
        Topic::Head
    }

    fn title() -> String {
        t_string!(use_i18n(), scale.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        ScaleChapter().into_any()
    }
}

#[component]
pub fn ScaleChapter() -> impl IntoView {
    let variance = random_variance();
    let i18n = use_i18n();
    let row = RowSelection::of_view();
    let source = ViewState::expect().select(|view| view.chapters.of::<Scale>().source);
    view! {
        <Prose part="intro" />
        <Prose part="arrows" />
        <Arrows />
        <Prose part="variance" />
        <div class="position-figures">
            <RandomVariance variance />
            <HeadVariance />
        </div>
        <VariancePrompt variance />
        <Prose part="row" />
        <RowSection row />
        <Show when=move || source.get() == DataSource::Lecture>
            <ViewLink
                change={|view: &mut View| view.chapters.of_mut::<Scale>().source = DataSource::Head}
                class="own-sentence"
                test_id="own-sentence"
            >
                {t!(i18n, lessons.own_sentence)}
            </ViewLink>
        </Show>
        <WeightPrompt row />
        <Prose part="sharpness" />
        <Sharpness row />
        <Exponential row />
        <ShiftPrompt row />
    }
}
