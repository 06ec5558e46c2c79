//! A small matrix as a table of cells, with numbers if they fit and colours otherwise, and a window for a large matrix.

use std::ops::Range;

use crate::{
    color::{self, Rgb, Theme},
    number::Digits,
};

/// The largest number of columns whose cells have numbers.
const MOST_NUMBERS: usize = 12;
/// The largest number of columns of a window; a head of the usual width fits.
pub const WINDOW_COLUMNS: usize = 64;
/// The usual limit of a window's rows.
pub const WINDOW_ROWS: usize = 16;
/// The width and the height of a cell with a number, in CSS pixels.
const NUMBER_CELL: (f64, f64) = (48.0, 28.0);
/// The height of a cell without a number.
const COLOR_HEIGHT: f64 = 20.0;
/// The approximate width of a row of cells without numbers.
const COLOR_ROW: f64 = 560.0;
/// The narrowest and the widest cell without a number.
const COLOR_WIDTHS: (f64, f64) = (8.0, 24.0);

/// A choice of the colour scale of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Scale {
    /// Weights from 0 to 1.
    Weights,
    /// Numbers of either sign: blue below zero, orange above, full at the largest magnitude.
    #[default]
    Signed,
    /// Numbers from 0 up in the colours of weights, full at the largest.
    Largest,
}

/// A part of a matrix: the rows and columns that are drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// The range of rows.
    pub rows: Range<usize>,
    /// The range of columns.
    pub columns: Range<usize>,
}

impl Window {
    /// Returns the window of a `rows` × `columns` matrix that begins at `row` and `column` and has at most `most_rows`
    /// rows, moved back inside the matrix if necessary.
    pub fn at(row: usize, column: usize, rows: usize, columns: usize, most_rows: usize) -> Self {
        let range = |start: usize, length: usize, most: usize| {
            let start = start.min(length.saturating_sub(most));
            start..length.min(start + most)
        };
        Window {
            rows: range(row, rows, most_rows),
            columns: range(column, columns, WINDOW_COLUMNS),
        }
    }

    /// Returns true if the window contains a cell of the matrix.
    pub fn contains(&self, row: usize, column: usize) -> bool {
        self.rows.contains(&row) && self.columns.contains(&column)
    }
}

/// A cell of the drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The background colour of the cell.
    pub fill: Rgb,
    /// The colour of its number.
    pub ink: Rgb,
    /// The number of the cell, if numbers fit.
    pub text: Option<String>,
}

/// The drawing of a matrix: its cells row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// The part of the matrix that is drawn.
    pub window: Window,
    /// The width and the height of a cell, in CSS pixels.
    pub cell: (f64, f64),
    /// The cells of the window.
    pub cells: Vec<Cell>,
}

/// Returns the scene of the row-major `values` of a matrix with `columns` columns, seen through `window`. Values
/// outside the matrix are left out; −∞ and NaN are masked.
pub fn scene(values: &[f32], columns: usize, window: Window, scale: Scale, theme: Theme) -> Scene {
    let limit = values
        .iter()
        .filter(|value| value.is_finite())
        .fold(0.0_f32, |limit, value| limit.max(value.abs()));
    // By all of the matrix, so that its windows are written alike.
    let digits = match scale {
        Scale::Weights => Digits::WEIGHTS,
        Scale::Signed | Scale::Largest => Digits::of([limit]),
    };
    let with_numbers = window.columns.len() <= MOST_NUMBERS;
    let rows = window.rows.clone();
    let cells = rows
        .filter_map(|row| values.get(row * columns..(row + 1) * columns))
        .flat_map(|row| row.get(window.columns.clone()).unwrap_or_default())
        .map(|&value| {
            let fill = match scale {
                Scale::Weights => color::sequential(value, theme),
                Scale::Signed if limit > 0.0 => color::diverging(value / limit, theme),
                Scale::Signed => color::diverging(value, theme),
                Scale::Largest if limit > 0.0 => color::sequential(value / limit, theme),
                Scale::Largest => color::sequential(value, theme),
            };
            Cell {
                fill,
                ink: readable_on(fill),
                text: with_numbers.then(|| digits.write(value)),
            }
        })
        .collect();
    let cell = if with_numbers {
        NUMBER_CELL
    } else {
        let (narrowest, widest) = COLOR_WIDTHS;
        let width = COLOR_ROW / window.columns.len() as f64;
        (width.floor().clamp(narrowest, widest), COLOR_HEIGHT)
    };
    Scene {
        window,
        cell,
        cells,
    }
}

impl Scene {
    /// Returns the width and the height in CSS pixels.
    pub fn size(&self) -> (f64, f64) {
        let (width, height) = self.cell;
        (
            width * self.window.columns.len() as f64,
            height * self.window.rows.len() as f64,
        )
    }

    /// Returns the cell of the matrix under a point given as fractions of width and height.
    pub fn cell_at(&self, x: f64, y: f64) -> Option<(usize, usize)> {
        let inside = (0.0..1.0).contains(&x) && (0.0..1.0).contains(&y);
        inside.then(|| {
            let Window { rows, columns } = &self.window;
            (
                rows.start + (y * rows.len() as f64) as usize,
                columns.start + (x * columns.len() as f64) as usize,
            )
        })
    }

    /// Returns the cells as an SVG document; numbers are in the page's font.
    pub fn svg(&self) -> String {
        let (width, height) = self.size();
        let (cell_width, cell_height) = self.cell;
        let columns = self.window.columns.len().max(1);
        let mut svg = format!(
            r#"<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" aria-hidden="true">"#
        );
        for (index, cell) in self.cells.iter().enumerate() {
            let x = (index % columns) as f64 * cell_width;
            let y = (index / columns) as f64 * cell_height;
            svg.push_str(&format!(
                r#"<rect x="{x}" y="{y}" width="{cell_width}" height="{cell_height}" fill="{}"/>"#,
                hexadecimal(cell.fill)
            ));
            if let Some(text) = &cell.text {
                svg.push_str(&format!(
                    r#"<text x="{}" y="{}" fill="{}">{text}</text>"#,
                    x + cell_width / 2.0,
                    y + cell_height / 2.0,
                    hexadecimal(cell.ink)
                ));
            }
        }
        svg.push_str("</svg>");
        svg
    }
}

/// Returns black or white, whichever has more contrast with `fill` (WCAG 2, relative luminance).
fn readable_on(fill: Rgb) -> Rgb {
    let linear = |channel: u8| {
        let channel = f64::from(channel) / 255.0;
        if channel <= 0.040_45 {
            channel / 12.92
        } else {
            ((channel + 0.055) / 1.055).powf(2.4)
        }
    };
    let [red, green, blue] = fill.map(linear);
    let luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    // Equal contrast: (1.05)/(L + 0.05) = (L + 0.05)/0.05.
    if luminance > 0.179 {
        [0x10, 0x14, 0x1c]
    } else {
        [0xff; 3]
    }
}

fn hexadecimal([red, green, blue]: Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_wide_matrix_has_colours_alone() {
        let values = vec![0.5; 2 * 64];
        let wide = scene(
            &values,
            64,
            Window::at(0, 0, 2, 64, 16),
            Scale::Signed,
            Theme::Light,
        );
        assert!(wide.cells.iter().all(|cell| cell.text.is_none()));
        let narrow = scene(
            &values,
            8,
            Window::at(0, 0, 16, 8, 16),
            Scale::Signed,
            Theme::Light,
        );
        assert!(
            narrow
                .cells
                .iter()
                .all(|cell| cell.text.as_deref() == Some("0.500"))
        );
    }

    proptest! {
        #[test]
        fn a_window_is_inside_and_as_large_as_it_may_be(
            row in 0usize..400, column in 0usize..400, rows in 0usize..300, columns in 0usize..300
        ) {
            let window = Window::at(row, column, rows, columns, WINDOW_ROWS);
            prop_assert_eq!(window.rows.len(), rows.min(WINDOW_ROWS));
            prop_assert_eq!(window.columns.len(), columns.min(WINDOW_COLUMNS));
            prop_assert!(window.rows.end <= rows && window.columns.end <= columns);
        }

        #[test]
        fn every_point_inside_is_in_the_window(
            x in 0.0f64..1.0, y in 0.0f64..1.0, row in 0usize..50, column in 0usize..100
        ) {
            let window = Window::at(row, column, 40, 90, WINDOW_ROWS);
            let scene = scene(&vec![0.0; 40 * 90], 90, window, Scale::Signed, Theme::Dark);
            let (row, column) = scene.cell_at(x, y).unwrap();
            prop_assert!(scene.window.contains(row, column));
            prop_assert_eq!(scene.cells.len(), 16 * 64);
        }
    }
}
