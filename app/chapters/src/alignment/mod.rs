//! Word alignment: which word of the source each word of the target comes from, by the heads of cross-attention.

mod context;
mod figure;
mod heads;
mod kit;
pub mod parameters;
mod scores;

use crate::{
    alignment::parameters::AlignedRow,
    kit::Kit,
    needs::{Needs, TranslatorLink},
    page::Define,
    topic::Topic,
};
use attention_trace::alignment::{EndToken, RowOf};
use leptos::prelude::*;

use self::{context::AlignmentContext, figure::Links, heads::HeadTable, parameters::AlignmentView};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    names::head_name,
    navigation::FindingLink,
    selection::WhenLive,
    state::View,
    widgets::{Check, Finding, Prose, Segmented, numbers::share_of_one},
};

/// A head of the translator that aligns the word that is written.
const WRITES: &str = "v=2&tab=learn&chapter=alignment&model=translator&text=Je+suis+%C3%A9tudiant.&aligned-heads=3.3";
/// A head of the translator that aligns the word that was read.
const READS: &str = "v=2&tab=learn&chapter=alignment&model=translator&text=Je+suis+%C3%A9tudiant.&aligned-heads=2.4";

impl Define for AlignmentView {
    const NEEDS: Needs = Needs::Attention;
    const MINUTES: u32 = 6;

    fn topic(_view: &View) -> Topic {
        Topic::Writer
    }

    fn title() -> String {
        t_string!(use_i18n(), alignment.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        AlignmentChapter().into_any()
    }
}

#[component]
pub fn AlignmentChapter() -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <Prose part="intro" />
        <AlignmentFigures />
        <Prose part="found" />
        <p class="position-controls">
            <FindingLink link=WRITES test_id="align-writes">
                {t!(i18n, alignment.open_writes)}
            </FindingLink>
            <FindingLink link=READS test_id="align-reads">
                {t!(i18n, alignment.open_reads)}
            </FindingLink>
        </p>
        <Prose part="pairs" />
    }
}

/// The heads, their links, and the error rate against links drawn by a person.
#[component]
pub fn AlignmentFigures() -> impl IntoView {
    view! {
        <WhenLive>
            <Figures />
        </WhenLive>
    }
}

#[component]
fn Figures() -> impl IntoView {
    let i18n = use_i18n();
    let context = AlignmentContext::provide();
    let has_sides = Memo::new(move |_| context.sides.with(Option::is_some));
    view! {
        <Show
            when=move || has_sides.get()
            fallback=move || view! {
                <p class="notice" data-testid="align-refused">
                    {t!(i18n, alignment.nothing)}
                    <TranslatorLink />
                </p>
            }
        >
            <section class="lesson-figure" data-testid="alignment-chapter">
                <HeadTable />
                <RowChoice />
                <Reading />
                <Links />
            </section>
        </Show>
        <Prose part="rows" />
        <Prose part="end" />
        <Prose part="error" />
        <Best />
    }
}

/// Whose row is read, and what becomes of the end token.
#[component]
fn RowChoice() -> impl IntoView {
    let i18n = use_i18n();
    let context = AlignmentContext::expect();
    let row = Memo::new(move |_| context.view.with(|view| view.row));
    let is_out = Memo::new(move |_| context.view.with(|view| view.end == EndToken::TakenOut));
    view! {
        <div class="position-controls">
            <Segmented
                label=Signal::derive(move || t_string!(i18n, alignment.row).to_owned())
                options=Signal::derive(move || vec![
                    (AlignedRow::Automatic, t_string!(i18n, alignment.automatic).to_owned()),
                    (AlignedRow::Of(RowOf::Writing), t_string!(i18n, alignment.writing).to_owned()),
                    (AlignedRow::Of(RowOf::Reading), t_string!(i18n, alignment.reading).to_owned()),
                ])
                value=row
                choose=move |row| context.update(|view| view.row = row)
            />
            <Check
                name=Signal::derive(move || t_string!(i18n, alignment.take_out).to_owned())
                test_id="align-end"
                on=is_out
                set=move |is_out| context.update(|view| {
                    view.end = if is_out { EndToken::TakenOut } else { EndToken::Kept };
                })
            />
        </div>
    }
}

/// A sentence on the figure: the row, the number of links, and the error rate if it was measured.
#[component]
fn Reading() -> impl IntoView {
    let i18n = use_i18n();
    let context = AlignmentContext::expect();
    let words = move || {
        let aligned = context.aligned.get()?;
        let row = match context.row.get() {
            RowOf::Writing => t_string!(i18n, alignment.by_writing),
            RowOf::Reading => t_string!(i18n, alignment.by_reading),
        };
        let shown = t_string!(
            i18n,
            alignment.shown,
            links = aligned.links.len(),
            words = aligned.sides.target.len(),
            heads = context.heads.with(Vec::len),
            row = row
        );
        let measured = context.error_rate().map(|error| {
            let pairs = context
                .set
                .with(|set| set.as_ref().map_or(0, |set| set.pairs));
            let error = share_of_one(error as f32, 2);
            t_string!(i18n, alignment.measured, error = error, pairs = pairs)
        });
        Some(format!("{shown} {}", measured.unwrap_or_default()))
    };
    Finding::tell(words);
    view! { <p class="lesson-reading" role="status" data-testid="align-reading">{words}</p> }
}

/// A sentence that names the head with the best alignment.
#[component]
fn Best() -> impl IntoView {
    let i18n = use_i18n();
    let context = AlignmentContext::expect();
    let head_name = head_name();
    let words = move || {
        let set = context.set.get()?;
        let best = set.best_head()?;
        let head = head_name(best.attention, best.head);
        let [error, all, together] = [best.errors.least(), set.all.least(), set.best.error]
            .map(|rate| share_of_one(rate as f32, 2));
        Some(t_string!(
            i18n,
            alignment.best_head,
            head = head,
            error = error,
            all = all,
            together = together,
            count = set.best.heads.len(),
            pairs = set.pairs
        ))
    };
    view! { <p class="lesson-reading" data-testid="align-best-head">{words}</p> }
}
