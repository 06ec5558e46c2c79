//! BLEU n by n, by the notes' formula with two choices of weights, and as sacreBLEU prints it.

use attention_trace::judging::{self, Bleu, ORDERS, Tokenization, Weights};
use leptos::prelude::*;

use super::{
    pair::{Judged, Pair},
    written::of,
};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    widgets::{Prose, ScrollRegion, numbers::decimal},
};

/// A table row for one n: the counted n-grams, all n-grams, their share, and BLEU up to that n.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    n: usize,
    matched: usize,
    total: usize,
    precision: String,
    even: String,
    halving: String,
}

fn rows(bleu: &Bleu) -> Vec<Row> {
    let row = |n: usize| {
        let overlap = bleu.overlaps[n - 1];
        Row {
            n,
            matched: overlap.matched,
            total: overlap.candidate,
            precision: of(overlap.precision()),
            even: of(bleu.weighted(n, Weights::Even)),
            halving: of(bleu.weighted(n, Weights::Halving)),
        }
    };
    (1..=ORDERS).map(row).collect()
}

/// `l_s`, `b` and BLEU-4 with even weights where `l_s` is the shortest reference's length; `None` of one reference.
fn by_shortest(pair: &Pair) -> Option<(usize, f64, Option<f64>)> {
    let (shortest, bleu) = (pair.shortest()?, pair.bleu());
    let brevity = judging::brevity(bleu.candidate_length(), shortest);
    let score = bleu.weighted_with(brevity, ORDERS, Weights::Even);
    Some((shortest, brevity, score))
}

/// The brevity penalty, and the table of precisions and BLEU for each n.
#[component]
pub fn BleuTable(judged: Judged) -> impl IntoView {
    let i18n = use_i18n();
    let bleu = Memo::new(move |_| judged.with(|pair| pair.bleu()));
    let found = move || {
        bleu.with(|bleu| bleu.as_ref().map(rows))
            .unwrap_or_default()
    };
    let brevity = move || {
        let bleu = bleu.get()?;
        let (candidate, reference) = (bleu.candidate_length(), bleu.reference_length());
        let value = decimal(bleu.brevity() as f32, 3);
        Some(match candidate {
            0 if reference > 0 => t_string!(i18n, judging.empty).to_owned(),
            _ if candidate < reference => t_string!(
                i18n,
                judging.shorter,
                candidate = candidate,
                reference = reference,
                brevity = value
            ),
            _ => t_string!(
                i18n,
                judging.not_shorter,
                candidate = candidate,
                reference = reference
            ),
        })
    };
    let shortest = move || {
        let (length, brevity, score) = judged.with(by_shortest)??;
        Some(t_string!(
            i18n,
            judging.by_shortest,
            reference = length,
            brevity = decimal(brevity as f32, 3),
            score = of(score)
        ))
    };
    let row = |row: Row| {
        view! {
            <tr>
                <th scope="row">{row.n}</th>
                <td class="number">{row.matched}</td>
                <td class="number">{row.total}</td>
                <td class="number">{row.precision}</td>
                <td class="number">{row.even}</td>
                <td class="number">{row.halving}</td>
            </tr>
        }
    };
    view! {
        <section class="lesson-figure" data-testid="bleu">
            <p class="lesson-reading number" role="status" data-testid="brevity">{brevity}</p>
            <Show when=move || judged.with(|pair| pair.shortest().is_some()).unwrap_or(false)>
                <p class="lesson-reading number" data-testid="brevity-shortest">{shortest}</p>
            </Show>
            <ScrollRegion
                class="lesson-table"
                test_id="bleu-table"
                name=Signal::derive(move || t_string!(i18n, judging.bleu_table).to_owned())
            >
                <table aria-label=move || t_string!(i18n, judging.bleu_table).to_owned()>
                    <thead>
                        <tr>
                            <th scope="col">"n"</th>
                            <th scope="col">{t!(i18n, judging.counts)}</th>
                            <th scope="col">{t!(i18n, judging.of_all)}</th>
                            <th scope="col">"p"<sub>"n"</sub></th>
                            <th scope="col">"BLEU-n, α = 1/n"</th>
                            <th scope="col">"BLEU-n, α"<sub>"i"</sub>" = 1/2ⁱ"</th>
                        </tr>
                    </thead>
                    <tbody>{move || found().into_iter().map(row).collect_view()}</tbody>
                </table>
            </ScrollRegion>
        </section>
    }
}

/// The line that sacreBLEU prints for the texts, and its smoothed score beside BLEU without smoothing.
#[component]
pub fn Smoothed(judged: Judged) -> impl IntoView {
    let bleu = Memo::new(move |_| judged.with(|pair| pair.bleu()));
    let line = move || bleu.with(|bleu| bleu.as_ref().map(Bleu::line));
    let values = Memo::new(move |_| {
        let tokenizer = match judged.tokenization.get() {
            Tokenization::Characters => "char",
            Tokenization::Words => "13a",
        };
        let bleu = bleu.get()?;
        let own = bleu.weighted(ORDERS, Weights::Even);
        let references = judged.with(|pair| pair.more.len() + 1)?;
        let percent = |share: f64| decimal(100.0 * share as f32, 2);
        Some(vec![
            ("tokenizer", tokenizer.to_owned()),
            ("references", references.to_string()),
            ("own", own.map_or_else(|| "–".to_owned(), percent)),
            ("score", decimal(bleu.smoothed().score as f32, 2)),
        ])
    });
    view! {
        <section class="lesson-figure" data-testid="sacrebleu">
            <p class="lesson-reading judged-line" role="status">
                <code data-testid="sacrebleu-line">{line}</code>
            </p>
            <Prose part="beside" values />
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::pair::tests::{lecture, with_second_reference},
        *,
    };

    #[test]
    fn the_shortest_reference_penalises_less_than_the_closest() {
        assert_eq!(by_shortest(&lecture()), None);
        // Five tokens, references of six and four: as close, so sacreBLEU takes the shorter one, as the lecture does.
        let pair = with_second_reference();
        let (length, brevity, _) = by_shortest(&pair).unwrap();
        assert_eq!((length, brevity), (4, 1.0));
        assert_eq!(pair.bleu().brevity(), 1.0);
        // References of six and one: six is closer, and only the shortest leaves the candidate without a penalty.
        let pair = Pair {
            more: vec![vec!["A".to_owned()]],
            ..lecture()
        };
        assert_eq!(by_shortest(&pair).map(|found| found.0), Some(1));
        assert_eq!(by_shortest(&pair).map(|found| found.1), Some(1.0));
        assert_eq!(decimal(pair.bleu().brevity() as f32, 3), "0.819");
    }

    #[test]
    fn the_lectures_rows() {
        let rows = rows(&lecture().bleu());
        let shares: Vec<_> = rows.iter().map(|row| (row.matched, row.total)).collect();
        assert_eq!(shares, [(4, 5), (3, 4), (1, 3), (0, 2)]);
        let column = |of: fn(&Row) -> &String| rows.iter().map(of).cloned().collect::<Vec<_>>();
        assert_eq!(
            column(|row| &row.precision),
            ["0.800", "0.750", "0.333", "0.000"]
        );
        assert_eq!(
            column(|row| &row.even),
            ["0.655", "0.634", "0.479", "0.000"]
        );
        assert_eq!(
            column(|row| &row.halving),
            ["0.732", "0.681", "0.594", "0.000"]
        );
    }
}
