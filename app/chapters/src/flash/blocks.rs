//! One row of scores, read block by block: maximum, sum and output after each block, and the row's softmax at once.

use attention_trace::{
    Quantity,
    flash::{BlockStep, plain, steps},
};
use leptos::prelude::*;

use super::parameters::Flash;
use attention_core::{
    engine::Part,
    i18n::{t, t_string, use_i18n},
    selection::{SelfAttention, SelfPlace},
    state::ViewState,
    widgets::{
        ScrollRegion, Slider,
        inspector::Inspected,
        matrix::{Matrix, MatrixFigure, numbers_described},
        numbers::{decimal, largest_difference},
        player::{Player, Transport},
    },
};

/// The number of the output's features on screen.
const FEATURES: usize = 6;

/// A row of scores with the keys that it sees.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    names: Vec<String>,
    scores: Vec<f32>,
    /// The first features of each key's value, row-major.
    values: Vec<f32>,
}

/// Reads the chosen query's row once the trace has it.
fn row() -> Memo<Option<Row>> {
    let context = SelfAttention::expect();
    let scores = context.part(|place: &SelfPlace| place.head.excerpt(Quantity::MaskedScores));
    let values = context.part(|place: &SelfPlace| place.head.excerpt(Quantity::Value));
    Memo::new(move |_| {
        let (Part(scores), Part(values)) = (scores.get()?, values.get()?);
        let names = context.names();
        let row = scores.row(&[context.query()])?;
        let mut read = Row {
            names: vec![],
            scores: vec![],
            values: vec![],
        };
        for (place, (name, &score)) in names.iter().zip(row).enumerate() {
            // A masked key weighs nothing.
            if score.is_finite() {
                read.names.push(name.clone());
                read.scores.push(score);
                let value = values.row(&[place])?;
                read.values.extend(value.iter().take(FEATURES));
            }
        }
        Some(read)
    })
}

#[component]
pub fn Blocks() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let flash = state.select(|view| *view.chapters.of::<Flash>());
    let row = row();
    let all = Memo::new(move |_| {
        let block = flash.get().block;
        row.with(|row| {
            row.as_ref()
                .map(|row| steps(&row.scores, &row.values, block))
        })
    });
    let count = move || all.with(|all| all.as_ref().map_or(1, Vec::len));
    let player = Player::new(
        move || flash.get().step,
        count,
        move |step| state.update_chapters(|all| all.of_mut::<Flash>().step = step),
    );
    let presents = state.select(|view| view.class.present);
    player.listen_while(move || !presents.get_untracked());
    let step = Memo::new(move |_| player.timeline().step);
    let whole =
        Memo::new(move |_| row.with(|row| row.as_ref().map(|row| plain(&row.scores, &row.values))));
    let now = Memo::new(move |_| all.with(|all| all.as_ref()?.get(step.get()).cloned()));
    let words = Signal::derive(move || {
        let (at, count) = (step.get() + 1, count());
        let keys = now.with(|now| now.as_ref().map_or(0, |now| now.keys));
        t_string!(i18n, flash.step, step = at, count = count, keys = keys)
    });
    let outputs = Memo::new(move |_| {
        let (now, whole) = (now.get()?, whole.get()?);
        let columns = whole.len();
        let names = [
            t_string!(i18n, flash.so_far).to_owned(),
            t_string!(i18n, flash.at_once).to_owned(),
        ];
        Some(Matrix::new([now.output(), whole].concat(), columns).with_rows(names.to_vec()))
    });
    let difference = move || {
        let (now, whole) = (now.get(), whole.get());
        let (Some(now), Some(whole)) = (now, whole) else {
            return String::new();
        };
        let apart = largest_difference(&now.output(), &whole);
        match step.get() + 1 == count() {
            true => t_string!(i18n, flash.equal, apart = apart),
            false => t_string!(i18n, flash.not_yet, apart = apart),
        }
    };
    view! {
        <section class="lesson-figure" data-testid="flash-blocks" data-step=move || step.get() + 1>
            <div class="position-controls">
                <Slider
                    name=Signal::derive(move || t_string!(i18n, flash.block).to_owned())
                    test_id="flash-block"
                    range=Flash::BLOCKS
                    value=Signal::derive(move || flash.get().block)
                    words=Signal::derive(move || flash.get().block.to_string())
                    set=move |block| state.update_chapters(|chapters| chapters.of_mut::<Flash>().block = block)
                />
            </div>
            <Transport
                player
                label=Signal::derive(move || t_string!(i18n, flash.blocks).to_owned())
                words
            />
            <StepsTable row all step />
            <Inspected>
                <MatrixFigure
                    id="flash-output"
                    symbol="<math><mi>o</mi><mo>/</mo><mi>l</mi></math>"
                    name=Signal::derive(move || t_string!(i18n, flash.output).to_owned())
                    matrix=outputs
                    describe=numbers_described(outputs)
                />
            </Inspected>
            <p class="lesson-reading number" role="status" data-testid="flash-difference">{difference}</p>
        </section>
    }
}

/// A row for each block that was read: its keys with their scores, and the state after it.
#[component]
fn StepsTable(
    row: Memo<Option<Row>>,
    all: Memo<Option<Vec<BlockStep>>>,
    step: Memo<usize>,
) -> impl IntoView {
    let i18n = use_i18n();
    let name = Signal::derive(move || t_string!(i18n, flash.blocks).to_owned());
    let rows = move || {
        let (row, all) = (row.get()?, all.get()?);
        let shown = all.iter().take(step.get() + 1).enumerate();
        let mut first = 0;
        let rows = shown.map(|(number, state)| {
            let keys = first..state.keys;
            first = state.keys;
            let read =
                keys.map(|key| format!("{}: {}", row.names[key], decimal(row.scores[key], 2)));
            let read = read.collect::<Vec<_>>().join(" · ");
            let cells = [
                state.maximum,
                state.rescaled,
                state.sum,
                state.unnormalised[0],
            ];
            view! {
                <tr>
                    <th scope="row" class="number">{number + 1}</th>
                    <td>{read}</td>
                    {cells.map(|cell| view! { <td class="number">{decimal(cell, 4)}</td> })}
                </tr>
            }
        });
        Some(rows.collect_view())
    };
    view! {
        <ScrollRegion class="lesson-table" test_id="flash-steps" name>
            <table aria-label=name>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, flash.number)}</th>
                        <th scope="col">{t!(i18n, flash.read)}</th>
                        <th scope="col">"m"</th>
                        <th scope="col">{t!(i18n, flash.factor)}</th>
                        <th scope="col">"l"</th>
                        <th scope="col">"o₁"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </ScrollRegion>
    }
}
