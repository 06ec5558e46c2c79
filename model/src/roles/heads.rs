//! The measurements of heads while sentences are read.

use std::collections::{BTreeMap, BTreeSet};

use attention_trace::{
    AttentionLayer, FixedPointSum, ModelSpec, Quantity, Trace, TraceMeta,
    roles::{HeadRoles, HeadTally, LikeHead, Places, RoleScores, WordCount},
    total_variation,
};
use serde::{Deserialize, Serialize};

use super::entries;
use super::strongest::Strongest;

/// The number of words that are kept.
const WORDS: usize = 6;
/// The number of similar heads that are kept.
const LIKE: usize = 4;
/// The share of a query's weight that makes a key the one that the query looks at.
const LOOKS_AT: f32 = 0.5;

/// A head, by its attention and number.
pub(crate) type Place = (AttentionLayer, usize);

/// The measurements of all heads of a model, in the order of computation.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct MeasuredHeads(Vec<MeasuredHead>);

impl MeasuredHeads {
    /// Returns the heads of a model, not yet measured.
    pub(super) fn of(spec: &ModelSpec) -> Self {
        let kinds = spec.kinds().into_iter();
        let layers = kinds.flat_map(|kind| {
            (0..spec.layers(kind)).map(move |layer| AttentionLayer { kind, layer })
        });
        let places = layers.flat_map(|attention| {
            (0..spec.heads(attention.kind)).map(move |head| (attention, head))
        });
        MeasuredHeads(places.map(MeasuredHead::new).collect())
    }

    pub(super) fn all_mut(&mut self) -> &mut [MeasuredHead] {
        &mut self.0
    }

    /// Returns the roles of all heads; sentences are numbered by their lines.
    pub(super) fn roles(&self) -> Vec<HeadRoles> {
        self.0.iter().map(MeasuredHead::roles).collect()
    }

    /// Adds the measurements of the same heads on other sentences.
    pub(super) fn merge(&mut self, other: MeasuredHeads) {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            own.merge(other);
        }
    }

    /// Returns the lines of the sentences that heads keep.
    pub(super) fn kept_lines(&self) -> BTreeSet<usize> {
        let heads = self.0.iter();
        heads.flat_map(|head| head.strongest.lines()).collect()
    }

    /// Adds the heads' weights in the sentence of a line.
    pub(super) fn observe(&mut self, line: usize, trace: &Trace) {
        for kind in trace.meta.spec.kinds() {
            let places = Places::of(&trace.meta, kind);
            let mut maps = vec![];
            for (own, head) in self.0.iter_mut().enumerate() {
                let (attention, number) = head.place;
                let layer = trace.array(attention.at(Quantity::Pattern));
                let weights = layer.and_then(|layer| layer.matrix(number));
                if let Some(weights) = weights.filter(|_| attention.kind == kind) {
                    head.add_sentence(line, &places, weights);
                    head.count_words(&trace.meta, weights);
                    maps.push((own, weights));
                }
            }
            self.compare(&maps, trace.meta.axes(kind).1.len().max(1));
        }
    }

    /// Adds the differences between heads of one kind: `maps` are their indices and weights, row-major with so many
    /// `keys`.
    fn compare(&mut self, maps: &[(usize, &[f32])], keys: usize) {
        for (place, &(one, weights)) in maps.iter().enumerate() {
            for &(other, others) in &maps[place + 1..] {
                let rows = weights.chunks_exact(keys).zip(others.chunks_exact(keys));
                let moved: f64 = rows
                    .map(|(one, other)| f64::from(total_variation(one, other)))
                    .sum();
                for (head, beside) in [(one, other), (other, one)] {
                    let (attention, number) = self.0[beside].place;
                    let beside = (attention.layer, number);
                    self.0[head].moved.entry(beside).or_default().add(moved);
                }
            }
        }
    }
}

/// The measurements of a head.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct MeasuredHead {
    /// The place of the head in the model.
    pub(crate) place: Place,
    /// The tally over all sentences, repeated random tokens and aligned pairs.
    pub(crate) tally: HeadTally,
    strongest: Strongest,
    queries: BTreeMap<String, usize>,
    keys: BTreeMap<String, usize>,
    /// The weight that other heads of its kind, by layer and number, place elsewhere, summed over queries.
    #[serde(with = "entries")]
    moved: BTreeMap<(usize, usize), FixedPointSum>,
    rows: usize,
}

impl MeasuredHead {
    fn new(place: Place) -> Self {
        MeasuredHead {
            place,
            tally: HeadTally::default(),
            strongest: Strongest::default(),
            queries: BTreeMap::new(),
            keys: BTreeMap::new(),
            moved: BTreeMap::new(),
            rows: 0,
        }
    }

    fn add_sentence(&mut self, line: usize, places: &Places, weights: &[f32]) {
        let layer = self.place.0.layer;
        let tally = places.measure(layer, weights).unwrap_or_default();
        self.strongest
            .add(line, &tally, |role| places.marks(layer, weights, role));
        self.tally.merge(&tally);
    }

    fn merge(&mut self, other: MeasuredHead) {
        self.tally.merge(&other.tally);
        self.strongest.merge(other.strongest);
        let words = [
            (&mut self.queries, other.queries),
            (&mut self.keys, other.keys),
        ];
        for (own, other) in words {
            for (word, count) in other {
                *own.entry(word).or_default() += count;
            }
        }
        for (head, moved) in other.moved {
            self.moved.entry(head).or_default().merge(moved);
        }
        self.rows += other.rows;
    }

    /// Counts the words of queries that look at one key.
    fn count_words(&mut self, meta: &TraceMeta, weights: &[f32]) {
        let (queries, keys) = meta.axes(self.place.0.kind);
        for (query, row) in queries.iter().zip(weights.chunks_exact(keys.len())) {
            let key = keys
                .iter()
                .zip(row)
                .find(|(_, weight)| **weight >= LOOKS_AT);
            if let Some((key, _)) = key {
                *self.queries.entry(query.text.clone()).or_default() += 1;
                *self.keys.entry(key.text.clone()).or_default() += 1;
            }
        }
        self.rows += queries.len();
    }

    fn roles(&self) -> HeadRoles {
        let roles = self.tally.scores();
        let (attention, head) = self.place;
        HeadRoles {
            attention,
            head,
            distances: self.tally.distances().into_iter().map(round).collect(),
            most: self.strongest.of(&roles),
            queries: most_frequent(&self.queries),
            keys: most_frequent(&self.keys),
            like: self.like(),
            roles: rounded(roles),
        }
    }

    fn like(&self) -> Vec<LikeHead> {
        let rows = self.rows.max(1) as f64;
        let mut others: Vec<LikeHead> = self
            .moved
            .iter()
            .map(|(&(layer, head), moved)| LikeHead {
                layer,
                head,
                moved: round((moved.value() / rows) as f32),
            })
            .collect();
        others.sort_by(|one, other| one.moved.total_cmp(&other.moved));
        others.truncate(LIKE);
        others
    }
}

fn most_frequent(words: &BTreeMap<String, usize>) -> Vec<WordCount> {
    let words = words.iter();
    let mut words: Vec<WordCount> = words
        .map(|(word, count)| WordCount(word.clone(), *count))
        .collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.1));
    words.truncate(WORDS);
    words
}

/// Rounds to four decimals, for a file that a page draws.
fn rounded(mut roles: RoleScores) -> RoleScores {
    for score in roles.scores.values_mut() {
        (score.weight, score.chance) = (round(score.weight), round(score.chance));
    }
    roles
}

pub(super) fn round(value: f32) -> f32 {
    (value * 1e4).round() / 1e4
}
