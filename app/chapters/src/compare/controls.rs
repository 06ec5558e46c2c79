//! Controls that choose the kind of comparison and the right side.

use crate::compare::parameters::{Compare, Compared};
use attention_core::{
    edits::EditBar,
    engine::Live,
    i18n::{t, t_string, use_i18n},
    navigation::ViewLink,
    selection::{HeadNumbers, HeadSelects, KindChoice, chosen_head},
    state::{HeadChoice, View, ViewState},
    widgets::{Segmented, Select, numbers::counted},
};
use attention_trace::{AttentionKind, AttentionLayer};
use leptos::prelude::*;

use super::{context::Comparison, models::OtherModel, precisions::OtherFile, text::OtherText};

/// The ways to compare.
#[component]
pub fn Ways() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    view! {
        <Segmented
            label=Signal::derive(move || t_string!(i18n, compare.of).to_owned())
            options=Signal::derive(move || vec![
                (Compared::Heads, t_string!(i18n, compare.heads).to_owned()),
                (Compared::Texts, t_string!(i18n, compare.texts).to_owned()),
                (Compared::Models, t_string!(i18n, compare.models).to_owned()),
                (Compared::Edits, t_string!(i18n, compare.edits).to_owned()),
                (Compared::Precisions, t_string!(i18n, compare.precisions).to_owned()),
            ])
            value=state.select(|view| view.chapters.of::<Compare>().of)
            choose=move |of| state.update_chapters(|chapters| chapters.of_mut::<Compare>().compare(of))
        />
    }
}

/// The controls of the right side, for the current kind of comparison.
#[component]
pub fn RightSide() -> impl IntoView {
    match Comparison::expect().of {
        Compared::Heads => ().into_any(),
        Compared::Texts => view! { <OtherText /> }.into_any(),
        Compared::Models => view! { <OtherModel /> }.into_any(),
        Compared::Edits => view! { <Edits /> }.into_any(),
        Compared::Precisions => view! { <OtherFile /> }.into_any(),
    }
}

/// The head on the left and, where it may be another one, the head on the right.
#[component]
pub fn Heads() -> impl IntoView {
    let i18n = use_i18n();
    let comparison = Comparison::expect();
    let left = comparison.metas[0];
    let kinds = Memo::new(move |_| left.get().map_or_else(Vec::new, |meta| meta.spec.kinds()));
    let head = Memo::new(move |_| Some(comparison.heads.get()?[0]));
    let numbers = Memo::new(move |_| Some(head.get()?.numbers(&*left.get()?)));
    let kind = Memo::new(move |_| {
        head.get()
            .map_or(AttentionKind::EncoderSelf, |head| head.attention.kind)
    });
    let has_other = matches!(comparison.of, Compared::Heads | Compared::Models);
    view! {
        <Show when=move || kinds.read().len() != 1>
            <KindChoice kinds chosen=kind />
        </Show>
        <div class="compare-heads">
            <div class="position-controls" role="group" aria-label=move || t_string!(i18n, compare.left)>
                {has_other.then(|| view! { <span class="hint">{t!(i18n, compare.left)}</span> })}
                <HeadSelects numbers test_ids=["compare-layer", "compare-head"] />
            </div>
            {has_other.then(|| view! { <OtherHead /> })}
        </div>
    }
}

/// The head on the right.
#[component]
fn OtherHead() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let comparison = Comparison::expect();
    let head = Memo::new(move |_| Some(comparison.heads.get()?[1]));
    let numbers = Memo::new(move |_| Some(head.get()?.numbers(&*comparison.metas[1].get()?)));
    let choose = move |change: fn(&mut HeadChoice, usize), number: usize| {
        if let Some(mut head) = head.get_untracked() {
            change(&mut head, number);
            state.update_chapters(|chapters| chapters.of_mut::<Compare>().head = Some(head));
        }
    };
    let part = move |part: fn(HeadChoice) -> usize| Memo::new(move |_| head.get().map_or(0, part));
    let count = move |count: fn(HeadNumbers) -> usize| {
        Signal::derive(move || counted(numbers.get().map_or(0, count)))
    };
    view! {
        <div class="position-controls" role="group" aria-label=move || t_string!(i18n, compare.right)>
            <span class="hint">{t!(i18n, compare.right)}</span>
            <Select
                name=Signal::derive(move || t_string!(i18n, decoding.layer).to_owned())
                test_id="compare-other-layer"
                options=count(|numbers| numbers.layers)
                chosen=part(|head| head.attention.layer)
                choose=move |layer| choose(
                    |head, layer| head.attention = AttentionLayer { layer, ..head.attention },
                    layer,
                )
            />
            <Select
                name=Signal::derive(move || t_string!(i18n, decoding.head).to_owned())
                test_id="compare-other-head"
                options=count(|numbers| numbers.heads)
                chosen=part(|head| head.head)
                choose=move |number| choose(|head, number| head.head = number, number)
            />
        </div>
    }
}

/// The visitor's edits, or a way to make one.
#[component]
fn Edits() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let chosen = chosen_head();
    let edits = ViewState::expect().select(|view| view.edits.on());
    // Edits that the model cannot make change nothing.
    let is_edited = Memo::new(move |_| {
        let edits = edits.read();
        match live.trace() {
            Some(trace) => !edits.fitting(&trace.meta.spec).is_empty(),
            None => !edits.is_empty(),
        }
    });
    let switch_off = move |_| {
        if let Some(chosen) = chosen.get_untracked() {
            live.edit(|edits| edits.toggle_heads(&[chosen.head]));
        }
    };
    view! {
        <EditBar />
        <Show when=move || !is_edited.get()>
            <div class="notice" data-testid="compare-no-edits">
                <p class="notice-text">{t!(i18n, compare.no_edits)}</p>
                <button
                    type="button"
                    class="plain-button"
                    data-testid="compare-switch-off"
                    on:click=switch_off
                >
                    {t!(i18n, compare.switch_off)}
                </button>
                <ViewLink change=View::open_map class="link-button" test_id="compare-to-map">
                    {t!(i18n, compare.to_map)}
                </ViewLink>
            </div>
        </Show>
    }
}
