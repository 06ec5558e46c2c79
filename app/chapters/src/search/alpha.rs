//! Effect of α: the ranks of whole sequences for several exponents of the length.

use attention_trace::search::{Path, length_score, ranks};
use leptos::prelude::*;

use super::context::{SearchContext, written};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    widgets::{ScrollRegion, numbers::decimal},
};

/// The exponents to compare: none, the lecture's, and the mean of `ln p`.
pub const ALPHAS: [f64; 3] = [0.0, 0.75, 1.0];

/// The number of the table's sequences shown from the top of each ranking.
pub const FIRST: usize = 3;

/// The largest number of sequences in the list, and of names in a sentence.
const LISTED: usize = 12;
const NAMED: usize = 4;

/// A sequence with its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Whole {
    /// The name of the sequence.
    pub name: String,
    /// The log-probability `Σ ln p`.
    pub log_probability: f64,
    /// The number of tokens with the end.
    pub length: usize,
}

impl Whole {
    fn score(&self, alpha: f64) -> f64 {
        length_score(self.log_probability, self.length, alpha)
    }
}

/// The scores by an exponent, and their ranks.
fn scored(wholes: &[Whole], alpha: f64) -> Vec<(f64, usize)> {
    let scores: Vec<f64> = wholes.iter().map(|whole| whole.score(alpha)).collect();
    let ranks = ranks(&scores);
    scores.into_iter().zip(ranks).collect()
}

/// The names of those that lead by an exponent.
pub fn leaders(wholes: &[Whole], alpha: f64) -> Vec<String> {
    let scored = scored(wholes, alpha);
    let first = wholes
        .iter()
        .zip(scored)
        .filter(|(_, (_, rank))| *rank == 1);
    first.map(|(whole, _)| whole.name.clone()).collect()
}

/// The leaders by an exponent in a sentence; of many the first few.
pub fn leaders_in_words(wholes: &[Whole], alpha: f64) -> String {
    let mut names = leaders(wholes, alpha);
    if names.len() > NAMED {
        names.truncate(NAMED);
        names.push("…".to_owned());
    }
    names.join(", ")
}

/// The places of those that are among the first `most` by one of the exponents; of many that share a rank the first few.
pub fn leading(wholes: &[Whole], most: usize) -> Vec<usize> {
    let columns = ALPHAS.map(|alpha| scored(wholes, alpha));
    let leads = |place: &usize| columns.iter().any(|column| column[*place].1 <= most);
    (0..wholes.len()).filter(leads).take(LISTED).collect()
}

/// The sequences of the table, in their order.
fn of_table(ended: &[Path]) -> Vec<Whole> {
    let whole = |path: &Path| Whole {
        name: written(&path.tokens),
        log_probability: path.log_probability(),
        length: path.tokens.len(),
    };
    ended.iter().map(whole).collect()
}

/// Returns all sequences of the table up to their end, as it is typed.
pub fn wholes_of_table() -> Memo<Vec<Whole>> {
    let ended = SearchContext::expect().ended;
    Memo::new(move |_| {
        let ended = ended.read();
        ended
            .as_ref()
            .map_or_else(Vec::new, |ended| of_table(&ended.found))
    })
}

/// The sequences of the table.
#[component]
pub fn AlphaOfTable() -> impl IntoView {
    let i18n = use_i18n();
    let wholes = wholes_of_table();
    view! {
        <section class="lesson-figure" data-testid="alpha-of-table">
            <AlphaTable
                name=Signal::derive(move || t_string!(i18n, search.alpha_table).to_owned())
                test_id="alpha-table"
                wholes
                most=FIRST
            />
        </section>
    }
}

/// The table of sequences with their scores and ranks by each exponent, and the leading ones marked.
#[component]
pub fn AlphaTable(
    /// The name of the set of sequences.
    #[prop(into)]
    name: Signal<String>,
    /// The `data-testid` of the table.
    test_id: &'static str,
    /// The sequences that are ranked.
    #[prop(into)]
    wholes: Signal<Vec<Whole>>,
    /// The number of top ranks to list for each exponent; other sequences are left out.
    most: usize,
) -> impl IntoView {
    let i18n = use_i18n();
    let rows = move || {
        let wholes = wholes.get();
        let columns = ALPHAS.map(|alpha| scored(&wholes, alpha));
        let row = |place: usize| {
            let whole = &wholes[place];
            let cells = columns.iter().map(|column| {
                let (score, rank) = column[place];
                view! {
                    <td class="number" class:chosen=rank == 1>
                        {t_string!(i18n, search.score_and_rank, score = decimal(score as f32, 3), rank = rank)}
                    </td>
                }
            });
            view! {
                <tr>
                    <th scope="row">{whole.name.clone()}</th>
                    <td class="number">{whole.length}</td>
                    <td class="number">{decimal(whole.log_probability as f32, 3)}</td>
                    {cells.collect_view()}
                </tr>
            }
        };
        leading(&wholes, most).into_iter().map(row).collect_view()
    };
    let reading = move || {
        let leaders = ALPHAS.map(|alpha| wholes.with(|wholes| leaders_in_words(wholes, alpha)));
        let [none, lecture, mean] = leaders;
        match none == lecture && lecture == mean {
            true => t_string!(i18n, search.alpha_same, first = none),
            false => t_string!(
                i18n,
                search.alpha_changes,
                none = none,
                lecture = lecture,
                mean = mean
            ),
        }
    };
    view! {
        <ScrollRegion class="lesson-table" test_id name>
            <table aria-label=name>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, search.sequence)}</th>
                        <th scope="col">{t!(i18n, search.length)}" L"</th>
                        <th scope="col">"Σ ln p"</th>
                        {ALPHAS.map(|alpha| view! { <th scope="col">{format!("α = {alpha}")}</th> }).collect_view()}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </ScrollRegion>
        <p class="lesson-reading" role="status" data-testid=format!("{test_id}-reading")>{reading}</p>
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::search::{Ending, TableModel, exhaustive};

    use super::*;

    #[test]
    fn on_the_lectures_table_alpha_lets_the_sequence_of_0_054_lead() {
        let ended = exhaustive(&TableModel::default(), Ending::End).unwrap();
        let wholes = of_table(&ended.found);
        let mut without = leaders(&wholes, 0.0);
        without.sort();
        assert_eq!(without, ["A eos", "eos"]);
        assert_eq!(leaders(&wholes, 0.75), ["A C B eos"]);
        assert_eq!(leaders(&wholes, 1.0), ["A C B eos"]);
        let listed = leading(&wholes, FIRST);
        let listed: Vec<&str> = listed
            .iter()
            .map(|&place| wholes[place].name.as_str())
            .collect();
        assert!(
            listed.len() < 10 && listed.contains(&"A B C eos"),
            "{listed:?}"
        );
    }

    #[test]
    fn of_many_that_are_alike_a_few_are_listed() {
        let alike = |place: usize| Whole {
            name: place.to_string(),
            log_probability: -1.0,
            length: 4,
        };
        let wholes: Vec<Whole> = (0..30).map(alike).collect();
        assert_eq!(leading(&wholes, FIRST).len(), LISTED);
        assert_eq!(leaders(&wholes, 0.75).len(), 30);
        assert_eq!(leaders_in_words(&wholes, 0.75), "0, 1, 2, 3, …");
    }

    #[test]
    fn there_is_no_leader_of_nothing() {
        assert!(leaders(&[], 0.75).is_empty());
        assert!(leading(&[], FIRST).is_empty());
    }
}
