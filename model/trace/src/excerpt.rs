//! Parts of a trace: the visible part of a long text, whose whole trace would be too large.
//!
//! Twelve layers of twelve heads over 512 tokens are 151 MB of attention weights. A picture shows
//! one map of them, and all of them as thumbnails.

use serde::{Deserialize, Serialize};

use crate::{
    Array, ArrayName, AttentionLayer, Display, Edit, Quantity, ShownAxes, Site, THUMBNAIL_EDGE,
    Trace, TraceMeta,
};

/// Above this size, a trace travels without its arrays.
pub const LIGHT_BYTES: usize = 1 << 20;

/// A part of an array; [`Head`](Slice::Head) and [`Row`](Slice::Row) of one `[h, n, m]`, which has a
/// map or vectors for each head, [`Rows`](Slice::Rows) of one `[n, m]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Slice {
    /// One head's matrix, `[n, m]`.
    Head(usize),
    /// The same row of every head, `[h, m]`.
    Row(usize),
    /// The rows from the first number up to the second, `[rows, m]`.
    Rows(usize, usize),
    /// All of it, whatever its axes: for who wants every number, as the bench does.
    Whole,
    /// Thumbnails of the attention weights `[h, n, m]` of a layer, as maps are shown: `[h, ≤ 48, ≤ 48]`. An
    /// [`Array`] alone has none, because its tokens are not known.
    Thumbnails(Display),
}

/// A part of an array of a pass, or of a parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Excerpt {
    /// The name of the array.
    pub array: ArrayName,
    /// The part of the array.
    pub slice: Slice,
    /// The changes in the pass that makes the array, in addition to those of the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<Edit>,
}

impl Excerpt {
    /// A part of an array of the pass as it was.
    pub fn new(array: impl Into<ArrayName>, slice: Slice) -> Self {
        Excerpt {
            array: array.into(),
            slice,
            edits: vec![],
        }
    }

    /// The same of the pass that these edits make.
    pub fn with_edits(self, edits: Vec<Edit>) -> Self {
        Excerpt { edits, ..self }
    }
}

impl Array {
    /// The part; `None` where the array has no such part.
    pub fn slice(&self, slice: Slice) -> Option<Array> {
        let (shape, data) = match (slice, self.shape.as_slice()) {
            (Slice::Whole, _) => return Some(self.clone()),
            (Slice::Head(head), &[_, rows, columns]) => {
                (vec![rows, columns], self.matrix(head)?.to_vec())
            }
            // Nothing to be had, however long the other axes are said to be.
            (Slice::Row(_), _) if self.data.is_empty() => return None,
            (Slice::Row(row), &[count, _, columns]) => {
                let mut data = Vec::with_capacity(count * columns);
                for head in 0..count {
                    data.extend_from_slice(self.row(&[head, row])?);
                }
                (vec![count, columns], data)
            }
            (Slice::Rows(from, to), &[_, columns]) => {
                let values = self
                    .data
                    .get(from.checked_mul(columns)?..to.checked_mul(columns)?)?;
                (
                    vec![values.len() / columns.max(1), columns],
                    values.to_vec(),
                )
            }
            _ => return None,
        };
        Some(Array { shape, data })
    }

    /// Every matrix reduced to at most `edge` rows and columns: each value is the largest of a
    /// block. Attention's fine lines survive that; a mean would wash them out. Masked values
    /// (NaN) count for nothing. `None` where the array has not three axes.
    pub fn thumbnails(&self, edge: usize) -> Option<Array> {
        let &[count, rows, columns] = self.shape.as_slice() else {
            return None;
        };
        let (small_rows, small_columns) = (rows.min(edge), columns.min(edge));
        if self.data.is_empty() {
            return Some(Array {
                shape: vec![count, small_rows, small_columns],
                data: vec![],
            });
        }
        let mut data = vec![f32::NEG_INFINITY; count * small_rows * small_columns];
        let blocks = block_starts(columns, small_columns);
        let small_matrices = data.chunks_exact_mut((small_rows * small_columns).max(1));
        let matrices = self.data.chunks_exact((rows * columns).max(1));
        for (matrix, small) in matrices.zip(small_matrices) {
            for (row, values) in matrix.chunks_exact(columns).enumerate() {
                let start = row * small_rows / rows * small_columns;
                let places = &mut small[start..start + small_columns];
                for (place, block) in places.iter_mut().zip(blocks.windows(2)) {
                    let values = &values[block[0]..block[1]];
                    *place = values.iter().copied().fold(*place, f32::max);
                }
            }
        }
        Some(Array {
            shape: vec![count, small_rows, small_columns],
            data,
        })
    }
}

/// Returns the start of each of `count` blocks of `length` values, and the end of the last.
pub fn block_starts(length: usize, count: usize) -> Vec<usize> {
    let start = |block: usize| (block * length).div_ceil(count.max(1));
    (0..=count).map(start).collect()
}

impl TraceMeta {
    /// Returns thumbnails of the attention weights at a site, as maps are shown, or of the class token's attention to the
    /// patches of a picture; `None` if they are no maps of these tokens.
    pub fn thumbnails(&self, site: Site, weights: &Array, display: Display) -> Option<Array> {
        let layer = AttentionLayer::try_from(site.block).ok()?;
        if let Some(picture) = &self.pieces.picture {
            return picture.of_class_token(weights)?.thumbnails(THUMBNAIL_EDGE);
        }
        let axes = ShownAxes::of(display, self, layer.kind);
        axes.maps(weights)?.thumbnails(THUMBNAIL_EDGE)
    }
}

impl Trace {
    /// True if the pass recorded thumbnails in place of attention weights.
    pub fn is_reduced(&self) -> bool {
        let mut sites = self.arrays.keys();
        sites.any(|site| site.quantity == Quantity::Thumbnail)
    }

    /// Size of all arrays.
    pub fn bytes(&self) -> usize {
        let values: usize = self.arrays.values().map(|array| array.data.len()).sum();
        values * size_of::<f32>()
    }

    /// Returns a part of an array, if the trace has it; it has none of a pass with other edits.
    pub fn excerpt(&self, excerpt: &Excerpt) -> Option<Array> {
        match (excerpt.array, excerpt.edits.as_slice()) {
            (ArrayName::Site(site), []) => match excerpt.slice {
                Slice::Thumbnails(display) => {
                    self.meta.thumbnails(site, self.array(site)?, display)
                }
                slice => self.array(site)?.slice(slice),
            },
            _ => None,
        }
    }

    /// The same trace with thumbnails of its attention weights in place of all arrays.
    pub fn light(&self) -> Trace {
        let thumbnails = |(site, array): (&Site, &Array)| {
            let is_pattern = site.quantity == Quantity::Pattern;
            let thumbnails = is_pattern.then(|| array.thumbnails(THUMBNAIL_EDGE))??;
            Some((site.block.at(Quantity::Thumbnail), thumbnails))
        };
        Trace {
            decoding: self.decoding.clone(),
            guesses: self.guesses.clone(),
            edits: self.edits.clone(),
            lens: self.lens.clone(),
            origin: self.origin.clone(),
            arrays: self.arrays.iter().filter_map(thumbnails).collect(),
            ..Trace::new(self.meta.clone())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(shape: [usize; 3]) -> Array {
        let length = shape.iter().product::<usize>();
        Array {
            shape: shape.to_vec(),
            data: (0..length).map(|value| value as f32).collect(),
        }
    }

    #[test]
    fn a_slice_is_a_heads_matrix_or_a_row_of_every_head() {
        let array = counted([2, 2, 3]);
        let head = array.slice(Slice::Head(1)).unwrap();
        assert_eq!(head.shape, [2, 3]);
        assert_eq!(head.data, [6.0, 7.0, 8.0, 9.0, 10.0, 11.0]);
        assert_eq!(array.slice(Slice::Whole), Some(array.clone()));
        let row = array.slice(Slice::Row(1)).unwrap();
        assert_eq!(row.shape, [2, 3]);
        assert_eq!(row.data, [3.0, 4.0, 5.0, 9.0, 10.0, 11.0]);
        assert_eq!(array.slice(Slice::Head(2)), None);
        assert_eq!(array.slice(Slice::Row(2)), None);
        assert_eq!(array.slice(Slice::Rows(0, 1)), None);
    }

    #[test]
    fn rows_of_a_matrix_are_found_and_none_beyond_it() {
        let matrix = Array {
            shape: vec![3, 2],
            data: vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0],
        };
        let rows = matrix.slice(Slice::Rows(1, 3)).unwrap();
        assert_eq!(rows.shape, [2, 2]);
        assert_eq!(rows.data, [2.0, 3.0, 4.0, 5.0]);
        for (from, to) in [(2, 4), (2, 1), (usize::MAX, usize::MAX)] {
            assert_eq!(matrix.slice(Slice::Rows(from, to)), None);
        }
    }

    #[test]
    fn a_thumbnail_holds_the_largest_of_every_block() {
        let array = counted([1, 4, 6]);
        let small = array.thumbnails(2).unwrap();
        assert_eq!(small.shape, [1, 2, 2]);
        assert_eq!(small.data, [8.0, 11.0, 20.0, 23.0]);
    }

    #[test]
    fn a_small_map_is_its_own_thumbnail() {
        let array = counted([2, 3, 1]);
        assert_eq!(array.thumbnails(3), Some(array));
    }

    #[test]
    fn masked_values_count_for_nothing() {
        let array = Array {
            shape: vec![1, 1, 4],
            data: vec![0.25, f32::NAN, f32::NAN, f32::NEG_INFINITY],
        };
        let small = array.thumbnails(2).unwrap();
        assert_eq!(small.data, [0.25, f32::NEG_INFINITY]);
    }

    #[test]
    fn no_block_is_left_out_where_sizes_do_not_divide() {
        for (rows, columns, edge) in [(7, 5, 3), (100, 48, 48), (49, 97, 48)] {
            let small = counted([1, rows, columns]).thumbnails(edge).unwrap();
            assert!(small.data.iter().all(|value| value.is_finite()));
            assert_eq!(small.data.last(), Some(&((rows * columns - 1) as f32)));
        }
    }

    #[test]
    fn an_excerpt_without_edits_is_of_the_pass_as_it_was() {
        let plain = Excerpt::new(Site::LOGITS, Slice::Head(1));
        let message = serde_json::to_string(&plain).unwrap();
        assert_eq!(message, r#"{"array":"logits","slice":{"head":1}}"#);
        assert_eq!(serde_json::from_str::<Excerpt>(&message).unwrap(), plain);
    }

    #[test]
    fn an_array_of_nothing_has_no_part_however_long_its_axes() {
        let long = usize::MAX;
        for shape in [[long, 0, 5], [long, 5, 0], [0, long, long], [5, long, 0]] {
            let array = Array {
                shape: shape.to_vec(),
                data: vec![],
            };
            assert_eq!(array.slice(Slice::Row(0)), None, "{shape:?}");
            assert_eq!(array.matrix(long), None, "{shape:?}");
            let small = array.thumbnails(3).unwrap();
            assert!(small.data.is_empty(), "{shape:?}");
        }
    }
}
