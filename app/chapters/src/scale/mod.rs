//! Why scores are divided by √d_k, and why e^x.

mod exponential;
mod prompts;
mod row;
mod sharpness;
mod variance;

use leptos::prelude::*;

use self::{
    exponential::Exponential,
    prompts::{ShiftPrompt, VariancePrompt, WeightPrompt},
    row::{RowSection, RowSelection},
    sharpness::Sharpness,
    variance::{HeadVariance, RandomVariance, random_variance},
};
use attention_core::{
    i18n::{t, use_i18n},
    navigation::ViewLink,
    state::{DataSource, View, ViewState},
    widgets::Prose,
};

/// The chapter.
#[component]
pub fn ScaleChapter() -> impl IntoView {
    let variance = random_variance();
    let i18n = use_i18n();
    let row = RowSelection::of_view();
    let source = ViewState::expect().select(|view| view.chapters.scale.source);
    view! {
        <Prose part="intro" />
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
                change=|view: &mut View| view.chapters.scale.source = DataSource::Head
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
