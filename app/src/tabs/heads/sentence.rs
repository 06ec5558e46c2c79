//! The selected head as shades behind the sentence: the current token red, the others blue by
//! weight.

use attention_figures::sentence::{Shade, shades};
use attention_trace::{AttentionKind, Token};
use leptos::{ev::KeyboardEvent, prelude::*};

use super::context::HeadsContext;
use crate::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    state::Cell,
    widgets::label,
};

/// The shaded tokens; where queries and keys are different sentences, the queries stand above.
#[derive(Clone, Default, PartialEq)]
struct Scene {
    queries: Option<Vec<(Token, Option<Shade>)>>,
    keys: Vec<(Token, Shade, f32)>,
}

/// The sentence: the pointer previews a query, a click locks it, arrow keys move it.
#[component]
pub fn Sentence() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let appearance = Appearance::expect();
    let scene = Memo::new(move |_| scene(context, appearance).unwrap_or_default());
    view! {
        <div
            class="sentence"
            data-testid="sentence"
            role="application"
            tabindex="0"
            aria-label=move || t_string!(i18n, heads.sentence_label)
            aria-describedby="cell-readout"
            on:keydown=move |event| on_key(context, &event)
        >
            {move || scene.with(|scene| {
                scene.queries.as_ref().map(|queries| view! {
                    <p class="sentence-name">{t!(i18n, heads.query)}</p>
                    <p class="sentence-line">
                        {queries.iter().enumerate().map(|(index, (token, shade))| {
                            word(context, Some(index), token, shade.as_ref(), None)
                        }).collect_view()}
                    </p>
                    <p class="sentence-name">{t!(i18n, heads.key)}</p>
                })
            })}
            <p class="sentence-line">
                {move || scene.with(|scene| {
                    let self_attention = scene.queries.is_none();
                    scene.keys.iter().enumerate().map(|(index, (token, shade, weight))| {
                        word(context, self_attention.then_some(index), token, Some(shade), Some(*weight))
                    }).collect_view()
                })}
            </p>
        </div>
    }
}

fn scene(context: HeadsContext, appearance: Appearance) -> Option<Scene> {
    let query = context.query();
    let theme = appearance.get();
    let cross = context.head()?.attention.kind == AttentionKind::Cross;
    context.with_map(|map| {
        let weights = map.row(query).unwrap_or_default();
        let shaded = shades(weights, (!cross).then_some(query), theme);
        let keys = map.keys.iter().cloned().zip(shaded).zip(weights);
        let red = shades(&[1.0], Some(0), theme).pop();
        let queries = map.queries.iter().cloned().enumerate();
        Scene {
            queries: cross.then(|| {
                queries
                    .map(|(index, token)| (token, red.filter(|_| index == query)))
                    .collect()
            }),
            keys: keys
                .map(|((token, shade), &weight)| (token, shade, weight))
                .collect(),
        }
    })
}

/// A token; a query can be chosen.
fn word(
    context: HeadsContext,
    query: Option<usize>,
    token: &Token,
    shade: Option<&Shade>,
    weight: Option<f32>,
) -> impl IntoView + use<> {
    let cell = query.map(|query| Cell { query, key: query });
    view! {
        <span
            class="word"
            class:current=shade.is_some_and(|shade| shade.current)
            class:unknown=token.unknown
            class:choosable=query.is_some()
            data-weight=weight.map(|weight| format!("{weight:.4}"))
            title=weight.map(|weight| format!("{weight:.4}"))
            style=shade.map(Shade::style)
            on:pointerenter=move |_| {
                if cell.is_some() {
                    context.hover_cell(cell.map(|cell| strongest(context, cell)));
                }
            }
            on:pointerleave=move |_| context.hover_cell(None)
            on:click=move |_| {
                if let Some(cell) = cell {
                    context.toggle_cell(strongest(context, cell));
                }
            }
        >
            {label(token).to_owned()}
        </span>
    }
}

/// The cell of the key that a query attends to most: the value worth reading out.
fn strongest(context: HeadsContext, cell: Cell) -> Cell {
    untrack(|| context.with_map(|map| map.strongest(cell.query, 1)))
        .and_then(|keys| keys.first().copied())
        .map_or(cell, |(key, _)| Cell { key, ..cell })
}

fn on_key(context: HeadsContext, event: &KeyboardEvent) {
    match event.key().as_str() {
        "ArrowLeft" | "ArrowUp" => context.move_query(-1),
        "ArrowRight" | "ArrowDown" => context.move_query(1),
        "Escape" => context.release_cell(),
        _ => return,
    }
    event.prevent_default();
}
