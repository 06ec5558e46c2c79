//! What goes in at the bottom of the map and what comes out at its top.

use attention_trace::{AttentionKind, Stack, Token};
use leptos::prelude::*;

use super::context::MapContext;
use crate::{
    i18n::{t_string, use_i18n},
    names::token_name,
    state::{Cell, Tab, ViewState},
    steps::{Steps, probability},
    tabs::heads::context::HeadsContext,
    widgets::numbers::percent,
};

/// Tokens in a row of the map.
const SHOWN: usize = 14;
/// Candidates for the next word.
const WORDS: usize = 4;

/// The tokens that a stack reads: those around the selected one where there are many. Below each the share of the
/// chosen head's attention that it gets.
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
    // One memo, since an effect that reads a memo that stays before one that changes misses the change.
    let visible = Memo::new(move |_| {
        let tokens = tokens.get().into_iter().enumerate();
        tokens.skip(first.get()).take(SHOWN).collect::<Vec<_>>()
    });
    let chips = move || {
        let shown = visible.get().into_iter();
        shown
            .map(|(index, token)| view! { <Chip context stack index token weights /> })
            .collect_view()
    };
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

#[component]
fn Chip(
    context: MapContext,
    stack: Stack,
    index: usize,
    token: Token,
    weights: Memo<Option<Vec<f32>>>,
) -> impl IntoView {
    let name = token_name();
    let text = {
        let token = token.clone();
        move || name(&token)
    };
    let share = move || weights.with(|weights| weights.as_ref()?.get(index).copied());
    view! {
        <button
            type="button"
            class="map-chip"
            class:unknown=token.unknown
            class:current=move || context.row_in(stack) == Some(index)
            tabindex="-1"
            title=token.text.clone()
            style=move || format!("--share: {:.3}", share().unwrap_or(0.0))
            on:click=move |_| context.select(stack, index)
        >
            {text}
        </button>
    }
}

/// The token of a stack that is selected. A memo each, so that an element follows it and nothing else.
pub fn selected_row(heads: HeadsContext, steps: Steps, stack: Stack) -> Memo<Option<usize>> {
    Memo::new(move |_| {
        let is_query = heads.kind()?.stack() == stack;
        match stack {
            Stack::Encoder => is_query.then(|| heads.query()),
            Stack::Decoder if is_query => Some(heads.query()),
            Stack::Decoder => steps.with_step(|step| step.row),
        }
    })
}

impl MapContext {
    /// The token of a stack that is selected: of what the head reads with its query, else of the decoding step.
    pub fn row_in(self, stack: Stack) -> Option<usize> {
        match stack {
            Stack::Encoder => self.source_row.get(),
            Stack::Decoder => self.target_row.get(),
        }
    }

    /// What the chosen head's query takes from each token of a stack; `None` where its keys are others.
    pub fn weights_on(self, stack: Stack) -> Option<Vec<f32>> {
        let keys = match self.heads.kind()? {
            AttentionKind::DecoderSelf => Stack::Decoder,
            AttentionKind::EncoderSelf | AttentionKind::Cross => Stack::Encoder,
        };
        if keys != stack {
            return None;
        }
        let query = self.heads.query();
        self.heads
            .with_map(|map| map.row(query).map(<[f32]>::to_vec))?
    }

    /// Selects a token: as the query if the chosen head reads with it, else as the key.
    pub fn select(self, stack: Stack, index: usize) {
        if self.dragged() {
            return;
        }
        let (is_query, query) = untrack(|| {
            let kind = self.heads.kind();
            (
                kind.map(AttentionKind::stack) == Some(stack),
                self.heads.query(),
            )
        });
        let cell = match is_query {
            true => untrack(|| self.heads.strongest_of(index)),
            false => Some(Cell { query, key: index }),
        };
        if let Some(cell) = cell {
            self.heads.lock_cell(cell);
        }
    }
}

/// The most probable next tokens; a click opens how they came about.
#[component]
pub fn WordsBlock(context: MapContext) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let name = token_name();
    let candidates = Memo::new(move |_| {
        context.steps.with_step(|step| {
            let candidates = step.candidates.iter().take(WORDS).cloned();
            (step.chosen.token.id, candidates.collect::<Vec<_>>())
        })
    });
    let words = move || {
        let (chosen, candidates) = candidates.get().unwrap_or_default();
        let words = candidates.into_iter().map(|candidate| {
            let share = probability(&candidate);
            let token = candidate.token.clone();
            view! {
                <span
                    class="map-word"
                    class:chosen=candidate.token.id == chosen
                    style=format!("--share: {share:.3}")
                >
                    <span class="token">{move || name(&token)}</span>
                    " "
                    <span class="block-size">{percent(share)}</span>
                </span>
            }
        });
        words.collect_view()
    };
    view! {
        <button
            type="button"
            class="plain-block map-words"
            data-testid="map-words"
            title=move || t_string!(i18n, heads.open_decoding)
            on:click=move |_| state.set_tab(Tab::Decoding)
        >
            {words}
        </button>
    }
}
