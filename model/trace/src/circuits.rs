//! Circuits of heads, from the weights alone (Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits"):
//! what a head attends to and what it writes, as matrices over tokens, and how much of what one head writes another one
//! reads.
//!
//! Vectors are rows, so a head's query is `x W_Q`. Norms are left out but for their gains, which are multiplied into the
//! matrices that read. Positions are left out, except that queries can be turned against keys as RoPE does at one
//! distance.

mod matrix;

use serde::{Deserialize, Serialize};

use self::matrix::Matrix;
use crate::Array;

/// The part of a later head that reads what an earlier one wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Composition {
    /// Its keys: whom it attends to depends on what the earlier head wrote there.
    Key,
    /// Its queries: the search depends on what the earlier head wrote.
    Query,
    /// Its values: what it carries on is what the earlier head wrote.
    Value,
}

impl Composition {
    /// All parts of a head.
    pub const ALL: [Composition; 3] = [Composition::Key, Composition::Query, Composition::Value];
}

/// The turn of queries against keys by RoPE.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// The number of places from the key to the query.
    pub distance: usize,
    /// The base of the wavelengths.
    pub base: f32,
}

/// The matrices of one head, `d` the width of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadMatrices {
    /// The matrix `W_Q`, `[d, d_k]`.
    query: Matrix,
    /// The matrix `W_K`, `[d, d_k]`.
    key: Matrix,
    /// The matrix `W_V`, `[d, d_k]`.
    value: Matrix,
    /// The matrix `W_O`, `[d_k, d]`.
    output: Matrix,
}

/// The matrices of a layer's attention as a checkpoint has them: a row for each output.
#[derive(Clone, Copy, Debug)]
pub struct LayerMatrices<'a> {
    /// The gain of the norm before it, `[1, d]`; `None` without such a norm.
    pub gain: Option<&'a Array>,
    /// The transpose of `W_Q`, `[heads · d_k, d]`.
    pub query: &'a Array,
    /// The transpose of `W_K`, `[groups · d_k, d]`.
    pub key: &'a Array,
    /// The transpose of `W_V`, `[groups · d_k, d]`.
    pub value: &'a Array,
    /// The transpose of `W_O`, `[d, heads · d_k]`.
    pub output: &'a Array,
}

impl LayerMatrices<'_> {
    /// Returns the matrices of head number `head` of `heads`, which share `groups` keys and values; `None` if the shapes
    /// are of other numbers.
    pub fn head(self, head: usize, heads: usize, groups: usize) -> Option<HeadMatrices> {
        let group = head * groups.max(1) / heads.max(1);
        let read = |array: &Array, place: usize, count: usize| {
            let part = Matrix::of(array)?.rows_of(place, count)?.transposed();
            match self.gain {
                Some(gain) => part.scaled_rows(&gain.data),
                None => Some(part),
            }
        };
        Some(HeadMatrices {
            query: read(self.query, head, heads)?,
            key: read(self.key, group, groups)?,
            value: read(self.value, group, groups)?,
            output: Matrix::of(self.output)?
                .columns_of(head, heads)?
                .transposed(),
        })
    }
}

impl HeadMatrices {
    /// Returns what the head writes where it attends to one of these vectors alone, `x W_V W_O`: `[n, d]` to the same.
    /// `None` if they have another width.
    pub fn written(&self, vectors: &Array) -> Option<Array> {
        let written = Matrix::of(vectors)?.times(&self.value)?;
        Some(written.times(&self.output)?.into_array())
    }

    /// Returns the scores of each query vector with each key vector, `x W_Q R (y W_K)ᵀ / √d_k`, where `R` turns as RoPE
    /// does, or is left out: `[n, d]` and `[m, d]` to `[n, m]`. `None` if they have another width.
    pub fn scores(&self, queries: &Array, keys: &Array, turn: Option<Turn>) -> Option<Array> {
        let mut queries = Matrix::of(queries)?.times(&self.query)?;
        let keys = Matrix::of(keys)?.times(&self.key)?;
        if let Some(turn) = turn {
            queries = queries.turned(turn);
        }
        let root = (self.query.columns as f64).sqrt();
        Some(
            queries
                .times(&keys.transposed())?
                .divided(root)
                .into_array(),
        )
    }
}

/// Returns the logits of tokens in written vectors: `[n, d]`, and a row of the output matrix for each token, `[m, d]`,
/// with the gain of the last norm, to `[n, m]`. `None` if their widths differ.
pub fn logits_of(written: &Array, unembedding: &Array, gain: Option<&Array>) -> Option<Array> {
    let mut tokens = Matrix::of(unembedding)?.transposed();
    if let Some(gain) = gain {
        tokens = tokens.scaled_rows(&gain.data)?;
    }
    Some(Matrix::of(written)?.times(&tokens)?.into_array())
}

/// Returns each row divided by its root mean square, as RMSNorm does before its gain; zeros stay.
pub fn unit_rows(vectors: &Array) -> Option<Array> {
    let mut unit = Matrix::of(vectors)?;
    let columns = unit.columns.max(1);
    for row in unit.data.chunks_exact_mut(columns) {
        let square = row.iter().map(|value| value * value).sum::<f64>() / columns as f64;
        let scale = if square > 0.0 { square.sqrt() } else { 1.0 };
        row.iter_mut().for_each(|value| *value /= scale);
    }
    Some(unit.into_array())
}

/// Returns the number of rows whose largest value is on the diagonal, of a square matrix.
pub fn led_by_diagonal(matrix: &Array) -> usize {
    let rows = matrix.shape.first().copied().unwrap_or(0);
    let leads = |&row: &usize| {
        let values = matrix.row(&[row]).unwrap_or_default();
        let own = values.get(row).copied().unwrap_or(f32::NAN);
        values
            .iter()
            .enumerate()
            .all(|(column, &value)| column == row || value < own)
    };
    (0..rows).filter(leads).count()
}

/// Returns the composition score of an earlier and a later head: the norm of the product of what the one writes and the
/// other reads, over the product of their norms (Frobenius), from 0 to 1. `None` if their widths differ.
///
/// Of independent random matrices it is about `1/√d`: see [`by_chance`].
pub fn composition(earlier: &HeadMatrices, later: &HeadMatrices, part: Composition) -> Option<f32> {
    // Each product of two matrices d × d is a product of two that are as narrow as a head.
    let (reads, rest) = match part {
        Composition::Key => (&later.key, later.query.clone()),
        Composition::Query => (&later.query, later.key.clone()),
        Composition::Value => (&later.value, later.output.transposed()),
    };
    let carried = earlier.output.times(reads)?;
    let gram = earlier.value.gram();
    let carried_gram = carried.transposed().times(&gram)?.times(&carried)?;
    let both = carried_gram.overlap(&rest.gram())?;
    let written = gram.overlap(&earlier.output.transposed().gram())?;
    let read = reads.gram().overlap(&rest.gram())?;
    let norms = (written * read).sqrt();
    Some(if norms > 0.0 {
        (both.sqrt() / norms) as f32
    } else {
        0.0
    })
}

/// Returns the root mean square of the composition score of independent random matrices of width `d`, `1/√d`.
pub fn by_chance(width: usize) -> f32 {
    1.0 / (width.max(1) as f32).sqrt()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn array(rows: usize, columns: usize, data: &[f32]) -> Array {
        Array {
            shape: vec![rows, columns],
            data: data.to_vec(),
        }
    }

    /// One head of two whose matrices are those of the plane it reads and writes.
    fn head(query: &[f32], key: &[f32], value: &[f32], output: &[f32]) -> HeadMatrices {
        LayerMatrices {
            gain: None,
            query: &array(2, 2, query),
            key: &array(2, 2, key),
            value: &array(2, 2, value),
            output: &array(2, 2, output),
        }
        .head(0, 1, 1)
        .unwrap()
    }

    const SAME: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
    const SWAPPED: [f32; 4] = [0.0, 1.0, 1.0, 0.0];

    #[test]
    fn a_head_reads_writes_and_scores_by_its_matrices() {
        let head = head(&SAME, &SWAPPED, &SAME, &[2.0, 0.0, 0.0, 3.0]);
        let tokens = array(2, 2, &[1.0, 0.0, 0.0, 1.0]);
        assert_eq!(head.written(&tokens).unwrap().data, [2.0, 0.0, 0.0, 3.0]);
        let scores = head.scores(&tokens, &tokens, None).unwrap();
        let root = 2.0f32.sqrt().recip();
        assert_eq!(scores.data, [0.0, root, root, 0.0]);
        assert_eq!(led_by_diagonal(&scores), 0);
        let turn = Turn {
            distance: 1,
            base: 1.0,
        };
        let (sine, cosine) = 1.0f32.sin_cos();
        let turned = head.scores(&tokens, &tokens, Some(turn)).unwrap();
        let expected = [sine, cosine, cosine, -sine].map(|value| value * root);
        for (found, expected) in turned.data.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{turned:?}");
        }
        let written = head.written(&tokens).unwrap();
        let gain = array(1, 2, &[1.0, 10.0]);
        let logits = logits_of(&written, &tokens, Some(&gain)).unwrap();
        assert_eq!(logits.data, [2.0, 0.0, 0.0, 30.0]);
        assert_eq!(led_by_diagonal(&logits), 2);
        assert_eq!(head.written(&array(1, 3, &[0.0; 3])), None);
    }

    #[test]
    fn heads_are_parts_of_their_layers_matrices_with_the_gain_of_the_norm() {
        let whole = array(4, 1, &[1.0, 2.0, 3.0, 4.0]);
        let grouped = array(2, 1, &[5.0, 6.0]);
        let output = array(1, 4, &[1.0, 2.0, 3.0, 4.0]);
        let gain = array(1, 1, &[2.0]);
        let layer = LayerMatrices {
            gain: Some(&gain),
            query: &whole,
            key: &grouped,
            value: &grouped,
            output: &output,
        };
        let second = layer.head(1, 2, 1).unwrap();
        assert_eq!(second.query.data, [6.0, 8.0]);
        assert_eq!(second.key.data, [10.0, 12.0]);
        assert_eq!(second.output.data, [3.0, 4.0]);
        assert_eq!(layer.head(2, 2, 1), None);
    }

    #[test]
    fn a_row_of_unit_length_has_a_mean_square_of_one() {
        let unit = unit_rows(&array(2, 2, &[3.0, 4.0, 0.0, 0.0])).unwrap();
        let root = 12.5f32.sqrt();
        assert_eq!(unit.data, [3.0 / root, 4.0 / root, 0.0, 0.0]);
    }

    #[test]
    fn a_head_that_reads_what_another_wrote_composes_with_it() {
        let first = [1.0, 0.0, 0.0, 0.0];
        let second = [0.0, 0.0, 0.0, 1.0];
        // Writes the first dimension alone.
        let earlier = head(&SAME, &SAME, &first, &first);
        let reads_it = head(&second, &first, &second, &second);
        assert_eq!(
            composition(&earlier, &reads_it, Composition::Key),
            Some(0.0)
        );
        let reads_it = head(&first, &first, &second, &second);
        assert_eq!(
            composition(&earlier, &reads_it, Composition::Key),
            Some(1.0)
        );
        assert_eq!(
            composition(&earlier, &reads_it, Composition::Query),
            Some(1.0)
        );
        assert_eq!(
            composition(&earlier, &reads_it, Composition::Value),
            Some(0.0)
        );
    }

    fn product(one: &Matrix, other: &Matrix) -> Matrix {
        one.times(other).unwrap()
    }

    fn norm(matrix: &Matrix) -> f64 {
        matrix
            .data
            .iter()
            .map(|value| value * value)
            .sum::<f64>()
            .sqrt()
    }

    fn random(rows: usize, columns: usize) -> impl Strategy<Value = Matrix> {
        prop::collection::vec(-1.0f64..1.0, rows * columns).prop_map(move |data| Matrix {
            rows,
            columns,
            data,
        })
    }

    fn random_head() -> impl Strategy<Value = HeadMatrices> {
        (random(6, 2), random(6, 2), random(6, 2), random(2, 6)).prop_map(
            |(query, key, value, output)| HeadMatrices {
                query,
                key,
                value,
                output,
            },
        )
    }

    proptest! {
        #[test]
        fn the_narrow_products_are_those_of_the_whole_matrices(
            earlier in random_head(), later in random_head(),
        ) {
            let written = product(&earlier.value, &earlier.output);
            let scored = product(&later.query, &later.key.transposed());
            let carried = product(&later.value, &later.output);
            let over = |both: Matrix, reads: &Matrix| norm(&both) / (norm(&written) * norm(reads));
            for (part, expected) in [
                (Composition::Key, over(product(&scored, &written.transposed()), &scored)),
                (Composition::Query, over(product(&written, &scored), &scored)),
                (Composition::Value, over(product(&written, &carried), &carried)),
            ] {
                let found = f64::from(composition(&earlier, &later, part).unwrap());
                prop_assert!((found - expected).abs() < 1e-5, "{part:?}: {found} {expected}");
            }
        }
    }

    #[test]
    fn random_matrices_compose_by_chance() {
        let width = 64;
        let mut state = 1u64;
        let mut draw = || {
            // SplitMix64, twelve numbers to one that is about normal.
            (0..12)
                .map(|_| {
                    state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                    let mut z = state;
                    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                    (z ^ (z >> 31)) as f64 / u64::MAX as f64 - 0.5
                })
                .sum::<f64>()
        };
        let mut matrix = |rows: usize, columns: usize| Matrix {
            rows,
            columns,
            data: (0..rows * columns).map(|_| draw()).collect(),
        };
        let mut head = || HeadMatrices {
            query: matrix(width, 16),
            key: matrix(width, 16),
            value: matrix(width, 16),
            output: matrix(16, width),
        };
        let squares = (0..40).map(|_| {
            let score = composition(&head(), &head(), Composition::Key).unwrap();
            score * score
        });
        let mean = (squares.sum::<f32>() / 40.0).sqrt();
        assert!((mean / by_chance(width) - 1.0).abs() < 0.05, "{mean}");
    }
}
