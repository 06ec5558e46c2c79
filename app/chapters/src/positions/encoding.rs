//! The sinusoidal encoding: its controls, its map and its decay.

use crate::positions::sinusoids::{Order, Positions};
use std::f64::consts::TAU;

use attention_figures::{
    color::categorical,
    plot::{Axis, Curve},
};
use attention_trace::positions::{
    PositionalEncoding, SINUSOIDAL_BASE, SinusoidalLayout, sinusoidal, sinusoidal_decay,
};
use leptos::prelude::*;

use super::curves::{Curves, drawn_dimensions};
use attention_core::{
    appearance::Appearance,
    engine::Live,
    i18n::{t, t_string, use_i18n},
    state::ViewState,
    widgets::{
        Plot, PlotFigure, Segmented, Slider, Table, TableMap,
        glossary::{Term, gloss},
    },
};

/// The number of curves drawn at once.
const CURVES: usize = 4;
/// The width in the figure while no model provides one.
const STANDARD_WIDTH: usize = 256;

/// The encoding that is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding {
    pub length: usize,
    /// The number of dimensions.
    pub width: usize,
    /// The order of the dimensions.
    pub order: Order,
}

impl Encoding {
    /// The values, `[length, width]` row-major.
    pub fn table(self) -> Vec<f32> {
        let layout = match self.order {
            Order::Model => SinusoidalLayout::Halves,
            Order::Paper => SinusoidalLayout::Interleaved,
        };
        sinusoidal(0..self.length, self.width, layout)
    }

    /// True if a dimension is a sine, false if it is a cosine.
    fn is_sine(self, dimension: usize) -> bool {
        match self.order {
            Order::Model => dimension < self.width / 2,
            Order::Paper => dimension.is_multiple_of(2),
        }
    }

    /// A dimension's number and function.
    pub fn name(self, dimension: usize) -> String {
        let function = if self.is_sine(dimension) {
            "sin"
        } else {
            "cos"
        };
        format!("{dimension} ({function})")
    }

    /// The columns of pair `i` in the formula: the sine's and the cosine's.
    fn columns(self) -> [&'static str; 2] {
        match self.order {
            Order::Model => ["i", "i + d/2"],
            Order::Paper => ["2i", "2i + 1"],
        }
    }

    /// Returns the pair of a dimension, from 0.
    pub fn pair(self, dimension: usize) -> usize {
        match self.order {
            Order::Model => dimension % (self.width / 2).max(1),
            Order::Paper => dimension / 2,
        }
    }

    /// Returns the period of a dimension in positions: 2π · 10000^(2i/d) for pair i.
    pub fn period(self, dimension: usize) -> f64 {
        let exponent = 2.0 * self.pair(dimension) as f64 / self.width as f64;
        TAU * f64::from(SINUSOIDAL_BASE).powf(exponent)
    }

    /// The dimensions whose curves are drawn: as many as the width has from the first on.
    pub fn drawn(self, first: usize, stride: usize) -> Vec<usize> {
        let first = first.min(self.width.saturating_sub(1));
        (first..self.width)
            .step_by(stride.max(1))
            .take(CURVES)
            .collect()
    }
}

/// The selected encoding, from the view and the model on screen.
fn encoding_in_sight() -> Memo<Encoding> {
    let live = Live::expect();
    let wanted = ViewState::expect().select(|view| view.chapters.of::<Positions>().clone());
    Memo::new(move |_| {
        let width = live
            .trace()
            .map_or(STANDARD_WIDTH, |trace| trace.meta.spec.width);
        wanted.with(|positions| Encoding {
            length: positions.length,
            // A sinusoidal encoding pairs its dimensions.
            width: width / 2 * 2,
            order: positions.order,
        })
    })
}

/// Curves, map and decay with the controls they share.
#[component]
pub fn SinusoidalFigures() -> impl IntoView {
    let encoding = encoding_in_sight();
    view! {
        <OnScreen encoding />
        <SharedControls />
        <Formula encoding />
        <div class="position-figures">
            <Curves encoding />
            <EncodingMap encoding />
            <Decay encoding />
        </div>
    }
}

/// A note that says if the model on screen adds the encoding in the figure.
#[component]
fn OnScreen(encoding: Memo<Encoding>) -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let is_added = Memo::new(move |_| {
        live.trace().is_none_or(|trace| {
            trace.meta.spec.positions.encoding == PositionalEncoding::Sinusoidal
        })
    });
    let width = move || encoding.get().width;
    view! {
        <p class="hint" data-testid="adds-sinusoids">
            {move || if is_added.get() {
                let embedding = gloss(Term::Embedding);
                t!(i18n, positions.added, width = width, <embedding> = embedding).into_any()
            } else {
                t!(i18n, positions.not_added, width = width).into_any()
            }}
        </p>
    }
}

/// The formula of the order of dimensions that is drawn.
#[component]
fn Formula(encoding: Memo<Encoding>) -> impl IntoView {
    let columns = Memo::new(move |_| encoding.get().columns());
    let term = move |column: &'static str, function: &'static str| {
        view! { {format!("PE(p, {column}) = {function}(p / 10000")}<sup>"2i/d"</sup>")" }
    };
    view! {
        <p class="formula section-text" data-testid="sinusoidal-formula">
            {move || {
                let [sine, cosine] = columns.get();
                view! { {term(sine, "sin")} ", " {term(cosine, "cos")} }
            }}
        </p>
    }
}

#[component]
fn EncodingMap(encoding: Memo<Encoding>) -> impl IntoView {
    let i18n = use_i18n();
    let table = Signal::derive(move || {
        let encoding = encoding.get();
        Some(Table {
            values: encoding.table().into(),
            width: encoding.width,
            limit: 1.0,
        })
    });
    view! {
        <TableMap
            title=Signal::derive(move || t_string!(i18n, positions.map).to_owned())
            text=Signal::derive(move || t_string!(i18n, positions.map_text).to_owned())
            test_id="encoding-map"
            table
            name=move |dimension| encoding.get().name(dimension)
            marked=drawn_dimensions(encoding)
        />
    }
}

/// The controls shared by all three figures.
#[component]
fn SharedControls() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let length = state.select(|view| view.chapters.of::<Positions>().length);
    let order = state.select(|view| view.chapters.of::<Positions>().order);
    view! {
        <div class="position-controls">
            <Slider
                name=Signal::derive(move || t_string!(i18n, positions.length).to_owned())
                test_id="length"
                range=Positions::LENGTHS
                value=length
                words=Signal::derive(move || length.get().to_string())
                set=move |length| state.change(|positions: &mut Positions| positions.length = length)
            />
            <Segmented
                label=Signal::derive(move || t_string!(i18n, positions.order).to_owned())
                options=Signal::derive(move || vec![
                    (Order::Model, t_string!(i18n, positions.order_model).to_owned()),
                    (Order::Paper, t_string!(i18n, positions.order_paper).to_owned()),
                ])
                value=order
                choose=move |order| state.change(|positions: &mut Positions| positions.order = order)
            />
        </div>
    }
}

#[component]
fn Decay(encoding: Memo<Encoding>) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let values = Memo::new(move |_| {
        let encoding = encoding.get();
        sinusoidal_decay(encoding.width, encoding.length)
    });
    let plot = Signal::derive(move || {
        values.with(|values| Plot {
            x: Axis::new(
                t_string!(i18n, positions.distance_k),
                0.0,
                (values.len() - 1) as f64,
            ),
            y: Axis::around("PE(p)·PE(p+k)", values.iter().copied()),
            curves: vec![Curve::counted(
                "PE(p)·PE(p+k)",
                values,
                categorical(0, appearance.get()),
            )],
        })
    });
    view! {
        <PlotFigure
            title=Signal::derive(move || t_string!(i18n, positions.decay).to_owned())
            text=Signal::derive(move || t_string!(i18n, positions.decay_text).to_owned())
            test_id="decay"
            plot
        >
            ""
        </PlotFigure>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENCODING: Encoding = Encoding {
        length: 3,
        width: 8,
        order: Order::Paper,
    };

    #[test]
    fn names_follow_the_order() {
        let model = Encoding {
            order: Order::Model,
            ..ENCODING
        };
        assert_eq!(ENCODING.name(3), "3 (cos)");
        assert_eq!(model.name(3), "3 (sin)");
        assert_eq!(model.name(4), "4 (cos)");
        for encoding in [ENCODING, model] {
            let first_row = &encoding.table()[..8];
            for (dimension, &value) in first_row.iter().enumerate() {
                // At position 0 a sine is 0 and a cosine 1.
                assert_eq!(value == 0.0, encoding.is_sine(dimension));
            }
        }
    }

    #[test]
    fn a_dimension_repeats_after_its_period() {
        for order in [Order::Model, Order::Paper] {
            let encoding = Encoding { order, ..ENCODING };
            let periods: Vec<f64> = (0..8).map(|c| encoding.period(c).round()).collect();
            let pairs: Vec<usize> = (0..8).map(|c| encoding.pair(c)).collect();
            let (expected_periods, expected_pairs) = match order {
                Order::Model => (
                    [6.0, 63.0, 628.0, 6283.0, 6.0, 63.0, 628.0, 6283.0],
                    [0, 1, 2, 3, 0, 1, 2, 3],
                ),
                Order::Paper => (
                    [6.0, 6.0, 63.0, 63.0, 628.0, 628.0, 6283.0, 6283.0],
                    [0, 0, 1, 1, 2, 2, 3, 3],
                ),
            };
            assert_eq!(periods, expected_periods);
            assert_eq!(pairs, expected_pairs);
        }
        // Seven turns of the fastest sine are nearly 44 positions.
        let table = Encoding {
            length: 45,
            ..ENCODING
        }
        .table();
        assert!((table[44 * ENCODING.width] - table[0]).abs() < 0.02);
    }

    #[test]
    fn the_formula_names_the_columns_that_are_drawn() {
        let (pair, half) = (1, ENCODING.width / 2);
        let model = Encoding {
            order: Order::Model,
            ..ENCODING
        };
        assert_eq!(model.columns(), ["i", "i + d/2"]);
        assert!(model.is_sine(pair) && !model.is_sine(pair + half));
        assert_eq!(ENCODING.columns(), ["2i", "2i + 1"]);
        assert!(ENCODING.is_sine(2 * pair) && !ENCODING.is_sine(2 * pair + 1));
    }

    #[test]
    fn drawn_dimensions_stay_inside_the_width() {
        assert_eq!(ENCODING.drawn(4, 1), [4, 5, 6, 7]);
        assert_eq!(ENCODING.drawn(6, 3), [6]);
        assert_eq!(ENCODING.drawn(99, 1), [7]);
        assert_eq!(ENCODING.drawn(0, 0), [0, 1, 2, 3]);
    }
}
