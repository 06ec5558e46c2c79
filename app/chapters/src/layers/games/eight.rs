//! An 8 among digits that look like it, against the clock.

use attention_protocol::OrLogged;
use leptos::{ev::KeyboardEvent, html, prelude::*};

use super::{
    Start, now_s,
    round::{FIELD, field},
};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    widgets::{KeyHint, numbers::decimal},
};

/// The time within which the lecture asks for the 8, in seconds.
const LIMIT_S: f64 = 8.0;

/// The progress of the game.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    Waiting,
    Searching { since: f64 },
    Found { seconds: f64 },
}

/// Returns the place that an arrow key leads to from a place; `None` for other keys.
fn moved(place: usize, key: &str) -> Option<usize> {
    let (row, column) = (place / FIELD.1, place % FIELD.1);
    let (row, column) = match key {
        "ArrowLeft" => (row, column.saturating_sub(1)),
        "ArrowRight" => (row, (column + 1).min(FIELD.1 - 1)),
        "ArrowUp" => (row.saturating_sub(1), column),
        "ArrowDown" => ((row + 1).min(FIELD.0 - 1), column),
        _ => return None,
    };
    Some(row * FIELD.1 + column)
}

#[component]
pub fn EightGame(
    /// The number of the round, from which the field is drawn.
    round: u32,
) -> impl IntoView {
    let i18n = use_i18n();
    let (digits, eight) = field(round);
    let digits = StoredValue::new(digits);
    let stage = RwSignal::new(Stage::Waiting);
    let (place, missed) = (RwSignal::new(0usize), RwSignal::new(0usize));
    let grid = NodeRef::<html::Div>::new();
    let pick = move |picked: usize| match (stage.get_untracked(), picked == eight) {
        (Stage::Searching { since }, true) => stage.set(Stage::Found {
            seconds: now_s() - since,
        }),
        (Stage::Searching { .. }, false) => missed.update(|missed| *missed += 1),
        _ => {}
    };
    let on_key = move |event: KeyboardEvent| {
        let key = event.key();
        if let Some(to) = moved(place.get_untracked(), &key) {
            event.prevent_default();
            // Keys of the page do not follow.
            event.stop_propagation();
            place.set(to);
        } else if key == "Enter" || key == " " {
            event.prevent_default();
            event.stop_propagation();
            pick(place.get_untracked());
        }
    };
    // An effect because focus lies outside the reactive graph.
    Effect::new(move |_| {
        if matches!(stage.get(), Stage::Searching { .. })
            && let Some(grid) = grid.get()
        {
            grid.focus().or_logged("moving the focus");
        }
    });
    let cell = move |(at, digit): (usize, char)| {
        view! {
            <span
                role="option"
                class="game-digit"
                id=format!("digit-{at}")
                class:is-here=move || place.get() == at
                class:is-found=move || at == eight && matches!(stage.get(), Stage::Found { .. })
                aria-selected=move || (place.get() == at).to_string()
                on:click=move |_| {
                    place.set(at);
                    pick(at);
                }
            >
                {digit}
            </span>
        }
    };
    let words = move || match stage.get() {
        Stage::Found { seconds } => {
            let (written, missed) = (decimal(seconds as f32, 1), missed.get());
            Some(match seconds < LIMIT_S {
                true => t_string!(i18n, layers.eight_fast, seconds = written, missed = missed),
                false => t_string!(i18n, layers.eight_slow, seconds = written, missed = missed),
            })
        }
        _ => None,
    };
    let has_begun = move || stage.get() != Stage::Waiting;
    view! {
        <Show when=move || !has_begun()>
            <p>{t!(i18n, layers.eight_task)}</p>
            <Start begin=move || stage.set(Stage::Searching { since: now_s() }) />
        </Show>
        <Show when=has_begun>
            <div
                class="game-field"
                role="listbox"
                tabindex="0"
                node_ref=grid
                style=format!("--columns: {}", FIELD.1)
                aria-label=move || t_string!(i18n, layers.eight_field).to_owned()
                aria-activedescendant=move || format!("digit-{}", place.get())
                data-testid="eight-field"
                on:keydown=on_key
            >
                {digits.get_value().into_iter().enumerate().map(cell).collect_view()}
            </div>
            <p class="hint">
                <KeyHint>{t!(i18n, layers.eight_keys)}</KeyHint>
            </p>
        </Show>
        <p role="status" data-testid="eight-verdict">{words}</p>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrow_keys_stay_in_the_field() {
        assert_eq!(moved(0, "ArrowLeft"), Some(0));
        assert_eq!(moved(0, "ArrowRight"), Some(1));
        assert_eq!(moved(1, "ArrowDown"), Some(FIELD.1 + 1));
        let last = FIELD.0 * FIELD.1 - 1;
        assert_eq!(moved(last, "ArrowDown"), Some(last));
        assert_eq!(moved(last, "ArrowUp"), Some(last - FIELD.1));
        assert_eq!(moved(3, "a"), None);
    }
}
