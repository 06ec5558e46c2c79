//! Bars on the page, as wide as their place allows.

use attention_figures::{
    bars::{Series, bars, value_axis},
    export::{BarChart, Content},
    plot::{Axis, Frame},
};
use leptos::{html, prelude::*};

use super::{
    FigureButton, Taken,
    drawing::{drawing_width, drawn},
    numbers::share_of_one,
};
use crate::{appearance::Appearance, i18n::use_i18n};

/// The data of a bar chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// The name of each bar or group of bars.
    pub names: Vec<String>,
    /// The value at the upper end.
    pub top: f32,
    pub marked: Option<usize>,
    /// The series of numbers.
    pub series: Vec<Series>,
}

impl Bars {
    fn taken(&self, title: String) -> Taken {
        let content = Content::Bars(BarChart {
            names: self.names.clone(),
            top: self.top,
            marked: self.marked,
            series: self.series.clone(),
            further: Vec::new(),
        });
        Taken::new(title, content)
    }

    /// The numbers in words.
    fn words(&self) -> String {
        let of = |series: &Series| {
            let named = self.names.iter().zip(&series.values);
            let words: Vec<_> = named
                .map(|(name, value)| format!("{name}: {}", share_of_one(*value, 3)))
                .collect();
            let label = series.label.as_deref().unwrap_or_default();
            format!("{label} {}", words.join(", "))
        };
        self.series.iter().map(of).collect::<Vec<_>>().join("; ")
    }
}

/// Shows a bar chart.
#[component]
pub fn BarFigure(
    /// The accessible name of the chart.
    #[prop(into)]
    name: Signal<String>,
    /// The `data-testid` of the element.
    #[prop(into)]
    test_id: String,
    /// Height in CSS pixels.
    #[prop(default = 180.0)]
    height: f64,
    /// The data of the chart; nothing is shown until it is available.
    #[prop(into)]
    chart: Signal<Option<Bars>>,
) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let room = NodeRef::<html::Div>::new();
    let width = drawing_width(room, appearance);
    let chart = Memo::new(move |_| chart.get());
    let drawing = move || {
        chart.with(|chart| {
            let chart = chart.as_ref()?;
            let frame = Frame {
                width: width.get(),
                height,
                x: Axis::of_names(chart.names.clone()),
                y: value_axis(chart.top),
                theme: appearance.get(),
            };
            Some(drawn(i18n, bars(&frame, chart.marked, &chart.series)))
        })
    };
    let words = move || {
        let words = chart.with(|chart| chart.as_ref().map(Bars::words));
        format!("{}. {}", name.get(), words.unwrap_or_default())
    };
    view! {
        <div class="figure-beside">
            <div
                class="bar-figure"
                node_ref=room
                role="img"
                aria-label=words
                data-testid=test_id
                style=format!("min-height: calc({height}px * var(--type))")
                inner_html=move || drawing().unwrap_or_default()
            ></div>
            <FigureButton
                name
                take=move || chart.with(|chart| Some(chart.as_ref()?.taken(name.get())))
            />
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_told_in_words() {
        let bars = Bars {
            names: vec!["a".to_owned(), "b".to_owned()],
            top: 1.0,
            marked: None,
            series: vec![Series {
                label: Some("p".to_owned()),
                values: vec![0.25, 0.75],
                colors: Vec::new(),
            }],
        };
        assert_eq!(bars.words(), "p a: 0.250, b: 0.750");
    }
}
