//! The hypotheses of a beam search and their ranking.

use attention_trace::{Hypothesis, Search};
use leptos::prelude::*;

use attention_core::{
    i18n::{t, t_string, use_i18n},
    steps::Steps,
    widgets::{
        ScrollRegion,
        glossary::{Term, TermButton},
        numbers::decimal,
    },
};

/// The hypotheses of a beam search, best first; empty after greedy search.
#[component]
pub fn Hypotheses() -> impl IntoView {
    let steps = Steps::expect();
    let found = Memo::new(move |_| {
        steps.with_decoding(|decoding| match decoding.search {
            Search::Beam { length_penalty, .. } => {
                Some((length_penalty, decoding.hypotheses.clone()))
            }
            Search::Greedy | Search::Sampling { .. } => None,
        })?
    });
    view! {
        {move || found.get().map(|(length_penalty, hypotheses)| view! {
            <HypothesisTable length_penalty hypotheses />
        })}
    }
}

#[component]
fn HypothesisTable(length_penalty: f32, hypotheses: Vec<Hypothesis>) -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <section class="beam">
            <h2 class="panel-title">
                <TermButton term=Term::BeamSearch>{t!(i18n, decoding.hypotheses)}</TermButton>
            </h2>
            <p class="hint">
                {t!(i18n, decoding.ranked_by)} " "
                <span class="formula">
                    "score = Σ log p / L"<sup>"α"</sup>", α = "{length_penalty}
                </span>
            </p>
            <ScrollRegion name=Signal::derive(move || t_string!(i18n, decoding.hypotheses).to_owned())>
                <table class="beam-table" data-testid="beam">
                    <thead>
                        <tr>
                            <th scope="col" class="number">{t!(i18n, decoding.rank)}</th>
                            <th scope="col">{t!(i18n, decoding.text)}</th>
                            <th scope="col" class="number">"Σ log p"</th>
                            <th scope="col" class="number">{t!(i18n, decoding.length)}" L"</th>
                            <th scope="col" class="number">{t!(i18n, decoding.score)}</th>
                        </tr>
                    </thead>
                    <tbody>
                        {hypotheses.into_iter().enumerate().map(|(index, found)| view! {
                            <tr class:chosen=index == 0>
                                <td class="number">{index + 1}</td>
                                <td>{found.text}</td>
                                <td class="number">{decimal(found.log_probability, 3)}</td>
                                <td class="number">{found.tokens.len()}</td>
                                <td class="number">{decimal(found.score, 3)}</td>
                            </tr>
                        }).collect_view()}
                    </tbody>
                </table>
            </ScrollRegion>
        </section>
    }
}
