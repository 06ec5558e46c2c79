//! The logits after each position: how far they are apart in the two files.

use attention_core::{
    i18n::{t, t_string, use_i18n},
    names::token_label,
    widgets::{ScrollRegion, numbers::significant},
};
use attention_trace::{
    Token,
    difference::{LogitDifference, logit_differences},
};
use leptos::prelude::*;

use super::Measured;
use crate::compare::context::Comparison;

/// A sentence on all positions, and a table of them.
#[component]
pub fn LogitTable() -> impl IntoView {
    let i18n = use_i18n();
    let comparison = Comparison::expect();
    let measured = Measured::expect();
    let rows = Memo::new(move |_| {
        let [left, right] = measured.logits.get()?;
        logit_differences([&left.0, &right.0])
    });
    let has_rows =
        Memo::new(move |_| rows.with(|rows| rows.as_ref().is_some_and(|rows| !rows.is_empty())));
    let name = Signal::derive(move || t_string!(i18n, compare.logits_listed).to_owned());
    let label = token_label();
    let tokens = Memo::new(move |_| -> Option<Vec<Token>> {
        let meta = comparison.metas[0].get()?;
        Some(meta.tokens(meta.spec.last_stack()).to_vec())
    });
    let row = move |row: LogitDifference| {
        let token = tokens.with(|tokens| Some(label(tokens.as_ref()?.get(row.position)?)));
        view! {
            <tr>
                <th scope="row">{format!("{}. ", row.position + 1)} {token}</th>
                <td class="number">{significant(row.divergence)}</td>
                <td class="number">{significant(row.largest)}</td>
            </tr>
        }
    };
    view! {
        <Show when=move || has_rows.get()>
            <h3 class="panel-title">{t!(i18n, compare.logits)}</h3>
            <p class="lesson-reading number" data-testid="compare-logits">
                {move || rows.with(|rows| Summary::of(rows.as_ref()?)).map(|summary| t_string!(
                    i18n,
                    compare.logits_summary,
                    largest = significant(summary.largest.largest),
                    place = summary.largest.position + 1,
                    mean = significant(summary.mean),
                    most = significant(summary.diverging.divergence),
                    at = summary.diverging.position + 1
                ))}
            </p>
            <details class="heads-listed" data-testid="compare-logits-listed">
                <summary>{name}</summary>
                <ScrollRegion class="lesson-table is-long" name>
                    <table aria-label=name>
                        <thead>
                            <tr>
                                <th scope="col">{t!(i18n, compare.after_token)}</th>
                                <th scope="col">{t!(i18n, compare.divergence)}</th>
                                <th scope="col">{t!(i18n, compare.largest_logit)}</th>
                            </tr>
                        </thead>
                        <tbody>{move || rows.get().unwrap_or_default().into_iter().map(row).collect_view()}</tbody>
                    </table>
                </ScrollRegion>
            </details>
        </Show>
    }
}

/// The positions that are named, and the mean of all.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Summary {
    /// The position with the largest difference of a logit.
    largest: LogitDifference,
    /// The position with the largest divergence.
    diverging: LogitDifference,
    /// The mean divergence in nats.
    mean: f32,
}

impl Summary {
    fn of(rows: &[LogitDifference]) -> Option<Self> {
        let by = |value: fn(&LogitDifference) -> f32| {
            let largest = rows
                .iter()
                .reduce(|best, row| if value(row) > value(best) { row } else { best });
            largest.copied()
        };
        let sum: f64 = rows.iter().map(|row| f64::from(row.divergence)).sum();
        Some(Summary {
            largest: by(|row| row.largest)?,
            diverging: by(|row| row.divergence)?,
            mean: (sum / rows.len() as f64) as f32,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_largest_positions_is_named() {
        let row = |position, largest, divergence| LogitDifference {
            position,
            largest,
            token: 0,
            divergence,
        };
        let rows = [row(0, 1.0, 0.25), row(1, 3.0, 0.0), row(2, 3.0, 0.5)];
        let summary = Summary::of(&rows).unwrap();
        assert_eq!(
            (summary.largest.position, summary.diverging.position),
            (1, 2)
        );
        assert_eq!(summary.mean, 0.25);
        assert_eq!(Summary::of(&[]), None);
    }
}
