//! Induction: heads that continue what was read before, how they come about in training, and the circuit of two heads.

mod circuits;
mod composition;
mod found;
mod heads;
mod kit;
pub mod parameters;
mod questions;
mod trained;
mod weights;
mod without;

use attention_core::{
    i18n::{t_string, use_i18n},
    selection::{Kinds, SelfAttention, WhenLive},
    state::View,
    widgets::Prose,
};
use leptos::prelude::*;

use self::{
    circuits::CircuitsFigure, composition::CompositionFigure, found::Found, heads::HeadsFigure,
    parameters::InductionView, trained::TrainedHere, without::WithoutFigure,
};
use crate::{kit::Kit, needs::Needs, page::Define, topic::Topic};

/// The shipped model of attention alone, on eight letters that are read twice.
const OUR_MODEL: &str = "tab=learn&chapter=induction&model=induction&text=gatemnkpgatemnkp";
/// The sentence model on a sentence that begins again.
const SENTENCES_TWICE: &str = "tab=learn&chapter=induction&model=sentences&text=My+uncle+sold+seven+green+boats+to+a+judge.+My+uncle+sold+seven+green";

impl Define for InductionView {
    const NEEDS: Needs = Needs::SelfAttention;
    const MINUTES: u32 = 8;

    fn topic(_view: &View) -> Topic {
        Topic::Own
    }

    fn title() -> String {
        t_string!(use_i18n(), induction.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        InductionChapter().into_any()
    }
}

#[component]
pub fn InductionChapter() -> impl IntoView {
    SelfAttention::provide(Kinds::OfSelf);
    Found::provide();
    view! {
        <Prose part="intro" />
        <WhenLive>
            <HeadsFigure />
        </WhenLive>
        <Prose part="without" />
        <WhenLive>
            <WithoutFigure />
        </WhenLive>
        <Prose part="training" />
        <TrainedHere />
        <Prose part="circuits" />
        <WhenLive>
            <CircuitsFigure />
        </WhenLive>
        <Prose part="composition" />
        <WhenLive>
            <CompositionFigure />
        </WhenLive>
        <Prose part="larger" />
    }
}
