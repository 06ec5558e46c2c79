//! The inspector's content: the selected head in the chosen drawing, the decoding step, or the tools that test a claim.
//! The heatmap is the first picture; the other content is in the chunk of views.

use attention_chapters::{Lacking, Needs};
use attention_figures::export::Cells;
use attention_trace::AttentionKind;
use leptos::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::{
    claims::{MapShows, claims, lists_changes},
    context::HeadsContext,
    display::{DisplayChoice, DisplayEffects},
    export::head_taken,
    heatmap::Heatmap,
    legend::Legend,
    lines::Lines,
    next_word::next_word,
    picture::PictureMap,
    sentence::Sentence,
    several::Several,
    toolbar::{Normalise, Toolbar},
};
use attention_core::{
    edits::EditLine,
    i18n::{t, t_string, use_i18n},
    names::kind_name,
    state::{Representation, ViewState},
    widgets::{
        FigureButton, Later,
        glossary::{Term, gloss},
    },
};

/// The large figure of the inspector.
#[component]
pub fn Figure(
    /// True if the model has attention heads.
    has_attention: Memo<bool>,
) -> impl IntoView {
    let state = ViewState::expect();
    let content = state.select(|view| Content::of(view.representation));
    let has_line = state.select(|view| !lists_changes(view));
    view! {
        <section class="figure-panel" id="figure-panel" tabindex="-1" data-testid="figure">
            <div class="figure-head">
                <Title />
                <Show when=move || has_attention.get()>
                    <SeveralSwitch />
                </Show>
                <Toolbar />
            </div>
            <Show when=move || has_line.get()>
                <EditLine />
            </Show>
            <MapShows />
            {move || match content.get() {
                Content::NextWord => view! { <Later load=next_word when=|| true /> }.into_any(),
                Content::Claim => view! { <Later load=claims when=|| true /> }.into_any(),
                Content::Head => view! {
                    <Show
                        when=move || has_attention.get()
                        fallback=|| view! { <Lacking needs=Needs::Attention /> }
                    >
                        <HeadFigure />
                    </Show>
                }
                .into_any(),
            }}
        </section>
    }
}

/// The content of the inspector; all drawings of the head are one variant.
#[derive(Clone, Copy, PartialEq)]
enum Content {
    Head,
    NextWord,
    Claim,
}

impl Content {
    fn of(representation: Representation) -> Self {
        match representation {
            Representation::Heatmap | Representation::Lines | Representation::Sentence => {
                Content::Head
            }
            Representation::NextWord => Content::NextWord,
            Representation::Claim => Content::Claim,
        }
    }
}

/// The switch that makes plain clicks and taps add heads and tokens to the choice.
#[component]
fn SeveralSwitch() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    view! {
        <button
            type="button"
            class="plain-button"
            data-testid="several"
            aria-pressed=move || context.adds().to_string()
            title=move || t_string!(i18n, heads.several_hint)
            on:click=move |_| context.set_adds(!untrack(|| context.adds()))
        >
            {t!(i18n, heads.several)}
        </button>
    }
}

/// The head with its scale.
#[component]
fn HeadFigure() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let representation = ViewState::expect().select(|view| view.representation);
    let recorded = Memo::new(move |_| context.with_picture(|_, _, _| ()).is_some());
    let is_picture = Memo::new(move |_| context.is_of_picture());
    let are_several = move || context.chosen_heads().len() > 1 || context.has_rows();
    let is_heatmap = Memo::new(move |_| representation.get() == Representation::Heatmap);
    let name = Signal::derive(move || match representation.get() {
        Representation::Lines => t_string!(i18n, heads.lines).to_owned(),
        _ => t_string!(i18n, heads.heatmap).to_owned(),
    });
    let taken = head_taken();
    let take = move || match representation.get() {
        Representation::Lines => taken(Cells::Lines, None),
        _ => taken(Cells::Colors, context.sight()),
    };
    view! {
        <div class="figure-scale">
            <Show when=move || is_heatmap.get()>
                <Legend />
                <Normalise />
            </Show>
            <FigureButton name take />
        </div>
        <DisplayChoice />
        <Show
            when=move || recorded.get()
            fallback=move || view! { <p class="hint">{t!(i18n, heads.missing)}</p> }
        >
            {move || match representation.get() {
                Representation::Heatmap if is_picture.get() => {
                    view! { <Later load=picture when=|| true /> }.into_any()
                }
                Representation::Heatmap => view! { <Heatmap /> }.into_any(),
                Representation::Lines => view! { <Later load=lines when=|| true /> }.into_any(),
                Representation::Sentence => {
                    view! { <Later load=sentence when=|| true /> }.into_any()
                }
                Representation::NextWord | Representation::Claim => ().into_any(),
            }}
        </Show>
        <DisplayEffects />
        <GivenNote />
        // Below the drawing, which must not move while tokens are dragged over.
        <Later load=several when=are_several />
    }
}

/// The number of given weights of the map, and their mark; empty if there are none.
#[component]
pub fn GivenNote() -> impl IntoView {
    let i18n = use_i18n();
    let given = HeadsContext::expect().given();
    let count = Memo::new(move |_| given.read().count());
    view! {
        <p class="given-note hint" class:is-hidden=move || count.get() == 0 data-testid="given-note">
            <span class="given-swatch" aria-hidden="true"></span>
            {move || t_string!(i18n, heads.given_marked, count = count.get())}
        </p>
    }
}

#[wasm_split(views, fallible)]
fn picture() -> Result<fn() -> AnyView, SplitLoaderError> {
    Ok(|| view! { <PictureMap /> }.into_any())
}

#[wasm_split(views, fallible)]
fn lines() -> Result<fn() -> AnyView, SplitLoaderError> {
    Ok(|| view! { <Lines /> }.into_any())
}

#[wasm_split(views, fallible)]
fn sentence() -> Result<fn() -> AnyView, SplitLoaderError> {
    Ok(|| view! { <Sentence /> }.into_any())
}

#[wasm_split(views, fallible)]
pub fn several() -> Result<fn() -> AnyView, SplitLoaderError> {
    Ok(|| view! { <Several /> }.into_any())
}

/// The head's name, or the number of averaged heads, in terms of the glossary. The heading element stays when heads
/// change.
#[component]
fn Title() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let name = kind_name();
    let count = Memo::new(move |_| context.heads().len());
    let is_mean = Memo::new(move |_| count.get() > 1);
    let head = Memo::new(move |_| context.heads().first().copied());
    let kind = Memo::new(move |_| context.kind());
    let attention = Signal::derive(move || kind.get().map_or(Term::SelfAttention, kind_term));
    let one = move || {
        t!(
            i18n,
            heads.title,
            layer_number = move || head.get().map(|head| head.attention.layer + 1),
            head_number = move || head.get().map(|head| head.head + 1),
            kind = move || kind.get().map(name),
            <place> = <span />,
            <attention> = gloss(attention)
        )
    };
    let mean = move || {
        t!(
            i18n,
            heads.title_mean,
            count = move || count.get(),
            kind = move || kind.get().map(name),
            <place> = <span />,
            <attention> = gloss(attention)
        )
    };
    view! {
        <h2
            class="panel-title"
            class:is-hidden=move || count.get() == 0
            data-testid="figure-title"
        >
            <Show when=move || is_mean.get() fallback=one>
                {mean}
            </Show>
        </h2>
    }
}

fn kind_term(kind: AttentionKind) -> Term {
    match kind {
        AttentionKind::EncoderSelf => Term::SelfAttention,
        AttentionKind::DecoderSelf => Term::MaskedSelfAttention,
        AttentionKind::Cross => Term::CrossAttention,
    }
}
