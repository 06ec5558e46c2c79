//! Lines between the tokens of one layer's attention, as wide as the weights: what each query takes from each key.

use std::ops::Range;

use crate::model_map::Rect;

/// The least weight that has a line.
const LEAST: f32 = 0.05;
/// The most lines that are drawn at once.
const MOST: usize = 120;

/// The share that a query takes from a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Taken {
    /// The place of the query, from 0.
    pub query: usize,
    /// The place of the key, from 0.
    pub key: usize,
    /// The attention weight of the pair.
    pub weight: f32,
}

/// Returns the mean of maps `[h, n, m]` over the heads, `[n, m]`; empty if there are no heads.
pub fn mean_of_heads(maps: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    let size = (rows * columns).max(1);
    let heads = maps.len() / size;
    let mean = |cell: usize| {
        let values = (0..heads).map(|head| maps[head * size + cell]);
        values.sum::<f32>() / heads as f32
    };
    match heads {
        0 => Vec::new(),
        _ => (0..rows * columns).map(mean).collect(),
    }
}

/// Returns the weights of some queries that are large enough for a line, the smallest first.
pub fn taken(map: &[f32], columns: usize, queries: Range<usize>) -> Vec<Taken> {
    let row = |query: usize| {
        let start = query * columns;
        let weights = map.get(start..start + columns).unwrap_or_default();
        let weights = weights.iter().enumerate();
        weights.map(move |(key, &weight)| Taken { query, key, weight })
    };
    let mut found: Vec<Taken> = queries
        .flat_map(row)
        .filter(|one| one.weight >= LEAST)
        .collect();
    found.sort_by(|one, other| one.weight.total_cmp(&other.weight));
    found.split_off(found.len().saturating_sub(MOST))
}

/// Returns the horizontal place of one of `count` tokens in a block.
pub fn place_in(block: Rect, token: usize, count: usize) -> f64 {
    block.x + block.width * (token as f64 + 0.5) / count.max(1) as f64
}

/// Returns the course of a line as the data of an SVG path, upright at both ends.
pub fn course([x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) -> String {
    let bend = (y1 - y2) / 2.0;
    format!(
        "M{x1:.1} {y1:.1}C{x1:.1} {:.1} {x2:.1} {:.1} {x2:.1} {y2:.1}",
        y1 - bend,
        y2 + bend
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_averaged_cell_by_cell() {
        let maps = [1.0, 0.0, 0.5, 0.5, 0.0, 1.0, 0.5, 0.5];
        assert_eq!(mean_of_heads(&maps, 2, 2), [0.5, 0.5, 0.5, 0.5]);
        assert!(mean_of_heads(&[], 2, 2).is_empty());
    }

    #[test]
    fn lines_are_those_of_the_queries_and_the_widest_is_on_top() {
        let map = [0.97, 0.03, 0.4, 0.6, 0.5, 0.5];
        let found = taken(&map, 2, 0..2);
        let cells: Vec<_> = found.iter().map(|one| (one.query, one.key)).collect();
        assert_eq!(cells, [(1, 0), (1, 1), (0, 0)]);
        assert_eq!(taken(&map, 2, 2..3).len(), 2);
        assert!(taken(&map, 2, 3..9).is_empty());
        assert_eq!(taken(&vec![0.1; 400], 20, 0..20).len(), MOST);
    }

    #[test]
    fn tokens_stand_in_their_block_at_equal_distances() {
        let block = Rect {
            x: 10.0,
            y: 0.0,
            width: 100.0,
            height: 20.0,
        };
        let places = [0, 1, 2, 3].map(|token| place_in(block, token, 4));
        assert_eq!(places, [22.5, 47.5, 72.5, 97.5]);
        assert_eq!(
            course([1.0, 20.0], [5.0, 0.0]),
            "M1.0 20.0C1.0 10.0 5.0 10.0 5.0 0.0"
        );
    }
}
