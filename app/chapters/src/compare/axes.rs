//! The axes that two maps have in common, and the maps on them, as plain data.

use std::sync::Arc;

use attention_core::state::Cell;
use attention_figures::difference::{differences, mean_size};
use attention_trace::{Array, AttentionKind, Token, TraceMeta};

use super::align::{Fit, Place, places};

/// A side of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
}

impl Side {
    /// Returns the index of the side's token at a place; `None` if the side has none there.
    pub fn of(self, place: Place) -> Option<usize> {
        match self {
            Side::Left => place.left,
            Side::Right => place.right,
        }
    }

    pub fn other(self) -> Self {
        match self {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        }
    }
}

/// An axis with the tokens of both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The places, in the order of both texts.
    pub places: Vec<Place>,
    left: Vec<Token>,
    right: Vec<Token>,
}

impl Axis {
    fn of(left: &[Token], right: &[Token]) -> Self {
        Axis {
            places: places(left, right),
            left: left.to_vec(),
            right: right.to_vec(),
        }
    }

    pub fn tokens(&self, side: Side) -> &[Token] {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }

    /// A side's token at a place.
    pub fn token(&self, side: Side, at: usize) -> Option<&Token> {
        self.tokens(side).get(side.of(*self.places.get(at)?)?)
    }

    /// Returns the number of places with this relation.
    pub fn count(&self, fit: Fit) -> usize {
        self.places.iter().filter(|place| place.fit == fit).count()
    }
}

/// Both axes of two heads' maps.
#[derive(Clone, Debug, PartialEq)]
pub struct Axes {
    /// The axis of the rows.
    pub queries: Axis,
    /// The axis of the columns.
    pub keys: Axis,
    /// True, for each side, if a query sees only the keys up to its own.
    causal: [bool; 2],
}

impl Axes {
    /// Creates the axes of a kind of attention on each side.
    pub fn of([left, right]: [(&TraceMeta, AttentionKind); 2]) -> Self {
        let axes = |(meta, kind): (&TraceMeta, AttentionKind)| {
            let (queries, keys) = meta.axes(kind);
            (queries.to_vec(), keys.to_vec())
        };
        let (left_axes, right_axes) = (axes(left), axes(right));
        Axes {
            queries: Axis::of(&left_axes.0, &right_axes.0),
            keys: Axis::of(&left_axes.1, &right_axes.1),
            causal: [left, right].map(|(_, kind)| kind == AttentionKind::DecoderSelf),
        }
    }

    /// Returns the numbers of rows and columns.
    pub fn size(&self) -> (usize, usize) {
        (self.queries.places.len(), self.keys.places.len())
    }

    /// A side's map on these axes, row-major; NaN where the side has no such cell. `None` where the map has other tokens.
    fn spread(&self, side: Side, map: &Array) -> Option<Vec<f32>> {
        let (queries, keys) = (
            self.queries.tokens(side).len(),
            self.keys.tokens(side).len(),
        );
        if map.shape != [queries, keys] {
            return None;
        }
        let value = |row: Place, column: Place| {
            let (query, key) = side.of(row).zip(side.of(column))?;
            map.data.get(query * keys + key).copied()
        };
        let rows = self.queries.places.iter();
        let cells = rows.flat_map(|&row| self.keys.places.iter().map(move |&column| (row, column)));
        Some(
            cells
                .map(|(row, column)| value(row, column).unwrap_or(f32::NAN))
                .collect(),
        )
    }

    /// The mean size of the differences between a head of each side, of all that both can give weight to; `maps` are of
    /// all heads of a layer, `[heads, queries, keys]`.
    pub fn mean_difference(&self, maps: [(&Array, usize); 2]) -> Option<f32> {
        let [left, right] = maps.map(|(maps, head)| maps.matrix(head));
        let (left, right) = (left?, right?);
        let widths = [Side::Left, Side::Right].map(|side| self.keys.tokens(side).len());
        let sizes = [Side::Left, Side::Right].map(|side| self.queries.tokens(side).len());
        if left.len() != sizes[0] * widths[0] || right.len() != sizes[1] * widths[1] {
            return None;
        }
        let partners = |axis: &Axis| {
            axis.places
                .iter()
                .filter_map(|place| place.both())
                .collect::<Vec<_>>()
        };
        let (queries, keys) = (partners(&self.queries), partners(&self.keys));
        let [left_hides, right_hides] = self.causal;
        let cells = queries.iter().flat_map(|&(one, other)| {
            let seen = keys.iter().filter(move |&&(left_key, right_key)| {
                !(left_hides && left_key > one || right_hides && right_key > other)
            });
            seen.map(move |&(left_key, right_key)| {
                right[other * widths[1] + right_key] - left[one * widths[0] + left_key]
            })
        });
        mean_size(cells)
    }
}

/// Both maps on their common axes, and what lies between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Maps {
    pub rows: usize,
    pub columns: usize,
    /// The left map, row-major; NaN where it has no such cell.
    pub left: Arc<[f32]>,
    /// The right map, row by row, `[rows, columns]`.
    pub right: Arc<[f32]>,
    /// The differences, right minus left, NaN in cells that one side lacks.
    pub between: Arc<[f32]>,
}

impl Maps {
    /// Two maps, each `[queries, keys]` of its side; `None` where one does not have the tokens of the axes.
    pub fn of(axes: &Axes, left: &Array, right: &Array) -> Option<Self> {
        let (rows, columns) = axes.size();
        let (left, right) = (
            axes.spread(Side::Left, left)?,
            axes.spread(Side::Right, right)?,
        );
        Some(Maps {
            rows,
            columns,
            between: differences(&left, &right).into(),
            left: left.into(),
            right: right.into(),
        })
    }

    pub fn side(&self, side: Side) -> &[f32] {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }

    /// A cell, if it is one of the axes.
    pub fn inside(&self, cell: Cell) -> Option<Cell> {
        (cell.query < self.rows && cell.key < self.columns).then_some(cell)
    }

    /// The cell at a place of the row-major values.
    pub fn cell(&self, place: usize) -> Cell {
        let columns = self.columns.max(1);
        Cell {
            query: place / columns,
            key: place % columns,
        }
    }

    /// A value of a cell; `None` where there is none.
    pub fn value(&self, of: &[f32], cell: Cell) -> Option<f32> {
        let cell = self.inside(cell)?;
        let value = of.get(cell.query * self.columns + cell.key).copied();
        value.filter(|value| !value.is_nan())
    }

    /// The cell that many rows and columns from another, held inside; the first where there is none to move from.
    pub fn moved(&self, from: Option<Cell>, rows: isize, columns: isize) -> Option<Cell> {
        let (last_row, last_column) = (self.rows.checked_sub(1)?, self.columns.checked_sub(1)?);
        let (query, key) = from.map_or((0, 0), |cell| {
            (
                cell.query.saturating_add_signed(rows),
                cell.key.saturating_add_signed(columns),
            )
        });
        Some(Cell {
            query: query.min(last_row),
            key: key.min(last_column),
        })
    }

    /// Returns the number of cells that both maps have.
    pub fn compared(&self) -> usize {
        self.between
            .iter()
            .filter(|difference| !difference.is_nan())
            .count()
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::config::{LlamaConfig, MarianConfig};
    use proptest::prelude::*;

    use super::*;

    fn tokens(text: &str) -> Vec<Token> {
        let token = |(id, text): (usize, &str)| Token {
            id: id as u32,
            text: format!("▁{text}"),
            unknown: false,
        };
        text.split_whitespace().enumerate().map(token).collect()
    }

    fn encoder(text: &str) -> TraceMeta {
        TraceMeta {
            spec: MarianConfig::default().spec(),
            source: tokens(text),
            target: vec![],
            pieces: attention_trace::Pieces::default(),
        }
    }

    fn array(shape: &[usize], data: &[f32]) -> Array {
        Array {
            shape: shape.to_vec(),
            data: data.to_vec(),
        }
    }

    fn axes(left: &str, right: &str) -> Axes {
        let (left, right) = (encoder(left), encoder(right));
        let kind = AttentionKind::EncoderSelf;
        Axes::of([(&left, kind), (&right, kind)])
    }

    #[test]
    fn cells_are_compared_where_both_tokens_have_partners() {
        let axes = axes("a b", "a x b");
        let left = array(&[2, 2], &[0.75, 0.25, 0.5, 0.5]);
        let right = array(&[3, 3], &[0.5, 0.5, 0.0, 1.0, 0.0, 0.0, 0.125, 0.125, 0.75]);
        let maps = Maps::of(&axes, &left, &right).unwrap();
        assert_eq!((maps.rows, maps.columns, maps.compared()), (3, 3, 4));
        let cell = |query, key| Cell { query, key };
        assert_eq!(maps.value(&maps.left, cell(2, 0)), Some(0.5));
        assert_eq!(maps.value(&maps.left, cell(1, 0)), None);
        assert_eq!(maps.value(&maps.right, cell(1, 0)), Some(1.0));
        assert_eq!(maps.value(&maps.between, cell(2, 2)), Some(0.25));
        assert_eq!(maps.value(&maps.between, cell(0, 1)), None);
        assert_eq!(maps.value(&maps.between, cell(0, 3)), None);
        // 0.25, 0.25, 0.375 and 0.25.
        let one_head = |map: &Array| Array {
            shape: [&[1], map.shape.as_slice()].concat(),
            data: map.data.clone(),
        };
        let (left, right) = (one_head(&left), one_head(&right));
        assert_eq!(
            axes.mean_difference([(&left, 0), (&right, 0)]),
            Some(0.28125)
        );
        assert_eq!(axes.mean_difference([(&left, 1), (&right, 0)]), None);
        assert_eq!(axes.mean_difference([(&right, 0), (&left, 0)]), None);
    }

    #[test]
    fn what_the_mask_hides_from_one_side_is_no_difference() {
        let meta = TraceMeta {
            spec: LlamaConfig::default().spec(),
            source: vec![],
            target: tokens("a b"),
            pieces: attention_trace::Pieces::default(),
        };
        let kind = AttentionKind::DecoderSelf;
        let axes = Axes::of([(&meta, kind), (&meta, kind)]);
        let left = array(&[1, 2, 2], &[1.0, 0.0, 0.5, 0.5]);
        let right = array(&[1, 2, 2], &[1.0, 0.0, 0.125, 0.875]);
        // 0, 0.375 and 0.375: three cells of four.
        assert_eq!(axes.mean_difference([(&left, 0), (&right, 0)]), Some(0.25));
    }

    #[test]
    fn maps_of_other_tokens_are_refused() {
        let axes = axes("a b", "a b");
        let map = array(&[2, 2], &[0.5; 4]);
        assert!(Maps::of(&axes, &map, &map).is_some());
        assert_eq!(Maps::of(&axes, &array(&[1, 2], &[0.5; 2]), &map), None);
    }

    proptest! {
        #[test]
        fn every_weight_of_both_maps_is_on_the_axes(
            left in prop::collection::vec(0..3u8, 1..6), right in prop::collection::vec(0..3u8, 1..6),
        ) {
            let text = |letters: &[u8]| letters.iter().map(u8::to_string).collect::<Vec<_>>().join(" ");
            let axes = axes(&text(&left), &text(&right));
            let map = |size: usize| {
                let data: Vec<f32> = (0..size * size).map(|place| place as f32).collect();
                array(&[size, size], &data)
            };
            let maps = Maps::of(&axes, &map(left.len()), &map(right.len())).unwrap();
            for (side, size) in [(Side::Left, left.len()), (Side::Right, right.len())] {
                let mut found: Vec<f32> = maps.side(side).iter().copied().filter(|value| !value.is_nan()).collect();
                found.sort_by(f32::total_cmp);
                prop_assert_eq!(found, map(size).data);
            }
        }

        #[test]
        fn moving_stays_on_the_axes(query in 0usize..9, key in 0usize..9, rows in -9isize..9, columns in -9isize..9) {
            let axes = axes("a b c", "a b c");
            let map = array(&[3, 3], &[0.0; 9]);
            let maps = Maps::of(&axes, &map, &map).unwrap();
            let moved = maps.moved(Some(Cell { query, key }), rows, columns).unwrap();
            prop_assert!(maps.value(&maps.left, moved).is_some());
        }
    }
}
