//! The roles of every head of a checkpoint, measured on sentences and on repeated random tokens.

use std::collections::BTreeMap;

use attention_trace::{
    Array, AttentionKind, AttentionLayer, Quantities, Quantity, Search, Trace, TraceMeta,
    alignment::AlignedPair,
    roles::{HeadRoles, HeadTally, InductionSet, LikeHead, Places, Role, RoleScores, WordCount},
    total_variation,
};
use burn::prelude::*;
use rand::seq::SliceRandom;
use rand::{SeedableRng, rngs::StdRng};

use super::alignment::{cross_heads, look};
use crate::checkpoint::Checkpoint;
use crate::decoding::Sequence;
use crate::error::ModelError;
use crate::inference::{RunOptions, forward};
use crate::tap::Tap;
use crate::training::Example;

/// The number of sentences kept for each role.
const MOST: usize = 3;
/// The number of words that are kept.
const WORDS: usize = 6;
/// The number of similar heads that are kept.
const LIKE: usize = 4;
/// The share of a query's weight that makes a key the one that the query looks at.
const LOOKS_AT: f32 = 0.5;
/// The number of random sequences, and the number of tokens of each that are repeated.
const REPEATED: (usize, usize) = (50, 20);

/// A head, by its attention and number.
type Place = (AttentionLayer, usize);

/// The texts that the roles of heads are measured on.
pub struct RoleTexts<'a> {
    /// Sentences; each target is read with teacher forcing.
    pub sentences: &'a [Example],
    /// Pairs that a person aligned, each with the text in front of its source.
    pub aligned: &'a [(AlignedPair, String)],
    /// The seed of the random tokens that are repeated.
    pub seed: u64,
}

/// Returns the roles of all heads on `texts`, the text that the model read for each sentence, and the set that
/// induction was measured on, if the model can be tested for it; `progress` is called after each sentence and each
/// aligned pair.
///
/// # Errors
/// If a sentence is empty or too long for the model, the words of an aligned pair do not make up its tokens, or the
/// device fails.
pub async fn head_roles(
    checkpoint: &Checkpoint,
    texts: &RoleTexts<'_>,
    device: &Device,
    mut progress: impl FnMut(),
) -> Result<(Vec<HeadRoles>, Vec<String>, Option<InductionSet>), ModelError> {
    let mut heads: Vec<Measured> = places(checkpoint).into_iter().map(Measured::new).collect();
    let mut read_texts = vec![];
    for sentence in texts.sentences {
        let text = sentence.source.as_ref().unwrap_or(&sentence.target);
        let trace = read(checkpoint, text, sentence, device).await?;
        observe(&mut heads, &trace);
        read_texts.push(text.clone());
        progress();
    }
    for (pair, prefix) in texts.aligned {
        measure_alignment(checkpoint, &mut heads, (pair, prefix), device).await?;
        progress();
    }
    let induction = match repeats(checkpoint) {
        true => Some(measure_induction(checkpoint, &mut heads, texts.seed, device).await?),
        false => None,
    };
    let found = heads.iter().map(Measured::roles).collect();
    Ok((found, read_texts, induction))
}

/// Returns every head, in the order of computation.
fn places(checkpoint: &Checkpoint) -> Vec<Place> {
    let spec = checkpoint.spec();
    let kinds = spec.kinds().into_iter();
    let layers = kinds
        .flat_map(|kind| (0..spec.layers(kind)).map(move |layer| AttentionLayer { kind, layer }));
    layers
        .flat_map(|attention| (0..spec.heads(attention.kind)).map(move |head| (attention, head)))
        .collect()
}

/// Makes one pass over a sentence that records all weights.
async fn read(
    checkpoint: &Checkpoint,
    text: &str,
    sentence: &Example,
    device: &Device,
) -> Result<Trace, ModelError> {
    let run = RunOptions {
        search: Search::Greedy,
        prefix: vec![],
        max_new_tokens: 0,
        quantities: Quantities::of(&[Quantity::Pattern]),
        edits: vec![],
    };
    let mut sequences = vec![];
    if sentence.source.is_some() {
        let target = checkpoint.encode_target(&sentence.target)?.tokens;
        sequences.push(Sequence {
            tokens: target.iter().map(|token| token.id).collect(),
            log_probability: 0.0,
            score: 0.0,
        });
    }
    checkpoint.trace(text, &sequences, &run, device).await
}

/// The measurements of a head while sentences are read.
struct Measured {
    place: Place,
    sentences: Vec<HeadTally>,
    /// The tallies for repeated random tokens and aligned pairs.
    apart: HeadTally,
    queries: BTreeMap<String, usize>,
    keys: BTreeMap<String, usize>,
    /// The weight that other heads of its kind place elsewhere, summed over queries.
    moved: BTreeMap<(usize, usize), f64>,
    rows: usize,
}

impl Measured {
    fn new(place: Place) -> Self {
        Measured {
            place,
            sentences: vec![],
            apart: HeadTally::default(),
            queries: BTreeMap::new(),
            keys: BTreeMap::new(),
            moved: BTreeMap::new(),
            rows: 0,
        }
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
        let mut all = self.apart.clone();
        for sentence in &self.sentences {
            all.merge(sentence);
        }
        let roles = all.scores();
        let most = roles.scores.keys().filter_map(|&role| {
            let most = self.most(role, roles.offset);
            (!most.is_empty()).then_some((role, most))
        });
        let (attention, head) = self.place;
        HeadRoles {
            attention,
            head,
            distances: all.distances().into_iter().map(round).collect(),
            most: most.collect(),
            queries: most_frequent(&self.queries),
            keys: most_frequent(&self.keys),
            like: self.like(),
            roles: rounded(roles),
        }
    }

    /// Returns the sentences with the largest weight, among those with enough queries to be meaningful.
    fn most(&self, role: Role, offset: Option<isize>) -> Vec<(usize, f32)> {
        let score = |tally: &HeadTally| match (role, offset) {
            (Role::Offset, Some(offset)) => tally.at_offset(offset),
            _ => tally.scores().of(role),
        };
        let scored = self.sentences.iter().enumerate();
        let mut scored: Vec<(usize, f32)> = scored
            .filter_map(|(index, tally)| Some((index, score(tally)?)))
            .filter(|(_, score)| score.is_told())
            .map(|(index, score)| (index, round(score.weight)))
            .collect();
        scored.sort_by(|one, other| other.1.total_cmp(&one.1));
        scored.truncate(MOST);
        scored
    }

    fn like(&self) -> Vec<LikeHead> {
        let rows = self.rows.max(1) as f64;
        let mut others: Vec<LikeHead> = self
            .moved
            .iter()
            .map(|(&(layer, head), moved)| LikeHead {
                layer,
                head,
                moved: round((moved / rows) as f32),
            })
            .collect();
        others.sort_by(|one, other| one.moved.total_cmp(&other.moved));
        others.truncate(LIKE);
        others
    }
}

/// Adds the heads' weights in a sentence.
fn observe(heads: &mut [Measured], trace: &Trace) {
    for kind in trace.meta.spec.kinds() {
        let places = Places::of(&trace.meta, kind);
        for head in of_kind(heads, kind) {
            let (attention, number) = head.place;
            let weights = trace.array(attention.at(Quantity::Pattern));
            let Some(weights) = weights.and_then(|layer| layer.matrix(number)) else {
                continue;
            };
            head.sentences
                .push(places.measure(attention.layer, weights).unwrap_or_default());
            head.count_words(&trace.meta, weights);
        }
        compare(heads, trace, kind);
    }
}

fn of_kind(heads: &mut [Measured], kind: AttentionKind) -> impl Iterator<Item = &mut Measured> {
    heads
        .iter_mut()
        .filter(move |head| head.place.0.kind == kind)
}

/// Adds the differences between the weights of heads of one kind.
fn compare(heads: &mut [Measured], trace: &Trace, kind: AttentionKind) {
    let maps: Vec<(Place, &[f32])> = of_kind(heads, kind)
        .filter_map(|head| {
            let (attention, number) = head.place;
            let layer = trace.array(attention.at(Quantity::Pattern))?;
            Some((head.place, layer.matrix(number)?))
        })
        .collect();
    let keys = trace.meta.axes(kind).1.len().max(1);
    for head in of_kind(heads, kind) {
        let Some((_, own)) = maps.iter().find(|(place, _)| *place == head.place) else {
            continue;
        };
        for ((attention, number), other) in maps.iter().filter(|(place, _)| *place != head.place) {
            let rows = own.chunks_exact(keys).zip(other.chunks_exact(keys));
            let moved: f64 = rows
                .map(|(one, two)| f64::from(total_variation(one, two)))
                .sum();
            *head.moved.entry((attention.layer, *number)).or_default() += moved;
        }
    }
}

/// Adds the share of cross-attention's weight that follows a person's links.
async fn measure_alignment(
    checkpoint: &Checkpoint,
    heads: &mut [Measured],
    pair: (&AlignedPair, &str),
    device: &Device,
) -> Result<(), ModelError> {
    let cross = cross_heads(checkpoint);
    let looked = look(checkpoint, pair, &cross, device).await?;
    for (place, map) in cross.iter().zip(&looked.maps) {
        let &[queries, keys] = map.shape.as_slice() else {
            continue;
        };
        let words = (looked.source.as_slice(), looked.target.as_slice());
        let places = Places::of_links((queries, keys), words, &looked.gold);
        let head = heads.iter_mut().find(|head| head.place == *place);
        if let (Some(head), Some(tally)) = (head, places.measure(place.0.layer, &map.data)) {
            head.apart.merge(&tally.only(Role::Alignment));
        }
    }
    Ok(())
}

/// Returns true if a model reads the text that it continues, so that a head can look at the successor of an earlier
/// occurrence.
fn repeats(checkpoint: &Checkpoint) -> bool {
    let spec = checkpoint.spec();
    let maps = spec.recorded_maps(Quantities::of(&[Quantity::Pattern]));
    let is_causal = spec.decoder.as_ref().is_some_and(|stack| stack.causal);
    is_causal && !spec.reads_source() && spec.longest_recorded(maps) > 2 * REPEATED.1
}

/// Has heads read random tokens once and then again (Olsson et al. 2022, "In-context Learning and Induction Heads").
async fn measure_induction(
    checkpoint: &Checkpoint,
    heads: &mut [Measured],
    seed: u64,
    device: &Device,
) -> Result<InductionSet, ModelError> {
    let (sequences, tokens) = REPEATED;
    let start = checkpoint.encode_target("a")?.start.map(|start| start.id);
    let mut drawn = ordinary(checkpoint)?;
    let mut random = StdRng::seed_from_u64(seed);
    for _ in 0..sequences {
        let (first, _) = drawn.partial_shuffle(&mut random, tokens);
        let ids: Vec<u32> = start
            .into_iter()
            .chain([&*first, &*first].concat())
            .collect();
        let mut tap = Tap::recording(Quantities::of(&[Quantity::Pattern]));
        // The tap keeps the weights; the logits are not used.
        forward(
            &*checkpoint.model,
            (None, Some(ids.as_slice())),
            device,
            &mut tap,
        );
        let (arrays, _) = tap.read(vec![]).await?;
        let meta = TraceMeta {
            spec: checkpoint.spec(),
            source: vec![],
            target: ids
                .iter()
                .map(|&id| checkpoint.tokenizer.token(id))
                .collect(),
            pieces: attention_trace::Pieces::default(),
        };
        let places = Places::of_repeated(&meta, AttentionKind::DecoderSelf);
        for head in heads.iter_mut() {
            let (attention, number) = head.place;
            let layer: Option<&Array> = arrays.get(&attention.at(Quantity::Pattern));
            let tally =
                layer.and_then(|layer| places.measure(attention.layer, layer.matrix(number)?));
            if let Some(tally) = tally {
                head.apart.merge(&tally.only(Role::Induction));
            }
        }
    }
    Ok(InductionSet {
        sequences,
        tokens,
        seed,
    })
}

/// Returns the tokens that stand for some text.
fn ordinary(checkpoint: &Checkpoint) -> Result<Vec<u32>, ModelError> {
    let tokenizer = &checkpoint.tokenizer;
    let mut found = vec![];
    for id in 0..tokenizer.vocabulary() as u32 {
        if !tokenizer.token(id).unknown && !tokenizer.decode(&[id])?.is_empty() {
            found.push(id);
        }
    }
    Ok(found)
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

fn round(value: f32) -> f32 {
    (value * 1e4).round() / 1e4
}
