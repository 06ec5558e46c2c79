//! Normalisation, the residual stream, the feed-forward network.

mod axes;
mod convolution;
mod stream;

use leptos::prelude::*;

use self::{axes::Axes, convolution::Convolution, stream::Stream};
use super::follow::{FollowContext, HeadPicker};
use crate::{
    i18n::{t, use_i18n},
    navigation::ViewLink,
    state::{FollowSource, Model, ViewState},
    widgets::Prose,
};

/// The chapter.
#[component]
pub fn NormsChapter() -> impl IntoView {
    FollowContext::provide(FollowSource::Head);
    view! {
        <Prose part="intro" />
        <HeadPicker with_head=false />
        <Axes />
        <Stream />
        <OtherFamily />
        <Convolution />
    }
}

/// Pre-norm is the other model's, and the other way round.
#[component]
fn OtherFamily() -> impl IntoView {
    let i18n = use_i18n();
    let model = ViewState::expect().select(|view| view.model);
    view! {
        <ViewLink
            change=|view| {
                view.use_model(match view.model {
                    Model::Translator => Model::Sentences,
                    Model::FromEnglish(_) => Model::Sentences,
                    Model::Sentences | Model::Recall(_) | Model::Poems(_) => Model::Translator,
                });
            }
            class="link-button"
            test_id="other-family"
        >
            {move || match model.get() {
                Model::Translator | Model::FromEnglish(_) => {
                    t!(i18n, norms.see_pre_norm).into_any()
                }
                Model::Sentences | Model::Recall(_) | Model::Poems(_) => {
                    t!(i18n, norms.see_post_norm).into_any()
                }
            }}
        </ViewLink>
    }
}
