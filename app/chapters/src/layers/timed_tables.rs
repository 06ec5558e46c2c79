//! Tables of the measured times: medians with their spread, and the fit of the terms.

use crate::layers::parameters::Against;
use attention_trace::lessons::{Spread, Timed};
use leptos::prelude::*;

use super::{
    points::{Measurement, Series, TOKENS, WIDTHS, is_on, place},
    timed::series_name,
    words::time,
};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    widgets::ScrollRegion,
};

/// A median, and between which times it lies.
fn with_spread(spread: Spread) -> String {
    let [median, least, most] = [spread.median_ms, spread.least_ms, spread.most_ms].map(time);
    format!("{median} ({least}–{most})")
}

/// The times of a series at a place of the axis.
fn at(measured: &[Timed], series: Series, against: Against, here: usize) -> Option<Spread> {
    let here = |timed: &&Timed| is_on(against, timed.point) && place(against, timed.point) == here;
    let mut here = measured.iter().filter(here);
    here.find_map(|timed| series.spread(timed))
}

/// A row for each number of tokens or width, a column for each series.
#[component]
pub fn TimesTable(
    /// The measurement that the table shows.
    measurement: RwSignal<Measurement>,
    /// The axis of the table's rows.
    against: Memo<Against>,
) -> impl IntoView {
    let i18n = use_i18n();
    let name = Signal::derive(move || t_string!(i18n, layers.times_table).to_owned());
    let places = move || match against.get() {
        Against::Tokens => TOKENS,
        Against::Width => WIDTHS,
    };
    let cell = move |here: usize, series: Series| {
        let text = move || {
            let against = against.get();
            let spread =
                measurement.with(|measurement| at(&measurement.measured, series, against, here));
            spread.map_or_else(|| "–".to_owned(), with_spread)
        };
        view! { <td class="number">{text}</td> }
    };
    let row = move |here: usize| {
        let letter = match against.get() {
            Against::Tokens => "n",
            Against::Width => "d",
        };
        view! {
            <tr>
                <th scope="row" class="number">{format!("{letter} = {here}")}</th>
                {Series::ALL.map(|series| cell(here, series))}
            </tr>
        }
    };
    view! {
        <ScrollRegion class="lesson-table" test_id="times-table" name>
            <table aria-label=name>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, layers.milliseconds)}</th>
                        {Series::ALL.map(|series| view! {
                            <th scope="col">{move || series_name(i18n, series)}</th>
                        })}
                    </tr>
                </thead>
                <tbody>{move || places().map(row)}</tbody>
            </table>
        </ScrollRegion>
    }
}

/// The table of fits, a row for each series: its term, the constant, and the ratio of times to the fit.
#[component]
pub fn FitTable(
    /// The measurement that the table shows.
    measurement: RwSignal<Measurement>,
) -> impl IntoView {
    let i18n = use_i18n();
    let name = Signal::derive(move || t_string!(i18n, layers.fit_table).to_owned());
    let row = move |series: Series| {
        let fit =
            Memo::new(move |_| measurement.with(|measurement| series.fit(&measurement.measured)));
        let nanoseconds = move || fit.get().map(|fit| time(fit.nanoseconds));
        let ratios = move || {
            let fit = fit.get()?;
            Some(format!("{}–{}", time(fit.least), time(fit.most)))
        };
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
        view! {
            <tr>
                <th scope="row">{move || series_name(i18n, series)}</th>
                <td>{series.term()}</td>
                <td class="number">{move || or_dash(nanoseconds())}</td>
                <td class="number">{move || or_dash(ratios())}</td>
            </tr>
        }
    };
    view! {
        <ScrollRegion class="lesson-table" test_id="fit-table" name>
            <table aria-label=name>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, layers.layer)}</th>
                        <th scope="col">{t!(i18n, layers.term)}</th>
                        <th scope="col">{t!(i18n, layers.nanoseconds)}</th>
                        <th scope="col">{t!(i18n, layers.ratios)}</th>
                    </tr>
                </thead>
                <tbody>{Series::ALL.map(row)}</tbody>
            </table>
        </ScrollRegion>
        <p class="hint">{t!(i18n, layers.fit_text)}</p>
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::{layers::SequenceLayer, lessons::TimedPoint};

    use super::*;

    #[test]
    fn a_time_stands_with_its_spread() {
        let spread = Spread {
            median_ms: 1.5,
            least_ms: 1.25,
            most_ms: 2.5,
            repeats: 7,
            passes: 8,
        };
        assert!(with_spread(spread).starts_with("1.5"));
        let point = TimedPoint {
            layer: SequenceLayer::Convolution,
            tokens: 128,
            width: 64,
            kernel: 3,
        };
        let timed = Timed {
            point,
            whole: spread,
            mixing: None,
        };
        let series = Series::Whole(SequenceLayer::Convolution);
        assert_eq!(at(&[timed], series, Against::Tokens, 128), Some(spread));
        assert_eq!(at(&[timed], series, Against::Width, 64), Some(spread));
        assert_eq!(at(&[timed], series, Against::Tokens, 64), None);
        assert_eq!(at(&[timed], Series::Mixing, Against::Tokens, 128), None);
    }
}
