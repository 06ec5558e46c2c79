//! The maps of many heads, group by group.

use super::{
    MARGIN_MM, TYPE_MM, legend,
    map::cells,
    writer::{Anchor, Drawing, Label, Writer},
};
use crate::{
    color::{self, Theme},
    export::map::{Head, HeadGroup, Scale, Sheet},
    heatmap::{self, Picture},
};

/// The sides of a map, in millimetres: the largest, and the least from which heads go to another row.
const LARGEST_MM: f64 = 22.0;
const LEAST_MM: f64 = 8.0;
/// The gap between maps.
const GAP_MM: f64 = 1.0;
/// The height of a head's name, and of a group's.
const NAME_MM: f64 = 2.6;
const GROUP_MM: f64 = 4.0;
/// The largest number of cells of a sheet: a document with more is slow to open. Maps are reduced to it.
const MOST_CELLS: usize = 60_000;

/// Draws the maps, the names of groups and heads, and the legend if the maps share a scale.
pub(super) fn draw(sheet: &Sheet, width_mm: f64) -> Drawing {
    let mut writer = Writer::default();
    let most = sheet.groups.iter().map(|group| group.heads.len()).max();
    let side = side(most.unwrap_or(1).max(1), width_mm);
    let most_side = most_side(sheet);
    let mut top = MARGIN_MM;
    for group in &sheet.groups {
        top = draw_group(
            &mut writer,
            sheet,
            group,
            (side, most_side),
            [top, width_mm],
        );
    }
    let all = sheet.groups.iter().flat_map(|group| &group.heads);
    let has_masked = all
        .flat_map(|head| &head.values)
        .any(|&value| color::is_masked(value));
    if let Some(scale) = sheet.scale {
        let words = legend::Words {
            value: &sheet.value,
            masked: has_masked.then_some(sheet.masked.as_str()),
        };
        legend::draw(&mut writer, scale, &words, [MARGIN_MM, top]);
        top += legend::HEIGHT_MM;
    }
    Drawing {
        body: writer.finish(),
        height_mm: top + MARGIN_MM / 2.0,
    }
}

/// Returns the side of a map: all heads of a group in a row, unless they would be too small.
fn side(heads: usize, width_mm: f64) -> f64 {
    let room = width_mm - 2.0 * MARGIN_MM + GAP_MM;
    (1..=heads)
        .map(|rows| room / heads.div_ceil(rows) as f64 - GAP_MM)
        .find(|side| *side >= LEAST_MM)
        .unwrap_or(LEAST_MM)
        .min(LARGEST_MM)
}

/// Returns the largest number of cells of a map's side with which the sheet has at most [`MOST_CELLS`].
fn most_side(sheet: &Sheet) -> usize {
    let heads: usize = sheet.groups.iter().map(|group| group.heads.len()).sum();
    ((MOST_CELLS / heads.max(1)) as f64).sqrt().max(4.0) as usize
}

/// Draws a group below a height; returns the height below which the next one begins.
fn draw_group(
    writer: &mut Writer,
    sheet: &Sheet,
    group: &HeadGroup,
    (side, most_side): (f64, usize),
    [top, width_mm]: [f64; 2],
) -> f64 {
    let ink = color::furniture(Theme::Light).ink;
    writer.text(Label {
        text: &group.name,
        at: [MARGIN_MM, top + 0.8 * GROUP_MM],
        anchor: Anchor::Start,
        size_mm: TYPE_MM,
        ink,
        degrees: 0.0,
        most_mm: width_mm - 2.0 * MARGIN_MM,
    });
    let room = width_mm - 2.0 * MARGIN_MM + GAP_MM;
    let across = ((room + 1e-6) / (side + GAP_MM)).floor().max(1.0) as usize;
    let down = NAME_MM + side + GAP_MM;
    for (place, head) in group.heads.iter().enumerate() {
        let left = MARGIN_MM + (side + GAP_MM) * (place % across) as f64;
        let top = top + GROUP_MM + down * (place / across) as f64;
        writer.text(Label {
            text: &head.name,
            at: [left + side / 2.0, top + 0.75 * NAME_MM],
            anchor: Anchor::Middle,
            size_mm: 0.8 * TYPE_MM,
            ink,
            degrees: 0.0,
            most_mm: side,
        });
        draw_head(
            writer,
            sheet,
            group,
            head,
            [left, top + NAME_MM, side],
            most_side,
        );
    }
    top + GROUP_MM + down * group.heads.len().div_ceil(across) as f64
}

fn draw_head(
    writer: &mut Writer,
    sheet: &Sheet,
    group: &HeadGroup,
    head: &Head,
    [left, top, side]: [f64; 3],
    most_side: usize,
) {
    let (rows, columns) = (group.rows.labels.len(), group.columns.labels.len());
    if rows == 0 || columns == 0 || head.values.len() != rows * columns {
        return;
    }
    let picture = Picture {
        values: &head.values,
        rows,
        columns,
    };
    let (rows, columns, values) = picture.reduced(most_side, most_side);
    let own = || {
        let (low, high) = heatmap::range(&head.values, heatmap::Scale::PerMap);
        Scale::Sequential { low, high }
    };
    let scale = sheet.scale.unwrap_or_else(own);
    let cell = [side / columns as f64, side / rows as f64];
    cells(writer, &values, columns, scale, [left, top], cell);
    let axis = color::furniture(Theme::Light).axis;
    writer.frame([left, top], [side, side], axis);
}
