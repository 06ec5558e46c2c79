//! Curves of single dimensions of the sinusoidal encoding, and their periods by name.

use crate::positions::sinusoids::Positions;
use attention_figures::{
    Theme,
    color::categorical,
    plot::{Axis, Curve},
};
use leptos::prelude::*;

use super::encoding::Encoding;
use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    state::ViewState,
    widgets::{
        Plot, PlotFigure, ScrollRegion, Slider,
        numbers::{decimal, grouped},
    },
};

/// The dimensions whose curves are drawn.
pub fn drawn_dimensions(encoding: Memo<Encoding>) -> Memo<Vec<usize>> {
    let wanted = ViewState::expect().select(|view| {
        (
            view.chapters.of::<Positions>().dimension,
            view.chapters.of::<Positions>().stride,
        )
    });
    Memo::new(move |_| {
        let (first, stride) = wanted.get();
        encoding.get().drawn(first, stride)
    })
}

/// The curves of some dimensions, a period of the first of them marked.
#[component]
pub fn Curves(
    /// The encoding that is drawn.
    encoding: Memo<Encoding>,
) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let dimensions = drawn_dimensions(encoding);
    let plot = Signal::derive(move || {
        let (encoding, theme) = (encoding.get(), appearance.get());
        let table = encoding.table();
        let curve = |(index, &dimension): (usize, &usize)| {
            let column = table.iter().skip(dimension).step_by(encoding.width);
            let values: Vec<f32> = column.copied().collect();
            Curve::counted(encoding.name(dimension), &values, categorical(index, theme))
        };
        let marks = dimensions.with(|dimensions| period_marks(encoding, dimensions, theme));
        let curves = dimensions
            .with(|dimensions| dimensions.iter().enumerate().map(curve).collect::<Vec<_>>());
        Plot {
            x: Axis::new(
                t_string!(i18n, positions.position),
                0.0,
                (encoding.length - 1) as f64,
            ),
            y: Axis::new(t_string!(i18n, positions.value_of_dimension), -1.0, 1.0),
            curves: marks.into_iter().chain(curves).collect(),
        }
    });
    view! {
        <PlotFigure
            title=Signal::derive(move || t_string!(i18n, positions.curves).to_owned())
            text=Signal::derive(move || t_string!(i18n, positions.curves_text).to_owned())
            test_id="curves"
            plot
        >
            <DimensionControls encoding />
            <MarkedPeriod encoding dimensions />
            <Periods encoding dimensions />
        </PlotFigure>
    }
}

/// Returns upright lines at the period of the first curve, over the range of positions.
fn period_marks(encoding: Encoding, dimensions: &[usize], theme: Theme) -> Vec<Curve> {
    let Some(&first) = dimensions.first() else {
        return Vec::new();
    };
    let period = encoding.period(first);
    let last = (encoding.length - 1) as f64;
    let starts = [0.0, period].into_iter().filter(|_| period <= last);
    let line = |x| Curve {
        points: vec![(x, -1.0), (x, 1.0)],
        opacity: 0.8,
        ..Curve::counted("", &[], categorical(0, theme)).faint()
    };
    starts.map(line).collect()
}

/// The meaning of the upright lines, or the reason why there are none.
#[component]
fn MarkedPeriod(encoding: Memo<Encoding>, dimensions: Memo<Vec<usize>>) -> impl IntoView {
    let i18n = use_i18n();
    let words = move || {
        let encoding = encoding.get();
        let first = dimensions.with(|dimensions| dimensions.first().copied())?;
        let (name, period) = (encoding.name(first), encoding.period(first));
        Some(match period <= (encoding.length - 1) as f64 {
            true => t_string!(
                i18n,
                positions.period_marked,
                dimension = name,
                period = rounded(period)
            ),
            false => t_string!(
                i18n,
                positions.period_longer,
                dimension = name,
                period = rounded(period),
                length = encoding.length
            ),
        })
    };
    view! { <p class="hint" role="status" data-testid="marked-period">{words}</p> }
}

/// The period of each curve: its pair and its value.
#[component]
fn Periods(encoding: Memo<Encoding>, dimensions: Memo<Vec<usize>>) -> impl IntoView {
    let i18n = use_i18n();
    let name = Signal::derive(move || t_string!(i18n, positions.periods).to_owned());
    let row = move |dimension: usize| {
        let encoding = encoding.get();
        let pair = encoding.pair(dimension);
        let exponent = format!("{}/{}", 2 * pair, encoding.width);
        view! {
            <tr>
                <th scope="row">{encoding.name(dimension)}</th>
                <td class="number">{pair}</td>
                <td class="number">"2π · 10000"<sup>{exponent}</sup></td>
                <td class="number">{rounded(encoding.period(dimension))}</td>
            </tr>
        }
    };
    view! {
        <ScrollRegion class="lesson-table" test_id="periods" name>
            <table aria-label=name>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, positions.dimension)}</th>
                        <th scope="col">{t!(i18n, positions.pair)}</th>
                        <th scope="col">{t!(i18n, positions.period)}</th>
                        <th scope="col">{t!(i18n, positions.in_positions)}</th>
                    </tr>
                </thead>
                <tbody>
                    {move || dimensions.get().into_iter().map(row).collect_view()}
                </tbody>
            </table>
        </ScrollRegion>
    }
}

/// A period as it is written: short ones with a decimal.
fn rounded(period: f64) -> String {
    match period < 100.0 {
        true => decimal(period as f32, 1),
        false => grouped(period.round() as u64),
    }
}

#[component]
fn DimensionControls(encoding: Memo<Encoding>) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let dimension = state.select(|view| view.chapters.of::<Positions>().dimension);
    let stride = state.select(|view| view.chapters.of::<Positions>().stride);
    let last = move || encoding.get().width.saturating_sub(1);
    view! {
        <div class="position-controls">
            <Slider
                name=Signal::derive(move || t_string!(i18n, positions.first_dimension).to_owned())
                test_id="dimension"
                range=Signal::derive(move || (0, last()))
                value=Signal::derive(move || dimension.get().min(last()))
                words=Signal::derive(move || dimension.get().min(last()).to_string())
                set=move |first| state.change(|positions: &mut Positions| positions.dimension = first)
            />
            <Slider
                name=Signal::derive(move || t_string!(i18n, positions.stride).to_owned())
                test_id="stride"
                range=Positions::STRIDES
                value=stride
                words=Signal::derive(move || stride.get().to_string())
                set=move |stride| state.change(|positions: &mut Positions| positions.stride = stride)
            />
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::positions::sinusoids::Order;

    const ENCODING: Encoding = Encoding {
        length: 100,
        width: 8,
        order: Order::Paper,
    };

    #[test]
    fn periods_are_written_short() {
        let periods: Vec<String> = (0..4)
            .map(|pair| rounded(ENCODING.period(2 * pair)))
            .collect();
        assert_eq!(periods, ["6.3", "62.8", "628", "6,283"]);
    }

    #[test]
    fn a_period_is_marked_where_all_of_it_is_drawn() {
        let marks = period_marks(ENCODING, &[2, 0], Theme::Light);
        let places: Vec<f64> = marks.iter().map(|mark| mark.points[0].0).collect();
        assert_eq!(places, [0.0, ENCODING.period(2)]);
        // The sine is where it began, to within the step of a position.
        let table = ENCODING.table();
        let after = places[1].round() as usize;
        assert!(table[after * ENCODING.width + 2].abs() < 0.05);
        assert!(period_marks(ENCODING, &[4], Theme::Light).is_empty());
        assert!(period_marks(ENCODING, &[], Theme::Light).is_empty());
    }
}
