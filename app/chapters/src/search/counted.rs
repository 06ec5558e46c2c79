//! Costs of searching by the formulas: for the lecture's sizes or one's own.

use crate::search::parameters::{Count, SearchLab};
use attention_trace::search::{Cost, MOST_SEQUENCES, sequences};
use leptos::prelude::*;

use attention_core::{
    i18n::{t, t_string, use_i18n},
    state::ViewState,
    widgets::{NumberField, ScrollRegion, numbers::grouped},
};

/// The sizes, and the cost of each method.
#[component]
pub fn Counted() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let count = state.select(|view| view.chapters.of::<SearchLab>().count);
    let name = Signal::derive(move || t_string!(i18n, search.costs).to_owned());
    let refused = move || {
        let count = count.get();
        sequences(count.vocabulary, count.length).err().map(|_| {
            t_string!(
                i18n,
                search.refused,
                count = of_all(count),
                most = grouped(MOST_SEQUENCES)
            )
        })
    };
    view! {
        <section class="lesson-figure" data-testid="counted">
            <div class="position-controls">
                <NumberField
                    name=Signal::derive(move || t_string!(i18n, search.vocabulary).to_owned())
                    test_id="count-n"
                    bounds=Count::VOCABULARIES
                    value=Signal::derive(move || count.get().vocabulary)
                    set=move |value| state.update_chapters(|chapters| chapters.of_mut::<SearchLab>().count.vocabulary = value)
                />
                <NumberField
                    name=Signal::derive(move || t_string!(i18n, search.steps).to_owned())
                    test_id="count-t"
                    bounds=(u64::from(Count::LENGTHS.0), u64::from(Count::LENGTHS.1))
                    value=Signal::derive(move || u64::from(count.get().length))
                    set=move |value| state.update_chapters(|chapters| chapters.of_mut::<SearchLab>().count.length = value as u32)
                />
                <NumberField
                    name=Signal::derive(move || t_string!(i18n, search.width).to_owned())
                    test_id="count-k"
                    bounds=Count::WIDTHS
                    value=Signal::derive(move || count.get().width)
                    set=move |value| state.update_chapters(|chapters| chapters.of_mut::<SearchLab>().count.width = value)
                />
            </div>
            <ScrollRegion class="lesson-table" test_id="costs" name>
                <table aria-label=name>
                    <thead>
                        <tr>
                            <th scope="col">{t!(i18n, search.method)}</th>
                            <th scope="col">{t!(i18n, search.formula)}</th>
                            <th scope="col">{t!(i18n, search.candidates)}</th>
                        </tr>
                    </thead>
                    <tbody>
                        <tr>
                            <th scope="row">{t!(i18n, search.greedy)}</th>
                            <td>"n · T"</td>
                            <td class="number" data-testid="cost-greedy">{move || of_beam(count.get(), 1)}</td>
                        </tr>
                        <tr>
                            <th scope="row">{t!(i18n, search.beam)}</th>
                            <td>"k · n · T"</td>
                            <td class="number" data-testid="cost-beam">
                                {move || of_beam(count.get(), count.get().width)}
                            </td>
                        </tr>
                        <tr>
                            <th scope="row">{t!(i18n, search.exhaustive)}</th>
                            <td>"n"<sup>"T"</sup></td>
                            <td class="number" data-testid="cost-exhaustive">{move || of_all(count.get())}</td>
                        </tr>
                    </tbody>
                </table>
            </ScrollRegion>
            <p class="lesson-reading number" role="status" data-testid="refused">{refused}</p>
        </section>
    }
}

/// Returns the cost of a beam.
fn of_beam(count: Count, width: u64) -> String {
    grouped(Cost::of_beam(width, count.vocabulary, count.length.into()))
}

/// Returns the number of all sequences: in full, or as a power of ten if they are too many to look at.
pub fn of_all(count: Count) -> String {
    match sequences(count.vocabulary, count.length) {
        Ok(number) => grouped(number),
        Err(error) => power_of_ten(error.power_of_ten()),
    }
}

/// Writes a power of ten: `10⁴⁰`, or `3.2 × 10⁴⁵`.
fn power_of_ten(exponent: f64) -> String {
    let whole = (exponent + 1e-9).floor();
    let power = format!("10{}", superscript(whole as u64));
    match 10f64.powf(exponent - whole) {
        first if first < 1.05 => power,
        first => format!("{first:.1} × {power}"),
    }
}

/// A number in raised digits.
fn superscript(number: u64) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digits = number.to_string();
    let raised = digits
        .chars()
        .filter_map(|digit| RAISED.get(digit.to_digit(10)? as usize));
    raised.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lectures_sizes_come_to_10_to_the_40_and_500_000() {
        assert_eq!(of_all(Count::LECTURE), "10⁴⁰");
        assert_eq!(of_beam(Count::LECTURE, Count::LECTURE.width), "500,000");
        assert_eq!(of_beam(Count::LECTURE, 1), "100,000");
    }

    #[test]
    fn few_sequences_are_counted_and_many_are_a_power_of_ten() {
        let of = |vocabulary, length| {
            of_all(Count {
                vocabulary,
                length,
                width: 1,
            })
        };
        assert_eq!(of(4, 4), "256");
        assert_eq!(of(8_000, 9), "1.3 × 10³⁵");
        assert_eq!(of(2, 1000), "1.1 × 10³⁰¹");
    }
}
