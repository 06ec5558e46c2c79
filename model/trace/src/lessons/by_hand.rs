//! Self-attention small enough to be computed by hand: the inputs, every step, and the lectures' two examples.

use serde::{Deserialize, Serialize};

use crate::Array;

/// Some words and the matrices of one head: all that self-attention computes with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HandInput {
    /// `X`, a row for each word, `[n, d]`.
    pub x: Array,
    /// The query matrix `W^Q`, `[d, d_q]`.
    pub w_q: Array,
    /// The key matrix `W^K`, `[d, d_q]`.
    pub w_k: Array,
    /// The value matrix `W^V`, `[d, d_v]`.
    pub w_v: Array,
    /// The factor of the scores: `1/√d_k`, or 1 without scaling.
    pub scale: f32,
}

/// Every step of self-attention on a [`HandInput`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HandSteps {
    /// `Q = XW^Q`, `[n, d_q]`.
    pub query: Array,
    /// `K = XW^K`, `[n, d_q]`.
    pub key: Array,
    /// `V = XW^V`, `[n, d_v]`.
    pub value: Array,
    /// The scores `QKᵀ`, `[n, n]`.
    pub scores: Array,
    /// The scores times the scale, `[n, n]`.
    pub scaled: Array,
    /// The softmax of the scores, row by row, `[n, n]`.
    pub weights: Array,
    /// Each word's value times its weight, for every word that asks, `[n, n, d_v]`.
    pub weighted: Array,
    /// `Z`, the sum of the weighted values, `[n, d_v]`.
    pub output: Array,
    /// `[X; Z]`, `[n, d + d_v]`.
    pub concatenated: Array,
    /// `X + Z`, `[n, d]`; `None` where values are not as wide as words.
    pub added: Option<Array>,
}

/// An example that the lectures work out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WorkedExample {
    /// Four words of a sentence, 柔嘉, 鸿渐, 他, 她, with five numbers each.
    #[default]
    FourWords,
    /// The two words *Thinking Machines*.
    ThinkingMachines,
}

impl WorkedExample {
    /// Returns the words and matrices of the example, scaled by [`key_width`](Self::key_width).
    ///
    /// For the four words, the lecture gives `x₄`, `W^Q` and the results `q₄` and `z₄`; the other numbers are chosen so
    /// that `z₄` is 4.4 in each component. For *Thinking Machines* it gives the scores of the first query and the
    /// results of the later steps; words and matrices are chosen to give these scores.
    pub fn input(self) -> HandInput {
        let (x, [w_q, w_k, w_v]) = match self {
            WorkedExample::FourWords => four_words(),
            WorkedExample::ThinkingMachines => thinking_machines(),
        };
        HandInput {
            x,
            w_q,
            w_k,
            w_v,
            scale: 1.0 / (self.key_width() as f32).sqrt(),
        }
    }

    /// Returns `d_k`, whose root divides the scores. *Thinking Machines* has heads of width 64 with three components
    /// written; the others are zero and change no product.
    pub fn key_width(self) -> usize {
        match self {
            WorkedExample::FourWords => 5,
            WorkedExample::ThinkingMachines => 64,
        }
    }

    /// The word, from 0, whose attention the lecture computes.
    pub fn query(self) -> usize {
        match self {
            WorkedExample::FourWords => 3,
            WorkedExample::ThinkingMachines => 0,
        }
    }
}

fn four_words() -> (Array, [Array; 3]) {
    let x = rows([
        [6.0, 7.0, 4.0, 9.0, 5.0],
        [7.0, 3.0, 9.0, 1.0, 8.0],
        [4.0, 3.0, 6.0, 1.0, 5.0],
        [5.0, 5.0, 5.0, 5.0, 5.0],
    ]);
    let w_q = rows([
        [0.1, 0.0, 0.0, 0.2, 0.0],
        [0.0, 0.2, 0.1, 0.0, 0.0],
        [0.1, 0.0, 0.0, 0.0, 0.2],
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.1, 0.0, 0.0],
    ]);
    let w_k = rows([
        [0.0, 0.0, 0.2, 0.0, 0.0],
        [0.1, 0.0, 0.0, 0.0, 0.1],
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.2, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.1, 0.0],
    ]);
    let w_v = rows([
        [0.3, 0.0, 0.4, 0.1, 0.1],
        [0.3, 0.0, 0.3, 0.0, 0.1],
        [0.0, 0.3, 0.1, 0.4, 0.2],
        [0.0, 0.3, 0.0, 0.3, 0.2],
        [0.2, 0.2, 0.0, 0.0, 0.2],
    ]);
    (x, [w_q, w_k, w_v])
}

fn thinking_machines() -> (Array, [Array; 3]) {
    let x = rows([[1.0, 2.0, 0.0, 1.0], [0.0, 1.0, 2.0, 1.0]]);
    let w_q = rows([
        [3.0, 2.0, 2.0],
        [1.0, 0.0, 0.0],
        [0.0, 2.0, 2.0],
        [0.0, 3.0, 1.0],
    ]);
    let w_k = rows([
        [3.0, 3.0, 1.0],
        [3.0, 2.0, 0.0],
        [0.0, 3.0, 2.0],
        [3.0, 1.0, 3.0],
    ]);
    let w_v = rows([
        [1.0, 0.0, 3.0],
        [0.0, 1.0, 0.0],
        [2.0, 0.0, 1.0],
        [1.0, 1.0, 0.0],
    ]);
    (x, [w_q, w_k, w_v])
}

fn rows<const ROWS: usize, const COLUMNS: usize>(rows: [[f32; COLUMNS]; ROWS]) -> Array {
    Array {
        shape: vec![ROWS, COLUMNS],
        data: rows.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_lecture_gives_of_the_four_words_is_there() {
        let HandInput { x, w_q, .. } = WorkedExample::FourWords.input();
        assert_eq!(x.row(&[3]), Some(&[5.0; 5][..]));
        assert_eq!(w_q.row(&[2]), Some(&[0.1, 0.0, 0.0, 0.0, 0.2][..]));
        assert_eq!(w_q.row(&[3]), Some(&[0.0; 5][..]));
    }
}
