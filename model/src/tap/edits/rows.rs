//! Rows of another pass that replace rows of this one: activation patching.

use std::ops::Range;
use std::sync::Arc;

use attention_trace::{Array, Edit, Site};
use burn::tensor::{Tensor, TensorData};

/// Rows that are taken over at one place.
#[derive(Clone, Debug)]
pub struct TakenRows {
    /// The place in the pass.
    pub site: Site,
    /// The head, at places that have heads; `None` for all of them.
    pub head: Option<usize>,
    /// The row of the array for each replaced position, `[row, position]`.
    pub rows: Vec<[usize; 2]>,
    /// The array, with the place's shape except for the number of rows.
    pub array: Arc<Array>,
}

impl TakenRows {
    /// Returns the rows of an edit; `None` for another kind of edit.
    pub fn of(edit: &Edit) -> Option<Self> {
        let Edit::ReplaceRows {
            site,
            head,
            rows,
            array,
        } = edit
        else {
            return None;
        };
        Some(TakenRows {
            site: *site,
            head: *head,
            rows: rows.clone(),
            array: Arc::new(array.clone()),
        })
    }

    /// Puts these rows into the `sequences` of the batch `x`, whose rows begin at position `first`. Rows that do not
    /// exist, or not yet, and an array of another width change nothing.
    ///
    /// # Shapes
    /// - x: `[batch, length, width]` or `[batch, heads, length, width]`
    pub fn put<const D: usize>(
        &self,
        x: Tensor<D>,
        sequences: Range<usize>,
        first: usize,
    ) -> Tensor<D> {
        let dims = x.dims();
        let [rows, width] = [dims[D - 2], dims[D - 1]];
        let Some(heads) = self.heads(&dims) else {
            return x;
        };
        let device = x.device();
        let runs = runs(&self.rows).into_iter();
        let seen = runs.filter_map(|run| run.within(first..first + rows));
        seen.fold(x, |x, run| {
            let Some(values) = self.values(&run, heads.clone(), width) else {
                return x;
            };
            let mut shape = dims;
            (shape[0], shape[D - 2]) = (sequences.len(), run.count);
            if D == 4 {
                shape[1] = heads.len();
            }
            let values = values.repeat(sequences.len());
            let values = Tensor::from_data(TensorData::new(values, shape), &device);
            let here = run.here - first;
            let slices: [Range<usize>; D] = std::array::from_fn(|axis| match axis {
                0 => sequences.clone(),
                axis if axis + 1 == D => 0..width,
                axis if axis + 2 == D => here..here + run.count,
                _ => heads.clone(),
            });
            x.slice_assign(slices, values)
        })
    }

    /// Returns the heads to replace; a place without heads counts as one. `None` if the array does not fit.
    fn heads<const D: usize>(&self, dims: &[usize; D]) -> Option<Range<usize>> {
        let shape = self.array.shape.as_slice();
        let fits = shape.len() + 1 == D && shape.last() == dims.last();
        match (D, self.head) {
            (3, _) if fits => Some(0..1),
            (4, None) if fits && shape[0] == dims[1] => Some(0..dims[1]),
            (4, Some(head)) if fits && head < dims[1] && shape[0] == dims[1] => {
                Some(head..head + 1)
            }
            _ => None,
        }
    }

    /// Returns the numbers of a run, head by head; `None` if the array has no such rows.
    fn values(&self, run: &Run, heads: Range<usize>, width: usize) -> Option<Vec<f32>> {
        let shape = self.array.shape.as_slice();
        let rows = shape[shape.len() - 2];
        if run.there + run.count > rows {
            return None;
        }
        let mut values = Vec::with_capacity(heads.len() * run.count * width);
        for head in heads {
            let start = (head * rows + run.there) * width;
            values.extend_from_slice(self.array.data.get(start..start + run.count * width)?);
        }
        Some(values)
    }
}

/// Rows that are adjacent on both sides.
#[derive(Clone, Debug, PartialEq)]
struct Run {
    there: usize,
    here: usize,
    count: usize,
}

impl Run {
    /// Returns the part of the run at these positions.
    fn within(self, positions: Range<usize>) -> Option<Run> {
        let start = self.here.max(positions.start);
        let end = (self.here + self.count).min(positions.end);
        (start < end).then(|| Run {
            there: self.there + (start - self.here),
            here: start,
            count: end - start,
        })
    }
}

fn runs(rows: &[[usize; 2]]) -> Vec<Run> {
    let mut runs: Vec<Run> = vec![];
    for &[there, here] in rows {
        match runs.last_mut() {
            Some(run) if run.there + run.count == there && run.here + run.count == here => {
                run.count += 1;
            }
            _ => runs.push(Run {
                there,
                here,
                count: 1,
            }),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use burn::prelude::Device;
    use proptest::prelude::*;

    use super::*;

    fn taken(head: Option<usize>, rows: &[[usize; 2]], shape: &[usize]) -> TakenRows {
        let count: usize = shape.iter().product();
        TakenRows {
            site: "encoder.0.self.z".parse().unwrap(),
            head,
            rows: rows.to_vec(),
            array: Arc::new(Array {
                shape: shape.to_vec(),
                data: (1..=count).map(|value| value as f32).collect(),
            }),
        }
    }

    fn put<const D: usize>(
        taken: &TakenRows,
        shape: [usize; D],
        sequences: Range<usize>,
        first: usize,
    ) -> Vec<f32> {
        let x = Tensor::<D>::zeros(shape, &Device::flex());
        let data = taken.put(x, sequences, first).into_data();
        data.try_into_vec().unwrap()
    }

    #[test]
    fn a_row_of_one_sequence_is_taken_over() {
        let row = taken(None, &[[1, 2]], &[3, 2]);
        let found = put(&row, [2, 3, 2], 1..2, 0);
        assert_eq!(found[..10], [0.0; 10]);
        assert_eq!(found[10..], [3.0, 4.0]);
        // Behind a cache position 2 is the first row.
        assert_eq!(put(&row, [1, 1, 2], 0..1, 2), [3.0, 4.0]);
        assert_eq!(put(&row, [1, 1, 2], 0..1, 3), [0.0, 0.0]);
    }

    #[test]
    fn of_one_head_the_others_stay() {
        let head = taken(Some(1), &[[0, 0], [1, 1]], &[2, 2, 1]);
        assert_eq!(put(&head, [1, 2, 2, 1], 0..1, 0), [0.0, 0.0, 3.0, 4.0]);
        let all = taken(None, &[[0, 1]], &[2, 2, 1]);
        assert_eq!(put(&all, [1, 2, 2, 1], 0..1, 0), [0.0, 1.0, 0.0, 3.0]);
    }

    #[test]
    fn what_does_not_fit_changes_nothing() {
        for taken in [
            taken(None, &[[7, 0]], &[3, 2]),
            taken(None, &[[0, 7]], &[3, 2]),
            taken(None, &[[0, 0]], &[3, 5]),
            taken(None, &[[0, 0]], &[1, 3, 2]),
        ] {
            assert_eq!(put(&taken, [1, 3, 2], 0..1, 0), [0.0; 6]);
        }
        let no_head = taken(Some(2), &[[0, 0]], &[2, 2, 1]);
        assert_eq!(put(&no_head, [1, 2, 2, 1], 0..1, 0), [0.0; 4]);
    }

    proptest! {
        #[test]
        fn runs_are_the_rows(rows in prop::collection::vec((0usize..5, 0usize..5), 0..8)) {
            let rows: Vec<[usize; 2]> = rows.into_iter().map(|(there, here)| [there, here]).collect();
            let runs = runs(&rows);
            let all = runs.iter().flat_map(|run| (0..run.count).map(|at| [run.there + at, run.here + at]));
            prop_assert_eq!(all.collect::<Vec<_>>(), rows);
        }
    }
}
