//! Positional encodings and their effect on a model.

mod bias;
mod block;
mod buckets;
mod by_place;
mod curves;
mod derivation;
mod effect;
mod encoding;
mod head_rope;
mod head_rope_data;
mod kit;
mod learned;
mod letters;
mod needs_model;
pub mod parameters;
mod questions;
mod random;
mod random_rope;
mod scaling;
mod scores;
pub mod sinusoids;
mod turn;
mod verse;
mod verses;

pub use self::{
    letters::BACK as LETTERS_BACK, scaling::name as scaling_name, verse::BACK as VERSE_BACK,
};

use crate::{kit::Kit, needs::Needs, page::Define, positions::parameters::Encodings, topic::Topic};
use attention_trace::positions::PositionalEncoding;
use leptos::prelude::*;

use self::{
    bias::{HeadBias, Slopes},
    block::Block,
    buckets::BucketsFigure,
    derivation::Derivation,
    effect::Effect,
    encoding::SinusoidalFigures,
    head_rope::HeadRope,
    learned::LearnedFigures,
    random_rope::RandomRope,
    scaling::ScalingFigures,
    turn::Turn,
    verses::Verses,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    names::encoding_names,
    state::{AddressValue, Kind, Task, View, ViewState},
    widgets::{Check, Prose, Segmented},
};

/// Opens the chapter at the encoding of the view's model, as the tab of this name did.
pub fn open_former_tab(view: &mut View) {
    let encoding = view.model.card().positions;
    view.open_chapter::<Encodings>().encoding = encoding;
}

impl Define for Encodings {
    const NEEDS: Needs = Needs::Positions;
    const MINUTES: u32 = 17;
    const MORE: &'static [Kind] = &[Kind::of::<sinusoids::Positions>()];

    fn topic(_view: &View) -> Topic {
        Topic::Embedding
    }

    fn title() -> String {
        t_string!(use_i18n(), encodings.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        PositionsChapter().into_any()
    }
}

#[component]
pub fn PositionsChapter() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let encoding = state.select(|view| view.chapters.of::<Encodings>().encoding);
    let further = further();
    view! {
        <Prose part="intro" />
        <Segmented
            label=Signal::derive(move || t_string!(i18n, encodings.way).to_owned())
            options=encoding_names()
            value=encoding
            choose=move |encoding| state.update_chapters(|chapters| chapters.of_mut::<Encodings>().encoding = encoding)
        />
        <Prose part=Signal::derive(move || encoding.get().address_value()) />
        {move || figures(encoding.get())}
        <Effect />
        <Check
            name=Signal::derive(move || t_string!(i18n, encodings.further).to_owned())
            test_id="positions-further"
            on=further
            set=move |on| state.update_chapters(|chapters| chapters.of_mut::<Encodings>().further = on)
        />
        <Show when=move || further.get()>
            <Show when=move || encoding.get() == PositionalEncoding::Rope>
                <ScalingFigures />
            </Show>
            <Prose part="poems" />
            <Verses />
        </Show>
    }
}

/// True while the figures that go beyond the lectures are shown: where the visitor unfolded them, or an address names a
/// scaling or a model of verse.
fn further() -> Memo<bool> {
    let state = ViewState::expect();
    let further = state.select(|view| view.chapters.of::<Encodings>().further);
    let names_one = state.select(|view| {
        let (shown, usual) = (view.chapters.of::<Encodings>(), Encodings::default());
        let is_usual = (shown.scaling, shown.factor) == (usual.scaling, usual.factor);
        !is_usual || view.model.card().task == Task::Verse
    });
    // An effect because addresses, old ones too, name what is folded.
    Effect::new(move |_| {
        if names_one.get() && !further.get_untracked() {
            state.update_chapters(|chapters| chapters.of_mut::<Encodings>().further = true);
        }
    });
    further
}

/// The figures of an encoding, and of the similarity that it gives two positions.
fn figures(encoding: PositionalEncoding) -> AnyView {
    match encoding {
        PositionalEncoding::None => ().into_any(),
        PositionalEncoding::Learned => view! { <LearnedFigures /> }.into_any(),
        PositionalEncoding::Sinusoidal => view! { <SinusoidalFigures /> }.into_any(),
        PositionalEncoding::T5 => view! {
            <div class="position-figures">
                <BucketsFigure />
                <HeadBias encoding />
            </div>
        }
        .into_any(),
        PositionalEncoding::Rope => view! {
            <Turn />
            <Prose part="derivation" />
            <Derivation />
            <Block />
            <div class="position-figures">
                <RandomRope />
                <HeadRope />
            </div>
        }
        .into_any(),
        PositionalEncoding::Alibi => view! {
            <div class="position-figures">
                <Slopes />
                <HeadBias encoding />
            </div>
        }
        .into_any(),
    }
}
