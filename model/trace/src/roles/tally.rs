//! Shares of attention by role, summed over queries and sentences.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{REACH, Role};
use crate::FixedPointSum;

/// The least distance from chance, as a share of the way to certainty, at which a role is clear.
pub const CLEAR: f32 = 0.3;
/// The fewest queries that allow a judgement.
pub const LEAST_QUERIES: usize = 3;

/// A share of attention, and that by chance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoleScore {
    /// Mean weight on the keys of the role, from 0 to 1.
    pub weight: f32,
    /// The weight by chance, if all keys that a query sees have the same weight.
    pub chance: f32,
    /// Queries that it is the mean over.
    pub queries: usize,
}

impl RoleScore {
    /// Returns the distance from chance (0) towards all of the weight (1), as Cohen's κ; negative below chance.
    pub fn above_chance(self) -> f32 {
        (self.weight - self.chance) / (1.0 - self.chance)
    }

    /// True if there are enough queries for a judgement.
    pub fn is_told(self) -> bool {
        self.queries >= LEAST_QUERIES
    }

    /// True if a head has the role: at least [`CLEAR`] above chance, over at least [`LEAST_QUERIES`] queries.
    pub fn is_clear(self) -> bool {
        self.is_told() && self.above_chance() >= CLEAR
    }
}

/// The scores of a head.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoleScores {
    /// The scores of the roles that were measured.
    pub scores: BTreeMap<Role, RoleScore>,
    /// The offset that the score of [`Role::Offset`] was measured for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<isize>,
}

impl RoleScores {
    /// The score of a role, if it was measured.
    pub fn of(&self, role: Role) -> Option<RoleScore> {
        self.scores.get(&role).copied()
    }

    /// The role that the head has most clearly, if any; an offset that is a role by itself goes by that name.
    pub fn clearest(&self) -> Option<(Role, RoleScore)> {
        let clear = self.scores.iter().filter(|(_, score)| score.is_clear());
        clear
            .map(|(role, score)| (*role, *score))
            .reduce(|best, other| {
                // Offsets come after those that are roles, with the same score.
                match other.1.above_chance() > best.1.above_chance() {
                    true => other,
                    false => best,
                }
            })
    }
}

/// Weight and chance, summed over queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Tally {
    weight: FixedPointSum,
    chance: FixedPointSum,
    queries: usize,
}

impl Tally {
    fn add(&mut self, weight: f64, chance: f64) {
        self.weight.add(weight);
        self.chance.add(chance);
        self.queries += 1;
    }

    fn merge(&mut self, other: &Tally) {
        self.weight.merge(other.weight);
        self.chance.merge(other.chance);
        self.queries += other.queries;
    }

    fn score(&self) -> Option<RoleScore> {
        let mean = |sum: FixedPointSum| (sum.value() / self.queries as f64).clamp(0.0, 1.0) as f32;
        (self.queries > 0).then(|| RoleScore {
            weight: mean(self.weight),
            chance: mean(self.chance),
            queries: self.queries,
        })
    }
}

/// The sums of a head's weights by role over one sentence or several. They do not depend on the order of the sentences.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeadTally {
    roles: BTreeMap<Role, Tally>,
    offsets: [Tally; 2 * REACH + 1],
    /// Weight by distance: farther back than [`REACH`], each offset, farther ahead.
    distances: [FixedPointSum; 2 * REACH + 3],
    rows: usize,
}

impl HeadTally {
    /// Adds a query with `chance` to hit the keys of a role, on which it has `weight`.
    pub(super) fn add(&mut self, role: Role, weight: f64, chance: f64) {
        self.roles.entry(role).or_default().add(weight, chance);
    }

    /// Adds a query with `chance` to hit the key at an offset, on which it has `weight`.
    pub(super) fn add_offset(&mut self, offset: isize, weight: f64, chance: f64) {
        if let Some(place) = place(offset) {
            self.offsets[place].add(weight, chance);
        }
    }

    /// Adds a query's weights by how far they go.
    pub(super) fn add_row(&mut self, row: impl Iterator<Item = (isize, f64)>) {
        let mut bins = [0.0; 2 * REACH + 3];
        for (offset, weight) in row {
            let reach = REACH as isize + 1;
            let bin = offset.clamp(-reach, reach) + reach;
            bins[bin.unsigned_abs()] += weight;
        }
        for (sum, weight) in self.distances.iter_mut().zip(bins) {
            sum.add(weight);
        }
        self.rows += 1;
    }

    /// Adds the tally of the same head on other sentences.
    pub fn merge(&mut self, other: &HeadTally) {
        for (role, tally) in &other.roles {
            self.roles.entry(*role).or_default().merge(tally);
        }
        for (own, tally) in self.offsets.iter_mut().zip(&other.offsets) {
            own.merge(tally);
        }
        for (own, weight) in self.distances.iter_mut().zip(&other.distances) {
            own.merge(*weight);
        }
        self.rows += other.rows;
    }

    /// Returns the tally of one role alone.
    pub fn only(&self, role: Role) -> HeadTally {
        HeadTally {
            roles: self
                .roles
                .get(&role)
                .map(|tally| (role, *tally))
                .into_iter()
                .collect(),
            ..HeadTally::default()
        }
    }

    /// The scores; the best offset is the one most above chance, the nearest of equals.
    pub fn scores(&self) -> RoleScores {
        let named = self.roles.iter();
        let mut scores: BTreeMap<Role, RoleScore> = named
            .filter_map(|(role, tally)| Some((*role, tally.score()?)))
            .collect();
        let best = self.best_offset();
        scores.extend(best.map(|(_, score)| (Role::Offset, score)));
        RoleScores {
            scores,
            offset: best.map(|(offset, _)| offset),
        }
    }

    /// The score at an offset, if a query has a key there.
    pub fn at_offset(&self, offset: isize) -> Option<RoleScore> {
        self.offsets[place(offset)?].score()
    }

    fn best_offset(&self) -> Option<(isize, RoleScore)> {
        let mut offsets: Vec<isize> = (-(REACH as isize)..=REACH as isize).collect();
        offsets.sort_by_key(|offset| offset.abs());
        let scored = offsets
            .into_iter()
            .filter_map(|offset| Some((offset, self.at_offset(offset)?)))
            .filter(|(_, score)| score.is_told());
        scored.reduce(
            |best, other| match other.1.above_chance() > best.1.above_chance() {
                true => other,
                false => best,
            },
        )
    }

    /// The share of all weight by distance from query to key, `2·REACH + 3` numbers that sum to one where rows do: all
    /// that is farther back, each offset, all that is farther ahead.
    pub fn distances(&self) -> Vec<f32> {
        let rows = self.rows.max(1) as f64;
        let shares = self.distances.iter().map(|sum| (sum.value() / rows) as f32);
        shares.collect()
    }
}

fn place(offset: isize) -> Option<usize> {
    let place = usize::try_from(offset + REACH as isize).ok()?;
    (place <= 2 * REACH).then_some(place)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn score(weight: f32, chance: f32, queries: usize) -> RoleScore {
        RoleScore {
            weight,
            chance,
            queries,
        }
    }

    #[test]
    fn chance_is_zero_and_certainty_one() {
        assert_eq!(score(0.25, 0.25, 9).above_chance(), 0.0);
        assert_eq!(score(1.0, 0.25, 9).above_chance(), 1.0);
        assert!(score(0.1, 0.25, 9).above_chance() < 0.0);
    }

    #[test]
    fn a_role_is_clear_over_enough_queries_and_far_enough_above_chance() {
        assert!(score(0.5, 0.2, 3).is_clear());
        assert!(!score(0.5, 0.2, 2).is_clear());
        // As much weight, where chance gives almost as much.
        assert!(!score(0.5, 0.4, 30).is_clear());
    }

    #[test]
    fn an_offset_that_is_a_role_goes_by_the_roles_name() {
        let scores = |own: f32, offset: f32| RoleScores {
            scores: BTreeMap::from([
                (Role::Previous, score(own, 0.1, 9)),
                (Role::Offset, score(offset, 0.1, 9)),
            ]),
            offset: Some(-1),
        };
        let role = |scores: RoleScores| scores.clearest().map(|(role, _)| role);
        assert_eq!(role(scores(0.9, 0.9)), Some(Role::Previous));
        assert_eq!(role(scores(0.8, 0.9)), Some(Role::Offset));
        assert_eq!(role(scores(0.1, 0.2)), None);
    }

    #[test]
    fn scores_are_written_by_the_names_of_roles() {
        let scores = RoleScores {
            scores: BTreeMap::from([(Role::Own, score(0.5, 0.25, 4))]),
            offset: None,
        };
        let json = serde_json::to_string(&scores).unwrap();
        assert_eq!(
            json,
            r#"{"scores":{"own":{"weight":0.5,"chance":0.25,"queries":4}}}"#
        );
        let read: RoleScores = serde_json::from_str(&json).unwrap();
        assert_eq!(read, scores);
    }

    /// The tally of a query by its weights on the keys around it.
    fn query(weights: &[f64]) -> HeadTally {
        let mut tally = HeadTally::default();
        let offsets = (-3..).zip(weights.iter().copied());
        for (offset, weight) in offsets.clone() {
            tally.add_offset(offset, weight, 0.1);
            tally.add(Role::Punctuation, weight, 0.3);
        }
        tally.add_row(offsets);
        tally
    }

    proptest! {
        #[test]
        fn shards_of_any_partition_add_up_to_the_whole(
            queries in prop::collection::vec((prop::collection::vec(0.0f64..1.0, 0..8), 0usize..4), 0..20)
        ) {
            let merged = |tallies: Vec<HeadTally>| {
                let mut sum = HeadTally::default();
                tallies.iter().for_each(|tally| sum.merge(tally));
                sum
            };
            let whole = merged(queries.iter().map(|(weights, _)| query(weights)).collect());
            let shard = |shard: usize| {
                let own = queries.iter().rev().filter(|(_, of)| *of == shard);
                merged(own.map(|(weights, _)| query(weights)).collect())
            };
            prop_assert_eq!(&merged((0..4).rev().map(shard).collect()), &whole);
            // The file of a shard has all of it.
            let json = serde_json::to_string(&whole).unwrap();
            prop_assert_eq!(serde_json::from_str::<HeadTally>(&json).unwrap(), whole);
        }
    }
}
