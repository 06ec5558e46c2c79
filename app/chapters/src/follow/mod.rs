//! One head, from token to the layer's output.

pub mod axes;
mod context;
mod derivation;
mod derivation_view;
mod head;
mod head_matrix;
mod kit;
mod numbers;
mod pairs;
pub mod parameters;
mod pictures;
mod questions;
mod sites;
mod stage;
mod stages;
mod ways;

use crate::{
    follow::parameters::{Follow, FollowSource},
    kit::Kit,
    needs::Needs,
    page::Define,
    topic::Topic,
};
use leptos::prelude::*;

pub use self::{
    context::{FollowContext, Place},
    derivation::{Derivation, Normalised, Operation, Products},
    derivation_view::explained,
    head::HeadPicker,
    head_matrix::{HeadFigure, HeadMatrix},
    numbers::Numbers,
    pictures::Sign,
    sites::Sites,
    stages::Stages,
};
use self::{
    pairs::{PairPrompt, Pairs},
    pictures::picture,
    ways::Ways,
};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    navigation::ViewLink,
    state::{View, ViewState},
    widgets::{Check, Prose, Segmented},
};

impl Define for Follow {
    const NEEDS: Needs = Needs::SelfAttention;
    const MINUTES: u32 = 24;

    fn topic(_view: &View) -> Topic {
        Topic::Head
    }

    fn title() -> String {
        t_string!(use_i18n(), follow.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        FollowChapter().into_any()
    }
}

#[component]
pub fn FollowChapter() -> impl IntoView {
    let state = ViewState::expect();
    let follow_source = state.select(|view| view.chapters.of::<Follow>().source);
    view! {
        <Prose part="intro" />
        <Choice follow_source />
        // Another source has another figure.
        {move || view! { <Figure follow_source=follow_source.get() /> }}
    }
}

/// The choice of the data source.
#[component]
fn Choice(follow_source: Memo<FollowSource>) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    view! {
        <Segmented
            label=Signal::derive(move || t_string!(i18n, chapters.whose).to_owned())
            options=Signal::derive(move || vec![
                (FollowSource::Head, t_string!(i18n, chapters.whose_head).to_owned()),
                (
                    FollowSource::ThinkingMachines,
                    t_string!(i18n, chapters.whose_example).to_owned(),
                ),
            ])
            value=follow_source
            choose=move |follow_source| state.update_chapters(|chapters| {
                chapters.of_mut::<Follow>().source = follow_source;
                chapters.stage = 0;
            })
        />
    }
}

/// The figure with its source and its controls.
#[component]
fn Figure(follow_source: FollowSource) -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::provide(follow_source);
    let is_example = follow_source == FollowSource::ThinkingMachines;
    let place = ViewState::expect().select(|view| view.chapters.stage);
    let has_row = Memo::new(move |_| context.has_row(place.get()));
    let all = all_stages(context, is_example);
    view! {
        {is_example.then(|| view! { <Prose part="thinking-machines" /> })}
        {move || context.problem().map(|reason| view! {
            <p class="notice problem">{t!(i18n, chapters.missing_example, reason = reason)}</p>
        })}
        <HeadPicker with_head=true />
        {(!is_example).then(|| view! { <AllStages context all /> })}
        <Stages
            stages=Signal::derive(move || context.stages())
            shown=Signal::derive(move || context.shown(all.get()))
            values=Signal::derive(move || Some(context.formula_terms()))
            picture
        />
        <Show when=move || has_row.get()>
            <PairPrompt />
        </Show>
        <Pairs />
        {(!is_example).then(|| view! { <Ways /> })}
        {if is_example {
            view! {
                <ViewLink
                    change={|view| view.chapters.of_mut::<Follow>().source = FollowSource::Head}
                    class="link-button"
                    test_id="own-sentence"
                >
                    {t!(i18n, chapters.to_own_sentence)}
                </ViewLink>
            }.into_any()
        } else {
            view! {
                <ViewLink change=View::open_map class="link-button" test_id="to-heads">
                    {t!(i18n, chapters.to_heads)}
                </ViewLink>
            }.into_any()
        }}
    }
}

/// True if all stages are shown: those of the worked example always, and a sentence's where the visitor unfolded them or
/// an address names one that is folded.
fn all_stages(context: FollowContext, is_example: bool) -> Memo<bool> {
    let state = ViewState::expect();
    let all = state.select(move |view| is_example || view.chapters.of::<Follow>().all);
    let wanted = state.select(|view| view.chapters.stage);
    // An effect because addresses, old ones too, name stages that are folded.
    Effect::new(move |_| {
        let main = context.shown(false);
        if !all.get() && !main.is_empty() && !main.contains(&wanted.get()) {
            state.update_chapters(|chapters| chapters.of_mut::<Follow>().all = true);
        }
    });
    all
}

/// The choice between the six main stages and all.
#[component]
fn AllStages(context: FollowContext, all: Memo<bool>) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let name = move || {
        let count = context.stages().len();
        t_string!(i18n, follow.all, count = count).to_owned()
    };
    view! {
        <Check
            name=Signal::derive(name)
            test_id="follow-all"
            on=all
            set=move |all| {
                let main = untrack(|| context.shown(false));
                state.update_chapters(|chapters| {
                    chapters.of_mut::<Follow>().all = all;
                    // Folded, the figure stays at the main stage before.
                    if !all {
                        let before = main.iter().rev().find(|&&place| place <= chapters.stage);
                        chapters.stage = before.copied().unwrap_or_default();
                    }
                });
            }
        />
    }
}
