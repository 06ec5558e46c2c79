//! Times of decoded tokens with a cache and without one, and the bytes that the cache takes.

use attention_figures::{
    color::categorical,
    plot::{Axis, Curve},
};
use attention_trace::{Series, SeriesQuestion, TokenTime};
use leptos::prelude::*;

use super::{NUMBER_BYTES, bytes::KeptBytes};
use crate::series::{Measured, SeriesControls};
use attention_core::{
    appearance::Appearance,
    engine::Live,
    i18n::{t_string, use_i18n},
    state::ViewState,
    widgets::{
        Plot, PlotFigure,
        numbers::{decimal, grouped},
    },
};

/// The most tokens that are decoded.
const TOKENS: usize = 64;

#[component]
pub fn DecodingTimes() -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let live = Live::expect();
    let state = ViewState::expect();
    let text = state.select(|view| view.text.clone());
    let question = Signal::derive(move || {
        Some(SeriesQuestion::Decoding {
            text: text.get(),
            tokens: TOKENS,
        })
    });
    let measured = Measured::new(question);
    let times = Memo::new(move |_| {
        measured.read.with(|read| match &read.known {
            Some(Series::Times { times, .. }) => times.clone(),
            _ => vec![],
        })
    });
    let plot = Signal::derive(move || {
        let theme = appearance.get();
        let times = times.get();
        let curve = |index: usize, label: &str, milliseconds: fn(&TokenTime) -> f64| Curve {
            points: times
                .iter()
                .map(|time| (time.read as f64, milliseconds(time)))
                .collect(),
            ..Curve::counted(label, &[], categorical(index, theme))
        };
        let curves = vec![
            curve(0, t_string!(i18n, kept.with_cache), |time| time.cached_ms),
            curve(1, t_string!(i18n, kept.without_cache), |time| {
                time.recomputed_ms
            }),
        ];
        let last = times.last().map_or(1, |time| time.read);
        Plot {
            x: Axis::new(t_string!(i18n, kept.tokens_read), 0.0, last as f64),
            y: Axis::around_curves(t_string!(i18n, kept.milliseconds), &curves),
            curves,
        }
    });
    // Up to the last measured token, or as far as decoding will be measured.
    let last_token = Memo::new(move |_| {
        let read = times.with(|times| times.last().map(|time| time.read));
        let written = || {
            let trace = live.trace()?;
            let room = trace.meta.spec.room(trace.meta.target.len());
            Some(trace.meta.target.len() + TOKENS.min(room))
        };
        read.or_else(written).unwrap_or(TOKENS)
    });
    let has_some = Memo::new(move |_| times.read().len() > 1);
    let bytes = move || {
        let trace = live.trace()?;
        let stack = trace.meta.spec.cached_stack()?;
        let (layers, heads, width) = (stack.layers, stack.key_value_heads, stack.head_width);
        let bytes = stack.kept_numbers(heads) * NUMBER_BYTES;
        let read = times.with(|times| times.last().map_or(0, |time| time.read));
        Some(t_string!(
            i18n,
            kept.bytes,
            layers = layers,
            heads = heads,
            width = width,
            bytes = grouped(bytes as u64),
            read = read,
            all = grouped((bytes * read) as u64)
        ))
    };
    let reading = move || {
        times.with(|times| {
            let thirds = times.len() / 3;
            let mean = |times: &[TokenTime], of: fn(&TokenTime) -> f64| {
                times.iter().map(of).sum::<f64>() / times.len() as f64
            };
            let (first, last) = (times.get(..thirds)?, times.get(times.len() - thirds..)?);
            (thirds > 0).then(|| {
                let cached: fn(&TokenTime) -> f64 = |time| time.cached_ms;
                let recomputed: fn(&TokenTime) -> f64 = |time| time.recomputed_ms;
                let [a, b, c, d] = [
                    mean(first, cached),
                    mean(last, cached),
                    mean(first, recomputed),
                    mean(last, recomputed),
                ]
                .map(|time| decimal(time as f32, 2));
                t_string!(i18n, kept.times, a = a, b = b, c = c, d = d)
            })
        })
    };
    view! {
        <section class="lesson-figure" data-testid="decoding-times">
            <SeriesControls
                measured
                name=Signal::derive(move || t_string!(i18n, kept.measure).to_owned())
                test_id="measure-decoding"
            />
            <Show when=move || has_some.get()>
                <PlotFigure
                    title=Signal::derive(move || t_string!(i18n, kept.times_title).to_owned())
                    text=Signal::derive(move || t_string!(i18n, kept.times_text).to_owned())
                    test_id="decoding-plot"
                    plot
                />
            </Show>
            <p class="lesson-reading number" role="status" data-testid="decoding-reading">{reading}</p>
            <KeptBytes tokens=last_token />
            <p class="lesson-reading number" data-testid="kept-bytes">{bytes}</p>
        </section>
    }
}
