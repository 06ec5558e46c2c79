//! The choice of e^x: softmax beside other ways to turn scores into weights.

use attention_figures::{bars::Series, color::categorical};
use attention_protocol::lessons::{Answer, Question};
use attention_trace::lessons::{Normalisation, Normalised, Weighting};
use leptos::prelude::*;

use super::row::RowSelection;
use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    lessons::{Asked, LessonNotice, Lessons},
    widgets::{
        BarFigure, Bars, Prose,
        numbers::{decimal, significant},
    },
};

/// The selected row under every normalisation.
pub fn normalised(row: RowSelection) -> Asked<Vec<Normalised>> {
    let question = move || {
        Some(Question::Normalise {
            scores: row.row.get()?.scores,
        })
    };
    Lessons::expect().ask(question, |answer| match answer {
        Answer::Normalised(made) => Some(made.clone()),
        _ => None,
    })
}

/// The weights of one of them, if it has any.
pub fn weighting(made: &[Normalised], rule: Normalisation) -> Option<Weighting> {
    let made = made.iter().find(|made| made.normalisation == rule)?;
    made.weights.clone()
}

/// The softmax and the other ways side by side.
#[component]
pub fn Exponential(row: RowSelection) -> impl IntoView {
    let asked = normalised(row);
    view! {
        <Prose part="exponential" />
        <LessonNotice asked />
        <div class="lesson-cards narrow">
            {Normalisation::ALL
                .into_iter()
                .enumerate()
                .map(|(index, rule)| view! { <Card row asked rule index /> })
                .collect_view()}
        </div>
        <Prose part="exponential-why" />
    }
}

fn parts(rule: Normalisation) -> (&'static str, &'static str) {
    match rule {
        Normalisation::Exponential => ("normal-exponential", "normalised-exponential"),
        Normalisation::Square => ("normal-square", "normalised-square"),
        Normalisation::Shifted => ("normal-shifted", "normalised-shifted"),
        Normalisation::Rectified => ("normal-rectified", "normalised-rectified"),
    }
}

#[component]
fn Card(
    row: RowSelection,
    asked: Asked<Vec<Normalised>>,
    rule: Normalisation,
    index: usize,
) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let (part, test_id) = parts(rule);
    let found = Memo::new(move |_| asked.answer.with(|made| weighting(made.as_ref()?, rule)));
    let chart = Signal::derive(move || {
        Some(Bars {
            names: row.row.get()?.names,
            top: 1.0,
            marked: None,
            series: vec![Series {
                label: None,
                values: found.get()?.weights,
                colors: vec![categorical(index, appearance.get())],
            }],
        })
    });
    let or_none = |number: Option<String>| number.unwrap_or_else(|| "–".to_owned());
    let yes = move |is: bool| match is {
        true => t_string!(i18n, scale.yes).to_owned(),
        false => t_string!(i18n, scale.no).to_owned(),
    };
    view! {
        <section class="lesson-card" data-testid=test_id>
            <Prose part />
            <BarFigure
                name=Signal::derive(move || t_string!(i18n, scale.bars).to_owned())
                test_id=format!("{test_id}-bars")
                height=150.0
                chart
            />
            {move || match found.get() {
                Some(found) => view! {
                    <dl class="lesson-facts">
                        <dt>{t!(i18n, scale.lead)}</dt>
                        <dd class="number">{or_none(found.lead.map(significant))}</dd>
                        <dt>{t!(i18n, scale.zeros)}</dt>
                        <dd class="number">{found.zeros}</dd>
                        <dt>{t!(i18n, scale.shift_change)}</dt>
                        <dd class="number">{or_none(found.shift_change.map(|change| decimal(change, 3)))}</dd>
                        <dt>{t!(i18n, scale.keeps_order)}</dt>
                        <dd>{yes(found.keeps_order)}</dd>
                    </dl>
                }
                .into_any(),
                None if asked.answer.with(Option::is_some) => view! {
                    <p class="hint">{t!(i18n, scale.no_weights)}</p>
                }
                .into_any(),
                None => ().into_any(),
            }}
        </section>
    }
}
