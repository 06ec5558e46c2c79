//! The mark that the model predicts, with all hops and with those that are on.

use attention_figures::{bars::Series, color::categorical};
use attention_trace::lessons::Mark;
use leptos::prelude::*;

use super::{
    context::{EmbeddingContext, likeliest},
    mark_name,
};
use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    widgets::{BarFigure, Bars, numbers::percent},
};

/// The probability of each mark, twice.
#[component]
pub fn Verdict() -> impl IntoView {
    let i18n = use_i18n();
    let context = EmbeddingContext::expect();
    let appearance = Appearance::expect();
    let chart = move || {
        let seen = context.seen.answer.get()?;
        let series = |label: &str, values: &[f32], color| Series {
            label: Some(label.to_owned()),
            values: values.to_vec(),
            colors: vec![categorical(color, appearance.get())],
        };
        Some(Bars {
            names: Mark::ALL.map(|mark| mark.sign().to_string()).to_vec(),
            top: 1.0,
            marked: likeliest(&seen.probabilities).map(Mark::place),
            series: vec![
                series(t_string!(i18n, embedding.all_hops), &seen.probabilities, 0),
                series(
                    t_string!(i18n, embedding.hops_left),
                    &seen.probabilities_left,
                    1,
                ),
            ],
        })
    };
    let named = move |probabilities: &[f32]| {
        let mark = likeliest(probabilities)?;
        Some((
            mark_name(i18n, mark),
            percent(probabilities[mark.place()], 1),
        ))
    };
    let words = move || {
        context.seen.answer.with(|seen| {
            let seen = seen.as_ref()?;
            let (all, sure) = named(&seen.probabilities)?;
            let (left, sure_left) = named(&seen.probabilities_left)?;
            Some(t_string!(
                i18n,
                embedding.predicted,
                all = all,
                sure = sure,
                left = left,
                sure_left = sure_left
            ))
        })
    };
    let typed = move || {
        let mark = mark_name(i18n, context.typed_mark()?);
        Some(t_string!(i18n, embedding.typed, mark = mark))
    };
    view! {
        <section class="lesson-figure" data-testid="marks">
            <h3 class="panel-title">{t!(i18n, embedding.probabilities)}</h3>
            <BarFigure
                name=Signal::derive(move || t_string!(i18n, embedding.probabilities).to_owned())
                test_id="marks-bars"
                chart=Signal::derive(chart)
            />
            <p class="lesson-reading" role="status" data-testid="marks-words">{words}</p>
            <p class="hint" data-testid="marks-typed">{typed}</p>
        </section>
    }
}
