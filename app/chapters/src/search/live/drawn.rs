//! The draw of the token at the step on screen: the probabilities before and after the filters, and the random
//! number.

use attention_trace::{Decoding, DrawnToken, Odds};
use leptos::prelude::*;

use attention_core::{
    i18n::{t, t_string, use_i18n},
    names::name_of,
    steps::Steps,
    widgets::{
        ScrollRegion,
        numbers::{grouped, share_of_one},
    },
};

/// Returns the draw that chose the token of a step, from 0; `None` if the token was forced.
fn draw_of(decoding: &Decoding, step: usize) -> Option<DrawnToken> {
    let forced = decoding.steps.iter().filter(|step| step.forced).count();
    decoding.draws.get(step.checked_sub(forced)?).cloned()
}

/// The draw of the step on screen; nothing of a run that drew no tokens.
#[component]
pub fn LiveDrawn() -> impl IntoView {
    let i18n = use_i18n();
    let steps = Steps::expect();
    let drawn = Memo::new(move |_| {
        let step = steps.timeline().step;
        let draw = |decoding: &Decoding| {
            let has_draws = !decoding.draws.is_empty();
            has_draws.then(|| draw_of(decoding, step))
        };
        steps.with_decoding(draw).flatten()
    });
    let has_draws = Memo::new(move |_| drawn.read().is_some());
    let draw = Memo::new(move |_| drawn.get().flatten());
    view! {
        <Show when=move || has_draws.get()>
            <Show
                when=move || draw.read().is_some()
                fallback=move || view! { <p class="hint">{t!(i18n, search.not_drawn)}</p> }
            >
                <DrawTable draw />
            </Show>
        </Show>
    }
}

/// The odds of the most probable tokens, and the position of the random number among them.
#[component]
fn DrawTable(draw: Memo<Option<DrawnToken>>) -> impl IntoView {
    let i18n = use_i18n();
    let steps = Steps::expect();
    let name = Signal::derive(move || {
        let step = steps.timeline().step + 1;
        t_string!(i18n, search.drawn_at, step = step)
    });
    let rows = move || {
        let draw = draw.get()?;
        let own = draw.token.id;
        let row = move |odds: Odds| {
            view! {
                <tr class:chosen=odds.token.id == own>
                    <th scope="row">{name_of(i18n, &odds.token)}</th>
                    <td class="number">{share_of_one(odds.model as f32, 4)}</td>
                    <td class="number">{share_of_one(odds.drawn_from as f32, 4)}</td>
                </tr>
            }
        };
        Some(draw.odds.into_iter().map(row).collect_view())
    };
    let reading = move || {
        let draw = draw.get()?;
        let own = draw
            .odds
            .iter()
            .find(|odds| odds.token.id == draw.token.id)?;
        Some(t_string!(
            i18n,
            search.drawn_reading,
            left = grouped(draw.left as u64),
            uniform = share_of_one(draw.uniform as f32, 4),
            token = name_of(i18n, &draw.token),
            from = share_of_one(draw.before as f32, 4),
            to = share_of_one((draw.before + own.drawn_from) as f32, 4)
        ))
    };
    view! {
        <ScrollRegion class="lesson-table" test_id="live-drawn" name>
            <table aria-label=name>
                <caption class="hint">{name}</caption>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, search.token)}</th>
                        <th scope="col">{t!(i18n, search.model_p)}</th>
                        <th scope="col">{t!(i18n, search.drawn_p)}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </ScrollRegion>
        <p class="lesson-reading" role="status" data-testid="live-drawn-reading">{reading}</p>
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::{Candidate, Search, Step, Token};

    use super::*;

    fn token(id: u32) -> Token {
        Token {
            id,
            text: id.to_string(),
            unknown: false,
        }
    }

    fn step(id: u32, forced: bool) -> Step {
        Step {
            row: 0,
            chosen: Candidate {
                token: token(id),
                logit: 0.0,
                log_probability: 0.0,
            },
            forced,
            candidates: vec![],
        }
    }

    #[test]
    fn draws_follow_what_was_forced_and_a_forced_end_has_none() {
        let drawn = |id| DrawnToken {
            token: token(id),
            uniform: 0.5,
            before: 0.0,
            left: 1,
            odds: vec![],
        };
        let decoding = Decoding {
            search: Search::Greedy,
            hypotheses: vec![],
            steps: vec![
                step(5, true),
                step(6, false),
                step(7, false),
                step(0, false),
            ],
            considered: vec![],
            draws: vec![drawn(6), drawn(7)],
        };
        let of = |step| draw_of(&decoding, step).map(|draw| draw.token.id);
        assert_eq!([0, 1, 2, 3].map(of), [None, Some(6), Some(7), None]);
    }
}
