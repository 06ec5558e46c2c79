//! Many maps of one size as one picture: rows of tiles, each a map with a margin around it.
//!
//! A browser displays one large picture faster than a hundred small ones.

use crate::{
    color::Theme,
    heatmap::{Scale, rgba},
};

/// The number of margins that equal the side of a map, whatever its number of cells, so that a page can overlay the
/// maps. A tile has 34 parts: the map 32, the margins 1 each.
const PARTS: usize = 32;
/// The margin around a map, as a share of the side of its tile.
pub const MARGIN: f64 = 1.0 / (PARTS as f64 + 2.0);
/// The fewest pixels of a map's side; fewer could not be divided into so many parts.
const LEAST: usize = 48;

/// A picture of many maps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sheet {
    /// The pixels as RGBA, row-major, `4·rows·columns` bytes; margins are transparent.
    pub rgba: Vec<u8>,
    /// The height in pixels.
    pub rows: usize,
    /// The width in pixels.
    pub columns: usize,
}

/// One side of a tile.
#[derive(Clone, Copy)]
struct Side {
    /// The number of pixels of a cell.
    zoom: usize,
    /// The number of pixels before the map, and after it.
    margin: usize,
    /// The number of pixels of the whole tile.
    tile: usize,
}

impl Side {
    fn of(cells: usize) -> Self {
        let zoom = LEAST.div_ceil(cells);
        let margin = (cells * zoom + PARTS / 2) / PARTS;
        Side {
            zoom,
            margin,
            tile: cells * zoom + 2 * margin,
        }
    }
}

/// Draws the `maps`, each of `rows` × `columns` cells, `across` of them in a row. A tile without a map is transparent;
/// without maps the picture is empty.
///
/// # Panics
/// If a map does not have `rows · columns` values.
pub fn sheet(
    maps: &[Option<&[f32]>],
    rows: usize,
    columns: usize,
    across: usize,
    scale: Scale,
    theme: Theme,
) -> Sheet {
    if rows == 0 || columns == 0 || across == 0 {
        return Sheet::default();
    }
    let (down, right) = (Side::of(rows), Side::of(columns));
    let mut sheet = Sheet {
        rgba: Vec::new(),
        rows: maps.len().div_ceil(across) * down.tile,
        columns: across * right.tile,
    };
    sheet.rgba = vec![0; 4 * sheet.rows * sheet.columns];
    for (index, map) in maps.iter().enumerate() {
        let Some(map) = map else { continue };
        let cells = rgba(map, rows, columns, scale, theme);
        let top = index / across * down.tile + down.margin;
        let left = index % across * right.tile + right.margin;
        for row in 0..rows * down.zoom {
            let start = 4 * ((top + row) * sheet.columns + left);
            let line = &mut sheet.rgba[start..][..4 * columns * right.zoom];
            let cells = &cells[row / down.zoom * 4 * columns..][..4 * columns];
            for (pixels, cell) in line
                .chunks_exact_mut(4 * right.zoom)
                .zip(cells.chunks_exact(4))
            {
                for pixel in pixels.chunks_exact_mut(4) {
                    pixel.copy_from_slice(cell);
                }
            }
        }
    }
    sheet
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::color::sequential;

    /// Returns the colour in the middle of a cell; `None` where the picture is transparent.
    fn at(sheet: &Sheet, row: usize, column: usize) -> Option<[u8; 3]> {
        let pixel = &sheet.rgba[4 * (row * sheet.columns + column)..][..4];
        (pixel[3] == 255).then(|| [pixel[0], pixel[1], pixel[2]])
    }

    #[test]
    fn tiles_follow_each_other_with_margins_between_them() {
        let maps: [Option<&[f32]>; 3] = [Some(&[0.0, 1.0]), None, Some(&[0.5, 0.25])];
        let sheet = sheet(&maps, 1, 2, 2, Scale::Absolute, Theme::Light);
        // 48 pixels a side, and margins of a thirty-second of that, rounded up to 2.
        assert_eq!((sheet.rows, sheet.columns), (2 * 52, 2 * 52));
        let color = |value| Some(sequential(value, Theme::Light));
        assert_eq!(at(&sheet, 2, 2), color(0.0));
        assert_eq!(at(&sheet, 49, 25), color(0.0));
        assert_eq!(at(&sheet, 2, 26), color(1.0));
        assert_eq!(at(&sheet, 49, 49), color(1.0));
        for (row, column) in [(1, 20), (50, 20), (20, 1), (20, 50), (20, 70), (80, 80)] {
            assert_eq!(at(&sheet, row, column), None, "{row}, {column}");
        }
        assert_eq!(at(&sheet, 54, 2), color(0.5));
        assert_eq!(at(&sheet, 101, 49), color(0.25));
    }

    #[test]
    fn of_nothing_there_is_an_empty_picture() {
        let none = sheet(&[None], 0, 3, 2, Scale::Absolute, Theme::Dark);
        assert_eq!(none, Sheet::default());
        let no_maps = sheet(&[], 3, 3, 2, Scale::Absolute, Theme::Dark);
        assert_eq!((no_maps.rows, no_maps.rgba.len()), (0, 0));
    }

    proptest! {
        #[test]
        fn a_margin_is_where_the_page_expects_it(cells in 1usize..=600) {
            let side = Side::of(cells);
            prop_assert_eq!(side.tile, cells * side.zoom + 2 * side.margin);
            // Within a hundredth of a tile, which is less than a pixel of a thumbnail.
            let share = side.margin as f64 / side.tile as f64;
            prop_assert!((share - MARGIN).abs() < 0.01, "{share}");
        }

        #[test]
        fn every_cell_of_every_map_is_in_the_picture(
            rows in 1usize..5, columns in 1usize..5, count in 1usize..5, across in 1usize..4
        ) {
            let maps: Vec<Vec<f32>> = (0..count)
                .map(|map| {
                    let cells = (0..rows * columns).map(|cell| (map * 16 + cell) as f32 / 80.0);
                    cells.collect()
                })
                .collect();
            let given: Vec<Option<&[f32]>> = maps.iter().map(|map| Some(&map[..])).collect();
            let sheet = sheet(&given, rows, columns, across, Scale::Absolute, Theme::Dark);
            prop_assert_eq!(sheet.rgba.len(), 4 * sheet.rows * sheet.columns);
            let (down, right) = (Side::of(rows), Side::of(columns));
            for (index, map) in maps.iter().enumerate() {
                for (cell, &value) in map.iter().enumerate() {
                    let row = index / across * down.tile + down.margin + cell / columns * down.zoom;
                    let column =
                        index % across * right.tile + right.margin + cell % columns * right.zoom;
                    let expected = Some(sequential(value, Theme::Dark));
                    prop_assert_eq!(at(&sheet, row, column), expected);
                }
            }
        }
    }
}
