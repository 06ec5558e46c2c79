//! Cells in rows and columns with the connections between them.

use super::{
    MARGIN_MM, MM_PER_PIXEL,
    writer::{Anchor, Drawing, Label, Writer, below_middle},
};
use crate::{
    color::{self, Theme, css},
    export::{
        diagram::{Grid, GridCell},
        number::place,
    },
    lattice::{Lattice, LatticeSizes},
    model_map::Rect,
    sentence::current_color,
};

/// The size of type in a cell, in CSS pixels.
const CELL_TYPE: f64 = 12.0;

/// Draws the grid, as wide as its type asks for, or scaled to the width.
pub(super) fn draw(grid: &Grid, width_mm: f64) -> Drawing {
    let ends: Vec<_> = grid.connections.iter().map(|it| (it.from, it.to)).collect();
    let lattice = Lattice::of([grid.rows, grid.columns], &ends, LatticeSizes::default());
    let scale = MM_PER_PIXEL.min((width_mm - 2.0 * MARGIN_MM) / lattice.width.max(1.0));
    let mut writer = Writer::default();
    writer.raw(&format!(
        "<g transform=\"translate({MARGIN_MM} {MARGIN_MM}) scale({scale:.5})\">\n"
    ));
    let paths = grid.connections.iter().zip(&lattice.connections);
    for (connection, path) in paths.filter(|(_, path)| !path.is_empty()) {
        let (stroke, width) = match connection.is_on_path {
            true => (current_color(Theme::Light), 3),
            false => (color::furniture(Theme::Light).axis, 1),
        };
        writer.raw(&format!(
            "<path d=\"{path}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\"/>\n",
            css(stroke)
        ));
    }
    for (cell, rect) in grid.cells.iter().zip(&lattice.cells) {
        draw_cell(&mut writer, cell, rect);
    }
    writer.raw("</g>\n");
    Drawing {
        body: writer.finish(),
        height_mm: lattice.height * scale + 2.0 * MARGIN_MM,
    }
}

fn draw_cell(writer: &mut Writer, cell: &GridCell, rect: &Rect) {
    let color::Furniture {
        ink, axis, grid, ..
    } = color::furniture(Theme::Light);
    let blue = color::categorical(0, Theme::Light);
    let fill = match (cell.is_done, cell.is_input) {
        (true, true) => color::blend(blue, [255; 3], 0.15),
        (true, false) => color::blend(grid, [255; 3], 0.6),
        (false, _) => [255; 3],
    };
    let (stroke, width) = match (cell.is_on_path, cell.is_done && cell.is_input) {
        (true, _) => (current_color(Theme::Light), 2),
        (false, true) => (blue, 1),
        (false, false) => (axis, 1),
    };
    let dashes = if cell.is_done {
        ""
    } else {
        " stroke-dasharray=\"3 3\""
    };
    writer.raw(&format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\" fill=\"{}\" stroke=\"{}\" \
         stroke-width=\"{width}\"{dashes}/>\n",
        place(rect.x),
        place(rect.y),
        place(rect.width),
        place(rect.height),
        css(fill),
        css(stroke)
    ));
    if !cell.label.is_empty() {
        writer.text(Label {
            text: &cell.label,
            at: [
                rect.x + rect.width / 2.0,
                rect.y + rect.height / 2.0 + below_middle(CELL_TYPE),
            ],
            anchor: Anchor::Middle,
            size_mm: CELL_TYPE,
            ink,
            degrees: 0.0,
            most_mm: rect.width,
        });
    }
}
