//! A game: how many heads can go before the translation breaks, against taking them out by their importance.

use attention_trace::{
    Trace,
    judging::{Bleu, ORDERS, Tokenization, Weights},
};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    engine::{Live, Pruning},
    i18n::{t, t_string, use_i18n},
    state::{AddressValue, ViewState, flat},
    widgets::{Segmented, numbers::decimal},
};

/// The condition under which a translation counts as whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Least {
    /// The same text, word by word.
    Same,
    /// A text of BLEU 50 or more against the first.
    Half,
}

impl Least {
    const fn percent(self) -> u8 {
        match self {
            Least::Same => 100,
            Least::Half => 50,
        }
    }

    fn of(percent: u8) -> Self {
        match percent > Least::Half.percent() {
            true => Least::Same,
            false => Least::Half,
        }
    }
}

impl AddressValue for Least {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

/// The button that opens and closes the game.
#[component]
pub fn GameToggle() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let is_on = state.select(|view| view.game.is_some());
    view! {
        <button
            type="button"
            class="plain-button"
            data-testid="game"
            aria-pressed=move || is_on.get().to_string()
            title=move || t_string!(i18n, edits.game_hint)
            on:click=move |_| state.visit(|view| {
                view.game = match view.game {
                    Some(_) => None,
                    None => Some(Least::Same.percent()),
                };
            })
        >
            {t!(i18n, edits.game)}
        </button>
    }
}

/// Shows the visitor's result and that of taking heads out by their importance.
#[component]
pub fn Game() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let least = state.select(|view| Least::of(view.game.unwrap_or(Least::Same.percent())));
    let reached = live.select(|engine| {
        let shown = engine.shown.as_ref()?;
        let off = shown.edits().heads_off().len();
        let before = match off {
            0 => Some(&shown.trace),
            _ => engine.without_edits(),
        };
        let left = left(&text(before?)?, &text(&shown.trace)?);
        Some((off, left))
    });
    let words = move || {
        let Some((off, left)) = reached.get() else {
            return t_string!(i18n, edits.not_measured).to_owned();
        };
        let bleu = decimal(left, 1);
        match left >= f32::from(least.get().percent()) {
            true if left >= 100.0 => t_string!(i18n, edits.game_same, count = off),
            true => t_string!(i18n, edits.game_whole, count = off, bleu = bleu),
            false => t_string!(i18n, edits.game_broken, count = off, bleu = bleu),
        }
    };
    view! {
        <section
            class="game"
            data-testid="game-panel"
            aria-label=move || t_string!(i18n, edits.game)
        >
            <p class="hint">{t!(i18n, edits.game_rules)}</p>
            <Segmented
                label=Signal::derive(move || t_string!(i18n, edits.game_least).to_owned())
                options=Signal::derive(move || vec![
                    (Least::Same, t_string!(i18n, edits.game_least_same).to_owned()),
                    (Least::Half, t_string!(i18n, edits.game_least_half).to_owned()),
                ])
                value=least
                choose=move |least| state.update(|view| view.game = Some(least.percent()))
            />
            <p class="lesson-reading" role="status" data-testid="game-score">{words}</p>
            <Opponent />
        </section>
    }
}

/// Takes heads out by their importance, with progress.
#[component]
fn Opponent() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let by = state.select(|view| view.edits.by);
    let pruning = Memo::new(move |_| {
        let by = by.get();
        live.select_now(|engine| engine.pruning(by))
    });
    let goes_on = Memo::new(move |_| pruning.read().as_ref().is_some_and(|it| it.goes_on));
    let is_asked = Memo::new(move |_| pruning.read().is_some());
    let is_done = Memo::new(move |_| pruning.read().as_ref().is_some_and(|it| it.is_done));
    on_cleanup(move || live.prune(None));
    let words = move || {
        let Pruning {
            measured: (known, heads),
            out,
            is_done,
            ..
        } = pruning.get()?;
        let count = out.len();
        Some(match (known < heads, is_done) {
            (true, _) => t_string!(i18n, edits.measured, known = known, heads = heads),
            (false, false) => t_string!(i18n, edits.pruned_so_far, count = count, heads = heads),
            (false, true) => t_string!(i18n, edits.pruned, count = count, heads = heads),
        })
    };
    let progress = move || {
        let pruning = pruning.get()?;
        Some(pruning.measured.0 + pruning.out.len())
    };
    let most = move || Some(2 * pruning.get()?.measured.1);
    view! {
        <p class="importance-progress" role="status" data-testid="game-pruning">
            <span class="number">{words}</span>
            <progress
                class:is-hidden=move || !goes_on.get()
                aria-label=move || t_string!(i18n, edits.prune)
                max=most
                value=progress
            ></progress>
        </p>
        <button
            type="button"
            class="plain-button"
            data-testid="prune"
            class:is-hidden=move || goes_on.get() || is_done.get()
            on:click=move |_| live.prune(Some(by.get_untracked()))
        >
            {move || match is_asked.get() {
                true => t_string!(i18n, edits.resume),
                false => t_string!(i18n, edits.prune),
            }}
        </button>
        <button
            type="button"
            class="plain-button"
            data-testid="stop-pruning"
            class:is-hidden=move || !goes_on.get()
            on:click=move |_| live.stop_measuring()
        >
            {t!(i18n, shell.cancel)}
        </button>
    }
}

/// Returns the text that a trace's model wrote.
fn text(trace: &Trace) -> Option<String> {
    let decoding = trace.decoding.as_ref()?;
    Some(decoding.hypotheses.first()?.text.clone())
}

/// Returns the similarity of two texts: BLEU in percent, 100 where they are the same, however short they are.
fn left(before: &str, after: &str) -> f32 {
    if before == after {
        return 100.0;
    }
    let words = |text: &str| Tokenization::Words.tokens(text);
    let bleu = Bleu::of(&words(before), &words(after)).weighted(ORDERS, Weights::Even);
    (100.0 * bleu.unwrap_or(0.0)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_a_text_is_bleu() {
        assert_eq!(left("Oui.", "Oui."), 100.0);
        assert_eq!(left("Oui.", "Non."), 0.0);
        let close = left(
            "I am a student at the school.",
            "I am a student at the house.",
        );
        assert!((30.0..90.0).contains(&close), "{close}");
        assert_eq!(Least::of(100), Least::Same);
        assert_eq!(Least::of(50), Least::Half);
        assert_eq!(Least::of(Least::Half.percent()), Least::Half);
    }
}
