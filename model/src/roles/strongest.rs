//! The sentences on which a head fits each role best.

use std::collections::BTreeMap;

use attention_trace::roles::{HeadTally, Mark, MostSentence, REACH, Role, RoleScore, RoleScores};
use serde::{Deserialize, Serialize};

use super::entries;
use super::heads::round;

/// The number of sentences kept for each role.
const MOST: usize = 3;

/// A role; for an offset, which one.
type Fits = (Role, Option<isize>);

/// The sentences with the largest weight by role, those of every offset by themselves: the best offset is known at the
/// end. A [`MostSentence`] has the number of its line in place of the index of a text.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Strongest(#[serde(with = "entries")] BTreeMap<Fits, Vec<MostSentence>>);

impl Strongest {
    /// Adds the sentence of a line by its tally; `marks` returns the largest weights on the keys of a role in it.
    pub(super) fn add(
        &mut self,
        line: usize,
        tally: &HeadTally,
        marks: impl Fn(Fits) -> Vec<Mark>,
    ) {
        let scores = tally.scores().scores.into_iter();
        let named = scores.filter(|(role, _)| *role != Role::Offset);
        let named = named.map(|(role, score)| ((role, None), score));
        let reach = REACH as isize;
        let offsets = (-reach..=reach)
            .filter_map(|offset| Some(((Role::Offset, Some(offset)), tally.at_offset(offset)?)));
        for (fits, score) in named.chain(offsets) {
            self.add_score(line, fits, score, &marks);
        }
    }

    /// Adds the sentences of other lines.
    pub(super) fn merge(&mut self, other: Strongest) {
        for (fits, sentences) in other.0 {
            for sentence in sentences {
                self.insert(fits, sentence.0, sentence.1, || sentence.2);
            }
        }
    }

    /// Returns the lines of all sentences, some of them several times.
    pub(super) fn lines(&self) -> impl Iterator<Item = usize> {
        self.0.values().flatten().map(|sentence| sentence.0)
    }

    /// Inserts a sentence among those of a role, if it has enough queries to be meaningful.
    fn add_score(
        &mut self,
        line: usize,
        fits: Fits,
        score: RoleScore,
        marks: impl Fn(Fits) -> Vec<Mark>,
    ) {
        if !score.is_told() {
            return;
        }
        self.insert(fits, line, round(score.weight), || {
            let marks = marks(fits).into_iter();
            let marks = marks.map(|Mark(query, key, weight)| Mark(query, key, round(weight)));
            marks.collect()
        });
    }

    /// Inserts a sentence by its weight; of equal ones, the earlier line comes first.
    fn insert(&mut self, fits: Fits, line: usize, weight: f32, marks: impl FnOnce() -> Vec<Mark>) {
        let sentences = self.0.entry(fits).or_default();
        let place = sentences.partition_point(|other| {
            let order = other.1.total_cmp(&weight).reverse();
            order.then(other.0.cmp(&line)).is_lt()
        });
        if place < MOST {
            sentences.insert(place, MostSentence(line, weight, marks()));
            sentences.truncate(MOST);
        }
    }

    /// Returns the sentences of the roles that a head has scores of, strongest first.
    pub(super) fn of(&self, roles: &RoleScores) -> BTreeMap<Role, Vec<MostSentence>> {
        let most = roles.scores.keys().filter_map(|&role| {
            let offset = roles.offset.filter(|_| role == Role::Offset);
            let sentences = self.0.get(&(role, offset))?;
            (!sentences.is_empty()).then(|| (role, sentences.clone()))
        });
        most.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_sentences_stay_in_order() {
        let mut strongest = Strongest::default();
        let score = |weight: f32, queries: usize| RoleScore {
            weight,
            chance: 0.1,
            queries,
        };
        let fits = (Role::First, None);
        let weights = [(0.2, 9), (0.9, 2), (0.5, 9), (0.5, 9), (0.1, 9), (0.7, 9)];
        let mut parts = [Strongest::default(), Strongest::default()];
        for (line, (weight, queries)) in weights.into_iter().enumerate() {
            let score = score(weight, queries);
            strongest.add_score(line, fits, score, |_| vec![]);
            parts[line % 2].add_score(line, fits, score, |_| vec![]);
        }
        let [mut merged, odd] = parts;
        merged.merge(odd);
        assert_eq!(merged, strongest);
        let roles = RoleScores {
            scores: BTreeMap::from([(Role::First, score(0.4, 50))]),
            offset: None,
        };
        let most = &strongest.of(&roles)[&Role::First];
        let order: Vec<usize> = most.iter().map(|sentence| sentence.0).collect();
        assert_eq!(order, [5, 2, 3]);
    }
}
