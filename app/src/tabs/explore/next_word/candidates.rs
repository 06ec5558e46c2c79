//! The steps from the decoder's output to a word: logits, log-probabilities, argmax.

use attention_trace::{Candidate, Step};
use leptos::prelude::*;

use super::{
    export::candidates_taken,
    step::{log_sum_exp, remaining_probability},
};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    names::token_name,
    steps::{Steps, probability},
    widgets::{
        FigureButton, ScrollRegion,
        glossary::{Term, TermButton},
        numbers::{decimal, percent},
    },
};

/// The candidates of the selected step; a click on one forces it.
#[component]
pub fn Candidates() -> impl IntoView {
    let i18n = use_i18n();
    let steps = Steps::expect();
    let step = Memo::new(move |_| steps.with_step(Clone::clone));
    let logits = move || {
        steps
            .trace()
            .map(|trace| match trace.meta.spec.output_bias {
                true => "z = xEᵀ + b",
                false => "z = xEᵀ",
            })
    };
    let name = Signal::derive(move || t_string!(i18n, decoding.candidates).to_owned());
    let taken = candidates_taken();
    let take = move || {
        let (step, timeline) = (step.get()?, steps.timeline());
        let rows = shown(&step);
        let chosen = rows
            .iter()
            .position(|row| row.token.id == step.chosen.token.id);
        let (number, count) = (timeline.step + 1, timeline.count);
        let sentence = t_string!(i18n, export.step, step = number, count = count);
        Some(taken(&rows, chosen, step.row, sentence))
    };
    view! {
        <section class="candidates" aria-label=move || t_string!(i18n, decoding.way)>
            <div class="figure-name">
                <h2 class="panel-title">{t!(i18n, decoding.way)}</h2>
                <FigureButton name take />
            </div>
            <ol class="way">
                <li>
                    <TermButton term=Term::Decoder>{t!(i18n, decoding.output_vector)}</TermButton>
                    <span class="formula" aria-hidden="true">"x"</span>
                </li>
                <li>
                    <TermButton term=Term::Logit>{t!(i18n, decoding.logits)}</TermButton>
                    <span class="formula" aria-hidden="true">{logits}</span>
                </li>
                <li>
                    <TermButton term=Term::LogProbability>
                        {t!(i18n, decoding.log_probabilities)}
                    </TermButton>
                    <span class="formula" aria-hidden="true">"log p = z − ln Σ eᶻ"</span>
                </li>
                <li>
                    <TermButton term=Term::Argmax>{t!(i18n, decoding.argmax)}</TermButton>
                </li>
            </ol>
            <p class="hint">{t!(i18n, decoding.force_hint)}</p>
            {move || step.get().map(|step| view! { <CandidateTable step /> })}
        </section>
    }
}

/// The column headings of [`Numbers`].
#[component]
pub fn NumberHeads() -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <th scope="col" class="number">{t!(i18n, decoding.logit)}" z"</th>
        <th scope="col" class="number">"log p"</th>
        <th scope="col" colspan="2">{t!(i18n, decoding.probability)}</th>
    }
}

/// A candidate's logit, log-probability and probability, as cells of its row.
#[component]
pub fn Numbers(candidate: Candidate) -> impl IntoView {
    let share = probability(&candidate);
    view! {
        <td class="number">{decimal(candidate.logit, 2)}</td>
        <td class="number">{decimal(candidate.log_probability, 3)}</td>
        <td class="bar-cell">
            <span class="bar" style=format!("--share: {share:.4}")></span>
        </td>
        <td class="number">{percent(share, 1)}</td>
    }
}

/// Returns the candidates of a step, the chosen one among them.
fn shown(step: &Step) -> Vec<Candidate> {
    let mut rows = step.candidates.clone();
    let chosen = step.chosen.token.id;
    if !rows.iter().any(|candidate| candidate.token.id == chosen) {
        // Forced from outside the list, as an address can.
        rows.push(step.chosen.clone());
    }
    rows
}

#[component]
fn CandidateTable(step: Step) -> impl IntoView {
    let i18n = use_i18n();
    let normaliser = decimal(log_sum_exp(&step), 3);
    let rest = remaining_probability(&step);
    let best = step.candidates.first().map(|best| best.token.id);
    let chosen = step.chosen.token.id;
    let rows = shown(&step);
    view! {
        <ScrollRegion name=Signal::derive(move || t_string!(i18n, decoding.candidates).to_owned())>
        <table class="candidate-table" data-testid="candidates">
            <thead>
                <tr>
                    <th scope="col">{t!(i18n, decoding.token)}</th>
                    <NumberHeads />
                </tr>
            </thead>
            <tbody>
                {rows
                    .into_iter()
                    .map(|candidate| {
                        let id = candidate.token.id;
                        view! {
                            <CandidateRow
                                candidate
                                is_best=best == Some(id)
                                is_chosen=id == chosen
                            />
                        }
                    })
                    .collect_view()}
                <tr class="candidate-rest">
                    <th scope="row">{t!(i18n, decoding.others)}</th>
                    <td></td>
                    <td></td>
                    <td class="bar-cell">
                        <span class="bar" style=format!("--share: {rest:.4}")></span>
                    </td>
                    <td class="number">{percent(rest, 1)}</td>
                </tr>
            </tbody>
        </table>
        </ScrollRegion>
        <p class="hint">
            <span class="formula">"ln Σ eᶻ = "{normaliser}</span> " · "
            {t!(i18n, decoding.normaliser)}
        </p>
    }
}

#[component]
fn CandidateRow(candidate: Candidate, is_best: bool, is_chosen: bool) -> impl IntoView {
    let i18n = use_i18n();
    let steps = Steps::expect();
    let id = candidate.token.id;
    let name = token_name();
    let text = {
        let token = candidate.token.clone();
        Signal::derive(move || name(&token))
    };
    let title = move || match is_chosen {
        true => t_string!(i18n, decoding.is_chosen).to_owned(),
        false => t_string!(i18n, decoding.force_token, token = text.get()),
    };
    let force = move |_| {
        if !is_chosen {
            steps.force(id);
        }
    };
    view! {
        // The whole row takes the pointer; the keyboard and screen readers have the button.
        <tr class:chosen=is_chosen data-testid="candidate" data-token=id on:click=force>
            <th scope="row">
                <button
                    type="button"
                    class="candidate-button"
                    aria-pressed=is_chosen.to_string()
                    title=title
                >
                    <span class="token">{text}</span>
                </button>
                {is_best.then(|| view! {
                    <span class="argmax">{t!(i18n, decoding.argmax_mark)}</span>
                })}
                {(is_chosen && !is_best).then(|| view! {
                    <span class="argmax taken">{t!(i18n, decoding.taken)}</span>
                })}
            </th>
            <Numbers candidate />
        </tr>
    }
}
