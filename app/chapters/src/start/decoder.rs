//! The ninth screen: the next word, and the decoder's attention for it.

use attention_figures::{bars::Series, color::categorical};
use attention_trace::{AttentionKind, Excerpt, Quantity, Slice};
use leptos::prelude::*;

use super::reading::{NextWords, StepSlider, Texts};
use attention_core::{
    appearance::Appearance,
    engine::{Live, Part},
    i18n::{t, t_string, use_i18n},
    names::{head_name, token_name},
    selection::{HeadChoice, Selection},
    steps::Steps,
    widgets::{BarFigure, Bars},
};

/// The head that attends to the input, and the row of its map at the step.
#[derive(Clone, Copy, PartialEq)]
struct Looking {
    head: HeadChoice,
    row: usize,
}

/// Height of each of the two charts in CSS pixels, so that both are in sight at once.
const HEIGHT: f64 = 120.0;

/// The decoder's attention while it writes a word.
#[component]
pub fn Decoder() -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let (live, steps) = (Live::expect(), Steps::expect());
    let selection = Selection::of_page();
    let looking = Memo::new(move |_| {
        let selection = selection.get().with_kind(AttentionKind::Cross);
        let head = selection.head(&steps.trace()?.meta);
        let row = steps.with_step(|step| step.row)?;
        Some(Looking { head, row })
    });
    let weights = live.part(move || {
        let Looking { head, row } = looking.get()?;
        Some(Excerpt::new(
            head.attention.at(Quantity::Pattern),
            Slice::Row(row),
        ))
    });
    let name = token_name();
    let chart = Memo::new(move |_| {
        let theme = appearance.get();
        let Looking { head, row } = looking.get()?;
        let trace = steps.trace()?;
        let (_, keys) = trace.meta.axes(head.attention.kind);
        // What comes after the query's own place does not exist yet.
        let seen = match head.attention.kind {
            AttentionKind::DecoderSelf => row + 1,
            AttentionKind::EncoderSelf | AttentionKind::Cross => keys.len(),
        };
        let Part(rows) = weights.get()?;
        Some(Bars {
            names: keys.iter().take(seen).map(name).collect(),
            top: 1.0,
            marked: None,
            series: vec![Series {
                label: None,
                values: rows.row(&[head.head])?.iter().take(seen).copied().collect(),
                colors: vec![categorical(1, theme)],
            }],
        })
    });
    let head_name = head_name();
    let title = move || {
        let Looking { head, .. } = looking.get()?;
        let head = head_name(head.attention, head.head);
        Some(t_string!(i18n, start.looks, head = head))
    };
    view! {
        <StepSlider />
        <Texts />
        <h3 class="panel-title">{title}</h3>
        <BarFigure
            name=Signal::derive(move || title().unwrap_or_default())
            test_id="start-looks"
            height=HEIGHT
            chart
        />
        <p class="hint">{t!(i18n, start.then)}</p>
        <NextWords height=HEIGHT />
    }
}
