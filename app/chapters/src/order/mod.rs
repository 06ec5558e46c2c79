//! Self-attention without positions is permutation-equivariant.

mod experiment;
mod kit;
mod maps;
mod measure;
mod one_hot;
pub mod parameters;
mod words;

use crate::{kit::Kit, needs::Needs, page::Define, topic::Topic};
use leptos::prelude::*;

use self::{
    experiment::OrderSelection, maps::Maps, measure::Measured, one_hot::OneHot,
    parameters::WordOrder,
};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    navigation::ViewLink,
    selection::WhenLive,
    state::{Model, View, ViewState},
    widgets::Prose,
};

/// The lecture's sentence: whom does 她 attend to?
const LECTURE: &str = "那时候，柔嘉在家里等鸿渐回家来吃晚饭，希望他会跟姑母和好，到她厂里做事";

impl Define for WordOrder {
    const NEEDS: Needs = Needs::SelfAttention;
    const MINUTES: u32 = 5;

    fn topic(_view: &View) -> Topic {
        Topic::Embedding
    }

    fn title() -> String {
        t_string!(use_i18n(), order.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        OrderChapter().into_any()
    }
}

#[component]
pub fn OrderChapter() -> impl IntoView {
    let i18n = use_i18n();
    let is_lecture = ViewState::expect().select(|view| view.text == LECTURE);
    let lecture = |view: &mut View| {
        view.model = Model::default();
        view.use_text(LECTURE.to_owned());
    };
    view! {
        <Prose part="intro" />
        <Show when=move || !is_lecture.get()>
            <ViewLink change=lecture class="own-sentence" test_id="order-lecture">
                {t!(i18n, order.lecture)}
            </ViewLink>
        </Show>
        <Prose part="move" />
        <OrderFigures />
        <Prose part="one-hot" />
        <OneHot selection=OrderSelection::of_view() />
    }
}

/// The tokens to be moved, the differences of the outputs, and both maps.
#[component]
pub fn OrderFigures() -> impl IntoView {
    let selection = OrderSelection::of_view();
    view! {
        <WhenLive>
            <Measured selection />
            <Prose part="maps" />
            <Maps selection />
            <Show when=move || selection.is_causal_model()>
                <Prose part="mask" />
            </Show>
        </WhenLive>
    }
}
