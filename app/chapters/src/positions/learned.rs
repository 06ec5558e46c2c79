//! The learned table, and the similarity of its rows.

use std::ops::Range;

use attention_figures::{
    color::categorical,
    plot::{Axis, Curve},
};
use attention_trace::{
    Array, Block, Excerpt, Parameter, Slice, Stack, Weight,
    positions::{PositionalEncoding, table_similarity},
};
use leptos::prelude::*;

use super::{
    needs_model::{NeedsModel, is_on_screen},
    verse::LONGEST_VERSE,
};
use attention_core::{
    appearance::Appearance,
    engine::{Live, Part},
    i18n::{t_string, use_i18n},
    state::{Model, Task},
    widgets::{Plot, PlotFigure, Table, TableMap},
};

const TABLE: Parameter = Parameter {
    block: Block::Stack(Stack::Decoder),
    weight: Weight::PositionTable,
};
/// Characters of a line that is longer than those of training, as the lecture's second poem has them.
const LONGER_VERSE: usize = 7;

/// The figures, shown if a model with such a table is on screen.
#[component]
pub fn LearnedFigures() -> impl IntoView {
    let is_here = is_on_screen(PositionalEncoding::Learned);
    move || {
        match is_here.get() {
        true => view! { <Figures /> }.into_any(),
        false => {
            view! { <NeedsModel model=Model::with_positions(Task::Letters, PositionalEncoding::Learned) /> }.into_any()
        }
    }
    }
}

/// Returns the first rows of the table and its width; `None` if there are none.
fn rows(table: &Array, rows: Range<usize>) -> Option<(&[f32], usize)> {
    let &[_, width] = table.shape.as_slice() else {
        return None;
    };
    Some((table.data.get(rows.start * width..rows.end * width)?, width))
}

#[component]
fn Figures() -> impl IntoView {
    let live = Live::expect();
    let part = live.part(|| Some(Excerpt::new(TABLE, Slice::Whole)));
    // Rows that training reached: the start token's and one for each character.
    let trained = live.select(|engine| {
        let job = engine.shown.as_ref()?.job.as_ref()?;
        Some(1 + job.model.card().longest_trained?)
    });
    let trained = Memo::new(move |_| trained.get().unwrap_or(0));
    view! {
        <div class="position-figures">
            <LearnedMap
                part
                trained
                drawn=Signal::derive(move || 2 * trained.get())
                test_id="learned-table"
            />
            <Similarity part trained />
        </div>
    }
}

/// The rows that a line of seven characters reads, shown if the model on screen learned a table from lines of five.
#[component]
pub fn RowsOfVerse() -> impl IntoView {
    let part = Live::expect().part(|| Some(Excerpt::new(TABLE, Slice::Whole)));
    let (trained, drawn) = (1 + LONGEST_VERSE, 1 + LONGER_VERSE);
    view! { <LearnedMap part trained drawn test_id="verse-rows" /> }
}

/// Rows of the table, the trained ones first.
#[component]
fn LearnedMap(
    part: Memo<Option<Part>>,
    #[prop(into)] trained: Signal<usize>,
    #[prop(into)] drawn: Signal<usize>,
    test_id: &'static str,
) -> impl IntoView {
    let i18n = use_i18n();
    let table = Signal::derive(move || {
        let drawn = drawn.get();
        part.with(|part| {
            let (values, width) = rows(&part.as_ref()?.0, 0..drawn)?;
            let limit = values
                .iter()
                .fold(0.0f32, |limit, value| limit.max(value.abs()));
            Some(Table {
                values: values.into(),
                width,
                limit: limit.max(f32::MIN_POSITIVE),
            })
        })
    });
    view! {
        <TableMap
            title=Signal::derive(move || t_string!(i18n, encodings.table).to_owned())
            text=Signal::derive(move || {
                t_string!(i18n, encodings.table_text, last = trained.get().saturating_sub(1))
            })
            test_id
            table
            name=|dimension: usize| dimension.to_string()
        />
    }
}

#[component]
fn Similarity(part: Memo<Option<Part>>, trained: Memo<usize>) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let curve = move |name: &str, range: Range<usize>, index: usize| {
        part.with(|part| {
            let distances = range.len();
            let (values, width) = rows(&part.as_ref()?.0, range)?;
            let similarity = table_similarity(values, width, distances);
            let color = categorical(index, appearance.get());
            Some(Curve::counted(name, &similarity, color))
        })
    };
    let plot = Signal::derive(move || {
        let rows = trained.get();
        let trained = t_string!(i18n, encodings.trained_rows);
        let untrained = t_string!(i18n, encodings.untrained_rows);
        let curves: Vec<_> = [
            curve(trained, 0..rows, 0),
            curve(untrained, rows..2 * rows, 1),
        ]
        .into_iter()
        .flatten()
        .collect();
        Plot {
            x: Axis::new(
                t_string!(i18n, positions.distance_k),
                0.0,
                rows.saturating_sub(1).max(1) as f64,
            ),
            y: Axis::around_curves("E(p)·E(p+k)", &curves),
            curves,
        }
    });
    view! {
        <PlotFigure
            title=Signal::derive(move || t_string!(i18n, positions.decay).to_owned())
            text=Signal::derive(move || t_string!(i18n, encodings.similarity_text).to_owned())
            test_id="learned-similarity"
            plot
        />
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_cut_out_where_the_table_has_them() {
        let table = Array {
            shape: vec![3, 2],
            data: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        };
        assert_eq!(rows(&table, 1..3), Some((&[3.0, 4.0, 5.0, 6.0][..], 2)));
        assert_eq!(rows(&table, 2..4), None);
    }
}
