//! The table: each layer's reading of the next word at each position.

use attention_figures::{
    color::{css, ink_on, sequential},
    export::Content,
};
use attention_protocol::OrLogged;
use attention_trace::{Lens, Reading, Token, python::Number};
use leptos::{ev::KeyboardEvent, html, prelude::*};
use leptos_i18n::I18nContext;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::{
    context::{LensCell, LensContext, table},
    export::{Names, table_map},
};
use attention_core::{
    appearance::Appearance,
    i18n::{Locale, t, t_string, use_i18n},
    names::{token_label, token_name},
    problems::failure_words,
    steps::Steps,
    widgets::{
        FigureButton, Finding, KeyHint, ScrollRegion, ShareLegend, Taken,
        numbers::{grouped, percent},
    },
};

/// The table of layers, from the last down to the embedding, and positions.
#[component]
pub fn LayerTable() -> impl IntoView {
    let i18n = use_i18n();
    let context = LensContext::expect();
    let name = Signal::derive(move || t_string!(i18n, lens.table).to_owned());
    let take = lens_taken();
    move || match context.lens.get() {
        None => view! { <p class="hint">{t!(i18n, chapters.waiting)}</p> }.into_any(),
        Some(Err(failure)) => view! {
            <p class="notice problem" role="alert">
                {move || failure_words(i18n, &failure)}
            </p>
        }
        .into_any(),
        Some(Ok(answer)) => {
            let lens = table(&answer).cloned();
            view! {
                <div class="figure-beside">
                    <ScrollRegion class="lesson-table lens-scroll" test_id="lens-table" name>
                        {lens.map(|lens| view! { <Cells lens /> })}
                    </ScrollRegion>
                    <FigureButton name take />
                </div>
                <ShareLegend name=Signal::derive(move || {
                    t_string!(i18n, decoding.probability).to_owned()
                }) />
                <p class="hint">
                    {t!(i18n, lens.table_hint)}
                    <KeyHint>{t!(i18n, lens.table_keys)}</KeyHint>
                </p>
                <Unfolded />
            }
            .into_any()
        }
    }
}

/// Returns a function that describes the table for export.
fn lens_taken() -> impl Fn() -> Option<Taken> + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    let (context, name) = (LensContext::expect(), token_name());
    move || {
        let answer = context.layers()?;
        let lens = table(&answer)?;
        let tokens = context.place.with(|place| {
            let tokens = place.as_ref()?.tokens.iter();
            Some(tokens.map(name).collect())
        })?;
        let names = Names {
            layers: (0..lens.layers.len())
                .map(|it| layer_name(i18n, it))
                .collect(),
            tokens,
            sides: [
                t_string!(i18n, decoding.layer).to_owned(),
                t_string!(i18n, lens.read).to_owned(),
                t_string!(i18n, decoding.probability).to_owned(),
            ],
        };
        let content = Content::Map(table_map(lens, names, name));
        Some(Taken {
            number: Some(Number::Lens),
            ..Taken::new(t_string!(i18n, lens.table), content)
        })
    }
}

#[component]
fn Cells(lens: Lens) -> impl IntoView {
    let i18n = use_i18n();
    let context = LensContext::expect();
    let label = token_label();
    let layers = lens.layers.len();
    let tokens = context
        .place
        .with_untracked(|place| place.as_ref().map_or_else(Vec::new, |p| p.tokens.clone()));
    let heads = move |tokens: &[Token]| {
        let head = |token: &Token| view! { <th scope="col">{label(token)}</th> };
        tokens.iter().map(head).collect_view()
    };
    let room = NodeRef::<html::Table>::new();
    let steps = Steps::expect();
    let size = (layers, lens.answers.len());
    let on_key = move |event: KeyboardEvent| {
        if let Some(to) = moved(context.cell.get_untracked(), &event.key(), size) {
            event.prevent_default();
            event.stop_propagation();
            context.choose_cell(steps, to);
            focus(room);
        }
    };
    let row = {
        let answers = lens.answers.clone();
        let tokens = tokens.clone();
        move |(layer, readings): (usize, Vec<Reading>)| {
            let cell = |(position, reading): (usize, Reading)| {
                let place = LensCell { layer, position };
                let read = tokens.get(position).cloned();
                let answer = answers.get(position).cloned();
                view! { <LayerCell place reading read answer /> }
            };
            view! {
                <tr>
                    <th scope="row"><LayerName layer /></th>
                    {readings.into_iter().enumerate().map(cell).collect_view()}
                </tr>
            }
        }
    };
    view! {
        <table class="lens-cells" node_ref=room on:keydown=on_key>
            <thead>
                <tr>
                    <th scope="row">{t!(i18n, lens.read)}</th>
                    {heads(&tokens)}
                </tr>
                <tr>
                    <th scope="row">{t!(i18n, lens.follows)}</th>
                    {heads(&lens.answers)}
                </tr>
            </thead>
            <tbody>
                // The last layer on top, as on the map.
                {lens.layers.iter().cloned().enumerate().rev().map(row).collect_view()}
            </tbody>
        </table>
    }
}

#[component]
fn LayerName(layer: usize) -> impl IntoView {
    let i18n = use_i18n();
    move || layer_name(i18n, layer)
}

fn layer_name(i18n: I18nContext<Locale>, layer: usize) -> String {
    match layer {
        0 => t_string!(i18n, lens.embedding).to_owned(),
        layer => t_string!(i18n, lens.after_layer, layer = layer),
    }
}

/// Returns the cell that a key leads to, in a table with these numbers of layers and positions. The last layer is on
/// top.
fn moved(from: LensCell, key: &str, (layers, positions): (usize, usize)) -> Option<LensCell> {
    let LensCell { layer, position } = from;
    let last = positions.saturating_sub(1);
    let (layer, position) = match key {
        "ArrowUp" => (layer + 1, position),
        "ArrowDown" => (layer.saturating_sub(1), position),
        "ArrowLeft" => (layer, position.saturating_sub(1)),
        "ArrowRight" => (layer, position + 1),
        "Home" => (layer, 0),
        "End" => (layer, last),
        _ => return None,
    };
    Some(LensCell {
        layer: layer.min(layers.saturating_sub(1)),
        position: position.min(last),
    })
}

/// The keyboard follows the chosen cell.
fn focus(room: NodeRef<html::Table>) {
    request_animation_frame(move || {
        let table = room.get_untracked();
        let chosen = table.and_then(|table| {
            table
                .query_selector("[aria-pressed='true']")
                .or_logged("finding the chosen cell")?
        });
        if let Some(button) = chosen.and_then(|chosen| chosen.dyn_into::<HtmlElement>().ok()) {
            button.focus().or_logged("moving the focus");
        }
    });
}

/// A cell: the most probable word, with its probability as shade. Only the chosen cell is reached by Tab.
#[component]
fn LayerCell(
    place: LensCell,
    reading: Reading,
    read: Option<Token>,
    answer: Option<Token>,
) -> impl IntoView {
    let i18n = use_i18n();
    let context = LensContext::expect();
    let appearance = Appearance::expect();
    let (steps, name) = (Steps::expect(), token_name());
    let word = reading.words.first().cloned();
    let share = word.as_ref().map_or(0.0, |word| word.probability);
    let is_chosen = Memo::new(move |_| context.cell.get() == place);
    let is_answer = reading.rank == 1;
    let style = move || {
        let background = sequential(share, appearance.get());
        format!(
            "background: {}; color: {}",
            css(background),
            css(ink_on(background))
        )
    };
    let text = word.as_ref().map(|word| word.token.clone());
    let shown = {
        let text = text.clone();
        move || text.as_ref().map(name)
    };
    let title = move || {
        let called = |token: &Option<Token>| token.as_ref().map(name).unwrap_or_default();
        t_string!(
            i18n,
            lens.cell,
            layer = place.layer,
            token = called(&read),
            word = called(&text),
            share = percent(share, 0),
            answer = called(&answer),
            rank = grouped(reading.rank as u64)
        )
    };
    view! {
        <td>
            <button
                type="button"
                class="lens-cell"
                class:is-answer=is_answer
                data-testid="lens-cell"
                data-cell=format!("{}-{}", place.layer, place.position)
                style=style
                tabindex=move || if is_chosen.get() { "0" } else { "-1" }
                aria-pressed=move || is_chosen.get().to_string()
                aria-label=title
                on:click=move |_| context.choose_cell(steps, place)
            >
                {shown}
            </button>
        </td>
    }
}

/// The chosen cell's most probable words, and the rank and probability of the word that follows.
#[component]
fn Unfolded() -> impl IntoView {
    let i18n = use_i18n();
    let context = LensContext::expect();
    let name = token_name();
    let reading = Memo::new(move |_| {
        let (answer, LensCell { layer, position }) = (context.layers()?, context.cell.get());
        let lens = table(&answer)?;
        let reading = lens.layers.get(layer)?.get(position)?.clone();
        Some((reading, lens.answers.get(position)?.clone()))
    });
    let words = move || {
        let (reading, answer) = reading.get()?;
        let LensCell { layer, position } = context.cell.get();
        let token = context
            .place
            .with(|place| place.as_ref()?.tokens.get(position).map(name))?;
        let place = match layer {
            0 => t_string!(i18n, lens.at_embedding, token = token),
            layer => t_string!(i18n, lens.at_layer, layer = layer, token = token),
        };
        let follows = t_string!(
            i18n,
            lens.answer,
            answer = name(&answer),
            rank = grouped(reading.rank as u64),
            share = percent(reading.probability, 1)
        );
        Some(format!("{place} {follows}"))
    };
    Finding::tell(words);
    let item = move |word: attention_trace::ReadWord| {
        view! {
            <li>
                <span class="token">{name(&word.token)}</span>
                <span class="bar" style=format!("--share: {:.4}", word.probability)></span>
                <span class="number">{percent(word.probability, 1)}</span>
            </li>
        }
    };
    view! {
        <div class="lens-unfolded" data-testid="lens-unfolded">
            <p class="lesson-reading number" role="status" data-testid="lens-answer">{words}</p>
            <ol class="lens-words" aria-label=move || t_string!(i18n, lens.words)>
                {move || reading.get().map(|(reading, _)| {
                    reading.words.into_iter().map(item).collect_view()
                })}
            </ol>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn up_is_towards_the_last_layer() {
        let from = LensCell {
            layer: 1,
            position: 2,
        };
        let to = |key| moved(from, key, (4, 6)).map(|cell| (cell.layer, cell.position));
        assert_eq!(to("ArrowUp"), Some((2, 2)));
        assert_eq!(to("ArrowDown"), Some((0, 2)));
        assert_eq!(to("ArrowLeft"), Some((1, 1)));
        assert_eq!(to("Home"), Some((1, 0)));
        assert_eq!(to("End"), Some((1, 5)));
        assert_eq!(to("a"), None);
    }

    proptest! {
        #[test]
        fn keys_stay_in_the_table(
            layer in 0usize..9, position in 0usize..9, layers in 1usize..9, positions in 1usize..9,
            key in prop::sample::select(vec!["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "End"]),
        ) {
            let to = moved(LensCell { layer, position }, key, (layers, positions)).unwrap();
            prop_assert!(to.layer < layers && to.position < positions);
        }
    }
}
