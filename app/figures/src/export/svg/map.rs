//! A matrix as cells with labels on both sides.

use super::{
    MARGIN_MM, TYPE_MM, has_labels, labelled,
    legend::{self, color_of},
    legend_words, widest_mm,
    writer::{Anchor, Drawing, Label, Writer, below_middle, text_width_mm},
};
use crate::{
    color::{self, Theme},
    export::map::{Cells, Map, Scale, Side},
    number::Digits,
};

/// The largest side of a cell, and the least width of one with a number.
const LARGEST_CELL_MM: f64 = 7.0;
const NUMBER_CELL_MM: f64 = 6.0;
/// The height of a drawing from which cells become flatter: a page of a journal is not higher.
const HIGHEST_MM: f64 = 200.0;
/// The largest share of the width, or of the highest drawing, for labels.
const LABELS: f64 = 0.3;
const GAP_MM: f64 = 0.8;
/// The gap between a word and the edge of its cell.
const WORD_GAP_MM: f64 = 0.3;

/// The places of a map, in millimetres.
pub(super) struct Layout {
    pub(super) left: f64,
    pub(super) top: f64,
    /// The width and the height of a cell.
    pub(super) cell: [f64; 2],
    /// The widths of the rows' labels, and the height of the columns'.
    row_labels: f64,
    column_labels: f64,
    /// True if the columns' labels are turned.
    is_turned: bool,
}

impl Layout {
    fn of(map: &Map, width_mm: f64) -> Self {
        let (rows, columns) = (map.rows.labels.len(), map.columns.labels.len());
        let name = |side: &Side| match side.name.is_empty() {
            true => 0.0,
            false => TYPE_MM + GAP_MM,
        };
        let beside = |mm: f64| if mm > 0.0 { mm + GAP_MM } else { 0.0 };
        let row_labels = widest_mm(&map.rows.labels, TYPE_MM, LABELS * width_mm);
        let left = MARGIN_MM + name(&map.rows) + beside(row_labels);
        let across = (width_mm - left - MARGIN_MM) / columns.max(1) as f64;
        let widest_cell = match map.cells {
            Cells::Numbers => 2.0 * LARGEST_CELL_MM,
            Cells::Colors | Cells::Lines => LARGEST_CELL_MM,
        };
        let wide = across.min(widest_cell);
        let flat = match map.cells {
            Cells::Numbers => wide.min(0.65 * LARGEST_CELL_MM),
            Cells::Colors | Cells::Lines => wide,
        };
        let high = flat.min(HIGHEST_MM / rows.max(1) as f64);
        let widest = widest_mm(&map.columns.labels, TYPE_MM, LABELS * HIGHEST_MM);
        let is_turned = widest > wide - 0.4;
        let column_labels = match is_turned {
            true => widest.min(LABELS * width_mm),
            false if widest > 0.0 => TYPE_MM,
            false => 0.0,
        };
        Layout {
            left,
            top: MARGIN_MM + name(&map.columns) + beside(column_labels),
            cell: [wide, high],
            row_labels,
            column_labels,
            is_turned,
        }
    }
}

/// Draws the map with its labels and its legend.
pub(super) fn draw(map: &Map, width_mm: f64) -> Drawing {
    let layout = Layout::of(map, width_mm);
    let (rows, columns) = (map.rows.labels.len(), map.columns.labels.len());
    let [wide, high] = layout.cell;
    let size = [wide * columns as f64, high * rows as f64];
    let mut writer = Writer::default();
    draw_names(&mut writer, map, &layout, size);
    draw_row_labels(&mut writer, &map.rows, &layout);
    draw_column_labels(&mut writer, &map.columns, &layout);
    let at = [layout.left, layout.top];
    cells(
        &mut writer,
        &map.values,
        columns,
        map.scale,
        at,
        layout.cell,
    );
    writer.frame(at, size, color::furniture(Theme::Light).axis);
    if map.cells == Cells::Numbers && wide >= NUMBER_CELL_MM {
        match map.words.is_empty() {
            true => draw_numbers(&mut writer, map, &layout),
            false => draw_words(&mut writer, map, &layout),
        }
    }
    let bottom = layout.top + size[1];
    legend::draw(
        &mut writer,
        map.scale,
        &legend_words(map),
        [MARGIN_MM, bottom],
    );
    Drawing {
        body: writer.finish(),
        height_mm: bottom + legend::HEIGHT_MM + MARGIN_MM / 2.0,
    }
}

/// Draws cells row by row; neighbours of one colour are one rectangle.
pub(super) fn cells(
    writer: &mut Writer,
    values: &[f32],
    columns: usize,
    scale: Scale,
    [left, top]: [f64; 2],
    [wide, high]: [f64; 2],
) {
    writer.raw("<g shape-rendering=\"crispEdges\">\n");
    for (row, line) in values.chunks(columns.max(1)).enumerate() {
        let colors: Vec<_> = line.iter().map(|&value| color_of(scale, value)).collect();
        let mut column = 0;
        for run in colors.chunk_by(|one, other| one == other) {
            let at = [left + wide * column as f64, top + high * row as f64];
            writer.rect(at, [wide * run.len() as f64, high], run[0]);
            column += run.len();
        }
    }
    writer.raw("</g>\n");
}

fn draw_names(writer: &mut Writer, map: &Map, layout: &Layout, [width, height]: [f64; 2]) {
    let ink = color::furniture(Theme::Light).ink;
    let mut put = |text: &str, at: [f64; 2], degrees: f64, most_mm: f64| {
        if !text.is_empty() {
            writer.text(Label {
                text,
                at,
                anchor: Anchor::Middle,
                size_mm: TYPE_MM,
                ink,
                degrees,
                most_mm,
            });
        }
    };
    let base = MARGIN_MM + 0.8 * TYPE_MM;
    let whole = |text: &str, extent: f64| text_width_mm(text, TYPE_MM).max(extent);
    let (rows, columns) = (map.rows.name.as_str(), map.columns.name.as_str());
    let middle = layout.left + width / 2.0;
    // A name that is longer than a narrow map begins at the edge.
    let middle = middle.max(MARGIN_MM + text_width_mm(columns, TYPE_MM) / 2.0);
    put(columns, [middle, base], 0.0, whole(columns, width));
    let middle = layout.top + height / 2.0;
    put(rows, [base, middle], -90.0, whole(rows, height));
}

fn draw_row_labels(writer: &mut Writer, side: &Side, layout: &Layout) {
    if !has_labels(&side.labels) {
        return;
    }
    let [_, high] = layout.cell;
    let (step, size_mm) = labelled(side.labels.len(), high);
    for (row, text) in side.labels.iter().enumerate().step_by(step) {
        let middle = layout.top + high * (row as f64 + 0.5);
        writer.text(Label {
            text,
            at: [layout.left - GAP_MM, middle + below_middle(size_mm)],
            anchor: Anchor::End,
            size_mm,
            ink: color::furniture(Theme::Light).ink,
            degrees: 0.0,
            most_mm: layout.row_labels,
        });
    }
}

fn draw_column_labels(writer: &mut Writer, side: &Side, layout: &Layout) {
    if !has_labels(&side.labels) {
        return;
    }
    let [wide, _] = layout.cell;
    let (step, size_mm) = match layout.is_turned {
        true => labelled(side.labels.len(), wide),
        false => (1, TYPE_MM),
    };
    for (column, text) in side.labels.iter().enumerate().step_by(step) {
        let middle = layout.left + wide * (column as f64 + 0.5);
        let base = layout.top - GAP_MM;
        let (x, anchor, degrees, most_mm) = match layout.is_turned {
            true => {
                let x = middle + below_middle(size_mm);
                (x, Anchor::Start, -90.0, layout.column_labels)
            }
            false => (middle, Anchor::Middle, 0.0, wide),
        };
        writer.text(Label {
            text,
            at: [x, base],
            anchor,
            size_mm,
            ink: color::furniture(Theme::Light).ink,
            degrees,
            most_mm,
        });
    }
}

fn draw_numbers(writer: &mut Writer, map: &Map, layout: &Layout) {
    let columns = map.columns.labels.len().max(1);
    let [wide, high] = layout.cell;
    let size_mm = (wide / 3.2).min(high * 0.7).min(0.9 * TYPE_MM);
    let finite = map.values.iter().filter(|value| value.is_finite());
    let limit = finite.fold(0.0_f32, |limit, value| limit.max(value.abs()));
    let digits = match map.scale {
        Scale::Sequential {
            low: 0.0,
            high: 1.0,
        } => Digits::WEIGHTS,
        Scale::Sequential { .. } | Scale::Diverging { .. } => Digits::of([limit]),
    };
    for (cell, &value) in map.values.iter().enumerate() {
        let x = layout.left + wide * ((cell % columns) as f64 + 0.5);
        let y = layout.top + high * ((cell / columns) as f64 + 0.5);
        writer.text(Label {
            text: &digits.write(value),
            at: [x, y + below_middle(size_mm)],
            anchor: Anchor::Middle,
            size_mm,
            ink: color::ink_on(color_of(map.scale, value)),
            degrees: 0.0,
            most_mm: f64::INFINITY,
        });
    }
}

fn draw_words(writer: &mut Writer, map: &Map, layout: &Layout) {
    let columns = map.columns.labels.len().max(1);
    let [wide, high] = layout.cell;
    let size_mm = (high * 0.6).min(0.9 * TYPE_MM);
    for (cell, (word, &value)) in map.words.iter().zip(&map.values).enumerate() {
        let x = layout.left + wide * ((cell % columns) as f64 + 0.5);
        let y = layout.top + high * ((cell / columns) as f64 + 0.5);
        writer.text(Label {
            text: word,
            at: [x, y + below_middle(size_mm)],
            anchor: Anchor::Middle,
            size_mm,
            ink: color::ink_on(color_of(map.scale, value)),
            degrees: 0.0,
            most_mm: wide - 2.0 * WORD_GAP_MM,
        });
    }
}
