//! The input tokens at the bottom of the map and the output words at its top.

use attention_trace::{AttentionKind, Candidate, Guess, Stack, Token};
use leptos::prelude::*;

use super::context::MapContext;
use crate::tabs::explore::context::HeadsContext;
use attention_core::{
    i18n::{t_string, use_i18n},
    names::{token_name, token_title},
    state::{Cell, Representation, ViewState, push_address},
    steps::{Steps, probability},
    widgets::{Pick, numbers::percent},
};

/// The number of tokens in a row of the map.
const SHOWN: usize = 14;
/// The number of candidates for the next word.
const WORDS: usize = 4;

/// The tokens that a stack reads: those around the selected one if there are many. Below each its share of the chosen
/// head's attention.
#[component]
pub fn TokensBlock(context: MapContext, stack: Stack) -> impl IntoView {
    let tokens = Memo::new(move |_| {
        let trace = context.heads.trace();
        trace.map_or_else(Vec::new, |trace| match stack {
            Stack::Encoder => trace.meta.source.clone(),
            Stack::Decoder => trace.meta.target.clone(),
        })
    });
    let first = Memo::new(move |_| {
        let count = tokens.read().len();
        let row = context.row_in(stack).unwrap_or(0);
        row.saturating_sub(SHOWN / 2)
            .min(count.saturating_sub(SHOWN))
    });
    let weights = Memo::new(move |_| context.weights_on(stack));
    let name = token_name();
    let visible = Memo::new(move |_| {
        let tokens = tokens.get().into_iter().enumerate();
        let shown = tokens.skip(first.get()).take(SHOWN);
        shown
            .map(|(index, token)| (index, name(&token), token))
            .collect::<Vec<_>>()
    });
    // The places stay while tokens come and go: an element that a result made anew would stay in the lists of those
    // that follow the signals it reads.
    let chips = (0..SHOWN)
        .map(|place| {
            let chip = Memo::new(move |_| visible.read().get(place).cloned());
            view! { <Chip context stack chip weights /> }
        })
        .collect_view();
    let hidden = move || {
        let (count, first) = (tokens.read().len(), first.get());
        let after = count.saturating_sub(first + SHOWN);
        (count > SHOWN).then(|| format!("+{}", first + after))
    };
    view! {
        <div class="map-tokens">
            {chips}
            <span class="block-size">{hidden}</span>
        </div>
    }
}

/// A place in the row of tokens; hidden if there is no token. A click selects the token, as the keys of the heatmap and
/// of the decoding steps do.
#[component]
fn Chip(
    context: MapContext,
    stack: Stack,
    /// The position, the name and the token.
    chip: Memo<Option<(usize, String, Token)>>,
    weights: Memo<Option<Vec<f32>>>,
) -> impl IntoView {
    let title = token_title();
    let index = Memo::new(move |_| Some(chip.read().as_ref()?.0));
    let token = move || chip.get().map(|(_, _, token)| token);
    let share = Memo::new(move |_| {
        let index = index.get()?;
        weights.with(|weights| weights.as_ref()?.get(index).copied())
    });
    let current = Memo::new(move |_| {
        index
            .get()
            .is_some_and(|index| context.is_read(stack, index))
    });
    view! {
        <span
            class="map-chip"
            class:is-hidden=move || index.get().is_none()
            class:unknown=move || token().is_some_and(|token| token.unknown)
            class:current=current
            title=move || token().map(|token| title(&token))
            style=move || format!("--share: {:.3}", share.get().unwrap_or(0.0))
            on:click=move |event| {
                if let Some(index) = index.get_untracked() {
                    context.select(stack, index, Pick::of(&event));
                }
            }
        >
            {move || chip.get().map(|(_, name, _)| name)}
        </span>
    }
}

/// Returns the selected token of a stack, as a memo, so that an element follows it alone.
pub fn selected_row(heads: HeadsContext, steps: Steps, stack: Stack) -> Memo<Option<usize>> {
    Memo::new(move |_| {
        let is_query = heads.kind()?.stack() == stack;
        match stack {
            _ if is_query => heads.token_of_query(heads.query()),
            Stack::Encoder => None,
            Stack::Decoder => steps.with_step(|step| step.row),
        }
    })
}

impl MapContext {
    /// Returns the selected token of a stack: that of the head's query if the head reads the stack, or else that of the
    /// decoding step.
    pub fn row_in(self, stack: Stack) -> Option<usize> {
        match stack {
            Stack::Encoder => self.source_row.get(),
            Stack::Decoder => self.target_row.get(),
        }
    }

    /// Returns true if a token of a stack is selected, alone or with others.
    fn is_read(self, stack: Stack, index: usize) -> bool {
        let is_query = self.heads.kind().map(AttentionKind::stack) == Some(stack);
        if !is_query {
            return self.row_in(stack) == Some(index);
        }
        let row = self.heads.query_of_token(index);
        match self.heads.has_rows() {
            true => row.is_some_and(|row| self.heads.has_row(row)),
            false => row == Some(self.heads.query()),
        }
    }

    /// Returns the chosen heads' weights on each token of a stack, averaged over their queries; `None` if their keys
    /// are others.
    pub fn weights_on(self, stack: Stack) -> Option<Vec<f32>> {
        let keys = match self.heads.kind()? {
            AttentionKind::DecoderSelf => Stack::Decoder,
            AttentionKind::EncoderSelf | AttentionKind::Cross => Stack::Encoder,
        };
        if keys != stack {
            return None;
        }
        self.heads.weights_of_tokens()
    }

    /// Returns the model's guess for the selected token, if it is a masked word, or else for the first one.
    fn guess(self) -> Option<Guess> {
        let trace = self.heads.trace()?;
        let row = self.row_in(Stack::Encoder);
        let mut guesses = trace.guesses.iter();
        let selected = guesses.find(|guess| Some(guess.place) == row);
        selected.or(trace.guesses.first()).cloned()
    }

    /// Selects a token: as the query, or as one of several, if it is among the chosen head's queries, or else as the
    /// key. One that the map does not show is not selected.
    pub fn select(self, stack: Stack, index: usize, pick: Pick) {
        if self.dragged() {
            return;
        }
        let heads = self.heads;
        let is_query = untrack(|| heads.kind()).map(AttentionKind::stack) == Some(stack);
        match is_query {
            true => {
                if let Some(query) = untrack(|| heads.query_of_token(index)) {
                    heads.click_query(query, heads.pick(pick));
                }
            }
            false => {
                let query = untrack(|| heads.query());
                if let Some(key) = untrack(|| heads.key_of_token(index)) {
                    heads.lock_cell(Cell { query, key });
                }
            }
        }
    }
}

/// The most probable next tokens, or those for a masked word; when zoomed in, a click opens the decoding step.
#[component]
pub fn WordsBlock(context: MapContext) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let name = token_name();
    let word = move |candidate: &Candidate, chosen: u32| Word {
        text: name(&candidate.token),
        share: probability(candidate),
        is_chosen: candidate.token.id == chosen,
    };
    let words = move |candidates: &[Candidate], chosen: u32| {
        let candidates = candidates.iter().take(WORDS);
        candidates.map(|one| word(one, chosen)).collect::<Vec<_>>()
    };
    let candidates = Memo::new(move |_| {
        let written = context
            .steps
            .with_step(|step| words(&step.candidates, step.chosen.token.id));
        let guessed = || {
            let guess = context.guess()?;
            let best = guess.candidates.first()?.token.id;
            Some(words(&guess.candidates, best))
        };
        written.or_else(guessed).unwrap_or_default()
    });
    let title = move || match context.guess() {
        Some(_) => t_string!(i18n, heads.open_guesses),
        None => t_string!(i18n, heads.open_decoding),
    };
    let words = move || {
        (0..WORDS)
            .map(|place| {
                let word = Memo::new(move |_| candidates.read().get(place).cloned());
                view! { <WordView word /> }
            })
            .collect_view()
    };
    let open = move |_| {
        let here = state.get_untracked();
        state.set_representation(Representation::NextWord);
        push_address(&here, &state.get_untracked());
    };
    move || match context.is_close() {
        true => view! {
            <button
                type="button"
                class="plain-block map-words"
                data-testid="map-words"
                title=title
                on:click=open
            >
                {words()}
            </button>
        }
        .into_any(),
        false => view! {
            <div class="plain-block map-words" data-testid="map-words">{words()}</div>
        }
        .into_any(),
    }
}

/// A candidate for the next token.
#[derive(Clone, PartialEq)]
struct Word {
    text: String,
    share: f32,
    is_chosen: bool,
}

/// The place of a candidate; hidden if there is none.
#[component]
fn WordView(word: Memo<Option<Word>>) -> impl IntoView {
    let share = move || word.read().as_ref().map_or(0.0, |word| word.share);
    view! {
        <span
            class="map-word"
            class:is-hidden=move || word.read().is_none()
            class:chosen=move || word.read().as_ref().is_some_and(|word| word.is_chosen)
            style=move || format!("--share: {:.3}", share())
        >
            <span class="token">{move || word.get().map(|word| word.text)}</span>
            " "
            <span class="block-size">{move || percent(share(), 0)}</span>
        </span>
    }
}
