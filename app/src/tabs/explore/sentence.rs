//! The selected head as shades behind the sentence: the current token, or the chosen ones, red, the others blue by
//! weight.

use attention_figures::sentence::{Shade, shades};
use attention_trace::{AttentionKind, Token};
use leptos::{ev, prelude::*};

use super::context::HeadsContext;
use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    names::token_name,
    state::Cell,
    widgets::{Pick, numbers::share_of_one},
};

/// The shaded tokens; if queries and keys are different sentences, the queries are above.
#[derive(Clone, Default, PartialEq)]
struct Scene {
    queries: Option<Vec<(Token, Option<Shade>)>>,
    keys: Vec<(Token, Shade, f32, bool)>,
}

/// The sentence: the pointer previews a query, a click locks it, arrow keys move it; a drag, or arrow keys with Shift,
/// choose several.
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
                            word(context, Some(index), token, shade.as_ref(), None, false)
                        }).collect_view()}
                    </p>
                    <p class="sentence-name">{t!(i18n, heads.key)}</p>
                })
            })}
            <p class="sentence-line">
                {move || scene.with(|scene| {
                    let self_attention = scene.queries.is_none();
                    scene.keys.iter().enumerate().map(|(index, (token, shade, weight, is_given))| {
                        let query = self_attention.then_some(index);
                        word(context, query, token, Some(shade), Some(*weight), *is_given)
                    }).collect_view()
                })}
            </p>
        </div>
    }
}

fn scene(context: HeadsContext, appearance: Appearance) -> Option<Scene> {
    let chosen = context.queries();
    let (theme, given) = (appearance.get(), context.given().get());
    let cross = context.kind()? == AttentionKind::Cross;
    context.with_map(|map| {
        let weights = map.mean_row(&chosen);
        let red = shades(&[1.0], Some(0), theme).pop();
        let red = |index: usize| red.filter(|_| chosen.contains(&index));
        let shaded = shades(&weights, None, theme).into_iter().enumerate();
        let shaded = shaded.map(|(index, shade)| match cross {
            true => shade,
            false => red(index).unwrap_or(shade),
        });
        let keys = map.keys.iter().cloned().zip(shaded).zip(&weights);
        let queries = map.queries.iter().cloned().enumerate();
        Scene {
            queries: cross.then(|| queries.map(|(index, token)| (token, red(index))).collect()),
            keys: keys
                .enumerate()
                .map(|(key, ((token, shade), &weight))| {
                    let mut queries = chosen.iter();
                    let is_given = queries.any(|&query| given.contains(Cell { query, key }));
                    (token, shade, weight, is_given)
                })
                .collect(),
        }
    })
}

/// Draws a token; a query's token can be chosen.
fn word(
    context: HeadsContext,
    query: Option<usize>,
    token: &Token,
    shade: Option<&Shade>,
    weight: Option<f32>,
    is_given: bool,
) -> impl IntoView + use<> {
    let cell = query.map(|query| Cell { query, key: query });
    view! {
        <span
            class="word"
            class:current=shade.is_some_and(|shade| shade.current)
            class:unknown=token.unknown
            class:given=is_given
            class:choosable=query.is_some()
            data-weight=weight.map(|weight| format!("{weight:.4}"))
            title=weight.map(|weight| share_of_one(weight, 4))
            style=shade.map(Shade::style)
            on:pointerdown=move |event| {
                if let Some(query) = query {
                    context.begin_drag(query, &event);
                }
            }
            on:pointerenter=move |event| {
                if let Some(cell) = cell
                    && !context.drag_to(cell.query, &event)
                {
                    context.hover_cell(Some(strongest(context, cell)));
                }
            }
            on:pointerleave=move |_| context.hover_cell(None)
            on:click=move |event| click(context, cell, &event)
        >
            {token_name()(token)}
        </span>
    }
}

fn click(context: HeadsContext, cell: Option<Cell>, event: &ev::MouseEvent) {
    let Some(cell) = cell.filter(|_| !context.end_drag()) else {
        return;
    };
    context.click_cell(strongest(context, cell), context.pick(Pick::of(event)));
}

/// Returns the cell of the key that a query attends to most, whose value is read out.
fn strongest(context: HeadsContext, cell: Cell) -> Cell {
    untrack(|| context.strongest_of(cell.query)).unwrap_or(cell)
}

fn on_key(context: HeadsContext, event: &ev::KeyboardEvent) {
    let extends = event.shift_key();
    match event.key().as_str() {
        "ArrowLeft" | "ArrowUp" if extends => context.extend_rows(-1),
        "ArrowRight" | "ArrowDown" if extends => context.extend_rows(1),
        "ArrowLeft" | "ArrowUp" => context.move_query(-1),
        "ArrowRight" | "ArrowDown" => context.move_query(1),
        "Escape" => context.release_cell(),
        _ => return,
    }
    event.prevent_default();
}
