//! A model's guesses for the masked words of the text on screen.

use attention_trace::{Generates, Trace};
use leptos::prelude::*;

use attention_core::{
    engine::Live,
    i18n::{t_string, use_i18n},
    names::token_name,
    steps::probability,
    widgets::numbers::percent,
};

/// The number of classes of a picture that are shown.
const CLASSES: usize = 5;

/// The best guess for each masked word, if the model makes guesses; without masked words, an explanation of masking. Of a
/// picture, its classes.
#[component]
pub fn Guessed() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let name = token_name();
    let guessed = Memo::new(move |_| {
        let trace = live.trace()?;
        if trace.meta.spec.generates == Generates::Labels {
            return Some((classes(&trace), None));
        }
        (trace.meta.spec.generates == Generates::MaskedWords).then(|| {
            let words = trace.guesses.iter().filter_map(|guess| {
                let best = guess.candidates.first()?;
                let mask = trace.meta.source.get(guess.place)?;
                Some(format!(
                    "{} → {} {}",
                    mask.text,
                    name(&best.token),
                    percent(probability(best), 0)
                ))
            });
            let mask = trace.meta.pieces.mask.clone();
            (words.collect::<Vec<_>>().join(" · "), mask)
        })
    });
    let words = move || {
        let (words, mask) = guessed.get()?;
        let explained = mask.filter(|_| words.is_empty());
        Some(match explained {
            Some(mask) => t_string!(i18n, decoding.no_masks, mask = mask.text),
            None => words,
        })
    };
    view! {
        <p
            class="translation"
            class:is-hidden=move || guessed.read().is_none()
            data-testid="guessed"
        >
            {words}
        </p>
    }
}

/// Returns the most probable classes of a picture, the best first.
fn classes(trace: &Trace) -> String {
    let guess = trace.guesses.first();
    let candidates = guess.iter().flat_map(|guess| &guess.candidates);
    let words = candidates.take(CLASSES).map(|candidate| {
        let share = percent(probability(candidate), 1);
        format!("{} {share}", candidate.token.text)
    });
    words.collect::<Vec<_>>().join(" · ")
}
