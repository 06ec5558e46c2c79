//! Several heads, and several queries, chosen at once.

use attention_trace::{AttentionLayer, TraceMeta};
use leptos::prelude::*;

use super::{HeadChoice, Selection};
use crate::state::{Cell, HeadPlace, ViewState};

/// The largest number of heads whose mean is shown: all of one kind in the translators. Each is a map of its own to
/// load.
pub const MOST_HEADS: usize = 24;

/// The whole selection on the page: a [`Selection`], further heads of its kind, and rows that are read together. It is
/// one value, so that everything that depends on it follows one signal.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    selection: Selection,
    more_heads: Vec<HeadPlace>,
    rows: Vec<usize>,
}

impl Choice {
    /// Returns the selection in the page's view.
    pub fn of_page() -> Memo<Self> {
        ViewState::expect().select(|view| Choice {
            selection: Selection::of(view),
            more_heads: view.more_heads.clone(),
            rows: view.rows.clone(),
        })
    }

    /// Returns the heads that the model has, each once, starting with the one that the selection names. Empty for a
    /// model without attention.
    pub fn heads(&self, meta: &TraceMeta) -> Vec<HeadChoice> {
        if meta.spec.kinds().is_empty() {
            return Vec::new();
        }
        let first = self.selection.head(meta);
        let attention = first.attention;
        let layers = meta.spec.layers(attention.kind);
        let heads = meta.spec.heads(attention.kind);
        let mut all = vec![first];
        for place in &self.more_heads {
            let exists = place.layer < layers && place.head < heads;
            let head = HeadChoice {
                attention: AttentionLayer {
                    layer: place.layer,
                    ..attention
                },
                head: place.head,
            };
            if exists && all.len() < MOST_HEADS && !all.contains(&head) {
                all.push(head);
            }
        }
        all
    }

    /// Returns the cell, if a map with that many queries and keys has it.
    pub fn cell(&self, queries: usize, keys: usize) -> Option<Cell> {
        self.selection.cell(queries, keys)
    }

    /// Returns the rows of a map with `count` queries that are read together, in order; empty if fewer than two are
    /// left.
    pub fn rows(&self, count: usize) -> Vec<usize> {
        let mut rows = self.rows.clone();
        rows.retain(|&row| row < count);
        rows.sort_unstable();
        rows.dedup();
        match rows.len() {
            0 | 1 => Vec::new(),
            _ => rows,
        }
    }
}

/// Returns the chosen heads after a click on one more: it is added, or removed if it is among them and not alone. A
/// head of another kind has another map, and begins a new choice.
pub fn with_head(heads: &[HeadChoice], head: HeadChoice) -> Vec<HeadChoice> {
    let is_of_kind = |other: &HeadChoice| other.attention.kind == head.attention.kind;
    if !heads.iter().all(is_of_kind) || heads == [head] {
        return vec![head];
    }
    let mut all = heads.to_vec();
    match heads.iter().position(|&other| other == head) {
        Some(place) => {
            all.remove(place);
        }
        None if all.len() < MOST_HEADS => all.push(head),
        None => {}
    }
    all
}

/// Returns the chosen rows after a click on one more: it is added, or removed.
pub fn with_row(rows: &[usize], row: usize) -> Vec<usize> {
    let mut all = rows.to_vec();
    match rows.iter().position(|&other| other == row) {
        Some(place) => {
            all.remove(place);
        }
        None => all.push(row),
    }
    all.sort_unstable();
    all
}

/// Returns the rows from one to another, both included.
pub fn rows_between(one: usize, other: usize) -> Vec<usize> {
    (one.min(other)..=one.max(other)).collect()
}

/// Extends the rows from `anchor`, the start of the choice, to the row `by` places beyond its other end, among `count`.
pub fn rows_extended(rows: &[usize], anchor: usize, by: isize, count: usize) -> Vec<usize> {
    let first = rows.first().copied().unwrap_or(anchor);
    let last = rows.last().copied().unwrap_or(anchor);
    let end = if first < anchor { first } else { last };
    let end = end.saturating_add_signed(by).min(count.saturating_sub(1));
    rows_between(anchor, end)
}

/// Computes the element-wise mean of rows, as long as the shortest; empty without rows.
pub fn mean(rows: &[&[f32]]) -> Vec<f32> {
    let length = rows.iter().map(|row| row.len()).min().unwrap_or(0);
    let count = rows.len() as f32;
    let at = |place| rows.iter().map(|row| row[place]).sum::<f32>() / count;
    (0..length).map(at).collect()
}

/// Groups neighbouring rows into runs, each a start and a length. Expects the rows in order.
pub fn runs(rows: &[usize]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &row in rows {
        match runs.last_mut() {
            Some((start, length)) if *start + *length == row => *length += 1,
            _ => runs.push((row, 1)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use attention_trace::{
        AttentionKind, AttentionLayer,
        config::{GruConfig, MarianConfig},
    };
    use proptest::prelude::*;

    use super::*;
    use crate::state::View;

    fn meta() -> TraceMeta {
        let config = MarianConfig {
            encoder_layers: 3,
            decoder_layers: 3,
            encoder_attention_heads: 8,
            decoder_attention_heads: 8,
            ..MarianConfig::default()
        };
        TraceMeta {
            spec: config.spec(),
            source: Vec::new(),
            target: Vec::new(),
            pieces: attention_trace::Pieces::default(),
        }
    }

    fn place(layer: usize, head: usize) -> HeadPlace {
        HeadPlace { layer, head }
    }

    fn head(kind: AttentionKind, layer: usize, head: usize) -> HeadChoice {
        HeadChoice {
            attention: AttentionLayer { kind, layer },
            head,
        }
    }

    fn choice(more_heads: Vec<HeadPlace>, rows: Vec<usize>) -> Choice {
        Choice {
            selection: Selection::of(&View::default()),
            more_heads,
            rows,
        }
    }

    #[test]
    fn heads_that_the_model_lacks_or_that_are_named_twice_are_left_out() {
        let more = vec![
            place(0, 2),
            place(3, 0),
            place(0, 8),
            place(0, 2),
            HeadPlace::first(AttentionKind::Cross),
        ];
        let cross = |layer, number| head(AttentionKind::Cross, layer, number);
        let heads = choice(more, vec![]).heads(&meta());
        let HeadPlace { layer, head } = HeadPlace::first(AttentionKind::Cross);
        assert_eq!(heads, [cross(layer, head), cross(0, 2)]);
    }

    #[test]
    fn a_model_without_attention_has_no_head() {
        let fixed = TraceMeta {
            spec: GruConfig::default().spec(),
            ..meta()
        };
        assert!(choice(vec![place(0, 0)], vec![]).heads(&fixed).is_empty());
    }

    #[test]
    fn a_second_click_takes_a_head_out_and_another_kind_begins_anew() {
        let cross = |number| head(AttentionKind::Cross, 0, number);
        let two = with_head(&[cross(1)], cross(2));
        assert_eq!(two, [cross(1), cross(2)]);
        assert_eq!(with_head(&two, cross(1)), [cross(2)]);
        assert_eq!(with_head(&[cross(2)], cross(2)), [cross(2)]);
        let masked = head(AttentionKind::DecoderSelf, 0, 1);
        assert_eq!(with_head(&two, masked), [masked]);
    }

    #[test]
    fn there_is_an_end_to_adding_heads() {
        let all: Vec<_> = (0..MOST_HEADS)
            .map(|number| head(AttentionKind::Cross, 0, number))
            .collect();
        let more = head(AttentionKind::Cross, 1, 0);
        assert_eq!(with_head(&all, more), all);
    }

    #[test]
    fn rows_are_two_at_least_and_inside() {
        assert_eq!(choice(vec![], vec![4, 1, 4, 9]).rows(5), [1, 4]);
        assert!(choice(vec![], vec![4, 9]).rows(5).is_empty());
    }

    #[test]
    fn rows_grow_and_shrink_at_the_end_away_from_the_anchor() {
        assert_eq!(rows_extended(&[], 3, 1, 9), [3, 4]);
        assert_eq!(rows_extended(&[3, 4], 3, 1, 9), [3, 4, 5]);
        assert_eq!(rows_extended(&[3, 4], 3, -1, 9), [3]);
        assert_eq!(rows_extended(&[3], 3, -1, 9), [2, 3]);
        assert_eq!(rows_extended(&[2, 3], 3, -1, 9), [1, 2, 3]);
        assert_eq!(rows_extended(&[0, 1], 1, -1, 9), [0, 1]);
        assert_eq!(rows_extended(&[7, 8], 7, 1, 9), [7, 8]);
    }

    #[test]
    fn a_row_is_added_or_taken_out() {
        assert_eq!(with_row(&[2, 4], 3), [2, 3, 4]);
        assert_eq!(with_row(&[2, 3, 4], 3), [2, 4]);
    }

    #[test]
    fn neighbouring_rows_are_one_run() {
        assert_eq!(runs(&[1, 2, 3, 7, 9, 10]), [(1, 3), (7, 1), (9, 2)]);
        assert!(runs(&[]).is_empty());
    }

    /// Generates rows of weights over the same number of keys; each row sums to one.
    fn patterns() -> impl Strategy<Value = Vec<Vec<f32>>> {
        (1usize..6, 1usize..9).prop_flat_map(|(heads, keys)| {
            let scores = prop::collection::vec(0.01f32..1.0, keys);
            let row = scores.prop_map(|scores| {
                let sum: f32 = scores.iter().sum();
                scores.iter().map(|score| score / sum).collect::<Vec<f32>>()
            });
            prop::collection::vec(row, heads)
        })
    }

    proptest! {
        #[test]
        fn the_mean_of_weights_is_weights(patterns in patterns()) {
            let rows: Vec<&[f32]> = patterns.iter().map(Vec::as_slice).collect();
            let mean = mean(&rows);
            prop_assert!((mean.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            for (place, value) in mean.iter().enumerate() {
                let at = |row: &&[f32]| row[place];
                let least = rows.iter().map(at).fold(f32::INFINITY, f32::min);
                let most = rows.iter().map(at).fold(f32::NEG_INFINITY, f32::max);
                prop_assert!((least - 1e-6..=most + 1e-6).contains(value));
            }
        }

        #[test]
        fn the_mean_of_one_is_that_one(row in prop::collection::vec(any::<i16>().prop_map(f32::from), 0..9)) {
            prop_assert_eq!(mean(&[row.as_slice()]), row);
        }

        #[test]
        fn extended_rows_hold_the_anchor_and_stay_inside(
            count in 1usize..40, anchor in 0usize..40, steps in prop::collection::vec(-3isize..=3, 0..12)
        ) {
            let anchor = anchor.min(count - 1);
            let mut rows = vec![anchor];
            for by in steps {
                rows = rows_extended(&rows, anchor, by, count);
                prop_assert!(rows.contains(&anchor));
                prop_assert!(rows.iter().all(|&row| row < count));
            }
        }

        #[test]
        fn clicking_twice_changes_nothing(rows in prop::collection::btree_set(0usize..20, 0..9), row in 0usize..20) {
            let rows: Vec<usize> = rows.into_iter().collect();
            prop_assert_eq!(with_row(&with_row(&rows, row), row), rows);
        }

        #[test]
        fn runs_are_the_rows_again(rows in prop::collection::btree_set(0usize..60, 0..30)) {
            let rows: Vec<usize> = rows.into_iter().collect();
            let again: Vec<usize> = runs(&rows).into_iter().flat_map(|(start, length)| start..start + length).collect();
            prop_assert_eq!(again, rows);
        }
    }
}
