//! Both continuations, with the first token at which they part.

use attention_core::{
    i18n::{t, t_string, use_i18n},
    names::{token_label, token_name},
    widgets::{ScrollRegion, numbers::share_of_one},
};
use attention_trace::{
    Search, Token,
    difference::{Parting, parting_step},
};
use leptos::prelude::*;

use super::{Measured, passes::written};
use crate::compare::context::Comparison;

/// Decimals of a probability.
const DECIMALS: usize = 4;

/// The texts that both files write, and the probabilities where they part.
#[component]
pub fn Continuations() -> impl IntoView {
    let i18n = use_i18n();
    let comparison = Comparison::expect();
    let measured = Measured::expect();
    let both = Memo::new(move |_| {
        let left = written(&*comparison.left()?);
        let right = comparison.files?.continuation()?;
        Some([left, right])
    });
    let step = Memo::new(move |_| {
        let [left, right] = both.get()?;
        parting_step(&ids(&left), &ids(&right))
    });
    let parting = Memo::new(move |_| {
        let [left, right] = both.get()?;
        let [one, other] = measured.logits.get()?;
        let target = comparison.metas[0].get()?.target.len();
        // The last token that was written is read by no pass.
        let first_row = target.checked_sub(left.len().max(1))?;
        Parting::find([&left, &right], [&one.0, &other.0], first_row)
    });
    let writes =
        Memo::new(move |_| both.with(|both| both.as_ref().is_some_and(|both| !both[0].is_empty())));
    let is_greedy = Memo::new(move |_| {
        comparison
            .shown
            .with(|job| job.as_ref().is_none_or(|job| job.search == Search::Greedy))
    });
    let words = move || match step.get() {
        Some(step) => t_string!(i18n, compare.parts_at, step = step + 1),
        None => t_string!(i18n, compare.parts_nowhere).to_owned(),
    };
    view! {
        <Show when=move || writes.get()>
            <h3 class="panel-title">{t!(i18n, compare.decoding)}</h3>
            <p class="lesson-reading number" role="status" data-testid="compare-parting">{words}</p>
            <Show when=move || !is_greedy.get()>
                <p class="hint">{t!(i18n, compare.not_greedy)}</p>
            </Show>
            <dl class="precisions-texts">
                <dt>{t!(i18n, compare.left)}</dt>
                <dd data-testid="compare-left-text">
                    {move || both.get().map(|[left, _]| view! { <Written tokens=left step=step.get() /> })}
                </dd>
                <dt>{t!(i18n, compare.right)}</dt>
                <dd data-testid="compare-right-text">
                    {move || both.get().map(|[_, right]| view! { <Written tokens=right step=step.get() /> })}
                </dd>
            </dl>
            {move || parting.get().map(|parting| view! { <Probabilities parting /> })}
        </Show>
    }
}

fn ids(tokens: &[Token]) -> Vec<u32> {
    tokens.iter().map(|token| token.id).collect()
}

/// The tokens of a continuation; the one that parts is marked.
#[component]
fn Written(tokens: Vec<Token>, step: Option<usize>) -> impl IntoView {
    let label = token_label();
    let token = move |(at, token): (usize, &Token)| match step == Some(at) {
        true => view! { <mark class="precisions-parts">{label(token)}</mark> " " }.into_any(),
        false => view! { {label(token)} " " }.into_any(),
    };
    tokens.iter().enumerate().map(token).collect_view()
}

/// The probabilities of both tokens in both files.
#[component]
fn Probabilities(parting: Parting) -> impl IntoView {
    let i18n = use_i18n();
    let (label, name) = (token_label(), token_name());
    let caption = Signal::derive(move || t_string!(i18n, compare.probabilities).to_owned());
    let row = move |place: usize| {
        let token = &parting.tokens[place];
        let [left, right] = parting.probabilities.map(|of_model| of_model[place]);
        view! {
            <tr title=name(token)>
                <th scope="row">{label(token)}</th>
                <td class="number">{share_of_one(left, DECIMALS)}</td>
                <td class="number">{share_of_one(right, DECIMALS)}</td>
            </tr>
        }
    };
    view! {
        <ScrollRegion class="lesson-table" name=caption test_id="compare-probabilities">
            <table aria-label=caption>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, compare.probability_of)}</th>
                        <th scope="col">{t!(i18n, compare.left)}</th>
                        <th scope="col">{t!(i18n, compare.right)}</th>
                    </tr>
                </thead>
                <tbody>{row(0)} {row(1)}</tbody>
            </table>
        </ScrollRegion>
    }
}
