//! Rows of attention weights with some weights given: the others share the rest.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use crate::edit::{Edit, EditFault};
use crate::site::{AttentionKind, AttentionLayer};
use crate::spec::ModelSpec;

/// Weights that sum to one but for this count as summing to one: they are written in decimals.
const ROUNDING: f32 = 1e-5;

/// A row of a head's attention weights with some weights given by [`Edit::SetWeight`]. The others keep their ratios and
/// are scaled so that the row sums to one.
#[derive(Clone, Debug, PartialEq)]
pub struct SetRow {
    /// The attention that the head is in.
    pub attention: AttentionLayer,
    /// The index of the head.
    pub head: usize,
    /// The query whose row it is.
    pub query: usize,
    /// The weights that are given, by key.
    pub weights: BTreeMap<usize, f32>,
}

impl SetRow {
    /// The rows that edits give weights of. Of two weights of one cell, the later counts.
    pub fn all(edits: &[Edit]) -> Vec<SetRow> {
        let mut rows: Vec<SetRow> = vec![];
        let mut places = HashMap::new();
        for edit in edits {
            let &Edit::SetWeight {
                attention,
                head,
                query,
                key,
                weight,
            } = edit
            else {
                continue;
            };
            let place = *places
                .entry((attention, head, query))
                .or_insert_with(|| rows.len());
            if place == rows.len() {
                rows.push(SetRow {
                    attention,
                    head,
                    query,
                    weights: BTreeMap::new(),
                });
            }
            rows[place].weights.insert(key, weight);
        }
        rows
    }

    /// Returns the weight left for the other keys: 0 if the given weights sum to one, negative if they sum to more.
    pub fn rest(&self) -> f32 {
        let rest = 1.0 - self.weights.values().sum::<f32>();
        match rest.abs() < ROUNDING {
            true => 0.0,
            false => rest,
        }
    }

    /// Returns the reason why the row cannot sum to one, if it sees these keys and `is_masked` is true for hidden ones;
    /// `None` if it can.
    fn fault(
        &self,
        mut keys: Range<usize>,
        is_masked: impl Fn(usize) -> bool,
    ) -> Option<EditFault> {
        let rest = self.rest();
        if rest < 0.0 {
            return Some(EditFault::Sum);
        }
        let takes_rest = |key: usize| !self.weights.contains_key(&key) && !is_masked(key);
        (rest > 0.0 && !keys.any(takes_rest)).then_some(EditFault::Keys)
    }
}

impl Edit {
    /// True if the edit sets the weight of a cell that does not exist: the model reads `source` tokens with its
    /// encoder. The decoded text has no length yet, so a query after its end does not count as missing.
    pub fn misses(&self, spec: &ModelSpec, source: usize, sees_later: bool) -> bool {
        let &Edit::SetWeight {
            attention,
            query,
            key,
            ..
        } = self
        else {
            return false;
        };
        match attention.kind {
            AttentionKind::EncoderSelf => {
                query >= source || !spec.seen(attention, query, source).contains(&key)
            }
            AttentionKind::Cross => key >= source,
            AttentionKind::DecoderSelf => {
                let seen = spec.seen(attention, query, query.saturating_add(1));
                key < seen.start || (key >= seen.end && !sees_later)
            }
        }
    }

    /// Returns the reason why a row with weights given by `edits` cannot sum to one; `None` if all can. The model reads
    /// `source` tokens with its encoder, and `target` tokens at once with its decoder.
    pub fn row_fault(
        edits: &[Edit],
        spec: &ModelSpec,
        [source, target]: [usize; 2],
    ) -> Option<EditFault> {
        let sees_later = edits.contains(&Edit::WithoutCausality);
        let present: Vec<Edit> = edits
            .iter()
            .filter(|edit| !edit.misses(spec, source, sees_later))
            .cloned()
            .collect();
        let masks = |row: &SetRow, key: usize| {
            let is_scaled_to_nothing = edits.iter().any(|edit| {
                matches!(*edit, Edit::ScaleKey { attention, head, key: masked, factor: 0.0 }
                    if attention == row.attention && masked == key && head.is_none_or(|head| head == row.head))
            });
            is_scaled_to_nothing || Edit::hides(edits, row.attention, row.query, key)
        };
        let rows = SetRow::all(&present);
        rows.iter().find_map(|row| {
            let keys = match row.attention.kind {
                AttentionKind::Cross => 0..source,
                AttentionKind::EncoderSelf => spec.seen(row.attention, row.query, source),
                AttentionKind::DecoderSelf => {
                    let seen = spec.seen(row.attention, row.query, row.query.saturating_add(1));
                    let end = if sees_later { target } else { seen.end };
                    seen.start..end
                }
            };
            row.fault(keys, |key| masks(row, key))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::tests::encoder_decoder;

    fn set(attention: &str, query: usize, key: usize, weight: f32) -> Edit {
        Edit::SetWeight {
            attention: attention.to_owned().try_into().unwrap(),
            head: 1,
            query,
            key,
            weight,
        }
    }

    fn cross(key: usize, weight: f32) -> Edit {
        set("decoder.0.cross", 2, key, weight)
    }

    #[test]
    fn weights_of_one_row_belong_together_and_the_last_of_a_cell_counts() {
        let edits = [
            cross(0, 0.5),
            set("decoder.0.self", 2, 0, 1.0),
            cross(3, 0.25),
            cross(0, 0.125),
        ];
        let rows = SetRow::all(&edits);
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].weights, BTreeMap::from([(0, 0.125), (3, 0.25)]));
        assert_eq!(rows[0].rest(), 0.625);
        assert_eq!(rows[1].rest(), 0.0);
    }

    #[test]
    fn tenths_that_sum_to_one_leave_nothing() {
        let tenths: Vec<Edit> = (0..10).map(|key| cross(key, 0.1)).collect();
        assert_eq!(SetRow::all(&tenths)[0].rest(), 0.0);
        assert_eq!(Edit::row_fault(&tenths, &encoder_decoder(), [10, 1]), None);
    }

    #[test]
    fn rows_that_cannot_sum_to_one_are_told() {
        let fault = |edits: &[Edit]| Edit::row_fault(edits, &encoder_decoder(), [3, 4]);
        assert_eq!(fault(&[cross(0, 0.5), cross(1, 0.5)]), None);
        assert_eq!(
            fault(&[cross(0, 0.5), cross(1, 0.75)]),
            Some(EditFault::Sum)
        );
        let all = |weight| [cross(0, weight), cross(1, weight), cross(2, weight)];
        assert_eq!(fault(&all(0.0)), Some(EditFault::Keys));
        assert_eq!(fault(&all(0.25)), Some(EditFault::Keys));
        // The first query of a causal stack sees one key, whose weight is 1.
        assert_eq!(
            fault(&[set("decoder.0.self", 0, 0, 0.5)]),
            Some(EditFault::Keys)
        );
        assert_eq!(fault(&[set("decoder.0.self", 0, 0, 1.0)]), None);
        assert_eq!(fault(&[set("decoder.0.self", 1, 0, 0.5)]), None);
        let masked = Edit::ScaleKey {
            attention: "decoder.0.cross".to_owned().try_into().unwrap(),
            head: None,
            key: 2,
            factor: 0.0,
        };
        let both = [cross(0, 0.5), cross(1, 0.25), masked.clone()];
        assert_eq!(fault(&both), Some(EditFault::Keys));
        assert_eq!(fault(&[cross(0, 0.5), masked]), None);
    }

    #[test]
    fn cells_that_are_not_there_are_told_and_refuse_nothing() {
        for (edit, misses) in [
            (cross(3, 0.5), true),
            (cross(2, 0.5), false),
            (set("encoder.0.self", 3, 0, 0.5), true),
            (set("encoder.0.self", 0, 3, 0.5), true),
            (set("encoder.0.self", 2, 2, 0.5), false),
            (set("decoder.0.self", 1, 2, 0.5), true),
            (set("decoder.0.self", 9, 2, 0.5), false),
        ] {
            assert_eq!(
                edit.misses(&encoder_decoder(), 3, false),
                misses,
                "{edit:?}"
            );
        }
        assert!(!set("decoder.0.self", 1, 2, 0.5).misses(&encoder_decoder(), 3, true));
        let far = [cross(3, 0.75), cross(4, 0.75), cross(0, 0.5)];
        assert_eq!(Edit::row_fault(&far, &encoder_decoder(), [3, 4]), None);
    }
}
