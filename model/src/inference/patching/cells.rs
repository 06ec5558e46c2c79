//! The cells of a map: the rows that each takes over, the cells that change nothing, and the batches of the others.

use std::collections::BTreeMap;
use std::sync::Arc;

use attention_trace::{Array, MapQuestion, Pair, Patched, PatchedCell, Site, Stack, TakenInto};

use crate::tap::TakenRows;

/// The arrays that a pass computed, by place.
type Arrays = BTreeMap<Site, Array>;

/// The number of multiplications in one pass at most, so that a map can be stopped soon and its progress is visible.
const MULTIPLICATIONS: usize = 2_500_000_000;
/// The most sequences of a batch: larger batches are no faster.
const MOST: usize = 32;

/// Returns the number of sequences that one pass patches, each of `tokens` tokens.
pub fn sequences_at_once(weights: usize, tokens: usize) -> usize {
    let of_one = weights.saturating_mul(tokens).max(1);
    (MULTIPLICATIONS / of_one).clamp(1, MOST)
}

/// Returns the pairs of corresponding positions, as `[there, here]`.
pub fn paired_rows(pairs: &[Pair], into: TakenInto) -> Vec<[usize; 2]> {
    pairs
        .iter()
        .filter_map(|pair| directed(pair, into))
        .collect()
}

fn directed(pair: &Pair, into: TakenInto) -> Option<[usize; 2]> {
    let (clean, other) = (pair.before?, pair.after?);
    Some(match into {
        TakenInto::Other => [clean, other],
        TakenInto::Clean => [other, clean],
    })
}

/// A cell that needs a pass.
#[derive(Debug)]
struct Cell {
    row: usize,
    column: usize,
    taken: TakenRows,
    /// The first position that it changes.
    first: usize,
}

/// The cells of a map.
#[derive(Debug)]
pub struct Cells {
    changing: Vec<Cell>,
    /// Row and column of the cells whose rows are the same in both runs.
    unchanged: Vec<[usize; 2]>,
}

impl Cells {
    /// Creates the cells of a question from the two runs' arrays: that of the run that activations are taken from, and
    /// that of the run that takes them.
    pub fn of(
        question: &MapQuestion,
        pairs: &[Pair],
        (from, into): (&Arrays, &Arrays),
        sites: &[Site],
    ) -> Self {
        let mut cells = Cells {
            changing: vec![],
            unchanged: vec![],
        };
        for (row, site) in sites.iter().enumerate() {
            let (Some(from), Some(into)) = (from.get(site), into.get(site)) else {
                continue;
            };
            let array = Arc::new(from.clone());
            for (column, head, rows) in columns(question, pairs, from) {
                let taken = TakenRows {
                    site: *site,
                    head,
                    rows,
                    array: array.clone(),
                };
                cells.add([row, column], taken, into);
            }
        }
        if question.stack == Stack::Decoder {
            cells.changing.sort_by_key(|cell| cell.first);
        }
        cells
    }

    fn add(&mut self, [row, column]: [usize; 2], taken: TakenRows, into: &Array) {
        let is_same = |&[there, here]: &[usize; 2]| {
            let theirs = numbers(&taken.array, taken.head, there);
            theirs == numbers(into, taken.head, here)
        };
        if taken.rows.iter().all(is_same) {
            self.unchanged.push([row, column]);
            return;
        }
        self.changing.push(Cell {
            row,
            column,
            first: taken.rows.iter().map(|row| row[1]).min().unwrap_or(0),
            taken,
        });
    }

    /// Returns the number of all cells.
    pub fn total(&self) -> usize {
        self.changing.len() + self.unchanged.len()
    }

    /// Returns the cells that change nothing, with the run's own difference.
    pub fn unchanged(&self, difference: f32) -> Vec<PatchedCell> {
        let cell = |&[row, column]: &[usize; 2]| PatchedCell {
            row,
            column,
            difference,
        };
        self.unchanged.iter().map(cell).collect()
    }

    /// Returns the other cells in batches of at most `most`; in a decoder, those that change its later positions come
    /// last.
    pub fn groups(&self, most: usize) -> impl Iterator<Item = Group<'_>> {
        self.changing.chunks(most.max(1)).map(Group)
    }
}

/// Returns the columns of a row: the number of each, its head, and the rows that it takes over.
fn columns(
    question: &MapQuestion,
    pairs: &[Pair],
    array: &Array,
) -> Vec<(usize, Option<usize>, Vec<[usize; 2]>)> {
    if question.patched == Patched::Heads {
        let rows = paired_rows(pairs, question.into);
        let heads = array.shape.first().copied().unwrap_or(0);
        return (0..heads)
            .map(|head| (head, Some(head), rows.clone()))
            .collect();
    }
    let columns = pairs.iter().enumerate();
    columns
        .filter_map(|(column, pair)| Some((column, None, vec![directed(pair, question.into)?])))
        .collect()
}

/// Returns the numbers of one row, for one head if the array has heads.
fn numbers(array: &Array, head: Option<usize>, row: usize) -> Option<&[f32]> {
    let &[.., rows, width] = array.shape.as_slice() else {
        return None;
    };
    let start = (head.unwrap_or(0) * rows + row) * width;
    (row < rows)
        .then(|| array.data.get(start..start + width))
        .flatten()
}

/// Cells that form the sequences of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Group<'a>(&'a [Cell]);

impl Group<'_> {
    /// Returns the number of cells in the batch.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the first position that any of the cells changes.
    pub fn first(&self) -> usize {
        self.0.iter().map(|cell| cell.first).min().unwrap_or(0)
    }

    /// Returns the rows that each cell takes over.
    pub fn taken(&self) -> impl Iterator<Item = TakenRows> {
        self.0.iter().map(|cell| cell.taken.clone())
    }

    /// Returns the cells with their computed differences.
    pub fn cells(&self, differences: &[f32]) -> impl Iterator<Item = PatchedCell> {
        let pairs = self.0.iter().zip(differences);
        pairs.map(|(cell, &difference)| PatchedCell {
            row: cell.row,
            column: cell.column,
            difference,
        })
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::PatchingPair;

    use super::*;

    fn question(stack: Stack, patched: Patched, into: TakenInto) -> MapQuestion {
        MapQuestion {
            pair: PatchingPair {
                text: String::new(),
                other: String::new(),
                target: vec![],
                answer: 0,
                against: 1,
            },
            stack,
            patched,
            into,
        }
    }

    fn pair(before: Option<usize>, after: Option<usize>) -> Pair {
        Pair {
            before,
            after,
            is_same: false,
        }
    }

    fn arrays(site: Site, shape: &[usize], data: &[f32]) -> Arrays {
        let (shape, data) = (shape.to_vec(), data.to_vec());
        BTreeMap::from([(site, Array { shape, data })])
    }

    #[test]
    fn what_is_the_same_in_both_runs_needs_no_pass() {
        let site: Site = "decoder.0.mlp.out".parse().unwrap();
        let pairs = [
            pair(Some(0), Some(0)),
            pair(Some(1), None),
            pair(Some(2), Some(1)),
        ];
        let clean = arrays(site, &[3, 1], &[1.0, 2.0, 3.0]);
        let other = arrays(site, &[2, 1], &[1.0, 4.0]);
        let question = question(Stack::Decoder, Patched::FeedForward, TakenInto::Other);
        let cells = Cells::of(&question, &pairs, (&clean, &other), &[site]);
        assert_eq!(cells.total(), 2);
        let [unchanged] = cells.unchanged(0.5)[..] else {
            panic!("one is the same")
        };
        assert_eq!((unchanged.column, unchanged.difference), (0, 0.5));
        let groups: Vec<Group> = cells.groups(8).collect();
        let [group] = groups[..] else {
            panic!("one batch")
        };
        assert_eq!((group.len(), group.first()), (1, 1));
        assert_eq!(group.taken().next().unwrap().rows, [[2, 1]]);
        assert_eq!(group.cells(&[7.0]).next().unwrap().column, 2);
    }

    #[test]
    fn a_head_is_taken_over_at_all_pairs_in_either_direction() {
        let site: Site = "encoder.0.self.z".parse().unwrap();
        let pairs = [pair(Some(0), Some(0)), pair(Some(1), Some(2))];
        let clean = arrays(site, &[2, 2, 1], &[1.0, 2.0, 3.0, 4.0]);
        let other = arrays(site, &[2, 3, 1], &[1.0, 9.0, 2.0, 5.0, 6.0, 7.0]);
        let question = question(Stack::Encoder, Patched::Heads, TakenInto::Clean);
        let cells = Cells::of(&question, &pairs, (&other, &clean), &[site]);
        assert_eq!(cells.unchanged, [[0, 0]]);
        let taken = cells.groups(1).next().unwrap().taken().next().unwrap();
        assert_eq!((taken.head, taken.rows), (Some(1), vec![[0, 0], [2, 1]]));
    }

    #[test]
    fn a_large_model_is_patched_place_by_place() {
        assert_eq!(sequences_at_once(7_000_000, 12), 29);
        assert_eq!(sequences_at_once(124_000_000, 30), 1);
        assert_eq!(sequences_at_once(1000, 5), MOST);
        assert_eq!(sequences_at_once(0, 0), MOST);
    }
}
