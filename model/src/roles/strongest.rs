//! The sentences on which a head fits each role best.

use std::collections::BTreeMap;

use attention_trace::roles::{HeadTally, Mark, MostSentence, REACH, Role, RoleScore, RoleScores};

use super::heads::round;

/// The number of sentences kept for each role.
const MOST: usize = 3;

/// A role; for an offset, which one.
type Fits = (Role, Option<isize>);

/// The sentences with the largest weight by role, those of every offset by themselves: the best offset is known at the
/// end.
#[derive(Default)]
pub(super) struct Strongest(BTreeMap<Fits, Vec<MostSentence>>);

impl Strongest {
    /// Adds the sentence of an index by its tally; `marks` returns the largest weights on the keys of a role in it.
    pub(super) fn add(
        &mut self,
        index: usize,
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
            self.insert(index, fits, score, &marks);
        }
    }

    /// Inserts a sentence among those of a role, if it has enough queries to be meaningful.
    fn insert(
        &mut self,
        index: usize,
        fits: Fits,
        score: RoleScore,
        marks: impl Fn(Fits) -> Vec<Mark>,
    ) {
        let weight = round(score.weight);
        let sentences = self.0.entry(fits).or_default();
        // After equals: the first of them stays.
        let place = sentences.partition_point(|other| other.1 >= weight);
        if !score.is_told() || place >= MOST {
            return;
        }
        let marks = marks(fits).into_iter();
        let marks = marks.map(|Mark(query, key, weight)| Mark(query, key, round(weight)));
        sentences.insert(place, MostSentence(index, weight, marks.collect()));
        sentences.truncate(MOST);
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
        for (index, (weight, queries)) in weights.into_iter().enumerate() {
            strongest.insert(index, fits, score(weight, queries), |_| vec![]);
        }
        let roles = RoleScores {
            scores: BTreeMap::from([(Role::First, score(0.4, 50))]),
            offset: None,
        };
        let most = &strongest.of(&roles)[&Role::First];
        let order: Vec<usize> = most.iter().map(|sentence| sentence.0).collect();
        assert_eq!(order, [5, 2, 3]);
    }
}
