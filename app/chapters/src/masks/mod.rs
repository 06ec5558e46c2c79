//! Masks on the text on screen: padding, the future, or none.

mod change;
mod experiment;
mod figure;
mod heads;
mod kit;
mod outputs;
pub mod parameters;
mod questions;
mod rule;
mod triangle;

use crate::{
    kit::Kit,
    masks::parameters::{Mask, Masks},
    needs::Needs,
    page::Define,
    topic::Topic,
};
use leptos::prelude::*;

use self::{
    experiment::{Experiment, rule},
    figure::{Maps, RuleFigure},
    heads::EveryHead,
    outputs::Outputs,
    triangle::Triangle,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    selection::{Kinds, MOST_TOKENS, SelfAttention, SelfControls, SelfPlace, WhenLive},
    state::{View, ViewState},
    widgets::{Prose, Segmented, Slider, inspector::Inspected},
};

impl Define for Masks {
    const NEEDS: Needs = Needs::SelfAttention;
    const MINUTES: u32 = 6;

    fn topic(_view: &View) -> Topic {
        Topic::Own
    }

    fn title() -> String {
        t_string!(use_i18n(), masks.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        MasksChapter().into_any()
    }
}

#[component]
pub fn MasksChapter() -> impl IntoView {
    let context = SelfAttention::provide(Kinds::OfSelf);
    let layers = Memo::new(move |_| {
        context.with(|place: &SelfPlace| place.meta.spec.layers(place.head.attention.kind))
    });
    view! {
        <Prose part="intro" />
        <SelfControls test_ids=["masks-layer", "masks-head"] />
        <MaskChoice />
        <WhenLive>
            // Of another number of layers there are other passes.
            {move || layers.get().map(|layers| view! { <Passes layers /> })}
        </WhenLive>
        <Prose part="average" />
        <Triangle />
        <Prose part="why" />
    }
}

/// The choice of the mask, and of the number of padding tokens.
#[component]
fn MaskChoice() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = SelfAttention::expect();
    let masks = state.select(|view| *view.chapters.of::<Masks>());
    let mask = Memo::new(move |_| masks.get().mask);
    let rule = Memo::new(move |_| {
        let masks = masks.get();
        context.with(|place| rule(place, masks))
    });
    let padding = Memo::new(move |_| rule.get().map_or(0, |rule| rule.padding));
    view! {
        <Segmented
            label=Signal::derive(move || t_string!(i18n, masks.mask).to_owned())
            options=Signal::derive(move || vec![
                (Mask::None, t_string!(i18n, masks.none).to_owned()),
                (Mask::Causal, t_string!(i18n, masks.causal).to_owned()),
                (Mask::Padding, t_string!(i18n, masks.padding).to_owned()),
            ])
            value=mask
            choose=move |mask| state.update_chapters(|chapters| chapters.of_mut::<Masks>().mask = mask)
        />
        <Show when=move || mask.get() == Mask::Padding>
            <Slider
                name=Signal::derive(move || t_string!(i18n, masks.tokens_of_padding).to_owned())
                test_id="mask-padding"
                range=Signal::derive(move || (0, rule.get().map_or(0, |rule| rule.most_padding())))
                value=padding
                words=Signal::derive(move || padding.get().to_string())
                set=move |padding| state.update_chapters(|chapters| {
                    chapters.of_mut::<Masks>().padding = padding;
                })
            />
        </Show>
    }
}

/// The results of the passes without and with the mask.
#[component]
fn Passes(layers: usize) -> impl IntoView {
    let i18n = use_i18n();
    let experiment = Experiment::new(layers);
    let note = Memo::new(move |_| {
        let rule = experiment.rule.get()?;
        let is_too_long = rule.edits().is_none() && rule.tokens > MOST_TOKENS;
        match (is_too_long, rule.is_as_trained()) {
            (true, _) => Some(t_string!(i18n, masks.too_long, most = MOST_TOKENS)),
            (_, true) => Some(t_string!(i18n, masks.as_trained).to_owned()),
            _ => None,
        }
    });
    let weights = experiment.weights();
    view! {
        <p class="hint" role="status" data-testid="mask-note">{note}</p>
        <Prose part="rule" />
        <Inspected>
            <RuleFigure rule=experiment.rule />
            <Prose part="maps" />
            <Maps weights />
        </Inspected>
        <Prose part="heads" />
        <EveryHead weights />
        <Prose part="outputs" />
        <Outputs experiment weights />
    }
}
