//! A matrix as pixels, one per cell.

use crate::{
    color::{self, Theme},
    map_window::Sight,
};

/// A choice of the ends of the colour scale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scale {
    /// 0 to 1 in every map, so that maps can be compared.
    #[default]
    Absolute,
    /// From the smallest to the largest value of the map, so that faint patterns show.
    PerMap,
}

/// Returns the values at the two ends of the colour scale for this matrix: `(0, 1)` if the scale is absolute, else its
/// smallest and largest unmasked value.
pub fn range(matrix: &[f32], scale: Scale) -> (f32, f32) {
    match scale {
        Scale::Absolute => (0.0, 1.0),
        Scale::PerMap => {
            let (low, high) = matrix
                .iter()
                .filter(|value| value.is_finite())
                .fold((f32::MAX, f32::MIN), |(low, high), &value| {
                    (low.min(value), high.max(value))
                });
            if low < high { (low, high) } else { (0.0, 1.0) }
        }
    }
}

/// Returns the row-major `matrix` of `rows` × `columns` as RGBA, one pixel per cell, `4·rows·columns` bytes. Masked
/// cells (NaN, −∞) get the neutral colour.
///
/// # Panics
/// If the matrix does not have `rows · columns` values.
pub fn rgba(matrix: &[f32], rows: usize, columns: usize, scale: Scale, theme: Theme) -> Vec<u8> {
    let (low, high) = range(matrix, scale);
    let color = color::sequential_in(theme);
    pixels(matrix, rows, columns, |value| {
        color((value - low) / (high - low))
    })
}

/// Returns the same on the diverging scale, whose ends are −`limit` and `limit` (> 0).
///
/// # Panics
/// If the matrix does not have `rows · columns` values.
pub fn diverging_rgba(
    matrix: &[f32],
    rows: usize,
    columns: usize,
    limit: f32,
    theme: Theme,
) -> Vec<u8> {
    pixels(matrix, rows, columns, |value| {
        color::diverging(value / limit, theme)
    })
}

/// The row-major picture of a map: one value per cell, or one value per block of cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Picture<'a> {
    /// The values, `rows · columns` of them.
    pub values: &'a [f32],
    /// The number of rows of the picture.
    pub rows: usize,
    /// The number of columns of the picture.
    pub columns: usize,
}

impl Picture<'_> {
    /// Returns a part of the displayed map of `rows` × `columns` cells, in the colours of the whole; one pixel per
    /// cell.
    ///
    /// # Panics
    /// If the picture does not have `rows · columns` values, or the part leaves the map.
    pub fn part_rgba(
        self,
        (rows, columns): (usize, usize),
        part: &Sight,
        scale: Scale,
        theme: Theme,
    ) -> Vec<u8> {
        let mut values = Vec::with_capacity(part.rows.len() * part.columns.len());
        for row in part.rows.clone() {
            let start = row * self.rows / rows * self.columns;
            let line = &self.values[start..start + self.columns];
            values.extend(
                part.columns
                    .clone()
                    .map(|column| line[column * self.columns / columns]),
            );
        }
        let (low, high) = range(self.values, scale);
        let color = color::sequential_in(theme);
        pixels(&values, part.rows.len(), part.columns.len(), |value| {
            color((value - low) / (high - low))
        })
    }

    /// Returns the picture with at most the given rows and columns: each value is the largest of a block, since a mean
    /// would wash out fine lines. Masked values do not count.
    pub fn reduced(self, most_rows: usize, most_columns: usize) -> (usize, usize, Vec<f32>) {
        let (rows, columns) = (self.rows.min(most_rows), self.columns.min(most_columns));
        let mut values = vec![f32::NEG_INFINITY; rows * columns];
        for (row, line) in self.values.chunks_exact(self.columns.max(1)).enumerate() {
            let start = row * rows / self.rows * columns;
            for (column, &value) in line.iter().enumerate() {
                let place = &mut values[start + column * columns / self.columns];
                *place = place.max(value);
            }
        }
        (rows, columns, values)
    }
}

fn pixels(
    matrix: &[f32],
    rows: usize,
    columns: usize,
    color: impl Fn(f32) -> color::Rgb,
) -> Vec<u8> {
    assert_eq!(matrix.len(), rows * columns, "a heatmap's matrix is full");
    // A long text has a quarter of a million cells, and hovering asks for all of them again.
    let mut pixels = vec![255; 4 * matrix.len()];
    for (pixel, &value) in pixels.chunks_exact_mut(4).zip(matrix) {
        pixel[..3].copy_from_slice(&color(value));
    }
    pixels
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_cell_is_one_opaque_pixel(
            rows in 0usize..6, columns in 0usize..6, seed in any::<u32>()
        ) {
            let matrix: Vec<f32> = (0..rows * columns)
                .map(|i| f32::from_bits(seed.rotate_left(i as u32)))
                .collect();
            for scale in [Scale::Absolute, Scale::PerMap] {
                let pixels = rgba(&matrix, rows, columns, scale, Theme::Light);
                prop_assert_eq!(pixels.len(), 4 * rows * columns);
                prop_assert!(pixels.chunks(4).all(|pixel| pixel[3] == 255));
            }
        }

        #[test]
        fn a_per_map_scale_ignores_gain_and_offset(
            // Eighths, so that gain and offset are exact.
            eighths in prop::collection::vec(0u8..=8, 4),
        ) {
            let matrix: Vec<f32> = eighths.iter().map(|&e| f32::from(e) / 8.0).collect();
            prop_assume!(matrix.iter().any(|&value| value != matrix[0]));
            let scaled: Vec<f32> = matrix.iter().map(|value| 4.0 * value + 2.0).collect();
            prop_assert_eq!(
                rgba(&matrix, 2, 2, Scale::PerMap, Theme::Dark),
                rgba(&scaled, 2, 2, Scale::PerMap, Theme::Dark)
            );
        }
    }

    #[test]
    fn a_part_has_the_colours_of_the_whole() {
        let values = [0.0, 0.25, 0.5, 0.75, 1.0, 0.5];
        let picture = Picture {
            values: &values,
            rows: 2,
            columns: 3,
        };
        let part = Sight {
            rows: 1..2,
            columns: 1..3,
            cell: 20,
        };
        for scale in [Scale::Absolute, Scale::PerMap] {
            let whole = rgba(&values, 2, 3, scale, Theme::Light);
            let pixels = picture.part_rgba((2, 3), &part, scale, Theme::Light);
            assert_eq!(pixels, whole[16..24]);
        }
        // Four rows and six columns of a map whose picture is half as large.
        let pixels = picture.part_rgba((4, 6), &part, Scale::Absolute, Theme::Light);
        let whole = rgba(&values, 2, 3, Scale::Absolute, Theme::Light);
        assert_eq!(pixels, [&whole[0..4], &whole[4..8]].concat());
    }

    #[test]
    fn a_reduced_picture_keeps_the_largest_of_every_block() {
        let values = [0.0, 0.9, 0.1, 0.2, f32::NAN, 0.3, f32::NAN, f32::NAN];
        let picture = Picture {
            values: &values,
            rows: 2,
            columns: 4,
        };
        assert_eq!(picture.reduced(1, 2), (1, 2, vec![0.9, 0.2]));
        let (rows, columns, bottom) = picture.reduced(2, 2);
        assert_eq!((rows, columns), (2, 2));
        assert_eq!(bottom, [0.9, 0.2, 0.3, f32::NEG_INFINITY]);
    }

    #[test]
    fn an_absolute_scale_shows_the_same_value_in_the_same_colour() {
        let one = rgba(&[0.3], 1, 1, Scale::Absolute, Theme::Light);
        let four = rgba(&[0.9, 0.0, 0.3, 0.1], 2, 2, Scale::Absolute, Theme::Light);
        assert_eq!(one, four[8..12]);
    }

    #[test]
    fn masked_cells_are_neutral_and_do_not_stretch_the_scale() {
        let matrix = [0.2, f32::NEG_INFINITY, f32::NAN, 0.6];
        assert_eq!(range(&matrix, Scale::PerMap), (0.2, 0.6));
        let pixels = rgba(&matrix, 2, 2, Scale::PerMap, Theme::Light);
        assert_eq!(pixels[4..7], color::masked(Theme::Light));
        assert_eq!(pixels[8..11], color::masked(Theme::Light));
        assert_eq!(pixels[12..15], color::sequential(1.0, Theme::Light));
    }

    #[test]
    fn a_constant_map_falls_back_to_the_absolute_scale() {
        assert_eq!(range(&[0.25, 0.25], Scale::PerMap), (0.0, 1.0));
        assert_eq!(range(&[], Scale::PerMap), (0.0, 1.0));
    }

    #[test]
    fn opposite_values_get_opposite_arms() {
        let pixels = diverging_rgba(&[-2.0, 0.0, 2.0], 1, 3, 2.0, Theme::Light);
        assert_eq!(pixels[0..3], color::diverging(-1.0, Theme::Light));
        assert_eq!(pixels[4..7], color::diverging(0.0, Theme::Light));
        assert_eq!(pixels[8..11], color::diverging(1.0, Theme::Light));
    }
}
