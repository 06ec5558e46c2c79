//! Pictures that a model reads: the grid of their patches.

use serde::{Deserialize, Serialize};

use crate::Array;

/// The patches of a picture, which are the tokens that a model of pictures reads, row by row, after its class token and
/// its registers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureGrid {
    /// The number of rows of patches.
    pub rows: usize,
    /// The number of columns of patches.
    pub columns: usize,
    /// The number of tokens before the first patch: the class token and the registers.
    pub before: usize,
    /// The edge of a patch in pixels of the resized picture.
    pub patch_px: usize,
    /// Width and height of the picture in pixels.
    pub size_px: [usize; 2],
    /// Width and height in pixels to which the picture is resized.
    pub resized_px: [usize; 2],
    /// The left and top edge of the first patch in pixels of the resized picture; negative where padding precedes it.
    pub corner_px: [i64; 2],
}

/// A part of a picture, as shares of its width and height from 0 to 1; beyond them where padding was added.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PicturePart {
    /// The share left of it.
    pub left: f64,
    /// The share above it.
    pub top: f64,
    /// The share that is its width.
    pub width: f64,
    /// The share that is its height.
    pub height: f64,
}

impl PictureGrid {
    /// Returns the number of tokens: class token, registers and patches.
    pub fn tokens(&self) -> usize {
        self.before + self.patches()
    }

    /// Returns the number of patches.
    pub fn patches(&self) -> usize {
        self.rows * self.columns
    }

    /// Returns row and column of a token's patch; `None` for the class token, registers, and places beyond the picture.
    pub fn place(&self, token: usize) -> Option<[usize; 2]> {
        let patch = token.checked_sub(self.before)?;
        (patch < self.patches()).then(|| [patch / self.columns, patch % self.columns])
    }

    /// Returns the token of the patch in a row and a column; `None` beyond the grid.
    pub fn token(&self, row: usize, column: usize) -> Option<usize> {
        let is_there = row < self.rows && column < self.columns;
        is_there.then(|| self.before + row * self.columns + column)
    }

    /// Returns the attention of the class token to the patches, of maps `[h, tokens, tokens]`, as pictures
    /// `[h, rows, columns]`; `None` if they are no maps of these tokens.
    pub fn of_class_token(&self, maps: &Array) -> Option<Array> {
        let tokens = self.tokens();
        let &[heads, queries, keys] = maps.shape.as_slice() else {
            return None;
        };
        if [queries, keys] != [tokens; 2] || maps.data.len() != heads * tokens * tokens {
            return None;
        }
        let rows = maps.data.chunks_exact(tokens * tokens);
        let data = rows.flat_map(|map| &map[self.before..tokens]).copied();
        Some(Array {
            shape: vec![heads, self.rows, self.columns],
            data: data.collect(),
        })
    }

    /// Returns the part of the picture that all patches cover together.
    pub fn seen(&self) -> PicturePart {
        let [width, height] = self.resized_px.map(|edge| edge.max(1) as f64);
        let edge = self.patch_px as f64;
        PicturePart {
            left: self.corner_px[0] as f64 / width,
            top: self.corner_px[1] as f64 / height,
            width: self.columns as f64 * edge / width,
            height: self.rows as f64 * edge / height,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture of 640 × 480 pixels, of which a square in the middle is read.
    fn cropped() -> PictureGrid {
        PictureGrid {
            rows: 16,
            columns: 16,
            before: 5,
            patch_px: 14,
            size_px: [640, 480],
            resized_px: [341, 256],
            corner_px: [58, 16],
        }
    }

    #[test]
    fn patches_are_numbered_row_by_row_after_the_class_token_and_the_registers() {
        let grid = cropped();
        assert_eq!(grid.tokens(), 261);
        assert_eq!(grid.place(4), None);
        assert_eq!(grid.place(5), Some([0, 0]));
        assert_eq!(grid.place(22), Some([1, 1]));
        assert_eq!(grid.place(261), None);
        assert_eq!(grid.token(1, 1), Some(22));
        assert_eq!(grid.token(0, 16), None);
    }

    #[test]
    fn the_class_token_attends_to_the_patches_alone() {
        let grid = PictureGrid {
            rows: 1,
            columns: 2,
            before: 2,
            ..cropped()
        };
        let maps = Array {
            shape: vec![2, 4, 4],
            data: (0..32).map(|number| number as f32).collect(),
        };
        let found = grid.of_class_token(&maps).unwrap();
        assert_eq!(found.shape, [2, 1, 2]);
        assert_eq!(found.data, [2.0, 3.0, 18.0, 19.0]);
        assert_eq!(cropped().of_class_token(&maps), None);
    }

    #[test]
    fn the_part_that_is_seen_is_given_in_shares() {
        let seen = cropped().seen();
        assert!((seen.left - 58.0 / 341.0).abs() < 1e-12);
        assert!((seen.height - 224.0 / 256.0).abs() < 1e-12);
    }
}
