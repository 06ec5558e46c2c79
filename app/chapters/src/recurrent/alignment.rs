//! The alignment in levels of grey, as in the paper that introduced it, row by row as the target is written.

use attention_trace::Quantity;
use leptos::prelude::*;

use super::context::RecurrentContext;
use attention_core::{
    i18n::{t, t_string, use_i18n},
    selection::HeadSelects,
    widgets::{ScrollRegion, numbers::share_of_one, player::Transport},
};

/// A row of the picture: the written token, and the weight of each token of the source.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    token: String,
    weights: Vec<f32>,
}

/// The level of grey of a weight: 0 is black, 1 is white.
fn grey(weight: f32) -> u8 {
    (weight.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// The picture, the player over its rows.
#[component]
pub fn AlignmentFigure() -> impl IntoView {
    let i18n = use_i18n();
    let context = RecurrentContext::expect();
    let matrix = context.matrix(Quantity::Pattern);
    let rows = Memo::new(move |_| {
        let matrix = matrix.get()?.0;
        context.place.with(|place| {
            let written = place.as_ref()?.written.iter();
            let row = |(row, token): &(usize, String)| {
                Some(Row {
                    token: token.clone(),
                    weights: matrix.row(&[*row])?.to_vec(),
                })
            };
            written.map(row).collect::<Option<Vec<_>>>()
        })
    });
    let numbers = Memo::new(move |_| context.place.with(|place| Some(place.as_ref()?.numbers)));
    // A recurrent model has one head alone.
    let has_choice = Memo::new(move |_| {
        context
            .place
            .with(|place| place.as_ref().is_some_and(|place| !place.is_recurrent()))
    });
    let given = move || {
        let given = context
            .place
            .with(|place| Some(place.as_ref()?.given.join(" ")));
        let given = given.filter(|given| !given.is_empty())?;
        Some(t_string!(i18n, recurrent.given, tokens = given))
    };
    let steps = context.steps();
    let words = Signal::derive(move || {
        let timeline = steps.timeline();
        t_string!(
            i18n,
            decoding.step_of,
            step = timeline.step + 1,
            count = timeline.count
        )
    });
    let name = Signal::derive(move || t_string!(i18n, recurrent.alignment).to_owned());
    view! {
        <section class="lesson-figure" data-testid="alignment">
            <Show when=move || has_choice.get()>
                <div class="position-controls">
                    <HeadSelects numbers test_ids=["recurrent-layer", "recurrent-head"] />
                </div>
            </Show>
            <Transport
                player=steps.player()
                label=Signal::derive(move || t_string!(i18n, decoding.scrub).to_owned())
                words
                has_keys=false
            />
            <p class="hint">{t!(i18n, recurrent.grey)}</p>
            <p class="hint" role="status" data-testid="alignment-given">{given}</p>
            {move || match rows.get() {
                Some(rows) => view! { <Picture context name rows /> }.into_any(),
                None => view! { <p class="hint">{t!(i18n, chapters.waiting)}</p> }.into_any(),
            }}
        </section>
    }
}

#[component]
fn Picture(context: RecurrentContext, name: Signal<String>, rows: Vec<Row>) -> impl IntoView {
    let source = context
        .place
        .with_untracked(|place| place.as_ref().map_or_else(Vec::new, |it| it.source.clone()));
    let heads: Vec<_> = source
        .into_iter()
        .map(|token| view! { <th scope="col"><span class="token">{token}</span></th> })
        .collect();
    let rows: Vec<_> = rows
        .into_iter()
        .enumerate()
        .map(|(index, row)| view! { <PictureRow context index row /> })
        .collect();
    view! {
        <ScrollRegion class="lesson-table" name>
            <table class="alignment" aria-label=name>
                <thead><tr><td></td>{heads}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </ScrollRegion>
    }
}

/// A row, visible once its token is written; a click on its name moves to its step.
#[component]
fn PictureRow(context: RecurrentContext, index: usize, row: Row) -> impl IntoView {
    let step = context.step;
    let cells: Vec<_> = row
        .weights
        .into_iter()
        .map(|weight| {
            let level = grey(weight);
            let words = share_of_one(weight, 3);
            let spoken = words.clone();
            view! {
                <td
                    class="alignment-cell"
                    data-testid="alignment-cell"
                    style=format!("--grey: rgb({level} {level} {level})")
                    title=words
                >
                    <span class="visually-hidden">{spoken}</span>
                </td>
            }
        })
        .collect();
    view! {
        <tr
            data-testid="alignment-row"
            class:is-to-come=move || step.get() < index
            class:is-current=move || step.get() == index
        >
            <th scope="row">
                <button
                    type="button"
                    class="alignment-step"
                    aria-current=move || (step.get() == index).then_some("step")
                    on:click=move |_| context.steps().player().go_to(index)
                >
                    <span class="token">{row.token}</span>
                </button>
            </th>
            {cells}
        </tr>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grey_goes_from_black_at_zero_to_white_at_one() {
        assert_eq!([0.0, 0.5, 1.0].map(grey), [0, 128, 255]);
        assert_eq!([-0.1, 1.1].map(grey), [0, 255]);
    }
}
