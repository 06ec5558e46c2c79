//! The words of a sentence on which a head fits a role: the strongest weights on the keys of the role.

use serde::{Deserialize, Serialize};

use super::{Places, Role};

/// The number of weights that are marked in a sentence.
const MARKS: usize = 3;

/// A weight in a sentence: the index of the query, that of the key, and the weight.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mark(
    /// The index of the query.
    pub usize,
    /// The index of the key.
    pub usize,
    /// The weight, from 0 to 1.
    pub f32,
);

impl Places {
    /// Returns the largest weights of a head on the keys of a role, largest first. `offset` is that of
    /// [`Role::Offset`]; `weights` are row-major, queries × keys.
    pub fn marks(
        &self,
        layer: usize,
        weights: &[f32],
        (role, offset): (Role, Option<isize>),
    ) -> Vec<Mark> {
        let (queries, keys) = self.size();
        let mut marks = vec![];
        for query in 0..queries {
            let seen = self.seen(layer, query);
            if seen.len() < 2 {
                continue;
            }
            let found = self.keys_for(role, offset, query);
            let weighted = found.into_iter().filter(|key| seen.contains(key));
            marks.extend(weighted.filter_map(|key| {
                let weight = weights.get(query * keys + key)?;
                Some(Mark(query, key, *weight))
            }));
        }
        marks.sort_by(|one, other| other.2.total_cmp(&one.2));
        marks.truncate(MARKS);
        marks
    }

    /// Returns the keys of a role for a query.
    fn keys_for(&self, role: Role, offset: Option<isize>, query: usize) -> Vec<usize> {
        let offset = match role {
            Role::Previous => Some(-1),
            Role::Own => Some(0),
            Role::Next => Some(1),
            Role::Offset => offset,
            _ => return self.named(role, query).to_vec(),
        };
        let key = offset.and_then(|offset| query.checked_add_signed(offset));
        key.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::MarianConfig;
    use crate::{AttentionKind, Pieces, Token, TraceMeta};

    #[test]
    fn the_largest_weights_on_a_roles_keys_are_marked() {
        let token = |(id, text): (usize, &&str)| Token {
            id: id as u32,
            text: (*text).to_owned(),
            unknown: false,
        };
        let meta = TraceMeta {
            spec: MarianConfig::default().spec(),
            source: ["▁a", "▁b", ",", "</s>"]
                .iter()
                .enumerate()
                .map(token)
                .collect(),
            target: vec![],
            pieces: Pieces::default(),
        };
        let places = Places::of(&meta, AttentionKind::EncoderSelf);
        let mut weights = vec![0.1; 16];
        weights[4] = 0.7;
        weights[2 * 4 + 1] = 0.6;
        weights[3 * 4 + 2] = 0.5;
        let of = |role, offset| places.marks(0, &weights, (role, offset));
        let back = [Mark(1, 0, 0.7), Mark(2, 1, 0.6), Mark(3, 2, 0.5)];
        assert_eq!(of(Role::Previous, None), back);
        assert_eq!(of(Role::Offset, Some(-1)), back);
        assert_eq!(of(Role::Punctuation, None)[0], Mark(3, 2, 0.5));
        // The last key has none after it.
        assert_eq!(
            of(Role::Next, None),
            [Mark(0, 1, 0.1), Mark(1, 2, 0.1), Mark(2, 3, 0.1)]
        );
    }
}
