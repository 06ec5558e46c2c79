//! Patching: one run takes over the vectors that another computed, place by place, and the share of the answer that
//! this restores.

mod cells;
mod chosen;
mod context;
mod dragging;
mod estimates;
mod focus;
mod graph;
mod kit;
mod layout;
mod map;
mod names;
pub mod parameters;
pub mod questions;
mod sentences;
mod source;
mod words;

use crate::{
    kit::Kit,
    needs::{Needs, TranslatorLink},
    page::Define,
    topic::Topic,
};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    navigation::FindingLink,
    selection::WhenLive,
    state::View,
    widgets::{Expected, Finding, Prompt, Prose, Values},
};
use leptos::prelude::*;

use self::{
    chosen::{ChosenRun, Kept},
    context::PatchingContext,
    estimates::EstimatesFigure,
    layout::strongest,
    map::MapFigure,
    names::{in_percent, row_words},
    parameters::PatchingView,
    sentences::Sentences,
    words::Words,
};

/// A cell that brings back so much of the answer counts as one that carries it.
const CARRIES: f32 = 0.5;

/// The finding that the text states about the translator; `tests/parity` checks its numbers.
const FOUND_IN_TRANSLATOR: &str = "tab=learn&chapter=patching&model=translator&text=Je+suis+%C3%A9tudiant&patch-other=Je+suis+m%C3%A9decin&patch-stack=decoder&patch-what=attention";
/// The finding that the text states about the sentence model.
const FOUND_IN_SENTENCES: &str =
    "tab=learn&chapter=patching&model=sentences&text=She+lost&patch-other=He+lost";

impl Define for PatchingView {
    const NEEDS: Needs = Needs::Layers;
    const MINUTES: u32 = 7;

    fn topic(_view: &View) -> Topic {
        Topic::Whole
    }

    fn title() -> String {
        t_string!(use_i18n(), patching.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        PatchingChapter().into_any()
    }
}

#[component]
pub fn PatchingChapter() -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <Prose part="intro" />
        <PatchingFigures />
        <Prose part="found" />
        <p class="position-controls">
            <FindingLink link=FOUND_IN_TRANSLATOR test_id="found-translator">
                {t!(i18n, patching.see_translator)}
            </FindingLink>
            <FindingLink link=FOUND_IN_SENTENCES test_id="found-sentences">
                {t!(i18n, patching.see_sentences)}
            </FindingLink>
        </p>
        <Prose part="limits" />
    }
}

/// Both sentences, the map, the chosen run and those that are kept.
#[component]
pub fn PatchingFigures() -> impl IntoView {
    view! {
        <WhenLive>
            <Figures />
        </WhenLive>
    }
}

#[component]
fn Figures() -> impl IntoView {
    let i18n = use_i18n();
    let context = PatchingContext::provide();
    let applies = Memo::new(move |_| {
        context
            .own
            .with(|own| own.as_ref().is_none_or(|own| own.spec.has_patching()))
    });
    view! {
        <Show
            when=move || applies.get()
            fallback=move || view! {
                <p class="notice" data-testid="patching-lacks">
                    {t!(i18n, patching.writes_nothing)}
                    <TranslatorLink />
                </p>
            }
        >
            <Prose part="sentences" />
            <section class="lesson-figure" data-testid="patching-sentences">
                <Sentences />
                <Words />
            </section>
            <Prose part="map" />
            <section class="lesson-figure" data-testid="patching-figure">
                <MapFigure />
            </section>
            <CarriesPrompt />
            <Prose part="place" />
            <ChosenRun />
            <Prose part="kept" />
            <section class="lesson-figure"><Kept /></section>
            <Prose part="estimates" />
            <section class="lesson-figure" data-testid="patching-estimates">
                <EstimatesFigure />
            </section>
        </Show>
    }
}

/// Asks for the number of cells that alone restore half of the answer or more.
#[component]
fn CarriesPrompt() -> impl IntoView {
    let i18n = use_i18n();
    let context = PatchingContext::expect();
    let row = row_words();
    let found = Memo::new(move |_| {
        context.map.with(|map| {
            let is_done = map.end.as_ref().is_some_and(Result::is_ok);
            let ((row, _), share, count) = strongest(&map.cells, map.ends, CARRIES)?;
            is_done.then_some((row, share, count))
        })
    });
    let values = Signal::derive(move || -> Option<Values> {
        let (best, share, count) = found.get()?;
        let site = context
            .layout
            .with(|layout| layout.as_ref()?.rows.get(best).copied())?;
        Some(vec![
            ("count", count.to_string()),
            ("row", row(site)),
            ("share", in_percent(share)),
        ])
    });
    let is_without_place = Memo::new(move |_| context.view.with(|view| view.place.is_none()));
    Finding::tell(move || {
        let (best, share, count) = found.get().filter(|_| is_without_place.get())?;
        let site = context
            .layout
            .with(|layout| layout.as_ref()?.rows.get(best).copied())?;
        Some(t_string!(
            i18n,
            patching.strongest,
            row = row(site),
            share = in_percent(share),
            count = count
        ))
    });
    view! {
        <Prompt
            question="predict-carries"
            answer="answer-carries"
            values
            asks=Signal::derive(move || t_string!(i18n, patching.predict).to_owned())
            expected=Signal::derive(move || found.get().map(|(_, _, count)| Expected::count(count)))
        />
    }
}

#[cfg(test)]
mod tests {
    use attention_core::state::Model;
    use attention_trace::{Patched, Stack};

    use super::*;

    #[test]
    fn the_links_open_what_the_text_says() {
        let view = crate::testing::view("").at_link(FOUND_IN_TRANSLATOR);
        let patching = view.chapters.of::<PatchingView>();
        assert_eq!(
            (view.model, view.text.as_str()),
            (Model::default(), "Je suis étudiant")
        );
        assert_eq!(patching.other.as_deref(), Some("Je suis médecin"));
        assert_eq!(
            (patching.stack, patching.patched),
            (Some(Stack::Decoder), Patched::Attention)
        );
        let view = crate::testing::view("").at_link(FOUND_IN_SENTENCES);
        assert_eq!(
            (view.model, view.text.as_str()),
            ("sentences".parse().unwrap(), "She lost")
        );
        assert_eq!(
            view.chapters.of::<PatchingView>().patched,
            Patched::Residual
        );
    }
}
