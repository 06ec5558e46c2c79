//! The sum of the black cards, and then a question about the red ones, which nobody was asked to look at.

use leptos::prelude::*;

use super::{
    Ask, Start, now_s,
    round::{Card, black_sum, cards, red_count},
};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    widgets::numbers::decimal,
};

/// The progress of the game.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    Waiting,
    Adding {
        since: f64,
    },
    Asked {
        sum: usize,
        seconds: f64,
    },
    Done {
        sum: usize,
        seconds: f64,
        red: usize,
    },
}

#[component]
pub fn CardsGame(
    /// The number of the round, from which its cards are drawn.
    round: u32,
) -> impl IntoView {
    let i18n = use_i18n();
    let table = cards(round);
    let (black, red) = (black_sum(&table), red_count(&table));
    let stage = RwSignal::new(Stage::Waiting);
    let shown = StoredValue::new(table);
    let card = move |card: Card| {
        let suit = if card.is_black { "♠" } else { "♥" };
        let name = move || match card.is_black {
            true => t_string!(i18n, layers.black_card, number = card.number),
            false => t_string!(i18n, layers.red_card, number = card.number),
        };
        view! {
            <li class="game-card" class:is-red=!card.is_black aria-label=name>
                <span aria-hidden="true">{card.number}{suit}</span>
            </li>
        }
    };
    let verdict = move |sum: usize, seconds: f64| {
        let seconds = decimal(seconds as f32, 1);
        match sum == black {
            true => t_string!(i18n, layers.sum_right, sum = sum, seconds = seconds),
            false => t_string!(
                i18n,
                layers.sum_wrong,
                sum = sum,
                right = black,
                seconds = seconds
            ),
        }
    };
    move || match stage.get() {
        Stage::Waiting => view! {
            <p>{t!(i18n, layers.cards_task)}</p>
            <Start begin=move || stage.set(Stage::Adding { since: now_s() }) />
        }
        .into_any(),
        Stage::Adding { since } => view! {
            <ul class="game-cards" data-testid="cards">
                {shown.get_value().into_iter().map(card).collect_view()}
            </ul>
            <Ask
                name=Signal::derive(move || t_string!(i18n, layers.ask_sum).to_owned())
                test_id="cards-sum"
                answer=move |sum| stage.set(Stage::Asked { sum, seconds: now_s() - since })
            />
        }
        .into_any(),
        Stage::Asked { sum, seconds } => view! {
            <p role="status" data-testid="cards-verdict">{verdict(sum, seconds)}</p>
            <Ask
                name=Signal::derive(move || t_string!(i18n, layers.ask_red).to_owned())
                test_id="cards-red"
                answer=move |red| stage.set(Stage::Done { sum, seconds, red })
            />
        }
        .into_any(),
        Stage::Done {
            sum,
            seconds,
            red: said,
        } => view! {
            <p data-testid="cards-verdict">{verdict(sum, seconds)}</p>
            <p role="status" data-testid="red-verdict">
                {match said == red {
                    true => t_string!(i18n, layers.red_right, count = red),
                    false => t_string!(i18n, layers.red_wrong, said = said, count = red),
                }}
            </p>
        }
        .into_any(),
    }
}
