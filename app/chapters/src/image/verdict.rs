//! The digit that the model names, with attention and without.

use attention_figures::{bars::Series, color::categorical};
use attention_trace::lessons::SeenPicture;
use leptos::prelude::*;

use super::context::ImageContext;
use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    widgets::{BarFigure, Bars, numbers::percent},
};

/// A bar chart of each digit's probability, with attention and without.
#[component]
pub fn Verdict() -> impl IntoView {
    let i18n = use_i18n();
    let context = ImageContext::expect();
    let appearance = Appearance::expect();
    let chart = move || {
        let seen = context.seen.answer.get()?;
        let series = |label: &str, values: &[f32], color| Series {
            label: Some(label.to_owned()),
            values: values.to_vec(),
            colors: vec![categorical(color, appearance.get())],
        };
        Some(Bars {
            names: (0..seen.probabilities.len())
                .map(|digit| digit.to_string())
                .collect(),
            top: 1.0,
            marked: SeenPicture::likeliest(&seen.probabilities),
            series: vec![
                series(t_string!(i18n, image.with), &seen.probabilities, 0),
                series(
                    t_string!(i18n, image.without),
                    &seen.probabilities_without,
                    1,
                ),
            ],
        })
    };
    let named = |probabilities: &[f32]| {
        let digit = SeenPicture::likeliest(probabilities)?;
        Some((digit, percent(probabilities[digit], 1)))
    };
    let words = move || {
        context.seen.answer.with(|seen| {
            let seen = seen.as_ref()?;
            let (with, sure) = named(&seen.probabilities)?;
            let (without, sure_without) = named(&seen.probabilities_without)?;
            Some(t_string!(
                i18n,
                image.named,
                digit = with,
                sure = sure,
                other = without,
                sure_without = sure_without
            ))
        })
    };
    view! {
        <section class="lesson-figure" data-testid="verdict">
            <h3 class="panel-title">{t!(i18n, image.probabilities)}</h3>
            <BarFigure
                name=Signal::derive(move || t_string!(i18n, image.probabilities).to_owned())
                test_id="verdict-bars"
                chart=Signal::derive(chart)
            />
            <p class="lesson-reading" role="status" data-testid="verdict-words">
                {words}
            </p>
            <Show when=move || context.picture.with(|picture| {
                picture.as_ref().is_some_and(attention_trace::lessons::Picture::is_blank)
            })>
                <p class="hint" data-testid="verdict-blank">{t!(i18n, image.blank)}</p>
            </Show>
        </section>
    }
}
