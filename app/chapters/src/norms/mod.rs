//! Normalisation, the residual stream, gradients on their way back, the feed-forward network.

mod axes;
mod convolution;
mod flowing_back;
mod kit;
pub mod parameters;
pub mod questions;
mod stream;
mod way;

use crate::{
    follow::parameters::FollowSource,
    kit::Kit,
    needs::Needs,
    page::Define,
    topic::Topic,
    training::parameters::{Lesson, Training},
};
use attention_trace::NormPlacement;
use leptos::prelude::*;

use self::{
    axes::Axes, convolution::Convolution, flowing_back::GradientsBack, parameters::Norms,
    stream::Stream, way::Way,
};
use super::follow::{FollowContext, HeadPicker};
use attention_core::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    navigation::ViewLink,
    state::{Model, View},
    widgets::Prose,
};

impl Define for Norms {
    const NEEDS: Needs = Needs::Layers;
    const MINUTES: u32 = 9;

    fn topic(_view: &View) -> Topic {
        Topic::FeedForward
    }

    fn title() -> String {
        t_string!(use_i18n(), norms.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        NormsChapter().into_any()
    }
}

#[component]
pub fn NormsChapter() -> impl IntoView {
    FollowContext::provide(FollowSource::Head);
    view! {
        <Prose part="intro" />
        <HeadPicker with_head=false />
        <Axes />
        <Stream />
        <Prose part="gradients-back" />
        <GradientsBack />
        <Prose part="way" />
        <Way />
        <OtherFamily />
        <Prose part="query-key" />
        <TrainBoth />
        <Convolution />
    }
}

/// A link to training, with the settings of a run with norms of queries and keys.
#[component]
fn TrainBoth() -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <ViewLink change=open_training class="link-button" test_id="train-qk-norm">
            {t!(i18n, norms.train_both)}
        </ViewLink>
    }
}

fn open_training(view: &mut View) {
    let [_, normalised] = Lesson::HeadNorm.settings();
    view.open_chapter::<Training>().settings = normalised;
}

/// A link to a model with the norms in other places than in the model on screen.
#[component]
fn OtherFamily() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let is_pre_norm = Memo::new(move |_| {
        live.trace().is_some_and(|trace| {
            let spec = &trace.meta.spec;
            let norm = spec.stack(spec.last_stack()).and_then(|stack| stack.norm);
            norm.is_some_and(|norm| norm.placement != NormPlacement::Post)
        })
    });
    view! {
        <ViewLink
            change=move |view| {
                let other = match is_pre_norm.get() {
                    true => NormPlacement::Post,
                    false => NormPlacement::Pre,
                };
                view.use_model(Model::first(|card| card.norm == Some(other)));
            }
            class="link-button"
            test_id="other-family"
        >
            {move || match is_pre_norm.get() {
                true => t!(i18n, norms.see_post_norm).into_any(),
                false => t!(i18n, norms.see_pre_norm).into_any(),
            }}
        </ViewLink>
    }
}
