//! The chosen head and its map, as plain data.

use attention_trace::{
    Array, AttentionKind, AttentionLayer, Excerpt, Quantity, Slice, Token, Trace, TraceMeta,
};

use super::several::mean;
use crate::state::{Cell, HeadChoice};

impl HeadChoice {
    /// Returns the requested head, or the nearest one that the model has.
    pub fn resolve(meta: &TraceMeta, kind: AttentionKind, layer: usize, head: usize) -> Self {
        let spec = &meta.spec;
        let kinds = spec.kinds();
        let has_kind = kinds.contains(&kind);
        let kind = if has_kind {
            kind
        } else {
            kinds.first().copied().unwrap_or(kind)
        };
        HeadChoice {
            attention: AttentionLayer {
                kind,
                layer: layer.min(spec.layers(kind).saturating_sub(1)),
            },
            head: head.min(spec.heads(kind).saturating_sub(1)),
        }
    }

    /// Returns its layer and number, with the numbers of layers and heads.
    pub fn numbers(self, meta: &TraceMeta) -> HeadNumbers {
        HeadNumbers {
            layers: meta.spec.layers(self.attention.kind),
            layer: self.attention.layer,
            heads: meta.spec.heads(self.attention.kind),
            head: self.head,
        }
    }

    /// Returns the excerpt with this head's matrix of a quantity of its attention.
    pub fn excerpt(self, quantity: Quantity) -> Excerpt {
        Excerpt::new(self.attention.at(quantity), Slice::Head(self.head))
    }
}

/// Returns the maps of a layer's heads that a trace contains from the start, `[h, n, m]`: the full maps if they are
/// small, else thumbnails.
pub fn thumbnails(trace: &Trace, attention: AttentionLayer) -> Option<&Array> {
    let array = |quantity| trace.array(attention.at(quantity));
    array(Quantity::Pattern).or_else(|| array(Quantity::Thumbnail))
}

/// A layer and a head, from 0, and the number of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadNumbers {
    /// The number of layers with this kind of attention.
    pub layers: usize,
    /// The selected layer, from 0.
    pub layer: usize,
    /// The number of heads in a layer.
    pub heads: usize,
    /// The selected head, from 0.
    pub head: usize,
}

/// One head's attention weights with the tokens of its axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadMap<'a> {
    /// The weights, row-major, `queries × keys`.
    pub weights: &'a [f32],
    /// The tokens of the rows.
    pub queries: &'a [Token],
    /// The tokens of the columns.
    pub keys: &'a [Token],
}

impl<'a> HeadMap<'a> {
    /// Creates the map of a head with the tokens of its rows and columns; `None` if the matrix does not fit them.
    pub fn of((queries, keys): (&'a [Token], &'a [Token]), matrix: &'a Array) -> Option<Self> {
        (matrix.shape == [queries.len(), keys.len()]).then_some(HeadMap {
            weights: &matrix.data,
            queries,
            keys,
        })
    }

    /// Returns the weights of one query over all keys.
    pub fn row(&self, query: usize) -> Option<&'a [f32]> {
        let width = self.keys.len();
        self.weights.get(query * width..(query + 1) * width)
    }

    /// Returns the weight at a cell, if the map has it.
    pub fn weight(&self, cell: Cell) -> Option<f32> {
        self.row(cell.query)?.get(cell.key).copied()
    }

    /// Computes the mean of several queries' weights over all keys: the share of their attention on each key.
    pub fn mean_row(&self, queries: &[usize]) -> Vec<f32> {
        let rows = queries.iter().filter_map(|&query| self.row(query));
        mean(&rows.collect::<Vec<_>>())
    }

    /// Returns the `count` keys that queries attend to most on average, strongest first.
    pub fn strongest(&self, queries: &[usize], count: usize) -> Vec<(usize, f32)> {
        largest(self.mean_row(queries), count)
    }

    /// Returns the `count` queries that attend most to some keys taken together, strongest first.
    pub fn readers(&self, keys: &[usize], count: usize) -> Vec<(usize, f32)> {
        let rows = self.weights.chunks_exact(self.keys.len().max(1));
        let on_keys = |row: &[f32]| keys.iter().filter_map(|&key| row.get(key)).sum();
        largest(rows.map(on_keys).collect(), count)
    }

    /// Returns the cell `rows` down and `columns` to the right of `from`, clamped to the map; its first cell if `from`
    /// is `None`.
    pub fn moved(&self, from: Option<Cell>, rows: isize, columns: isize) -> Option<Cell> {
        let last_query = self.queries.len().checked_sub(1)?;
        let last_key = self.keys.len().checked_sub(1)?;
        let (query, key) = from.map_or((0, 0), |cell| {
            (
                cell.query.saturating_add_signed(rows),
                cell.key.saturating_add_signed(columns),
            )
        });
        Some(Cell {
            query: query.min(last_query),
            key: key.min(last_key),
        })
    }

    /// Returns the cell under a point given as fractions of the map's width and height.
    pub fn cell_at(&self, x: f64, y: f64) -> Option<Cell> {
        let inside = (0.0..1.0).contains(&x) && (0.0..1.0).contains(&y);
        inside.then_some(Cell {
            query: (y * self.queries.len() as f64) as usize,
            key: (x * self.keys.len() as f64) as usize,
        })
    }
}

/// Returns the largest of some numbers with their places, largest first.
fn largest(numbers: Vec<f32>, count: usize) -> Vec<(usize, f32)> {
    let mut numbers: Vec<_> = numbers.into_iter().enumerate().collect();
    numbers.sort_by(|a, b| b.1.total_cmp(&a.1));
    numbers.truncate(count);
    numbers
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use attention_trace::{
        Array,
        config::{LlamaConfig, MarianConfig},
    };
    use proptest::prelude::*;

    use super::*;

    fn tokens(texts: &[&str]) -> Vec<Token> {
        texts
            .iter()
            .enumerate()
            .map(|(id, text)| Token {
                id: id as u32,
                text: (*text).to_owned(),
                unknown: false,
            })
            .collect()
    }

    fn trace() -> Trace {
        let config = MarianConfig {
            encoder_layers: 2,
            decoder_layers: 1,
            encoder_attention_heads: 2,
            decoder_attention_heads: 2,
            ..MarianConfig::default()
        };
        Trace {
            arrays: BTreeMap::from([(
                "decoder.0.cross.pattern".parse().unwrap(),
                Array {
                    shape: vec![2, 2, 3],
                    data: vec![0.1, 0.2, 0.7, 0.5, 0.5, 0.0, 1.0, 0.0, 0.0, 0.3, 0.3, 0.4],
                },
            )]),
            ..Trace::new(TraceMeta {
                spec: config.spec(),
                source: tokens(&["▁Je", "▁suis", "</s>"]),
                target: tokens(&["<pad>", "▁I"]),
                pieces: attention_trace::Pieces::default(),
            })
        }
    }

    fn cross(head: usize) -> Array {
        let trace = trace();
        let choice = HeadChoice::resolve(&trace.meta, AttentionKind::Cross, 0, head);
        trace.excerpt(&choice.excerpt(Quantity::Pattern)).unwrap()
    }

    fn map<'a>(trace: &'a Trace, matrix: &'a Array) -> HeadMap<'a> {
        HeadMap::of(trace.meta.axes(AttentionKind::Cross), matrix).unwrap()
    }

    #[test]
    fn a_head_out_of_range_becomes_the_last() {
        let meta = trace().meta;
        let choice = HeadChoice::resolve(&meta, AttentionKind::EncoderSelf, usize::MAX, 9);
        assert_eq!((choice.attention.layer, choice.head), (1, 1));
    }

    #[test]
    fn a_kind_the_model_lacks_becomes_its_first() {
        let meta = TraceMeta {
            spec: LlamaConfig::default().spec(),
            ..trace().meta
        };
        let choice = HeadChoice::resolve(&meta, AttentionKind::Cross, 0, 0);
        assert_eq!(choice.attention.kind, AttentionKind::DecoderSelf);
    }

    #[test]
    fn the_map_is_the_heads_own_with_its_axes() {
        let (trace, matrix) = (trace(), cross(1));
        let map = map(&trace, &matrix);
        assert_eq!(map.row(1), Some([0.3, 0.3, 0.4].as_slice()));
        assert_eq!(map.weight(Cell { query: 0, key: 0 }), Some(1.0));
        assert_eq!(map.weight(Cell { query: 2, key: 0 }), None);
        assert_eq!(map.weight(Cell { query: 0, key: 3 }), None);
        assert_eq!(map.keys[1].text, "▁suis");
    }

    #[test]
    fn a_map_that_does_not_fit_is_none() {
        let (mut trace, matrix) = (trace(), cross(0));
        trace.meta.source.pop();
        assert_eq!(
            HeadMap::of(trace.meta.axes(AttentionKind::Cross), &matrix),
            None
        );
    }

    #[test]
    fn a_head_is_there_at_once_whole_or_as_a_thumbnail() {
        let trace = trace();
        let choice = HeadChoice::resolve(&trace.meta, AttentionKind::Cross, 0, 1);
        let whole = thumbnails(&trace, choice.attention).unwrap();
        assert_eq!(whole.shape, [2, 2, 3]);
        // Maps as small as this are their own thumbnails.
        let light = trace.light();
        assert_eq!(light.excerpt(&choice.excerpt(Quantity::Pattern)), None);
        assert_eq!(thumbnails(&light, choice.attention), Some(whole));
        let other = AttentionLayer {
            kind: AttentionKind::EncoderSelf,
            layer: 0,
        };
        assert_eq!(thumbnails(&trace, other), None);
    }

    #[test]
    fn the_strongest_keys_come_first() {
        let (trace, matrix) = (trace(), cross(0));
        let map = map(&trace, &matrix);
        assert_eq!(map.strongest(&[0], 2), [(2, 0.7), (1, 0.2)]);
        assert_eq!(map.strongest(&[7], 2), []);
        assert_eq!(map.readers(&[1], 2), [(1, 0.5), (0, 0.2)]);
    }

    #[test]
    fn rows_read_together_are_averaged_and_keys_taken_together_summed() {
        let (trace, matrix) = (trace(), cross(0));
        let map = map(&trace, &matrix);
        assert_eq!(map.mean_row(&[0, 1]), [0.3, 0.35, 0.35]);
        assert_eq!(map.strongest(&[0, 1], 1), [(1, 0.35)]);
        assert_eq!(map.readers(&[0, 1], 1), [(1, 1.0)]);
    }

    proptest! {
        #[test]
        fn moving_never_leaves_the_map(
            query in 0usize..9, key in 0usize..9, rows in -9isize..9, columns in -9isize..9
        ) {
            let (trace, matrix) = (trace(), cross(0));
            let map = map(&trace, &matrix);
            let moved = map.moved(Some(Cell { query, key }), rows, columns).unwrap();
            prop_assert!(map.weight(moved).is_some());
        }

        #[test]
        fn a_point_inside_has_a_cell(x in 0.0f64..1.0, y in 0.0f64..1.0) {
            let (trace, matrix) = (trace(), cross(0));
            let map = map(&trace, &matrix);
            prop_assert!(map.weight(map.cell_at(x, y).unwrap()).is_some());
        }
    }
}
