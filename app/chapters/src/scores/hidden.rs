//! The key–value form: key and query side by side through a perceptron with one hidden layer.

use attention_trace::{Array, lessons::ScoreFunction};
use leptos::prelude::*;

use super::memory::ScoresSelection;
use attention_core::{
    i18n::{t, t_string, use_i18n},
    widgets::{
        Prose, ScrollRegion,
        numbers::{decimal, share_of_one},
    },
};

/// The most keys whose hidden units are written out.
const MOST_KEYS: usize = 12;

/// The hidden layer's inputs, hidden units, score and weight for each key.
#[component]
pub fn Hidden(selection: ScoresSelection) -> impl IntoView {
    let i18n = use_i18n();
    let rows = Memo::new(move |_| {
        let made = selection.attended(ScoreFunction::Perceptron)?;
        Some(rows(
            &selection.names.get(),
            made.hidden.as_ref()?,
            &made.scores,
            &made.weights,
        ))
    });
    let units = move || rows.with(|rows| rows.as_ref()?.first().map(|row| row.hidden.len()));
    view! {
        <Prose part="hidden" />
        <ScrollRegion
            class="lesson-table"
            name=Signal::derive(move || t_string!(i18n, scores.hidden_label).to_owned())
        >
            <table data-testid="hidden">
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, scores.key)}</th>
                        {move || (1..=units().unwrap_or(0))
                            .map(|unit| view! { <th scope="col">"h"<sub>{unit}</sub></th> })
                            .collect_view()}
                        <th scope="col">"s"</th>
                        <th scope="col">"α"</th>
                    </tr>
                </thead>
                <tbody>
                    {move || rows.get().unwrap_or_default().into_iter().map(|row| view! {
                        <tr>
                            <th scope="row">{row.name}</th>
                            {row.hidden.into_iter().map(|unit| view! { <td class="number">{unit}</td> }).collect_view()}
                            <td class="number">{row.score}</td>
                            <td class="number"><strong>{row.weight}</strong></td>
                        </tr>
                    }).collect_view()}
                </tbody>
            </table>
        </ScrollRegion>
    }
}

/// A key's row as it is written.
#[derive(Clone, Debug, PartialEq)]
struct HiddenRow {
    name: String,
    hidden: Vec<String>,
    score: String,
    weight: String,
}

fn rows(names: &[String], hidden: &Array, scores: &[f32], weights: &[f32]) -> Vec<HiddenRow> {
    let row = |(index, name): (usize, &String)| {
        let units = hidden.row(&[index]).unwrap_or_default();
        Some(HiddenRow {
            name: name.clone(),
            hidden: units.iter().map(|unit| decimal(*unit, 2)).collect(),
            score: decimal(*scores.get(index)?, 2),
            weight: share_of_one(*weights.get(index)?, 3),
        })
    };
    names
        .iter()
        .enumerate()
        .take(MOST_KEYS)
        .filter_map(row)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_its_keys_own_units() {
        let hidden = Array {
            shape: vec![2, 1],
            data: vec![0.5, -0.25],
        };
        let names = ["a".to_owned(), "b".to_owned()];
        let rows = rows(&names, &hidden, &[1.0, -0.5], &[0.8, 0.2]);
        assert_eq!(rows[1].hidden, ["−0.25"]);
        assert_eq!(
            (rows[1].score.as_str(), rows[1].weight.as_str()),
            ("−0.50", "0.200")
        );
    }
}
