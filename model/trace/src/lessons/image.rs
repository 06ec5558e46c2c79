//! A small picture, and the computations of a model with attention over its positions.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::Array;

/// A picture of a digit: [`SIDE`](Picture::SIDE)² cells, row by row, each a grey level from 0, which is paper, to
/// [`INK`](Picture::INK).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<u8>", into = "Vec<u8>")]
pub struct Picture(Vec<u8>);

/// A fault in the data of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PictureFault {
    /// The number of cells is wrong.
    #[error("a picture has {CELLS} cells, not {0}", CELLS = Picture::CELLS)]
    Cells(usize),
    /// A cell is darker than ink.
    #[error("a cell is {0}, darker than {INK}", INK = Picture::INK)]
    Level(u8),
}

impl Picture {
    /// The number of cells in a row, and of rows.
    pub const SIDE: usize = 8;
    /// Cells, which are the positions that attend to each other.
    pub const CELLS: usize = Self::SIDE * Self::SIDE;
    /// The darkest level of a cell.
    pub const INK: u8 = 16;
    /// The signs by which a model that writes pictures names their levels, from paper to ink.
    pub const SIGNS: [char; 5] = ['▫', '░', '▒', '▓', '█'];
    /// The distance of two levels that have signs.
    pub const STEP: u8 = Self::INK / 4;

    /// Returns the level that a sign stands for; `None` if it is no level's.
    pub fn level_of(sign: char) -> Option<u8> {
        let place = Self::SIGNS.iter().position(|&known| known == sign)?;
        Some(place as u8 * Self::STEP)
    }

    /// A picture with these levels.
    ///
    /// # Errors
    /// If there are not [`CELLS`](Self::CELLS) of them, or one is darker than ink.
    pub fn new(levels: Vec<u8>) -> Result<Self, PictureFault> {
        if levels.len() != Self::CELLS {
            return Err(PictureFault::Cells(levels.len()));
        }
        match levels.iter().find(|&&level| level > Self::INK) {
            Some(&level) => Err(PictureFault::Level(level)),
            None => Ok(Picture(levels)),
        }
    }

    /// Returns a picture of white paper.
    pub fn blank() -> Self {
        Picture(vec![0; Self::CELLS])
    }

    /// The levels, row by row.
    pub fn levels(&self) -> &[u8] {
        &self.0
    }

    /// Makes a cell as dark as that, ink at most. A cell that there is not stays as it is.
    pub fn set(&mut self, cell: usize, level: u8) {
        if let Some(old) = self.0.get_mut(cell) {
            *old = level.min(Self::INK);
        }
    }

    /// True if nothing is drawn.
    pub fn is_blank(&self) -> bool {
        self.0.iter().all(|&level| level == 0)
    }

    /// Returns the picture moved by `right` columns and `down` rows; cells that leave it are lost, new ones are paper.
    pub fn moved(&self, right: isize, down: isize) -> Self {
        let side = Self::SIDE as isize;
        let level = |cell: usize| {
            let (row, column) = (
                (cell / Self::SIDE) as isize - down,
                (cell % Self::SIDE) as isize - right,
            );
            let is_inside = (0..side).contains(&row) && (0..side).contains(&column);
            match is_inside {
                true => self.0[(row * side + column) as usize],
                false => 0,
            }
        };
        Picture((0..Self::CELLS).map(level).collect())
    }
}

impl TryFrom<Vec<u8>> for Picture {
    type Error = PictureFault;

    fn try_from(levels: Vec<u8>) -> Result<Self, PictureFault> {
        Picture::new(levels)
    }
}

impl From<Picture> for Vec<u8> {
    fn from(picture: Picture) -> Self {
        picture.0
    }
}

/// A picture of the data set with the digit that its writer meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelledPicture {
    /// The index in the data set, from 0.
    pub place: usize,
    /// The digit that is drawn.
    pub digit: u8,
    /// The cells of the picture.
    pub picture: Picture,
}

/// The computations of a model with attention over the positions of a picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeenPicture {
    /// The factor `γ` that the attention's output is multiplied by before it is added.
    pub gamma: f32,
    /// The softmax of `f(xᵢ)·g(xⱼ)` over `i`, `[positions, positions]`: the weight that position `j`, of the row, gives
    /// to position `i`, of the column.
    pub weights: Array,
    /// The length of `xⱼ`, the vector that attention adds to.
    pub lengths: Vec<f32>,
    /// The length of `γ·oⱼ`, the vector that attention adds.
    pub added: Vec<f32>,
    /// A logit for each digit, with attention.
    pub logits: Vec<f32>,
    /// The softmax of these logits.
    pub probabilities: Vec<f32>,
    /// The logits of the same weights with `γ = 0`.
    pub logits_without: Vec<f32>,
    /// The softmax of these logits.
    pub probabilities_without: Vec<f32>,
}

impl SeenPicture {
    /// The largest of some numbers, as a digit; the first of equal ones.
    pub fn likeliest(numbers: &[f32]) -> Option<usize> {
        let places = 0..numbers.len();
        places
            .rev()
            .max_by(|&a, &b| numbers[a].total_cmp(&numbers[b]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_picture_is_refused() {
        assert_eq!(Picture::new(vec![0; 63]), Err(PictureFault::Cells(63)));
        let mut levels = vec![0; 64];
        levels[5] = 17;
        assert_eq!(Picture::new(levels.clone()), Err(PictureFault::Level(17)));
        let json = serde_json::to_string(&levels).unwrap();
        assert!(serde_json::from_str::<Picture>(&json).is_err());
    }

    #[test]
    fn a_cell_is_at_most_ink() {
        let mut picture = Picture::blank();
        assert!(picture.is_blank());
        picture.set(3, 40);
        picture.set(64, 5);
        assert_eq!(picture.levels()[3], Picture::INK);
        assert!(!picture.is_blank());
    }

    #[test]
    fn what_moves_out_is_lost() {
        let mut picture = Picture::blank();
        picture.set(0, 7);
        picture.set(63, 9);
        let moved = picture.moved(1, 2);
        assert_eq!(moved.levels()[17], 7);
        assert_eq!(moved.levels().iter().filter(|&&level| level > 0).count(), 1);
        assert_eq!(picture.moved(0, 0), picture);
    }

    #[test]
    fn the_likeliest_is_the_first_of_equals() {
        assert_eq!(SeenPicture::likeliest(&[0.1, 0.7, 0.7]), Some(1));
        assert_eq!(SeenPicture::likeliest(&[]), None);
    }
}
