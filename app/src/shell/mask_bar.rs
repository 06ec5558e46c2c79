//! The bar at the foot of the page for a model that guesses masked words, in place of the decoding steps: a click masks a
//! word, and the model reads the text again.

use attention_trace::Generates;
use leptos::{ev::KeyboardEvent, prelude::*};
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::tabs::focus;
use attention_core::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    names::token_name,
    state::{MaskableWord, MaskedWord, Representation, Tab, ViewState},
    steps::probability,
    widgets::{Later, keys::has_modifier, numbers::percent},
};

/// The largest number of words with a button; published models read 512 tokens.
const MOST_WORDS: usize = 512;

/// The bar, for a model that guesses words; empty for all others and on other tabs.
#[component]
pub fn MaskBar() -> impl IntoView {
    let live = Live::expect();
    let tab = ViewState::expect().select(|view| view.tab);
    let guesses = Memo::new(move |_| {
        let trace = live.trace();
        trace.is_some_and(|trace| trace.meta.spec.generates == Generates::MaskedWords)
    });
    let when = Signal::derive(move || guesses.get() && tab.get() == Tab::Explore);
    view! { <Later load=bar when /> }
}

#[wasm_split(views, fallible)]
fn bar() -> Result<fn() -> AnyView, SplitLoaderError> {
    Ok(|| view! { <Bar /> }.into_any())
}

#[component]
fn Bar() -> impl IntoView {
    let i18n = use_i18n();
    let masking = Masking::new();
    let count = Memo::new(move |_| masking.words.read().len().min(MOST_WORDS));
    let words = move |index: usize| Memo::new(move |_| masking.words.read().get(index).cloned());
    view! {
        <footer
            class="step-bar mask-bar"
            aria-label=move || t_string!(i18n, masking.bar)
            data-testid="mask-bar"
        >
            <Show
                when=move || !masking.mask.read().is_empty()
                fallback=move || view! { <p class="hint">{t!(i18n, masking.no_mask)}</p> }
            >
                <p class="mask-name" id="mask-name">{t!(i18n, masking.mask)}</p>
                <div
                    class="output-tokens mask-words"
                    role="group"
                    aria-labelledby="mask-name"
                    data-testid="mask-words"
                    on:keydown=move |event| masking.move_focus(&event, count.get_untracked())
                >
                    <For each=move || 0..count.get() key=|&index| index let(index)>
                        <WordButton masking index word=words(index) />
                    </For>
                </div>
                <Candidates />
            </Show>
        </footer>
    }
}

/// State that the buttons of the bar share.
#[derive(Clone, Copy)]
struct Masking {
    live: Live,
    state: ViewState,
    /// The token of a masked word; empty if the tokenizer has none.
    mask: Memo<String>,
    words: Memo<Vec<MaskableWord>>,
    /// The best guess for each mask of the text, in words; empty while the text differs from the one that was read.
    guesses: Memo<Vec<String>>,
    /// The word that Tab reaches; arrow keys go to the others.
    reached: RwSignal<usize>,
}

impl Masking {
    fn new() -> Self {
        let (live, state) = (Live::expect(), ViewState::expect());
        let name = token_name();
        let mask = Memo::new(move |_| {
            let mask = live
                .trace()
                .and_then(|trace| trace.meta.pieces.mask.clone());
            mask.map(|mask| mask.text).unwrap_or_default()
        });
        let answered = live.select(|engine| {
            let job = engine.shown.as_ref()?.job.as_ref()?;
            Some(job.text.clone())
        });
        let typed = state.select(|view| view.text.clone());
        let guesses = Memo::new(move |_| {
            let trace = live
                .trace()
                .filter(|_| *answered.read() == Some(typed.get()));
            let guesses = trace.map(|trace| trace.guesses.clone()).unwrap_or_default();
            let best = guesses.iter().map(|guess| {
                let best = guess.candidates.first()?;
                Some(format!(
                    "{} {}",
                    name(&best.token),
                    percent(probability(best), 0)
                ))
            });
            best.map(Option::unwrap_or_default).collect()
        });
        Masking {
            live,
            state,
            mask,
            words: state.select(move |view| view.maskable_words(&mask.read())),
            guesses,
            reached: RwSignal::new(0),
        }
    }

    /// Masks a word or brings it back, and runs the text.
    fn toggle(self, index: usize) {
        self.reached.set(index);
        let mask = self.mask.get_untracked();
        self.state.toggle_mask(index, &mask);
        self.live.run();
    }

    /// Returns the best guess for a masked word.
    fn guess(self, index: usize) -> Option<String> {
        let words = self.words.read();
        let before = words.iter().take(index);
        let masks = before.filter(|word| word.masked.is_some()).count();
        self.guesses.read().get(masks).cloned()
    }

    /// Moves the focus among the words by arrow keys, Home and End.
    fn move_focus(self, event: &KeyboardEvent, count: usize) {
        let from = self.reached.get_untracked();
        let last = count.saturating_sub(1);
        let to = match event.key().as_str() {
            "ArrowLeft" => from.saturating_sub(1),
            "ArrowRight" => from.saturating_add(1).min(last),
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        if !has_modifier(event) {
            event.prevent_default();
            self.reached.set(to);
            focus(&word_id(to));
        }
    }
}

/// Returns the identifier of a word's button.
fn word_id(index: usize) -> String {
    format!("mask-word-{index}")
}

/// A word: a click masks it or brings it back.
#[component]
fn WordButton(masking: Masking, index: usize, word: Memo<Option<MaskableWord>>) -> impl IntoView {
    let i18n = use_i18n();
    let masked = Memo::new(move |_| word.get().and_then(|word| word.masked));
    let is_masked = move || masked.read().is_some();
    let is_typed = Memo::new(move |_| *masked.read() == Some(MaskedWord::Typed));
    let written = move || match (word.get(), masked.get()) {
        (_, Some(MaskedWord::Known(known))) => known,
        (word, _) => word.map(|word| word.written).unwrap_or_default(),
    };
    let guess = move || masking.guess(index).filter(|_| is_masked());
    // The last word may go while the text is typed.
    let reachable = move || {
        let last = masking.words.read().len().saturating_sub(1);
        index == masking.reached.get().min(last)
    };
    view! {
        <button
            type="button"
            class="mask-word"
            class:is-masked=is_masked
            id=word_id(index)
            data-testid="mask-word"
            aria-pressed=move || is_masked().to_string()
            aria-disabled=move || is_typed.get().then_some("true")
            title=move || match (is_typed.get(), is_masked()) {
                (true, _) => t_string!(i18n, masking.typed),
                (_, true) => t_string!(i18n, masking.bring_back),
                (_, false) => t_string!(i18n, masking.hide),
            }
            tabindex=move || if reachable() { "0" } else { "-1" }
            on:click=move |_| masking.toggle(index)
        >
            <span class="mask-written">{written}</span>
            {move || guess().map(|guess| view! { <span class="mask-guess">"→ " {guess}</span> })}
        </button>
    }
}

/// A button that opens the candidates for the masked words.
#[component]
fn Candidates() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let shown = state.select(|view| view.representation == Representation::NextWord);
    view! {
        <Show when=move || !shown.get()>
            <button
                type="button"
                class="plain-button mask-candidates"
                data-testid="mask-candidates"
                on:click=move |_| state.set_representation(Representation::NextWord)
            >
                {t!(i18n, masking.candidates)}
            </button>
        </Show>
    }
}
