//! The logit lens, layer by layer, and a logit as the sum of the contributions of the model's parts.

mod context;
mod export;
mod head;
mod kit;
mod pair;
pub mod parameters;
mod parts;
pub mod questions;
mod rows;
mod table;

use crate::{
    kit::Kit,
    needs::{Needs, TranslatorLink},
    page::Define,
    topic::Topic,
};
use attention_trace::NormPlacement;
use leptos::prelude::*;

use self::{
    context::{LensContext, parts as parts_in, table as table_in},
    head::HeadCompared,
    pair::PairChoice,
    parameters::LensView,
    parts::{Parts, parts_of},
    rows::strongest_head,
    table::LayerTable,
};
use attention_core::{
    engine::LensRead,
    i18n::{t, t_string, use_i18n},
    names::{head_name, token_name},
    selection::WhenLive,
    state::View,
    steps::Steps,
    widgets::{Expected, Prompt, Prose, Values, numbers::signed, player::Transport},
};

impl Define for LensView {
    const NEEDS: Needs = Needs::Layers;
    const MINUTES: u32 = 8;

    fn topic(_view: &View) -> Topic {
        Topic::Writer
    }

    fn title() -> String {
        t_string!(use_i18n(), lens.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        LensChapter().into_any()
    }
}

#[component]
pub fn LensChapter() -> impl IntoView {
    view! {
        <Prose part="intro" />
        <LensFigures />
        <Prose part="limits" />
    }
}

/// The table of layers, and the parts of a logit.
#[component]
pub fn LensFigures() -> impl IntoView {
    view! {
        <WhenLive>
            <Figures />
        </WhenLive>
    }
}

/// The parts of the chapter that apply to the model on screen.
#[derive(Clone, Copy, PartialEq)]
enum Applies {
    /// The table and the parts.
    Both,
    /// The table alone, because a non-linear layer precedes the logits.
    Table,
    /// Neither of them, because there are no logits.
    Neither,
}

#[component]
fn Figures() -> impl IntoView {
    let i18n = use_i18n();
    let context = LensContext::provide();
    let applies = Memo::new(move |_| {
        context.place.with(|place| match place {
            Some(place) if !place.spec.has_lens() => Applies::Neither,
            Some(place) if !place.spec.has_attribution() => Applies::Table,
            _ => Applies::Both,
        })
    });
    view! {
        {move || match applies.get() {
            Applies::Neither => view! {
                <p class="notice" data-testid="lens-refused">
                    {t!(i18n, lens.no_logits)}
                    <TranslatorLink />
                </p>
            }
            .into_any(),
            Applies::Table => view! {
                <LayersFigure />
                <p class="notice" data-testid="lens-refused">
                    {t!(i18n, lens.no_sum)}
                    <TranslatorLink />
                </p>
            }
            .into_any(),
            Applies::Both => view! {
                <LayersFigure />
                <FirstPrompt />
                <PartsFigures />
            }
            .into_any(),
        }}
    }
}

/// The table of layers and positions, and the controls of the step.
#[component]
fn LayersFigure() -> impl IntoView {
    let i18n = use_i18n();
    let steps = Steps::expect();
    let has_steps = Memo::new(move |_| steps.has_steps());
    let words = Signal::derive(move || {
        let timeline = steps.timeline();
        let (step, count) = (timeline.step + 1, timeline.count);
        t_string!(i18n, decoding.step_of, step = step, count = count)
    });
    view! {
        <Prose part="table" />
        <section class="lesson-figure" data-testid="lens-layers">
            <Show when=move || has_steps.get()>
                <Transport
                    player=steps.player()
                    label=Signal::derive(move || t_string!(i18n, decoding.scrub).to_owned())
                    words
                    has_keys=false
                />
            </Show>
            <LayerTable />
        </section>
    }
}

/// Asks for the number of layers after which the word that follows the chosen position is the most probable one for
/// the first time.
#[component]
fn FirstPrompt() -> impl IntoView {
    let i18n = use_i18n();
    let context = LensContext::expect();
    let name = token_name();
    let first = Memo::new(move |_| {
        let row = context.cell.get().position;
        let answer = context.layers()?;
        let lens = table_in(&answer)?;
        let mut layers = lens.layers.iter();
        let first = layers.position(|layer| layer.get(row).is_some_and(|read| read.rank == 1))?;
        Some((first, lens.answers.get(row)?.clone()))
    });
    let values = Signal::derive(move || -> Option<Values> {
        let (first, answer) = first.get()?;
        Some(vec![("first", first.to_string()), ("word", name(&answer))])
    });
    let expected = Signal::derive(move || first.get().map(|(first, _)| Expected::count(first)));
    view! {
        <Prompt
            question="predict-first"
            answer="answer-first"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.first_layer).to_owned())
            expected
        />
    }
}

/// The parts of a logit, those of the difference of two, and a head of them.
#[component]
fn PartsFigures() -> impl IntoView {
    let i18n = use_i18n();
    let context = LensContext::expect();
    let name = token_name();
    let word = move |place: usize| {
        context
            .candidate(place)
            .as_ref()
            .map(name)
            .unwrap_or_default()
    };
    let of_logit =
        Signal::derive(move || t_string!(i18n, lens.logit_of, word = word(context.pair.get().0)));
    let of_difference = Signal::derive(move || {
        let (this, that) = context.pair.get();
        t_string!(
            i18n,
            lens.difference_of,
            word = word(this),
            other = word(that)
        )
    });
    let logit = parts_of(move || context.wanted(false));
    let difference = parts_of(move || context.wanted(true));
    let placement = Signal::derive(move || match is_post_norm(context) {
        true => "post-norm",
        false => "pre-norm",
    });
    view! {
        <Prose part="parts" />
        <Prose part=placement />
        <section class="lesson-figure">
            <Parts name=of_logit test_id="lens-logit" read=logit />
        </section>
        <Prose part="why" />
        <section class="lesson-figure">
            <PairChoice />
            <Parts name=of_difference test_id="lens-difference" read=difference />
            <Strongest read=difference />
        </section>
        <Prose part="head" />
        <HeadCompared logit=(logit, of_logit) difference=(difference, of_difference) />
    }
}

fn is_post_norm(context: LensContext) -> bool {
    context.place.with(|place| {
        let norm = place.as_ref().and_then(|place| {
            let stack = place.spec.last_stack();
            place.spec.stack(stack)?.norm
        });
        norm.is_some_and(|norm| norm.placement == NormPlacement::Post)
    })
}

/// The head that has most to do with the choice, in words.
#[component]
fn Strongest(read: Memo<Option<LensRead>>) -> impl IntoView {
    let i18n = use_i18n();
    let head_name = head_name();
    let words = move || {
        // The list of parts shows the failure.
        let answer = read.get()?.ok()?;
        let (attention, head, value) = strongest_head(parts_in(&answer)?)?;
        let head = head_name(attention, head);
        Some(t_string!(
            i18n,
            lens.strongest,
            head = head,
            value = signed(value, 2)
        ))
    };
    view! { <p class="lesson-reading" role="status" data-testid="lens-strongest">{words}</p> }
}
