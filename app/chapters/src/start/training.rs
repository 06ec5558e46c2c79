//! The tenth screen: the changes by training if another word were right.

use crate::start::parameters::Start;
use attention_trace::Step;
use leptos::prelude::*;

use super::{
    measures::gradient,
    reading::{CANDIDATES, Texts},
};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    names::token_name,
    state::ViewState,
    steps::{Steps, probability},
    widgets::{
        ScrollRegion, Slider,
        numbers::{decimal, equations, share_of_one},
    },
};

/// A candidate with its gradient.
#[derive(Clone, Debug, PartialEq)]
struct Graded {
    token: String,
    probability: f32,
    is_right: bool,
    /// The gradient of the loss by the candidate's logit.
    push: f32,
}

/// A word is declared right; the loss and its gradient follow.
#[component]
pub fn Training() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let steps = Steps::expect();
    let asked = state.select(|view| view.chapters.of::<Start>().right);
    let name = token_name();
    let graded = Memo::new(move |_| {
        let right = asked.get();
        let grade = |step: &Step| {
            let shown = &step.candidates[..step.candidates.len().min(CANDIDATES)];
            let right = right.min(shown.len().saturating_sub(1));
            let probabilities: Vec<f32> = shown.iter().map(probability).collect();
            let pushes = gradient(&probabilities, right);
            let graded = shown.iter().zip(pushes).enumerate();
            graded
                .map(|(place, (candidate, push))| Graded {
                    token: name(&candidate.token),
                    probability: probability(candidate),
                    is_right: place == right,
                    push,
                })
                .collect::<Vec<_>>()
        };
        steps.with_step(grade).unwrap_or_default()
    });
    let right = Memo::new(move |_| {
        graded.with(|graded| graded.iter().position(|one| one.is_right).unwrap_or(0))
    });
    let token = move || graded.with(|graded| Some(graded.get(right.get())?.token.clone()));
    let loss = move || {
        let probability = graded.with(|graded| Some(graded.get(right.get())?.probability))?;
        Some(equations(t_string!(
            i18n,
            start.loss,
            token = token()?,
            probability = share_of_one(probability, 4),
            loss = decimal(-probability.ln(), 3)
        )))
    };
    view! {
        <Texts />
        <Slider
            name=Signal::derive(move || t_string!(i18n, start.right).to_owned())
            test_id="start-right"
            range=Signal::derive(move || (0, graded.with(|graded| graded.len().saturating_sub(1))))
            value=right
            words=Signal::derive(move || token().unwrap_or_default())
            set=move |right| state.update_chapters(|chapters| chapters.of_mut::<Start>().right = right)
        />
        <p class="lesson-reading number" role="status" data-testid="start-loss">{loss}</p>
        <ScrollRegion
            class="lesson-table"
            test_id="start-gradient"
            name=Signal::derive(move || t_string!(i18n, start.gradient).to_owned())
        >
            <table aria-label=move || t_string!(i18n, start.gradient).to_owned()>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, start.candidate)}</th>
                        <th scope="col">"p"</th>
                        <th scope="col">{t!(i18n, start.wanted)}" y"</th>
                        <th scope="col">"p − y"</th>
                        <th scope="col">{t!(i18n, start.effect)}</th>
                    </tr>
                </thead>
                <tbody>
                    {move || graded.get().into_iter().map(|one| view! { <Row one /> }).collect_view()}
                </tbody>
            </table>
        </ScrollRegion>
    }
}

#[component]
fn Row(one: Graded) -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <tr class:right-answer=one.is_right>
            <th scope="row">{one.token}</th>
            <td class="number">{share_of_one(one.probability, 4)}</td>
            <td class="number">{u8::from(one.is_right)}</td>
            <td class="number">{share_of_one(one.push, 4)}</td>
            <td>
                {if one.is_right {
                    t!(i18n, start.raised).into_any()
                } else {
                    t!(i18n, start.lowered).into_any()
                }}
            </td>
        </tr>
    }
}
