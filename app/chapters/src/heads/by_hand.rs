//! Several heads on three words, small enough to be read: with widths of their own, and with keys and values that they
//! share.

use attention_trace::{Array, lessons::HandInput};

use crate::heads::parameters::Heads;

/// The number of words.
pub const WORDS: usize = 3;
/// The width of the words.
pub const WIDTH: usize = 4;

/// The vectors of the words.
const X: [[f32; WIDTH]; WORDS] = [
    [1.0, 0.0, 2.0, 0.0],
    [0.0, 1.0, 0.0, 2.0],
    [1.0, 1.0, 1.0, 1.0],
];

/// A matrix of four rows in halves.
type Halves = [[i8; WIDTH]; WIDTH];

/// The query matrices of three heads. All matrices are chosen, so that the heads differ, and not learned.
const QUERIES: [Halves; Heads::COUNTS.1] = [
    [
        [-2, -1, -1, -2],
        [1, -2, 1, 0],
        [-1, -2, 1, -1],
        [-1, -1, 0, 0],
    ],
    [[-1, 0, 2, 0], [1, 0, -2, -1], [0, -2, 0, -2], [0, 1, 0, -1]],
    [[-1, 1, 0, 1], [1, 2, 1, 1], [0, -2, -2, -1], [1, 1, -2, -1]],
];

/// The key matrices, likewise.
const KEYS: [Halves; Heads::COUNTS.1] = [
    [[0, 0, 2, 1], [2, 2, 0, 1], [-2, 1, -1, -1], [1, -2, 1, -1]],
    [[0, -1, 1, 1], [0, 0, -1, 1], [-1, 0, 2, -2], [0, 1, 0, 0]],
    [
        [-1, 0, -2, 2],
        [0, -1, 0, 1],
        [-1, 1, 0, 1],
        [-1, -2, -2, 1],
    ],
];

/// The value matrices, likewise.
const VALUES: [Halves; Heads::COUNTS.1] = [
    [[2, 1, 2, 1], [2, -1, 1, 2], [2, 0, 1, 2], [2, -2, -1, -2]],
    [
        [0, 1, 1, 0],
        [-1, -2, -2, 1],
        [-1, -1, -2, 0],
        [0, -1, -1, 1],
    ],
    [
        [-1, 1, -2, -1],
        [-1, -2, 1, 2],
        [2, 0, 2, -2],
        [2, 0, 2, -1],
    ],
];

/// The output matrix of three heads with values as wide as the words.
const OUTPUT: [[i8; WIDTH]; Heads::COUNTS.1 * WIDTH] = [
    [0, 0, 0, 0],
    [1, -1, 2, -1],
    [1, 2, 0, 1],
    [1, -1, 1, -2],
    [1, -2, -2, 2],
    [2, -1, 0, 1],
    [1, 0, 2, 0],
    [2, 1, 1, 1],
    [-2, -2, 1, 0],
    [1, 1, 2, -2],
    [0, -1, -1, -2],
    [2, -1, -1, -2],
];

/// Returns the first columns of the first rows: a smaller matrix is a corner of a larger one.
fn corner(halves: &[[i8; WIDTH]], rows: usize, columns: usize) -> Array {
    let cells = halves.iter().take(rows).flat_map(|row| &row[..columns]);
    Array {
        shape: vec![rows, columns],
        data: cells.map(|&half| f32::from(half) / 2.0).collect(),
    }
}

/// Returns what a head computes with: the words and its matrices. Keys and values that are shared are those of the first
/// head.
pub fn input(heads: Heads, head: usize) -> HandInput {
    let head = head.min(Heads::COUNTS.1 - 1);
    let of_memory = if heads.shared { 0 } else { head };
    HandInput {
        x: Array {
            shape: vec![WORDS, WIDTH],
            data: X.concat(),
        },
        w_q: corner(&QUERIES[head], WIDTH, heads.key_width),
        w_k: corner(&KEYS[of_memory], WIDTH, heads.key_width),
        w_v: corner(&VALUES[of_memory], WIDTH, heads.value_width),
        scale: 1.0 / (heads.key_width as f32).sqrt(),
    }
}

/// Returns `W^O`, from the outputs side by side to the width of the words.
pub fn output_matrix(heads: Heads) -> Array {
    corner(&OUTPUT, heads.count * heads.value_width, WIDTH)
}

/// Returns arrays of as many rows side by side, `[rows, Σ columns]`; `None` if an array has no such row.
pub fn side_by_side(arrays: &[Array]) -> Option<Array> {
    let rows = *arrays.first()?.shape.first()?;
    let mut data = Vec::new();
    for row in 0..rows {
        for array in arrays {
            data.extend_from_slice(array.row(&[row])?);
        }
    }
    Some(Array {
        shape: vec![rows, data.len() / rows.max(1)],
        data,
    })
}

/// Returns the product of `[n, k]` and `[k, m]`; `None` if the shapes do not agree.
pub fn product(left: &Array, right: &Array) -> Option<Array> {
    let ([n, k], [rows, m]) = (dims(left)?, dims(right)?);
    if k != rows {
        return None;
    }
    let cell = |index: usize| -> f32 {
        let (row, column) = (index / m, index % m);
        (0..k)
            .map(|at| left.data[row * k + at] * right.data[at * m + column])
            .sum()
    };
    Some(Array {
        shape: vec![n, m],
        data: (0..n * m).map(cell).collect(),
    })
}

fn dims(array: &Array) -> Option<[usize; 2]> {
    let [rows, columns] = array.shape[..] else {
        return None;
    };
    (rows * columns == array.data.len()).then_some([rows, columns])
}

/// Counts of learned numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    pub queries: usize,
    pub keys: usize,
    pub values: usize,
    pub output: usize,
}

impl Counts {
    pub fn of(heads: Heads) -> Self {
        let memories = if heads.shared { 1 } else { heads.count };
        Counts {
            queries: heads.count * WIDTH * heads.key_width,
            keys: memories * WIDTH * heads.key_width,
            values: memories * WIDTH * heads.value_width,
            output: heads.count * heads.value_width * WIDTH,
        }
    }

    pub fn total(self) -> usize {
        self.queries + self.keys + self.values + self.output
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_differ_and_what_is_shared_is_the_same() {
        let own = Heads::default();
        let shared = Heads {
            shared: true,
            ..own
        };
        let [first, second] = [0, 1].map(|head| input(own, head));
        assert_ne!(first.w_q, second.w_q);
        assert_ne!(first.w_k, second.w_k);
        let [first, second] = [0, 1].map(|head| input(shared, head));
        assert_ne!(first.w_q, second.w_q);
        assert_eq!((&first.w_k, &first.w_v), (&second.w_k, &second.w_v));
        assert_eq!(first.w_v.shape, [4, 3]);
        // 1/√2 of keys of width 2.
        assert!((first.scale - std::f32::consts::FRAC_1_SQRT_2).abs() < 1e-6);
    }

    #[test]
    fn widths_of_their_own_add_up_to_the_concatenation() {
        let heads = Heads {
            count: 3,
            ..Heads::default()
        };
        let one = Array {
            shape: vec![2, 1],
            data: vec![1.0, 2.0],
        };
        let two = Array {
            shape: vec![2, 2],
            data: vec![3.0, 4.0, 5.0, 6.0],
        };
        let joined = side_by_side(&[one.clone(), two.clone()]).unwrap();
        assert_eq!(joined.shape, [2, 3]);
        assert_eq!(joined.data, [1.0, 3.0, 4.0, 2.0, 5.0, 6.0]);
        assert_eq!(product(&two, &one).unwrap().data, [11.0, 17.0]);
        assert_eq!(product(&one, &two), None);
        assert_eq!(output_matrix(heads).shape, [9, 4]);
        assert_eq!(side_by_side(&[]), None);
    }

    #[test]
    fn sharing_leaves_the_queries_and_a_third_of_the_rest() {
        let heads = Heads {
            count: 3,
            ..Heads::default()
        };
        let own = Counts::of(heads);
        assert_eq!(
            (own.queries, own.keys, own.values, own.output),
            (24, 24, 36, 36)
        );
        let shared = Counts::of(Heads {
            shared: true,
            ..heads
        });
        assert_eq!((shared.queries, shared.keys, shared.values), (24, 8, 12));
        assert_eq!((own.total(), shared.total()), (120, 80));
    }
}
