//! ROUGE-N and ROUGE-L, and the longest common subsequence in both texts.

use attention_trace::judging::{Overlap, longest_common};
use leptos::prelude::*;

use super::{
    pair::{Judged, Pair},
    written::of,
};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    widgets::ScrollRegion,
};

/// Computes the overlaps of ROUGE-1, ROUGE-2 and ROUGE-L.
fn kinds(pair: &Pair) -> [(&'static str, Overlap); 3] {
    [
        ("ROUGE-1", pair.rouge_n(1)),
        ("ROUGE-2", pair.rouge_n(2)),
        ("ROUGE-L", pair.rouge_l().1),
    ]
}

/// The table of ROUGE, and the longest common subsequence that ROUGE-L counts.
#[component]
pub fn Rouge(judged: Judged) -> impl IntoView {
    let i18n = use_i18n();
    let row = |(name, overlap): (&'static str, Overlap)| {
        view! {
            <tr>
                <th scope="row">{name}</th>
                <td class="number">{overlap.matched}</td>
                <td class="number">{overlap.reference}</td>
                <td class="number"><strong>{of(overlap.recall())}</strong></td>
                <td class="number">{of(overlap.precision())}</td>
                <td class="number">{of(Some(overlap.f_measure()))}</td>
            </tr>
        }
    };
    view! {
        <section class="lesson-figure" data-testid="rouge">
            <ScrollRegion
                class="lesson-table"
                test_id="rouge-table"
                name=Signal::derive(move || t_string!(i18n, judging.rouge_table).to_owned())
            >
                <table aria-label=move || t_string!(i18n, judging.rouge_table).to_owned()>
                    <thead>
                        <tr>
                            <td></td>
                            <th scope="col">{t!(i18n, judging.in_both)}</th>
                            <th scope="col">{t!(i18n, judging.of_reference)}</th>
                            <th scope="col">{t!(i18n, judging.recall)}</th>
                            <th scope="col">{t!(i18n, judging.precision)}</th>
                            <th scope="col">"F"</th>
                        </tr>
                    </thead>
                    <tbody>
                        {move || judged.with(kinds).map(|kinds| kinds.map(row).collect_view())}
                    </tbody>
                </table>
            </ScrollRegion>
            <Common judged />
        </section>
    }
}

/// A text's tokens, each with a flag that is true inside the longest common subsequence.
type Marked = Vec<(String, bool)>;

/// Returns the reference of ROUGE-L and the candidate with their longest common subsequence marked.
fn marked(pair: &Pair) -> [Marked; 2] {
    let reference = pair.references()[pair.rouge_l().0];
    let places = longest_common(reference, &pair.candidate);
    let mark = |tokens: &[String], of: fn(&(usize, usize)) -> usize| {
        let is_common = |place| places.iter().any(|common| of(common) == place);
        let tokens = tokens.iter().cloned().enumerate();
        tokens
            .map(|(place, token)| (token, is_common(place)))
            .collect()
    };
    [
        mark(reference, |common| common.0),
        mark(&pair.candidate, |common| common.1),
    ]
}

#[component]
fn Common(judged: Judged) -> impl IntoView {
    let i18n = use_i18n();
    let found = Memo::new(move |_| judged.with(marked));
    let tokens = move |index: usize| {
        let marked = found.get().map(|texts| texts[index].clone());
        let token = |(token, is_common): (String, bool)| {
            view! { <span class="token" class:in-common=is_common>{token}</span> }
        };
        marked.map(|marked| marked.into_iter().map(token).collect_view())
    };
    let words = move || {
        let [reference, _] = found.get()?;
        let common: Vec<String> = reference
            .into_iter()
            .filter_map(|(token, is_common)| is_common.then_some(token))
            .collect();
        Some(match common.is_empty() {
            true => t_string!(i18n, judging.nothing_common).to_owned(),
            false => t_string!(i18n, judging.common, tokens = common.join(" ")),
        })
    };
    // The first of several references is named by its number, too.
    let named = move || {
        let (index, several) = judged.with(|pair| (pair.rouge_l().0, !pair.more.is_empty()))?;
        Some(match several {
            true => t_string!(i18n, judging.reference_number, number = index + 1),
            false => t_string!(i18n, judging.reference).to_owned(),
        })
    };
    view! {
        <p class="lesson-reading" role="status" data-testid="common">{words}</p>
        <dl class="common-tokens" aria-hidden="true">
            <dt data-testid="common-with">{named}</dt>
            <dd>{move || tokens(0)}</dd>
            <dt>{t!(i18n, judging.candidate)}</dt>
            <dd>{move || tokens(1)}</dd>
        </dl>
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::pair::tests::{lecture, with_second_reference},
        *,
    };

    #[test]
    fn the_lectures_recalls() {
        let recalls = kinds(&lecture()).map(|(_, overlap)| of(overlap.recall()));
        assert_eq!(recalls, ["0.667", "0.600", "0.667"]);
    }

    #[test]
    fn all_references_count_in_rouge_n_and_the_best_in_rouge_l() {
        let pair = with_second_reference();
        let recalls = kinds(&pair).map(|(_, overlap)| of(overlap.recall()));
        assert_eq!(recalls, ["0.800", "0.625", "1.000"]);
        let [reference, _] = marked(&pair);
        assert_eq!(reference.len(), 4);
    }

    #[test]
    fn one_of_two_equal_tokens_is_marked() {
        let [reference, candidate] = marked(&lecture()).map(|text| {
            let of = text.into_iter().map(|(_, is_common)| is_common);
            of.collect::<Vec<_>>()
        });
        assert_eq!(reference, [true, true, true, true, false, false]);
        assert_eq!(candidate.iter().filter(|&&is_common| is_common).count(), 4);
    }
}
