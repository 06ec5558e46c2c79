//! The keys that attention must fall on for each role, on one text, and the share of a head's weight on them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::{HeadTally, REACH, Role};
use crate::{
    AttentionKind, StackSpec, Token, TraceMeta,
    alignment::{Gold, Word},
    spelling::{is_bytes, stretches},
};

/// Tokens that end a source.
const ENDS: [&str; 4] = ["</s>", "<eos>", "<|endoftext|>", "[SEP]"];

/// The keys of each role for every query of one kind of attention over one text.
#[derive(Clone, Debug, PartialEq)]
pub struct Places {
    queries: usize,
    keys: usize,
    /// The stack whose self-attention is measured; `None` for cross-attention.
    own: Option<StackSpec>,
    /// By query; [`Role::Previous`], [`Role::Next`], [`Role::Own`] and [`Role::Offset`] follow from places alone.
    keys_of: BTreeMap<Role, Vec<Vec<usize>>>,
}

impl Places {
    /// Returns the places of all roles that the tokens alone determine: all but [`Role::Alignment`] and
    /// [`Role::Induction`].
    pub fn of(meta: &TraceMeta, kind: AttentionKind) -> Self {
        let (queries, keys) = meta.axes(kind);
        let mut places = Places::empty(meta, kind);
        let everywhere = |keys: Vec<usize>| vec![keys; queries.len()];
        places.set(Role::First, everywhere(vec![0]));
        places.set(Role::Punctuation, everywhere(marks(keys)));
        let is_ended = keys.last().is_some_and(is_end);
        if is_ended && !places.is_causal() {
            places.set(Role::End, everywhere(vec![keys.len() - 1]));
        }
        if places.own.is_some() {
            let same = queries.iter().enumerate().map(|(query, own)| {
                let others = keys.iter().enumerate();
                let same = others.filter(|&(key, token)| key != query && token.id == own.id);
                same.map(|(key, _)| key).collect()
            });
            places.set(Role::Same, same.collect());
        }
        places
    }

    /// Returns the places of [`Role::Alignment`] in a map of cross-attention with so many `queries` and `keys`: by the
    /// links that a person is sure of, between words of the `source` and of the `target`, whose tokens are counted
    /// without the start.
    pub fn of_links(
        (queries, keys): (usize, usize),
        (source, target): (&[Word], &[Word]),
        gold: &Gold,
    ) -> Self {
        let mut aligned = vec![BTreeSet::new(); queries];
        for (from, to) in &gold.sure {
            let (Some(from), Some(to)) = (source.get(*from), target.get(*to)) else {
                continue;
            };
            // A token's place among those written is the row that writes it: the start has the first row.
            for (row, _) in &to.tokens {
                let Some(row) = aligned.get_mut(*row) else {
                    continue;
                };
                row.extend(from.tokens.iter().map(|(key, _)| *key));
            }
        }
        let aligned = aligned
            .into_iter()
            .map(|row| row.into_iter().collect())
            .collect();
        Places {
            queries,
            keys,
            own: None,
            keys_of: BTreeMap::from([(Role::Alignment, aligned)]),
        }
    }

    /// Returns the places of [`Role::Induction`]: after each earlier occurrence of a query's token.
    pub fn of_repeated(meta: &TraceMeta, kind: AttentionKind) -> Self {
        let mut places = Places::empty(meta, kind);
        let (tokens, _) = meta.axes(kind);
        let after = |query: usize| {
            let earlier = (0..query).filter(|&key| tokens[key].id == tokens[query].id);
            earlier.map(|key| key + 1).collect()
        };
        if places.own.is_some() {
            places.set(Role::Induction, (0..tokens.len()).map(after).collect());
        }
        places
    }

    fn empty(meta: &TraceMeta, kind: AttentionKind) -> Self {
        let (queries, keys) = meta.axes(kind);
        let stack = meta.spec.stack(kind.stack());
        Places {
            queries: queries.len(),
            keys: keys.len(),
            own: stack.filter(|_| kind != AttentionKind::Cross).cloned(),
            keys_of: BTreeMap::new(),
        }
    }

    fn set(&mut self, role: Role, keys: Vec<Vec<usize>>) {
        self.keys_of.insert(role, keys);
    }

    fn is_causal(&self) -> bool {
        self.own.as_ref().is_some_and(|stack| stack.causal)
    }

    /// Returns the numbers of queries and of keys.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.queries, self.keys)
    }

    /// Returns the keys of a role that the tokens determine, for a query.
    pub(super) fn named(&self, role: Role, query: usize) -> &[usize] {
        let keys = self.keys_of.get(&role).and_then(|keys| keys.get(query));
        keys.map_or(&[], Vec::as_slice)
    }

    /// Returns the keys that a query of a layer sees.
    pub(super) fn seen(&self, layer: usize, query: usize) -> Range<usize> {
        match &self.own {
            Some(stack) => stack.seen(layer, query, self.keys),
            None => 0..self.keys,
        }
    }

    /// Measures a head of a layer on the text by its weights, row-major, queries × keys; `None` if they have another
    /// size.
    pub fn measure(&self, layer: usize, weights: &[f32]) -> Option<HeadTally> {
        if self.keys == 0 || weights.len() != self.queries * self.keys {
            return None;
        }
        let mut tally = HeadTally::default();
        for (query, row) in weights.chunks_exact(self.keys).enumerate() {
            let row = SeenRow {
                seen: self.seen(layer, query),
                weights: row,
            };
            for (role, keys) in &self.keys_of {
                row.add_keys(&mut tally, *role, keys.get(query));
            }
            row.add_offsets(&mut tally, query, self.own.is_some());
            let by_distance = row.seen.clone().zip(&row.weights[row.seen.clone()]);
            tally
                .add_row(by_distance.map(|(key, weight)| (offset(query, key), f64::from(*weight))));
        }
        Some(tally)
    }
}

/// A row of weights, and the keys that its query sees.
struct SeenRow<'a> {
    seen: Range<usize>,
    weights: &'a [f32],
}

impl SeenRow<'_> {
    /// Returns the weight of a key; `None` if the query does not see it.
    fn weight(&self, key: usize) -> Option<f32> {
        let key = self.seen.contains(&key).then_some(key)?;
        self.weights.get(key).copied()
    }

    /// A query counts where it sees a key of the role and another one.
    fn add_keys(&self, tally: &mut HeadTally, role: Role, keys: Option<&Vec<usize>>) {
        let found = keys.into_iter().flatten();
        let found: Vec<f32> = found.filter_map(|&key| self.weight(key)).collect();
        if !found.is_empty() && found.len() < self.seen.len() {
            let weight = found.iter().map(|weight| f64::from(*weight)).sum();
            tally.add(role, weight, found.len() as f64 / self.seen.len() as f64);
        }
    }

    fn add_offsets(&self, tally: &mut HeadTally, query: usize, is_own: bool) {
        if self.seen.len() < 2 {
            return;
        }
        let chance = 1.0 / self.seen.len() as f64;
        let reach = REACH as isize;
        for by in -reach..=reach {
            let key = query.checked_add_signed(by);
            let Some(weight) = key.and_then(|key| self.weight(key)) else {
                continue;
            };
            let weight = f64::from(weight);
            tally.add_offset(by, weight, chance);
            let role = match by {
                -1 => Role::Previous,
                0 => Role::Own,
                1 => Role::Next,
                _ => continue,
            };
            if is_own {
                tally.add(role, weight, chance);
            }
        }
    }
}

fn offset(query: usize, key: usize) -> isize {
    key as isize - query as isize
}

fn is_end(token: &Token) -> bool {
    ENDS.contains(&token.text.as_str())
}

/// Returns the positions of the tokens that consist of punctuation marks, or have some of the bytes of one.
fn marks(tokens: &[Token]) -> Vec<usize> {
    let stretches = stretches(tokens).into_iter();
    let marks = stretches.filter(|stretch| is_mark(&stretch.text));
    marks.flat_map(|stretch| stretch.tokens).collect()
}

/// True if the text of a token consists of punctuation marks.
pub(crate) fn is_mark(text: &str) -> bool {
    let is_mark = |character| is_punctuation(character) || "«»¡¿".contains(character);
    let word = text.trim_start_matches('▁');
    !is_bytes(word) && !word.is_empty() && word.chars().all(is_mark)
}

/// Punctuation of ASCII, of general use, of Chinese, and full-width.
fn is_punctuation(character: char) -> bool {
    character.is_ascii_punctuation()
        || matches!(
            character,
            '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}' | '\u{3001}'..='\u{3003}'
                | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301f}' | '\u{ff01}'..='\u{ff0f}'
                | '\u{ff1a}'..='\u{ff20}' | '\u{ff3b}'..='\u{ff40}' | '\u{ff5b}'..='\u{ff65}'
        )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::config::{LlamaConfig, MarianConfig};
    use crate::roles::{RoleScore, RoleScores};

    fn tokens(texts: &[&str]) -> Vec<Token> {
        // The same text is the same token.
        let id = |text: &str| texts.iter().position(|other| *other == text);
        let token = |text: &&str| Token {
            id: id(text).unwrap() as u32,
            text: (*text).to_owned(),
            unknown: false,
        };
        texts.iter().map(token).collect()
    }

    fn translated(source: &[&str], target: &[&str]) -> TraceMeta {
        TraceMeta {
            spec: MarianConfig::default().spec(),
            source: tokens(source),
            target: tokens(target),
            pieces: crate::Pieces::default(),
        }
    }

    fn continued(texts: &[&str]) -> TraceMeta {
        TraceMeta {
            spec: LlamaConfig::default().spec(),
            source: vec![],
            target: tokens(texts),
            pieces: crate::Pieces::default(),
        }
    }

    const SOURCE: [&str; 5] = ["▁the", "▁cat", ",", "▁the", "</s>"];

    /// The scores of a head whose every query looks at one key.
    fn looking_at(places: &Places, key: impl Fn(usize) -> usize) -> RoleScores {
        let mut weights = vec![0.0; places.queries * places.keys];
        for query in 0..places.queries {
            weights[query * places.keys + key(query)] = 1.0;
        }
        places.measure(0, &weights).unwrap().scores()
    }

    fn weight(scores: &RoleScores, role: Role) -> Option<(f32, usize)> {
        scores.of(role).map(|score| (score.weight, score.queries))
    }

    #[test]
    fn a_head_that_looks_back_is_one_of_the_previous_token() {
        let places = Places::of(&translated(&SOURCE, &[]), AttentionKind::EncoderSelf);
        let scores = looking_at(&places, |query| query.saturating_sub(1));
        // The first token has none before it.
        assert_eq!(weight(&scores, Role::Previous), Some((1.0, 4)));
        assert_eq!(weight(&scores, Role::Own), Some((0.2, 5)));
        assert_eq!(weight(&scores, Role::Next), Some((0.0, 4)));
        assert_eq!(scores.offset, Some(-1));
        assert_eq!(scores.clearest().unwrap().0, Role::Previous);
    }

    #[test]
    fn marks_ends_and_equal_tokens_are_found() {
        let places = Places::of(&translated(&SOURCE, &[]), AttentionKind::EncoderSelf);
        let at = |key: usize| looking_at(&places, move |_| key);
        assert_eq!(weight(&at(2), Role::Punctuation), Some((1.0, 5)));
        assert_eq!(weight(&at(4), Role::End), Some((1.0, 5)));
        assert_eq!(weight(&at(0), Role::First), Some((1.0, 5)));
        // Both "the" have each other, which is 1 of 5 keys.
        let same = at(3).of(Role::Same).unwrap();
        let expected = RoleScore {
            weight: 0.5,
            chance: 0.2,
            queries: 2,
        };
        assert_eq!(same, expected);
    }

    #[test]
    fn a_causal_query_is_compared_with_the_keys_that_it_sees() {
        let meta = continued(&["</s>", "▁a", "▁b"]);
        let places = Places::of(&meta, AttentionKind::DecoderSelf);
        let first = looking_at(&places, |_| 0).of(Role::First).unwrap();
        // The first query sees nothing else, so it has no choice: the others see 2 and 3 keys.
        assert_eq!((first.weight, first.queries), (1.0, 2));
        assert!((first.chance - (0.5 + 1.0 / 3.0) / 2.0).abs() < 1e-6);
        assert_eq!(looking_at(&places, |_| 0).of(Role::Next), None);
        assert_eq!(looking_at(&places, |_| 0).of(Role::End), None);
    }

    #[test]
    fn cross_attention_has_no_neighbours_and_its_diagonal_is_an_offset() {
        let meta = translated(&SOURCE, &["<pad>", "▁le", "▁chat", ",", "▁le"]);
        let places = Places::of(&meta, AttentionKind::Cross);
        let scores = looking_at(&places, |query| query);
        for role in [Role::Previous, Role::Next, Role::Own, Role::Same] {
            assert_eq!(scores.of(role), None, "{role}");
        }
        assert_eq!(scores.offset, Some(0));
        assert_eq!(scores.clearest().unwrap().0, Role::Offset);
    }

    #[test]
    fn an_aligned_row_is_the_one_that_writes_the_linked_word() {
        let word = |tokens: &[usize]| Word {
            text: String::new(),
            tokens: tokens.iter().map(|&token| (token, 1.0)).collect(),
        };
        // "the", "cat" of two tokens; "le" of two, "chat", and a word beyond the map.
        let source = [word(&[0]), word(&[1, 3])];
        let target = [word(&[0, 1]), word(&[2]), word(&[9])];
        let gold = Gold {
            sure: [(0, 0), (1, 1), (1, 2), (7, 0), (0, 7)].into(),
            possible: [(1, 0)].into(),
        };
        let places = Places::of_links((4, 5), (&source, &target), &gold);
        let aligned = looking_at(&places, |query| [0, 0, 3, 4][query]);
        let score = aligned.of(Role::Alignment).unwrap();
        assert_eq!((score.weight, score.queries), (1.0, 3));
        // One of five keys twice, then two of five.
        assert!((score.chance - 4.0 / 15.0).abs() < 1e-6);
    }

    #[test]
    fn induction_is_the_token_after_the_earlier_occurrence() {
        let meta = continued(&["</s>", "x", "y", "z", "x", "y", "z"]);
        let places = Places::of_repeated(&meta, AttentionKind::DecoderSelf);
        let scores = looking_at(&places, |query| query.saturating_sub(2));
        assert_eq!(weight(&scores, Role::Induction), Some((1.0, 3)));
        let back = looking_at(&places, |query| query.saturating_sub(3));
        assert_eq!(weight(&back, Role::Induction), Some((0.0, 3)));
    }

    #[test]
    fn weights_of_another_size_are_not_measured() {
        let places = Places::of(&translated(&SOURCE, &[]), AttentionKind::EncoderSelf);
        assert_eq!(places.measure(0, &[1.0; 24]), None);
        let nothing = Places::of(&translated(&[], &[]), AttentionKind::EncoderSelf);
        assert_eq!(nothing.measure(0, &[]), None);
    }

    #[test]
    fn marks_are_told_from_words_and_special_tokens() {
        for mark in [".", "▁?", "。", "...", "▁«"] {
            assert!(is_mark(mark), "{mark}");
        }
        for other in ["▁a", "<pad>", "</s>", "▁", "'s", "<0xE3>"] {
            assert!(!is_mark(other), "{other}");
        }
    }

    #[test]
    fn a_mark_whose_bytes_are_several_tokens_is_one() {
        let read = tokens(&["我", "<0xE3>", "<0x80><0x82>", "▁(", "<0xE3>", "a"]);
        assert_eq!(marks(&read), [1, 2, 3]);
    }

    /// A text of few different tokens, and scores of every query for every key.
    fn texts() -> impl Strategy<Value = (Vec<&'static str>, bool, Vec<f32>)> {
        let words = prop::collection::vec(prop::sample::select(vec!["a", "b", ".", "</s>"]), 1..12);
        (words, any::<bool>()).prop_flat_map(|(words, causal)| {
            let count = words.len() * words.len();
            let scores = prop::collection::vec(-9.0f32..9.0, count);
            (Just(words), Just(causal), scores)
        })
    }

    /// All places of a text's self-attention.
    fn all_places(words: &[&str], causal: bool) -> [Places; 2] {
        let (meta, kind) = match causal {
            true => (continued(words), AttentionKind::DecoderSelf),
            false => (translated(words, &[]), AttentionKind::EncoderSelf),
        };
        [Places::of(&meta, kind), Places::of_repeated(&meta, kind)]
    }

    /// The softmax of scores over the keys that each query sees.
    fn pattern(scores: &[f32], count: usize, causal: bool) -> Vec<f32> {
        let mut weights = vec![0.0; scores.len()];
        let rows = weights
            .chunks_exact_mut(count)
            .zip(scores.chunks_exact(count));
        for (query, (row, scores)) in rows.enumerate() {
            let seen = if causal { query + 1 } else { count };
            let total: f32 = scores[..seen].iter().map(|score| score.exp()).sum();
            for (weight, score) in row[..seen].iter_mut().zip(scores) {
                *weight = score.exp() / total;
            }
        }
        weights
    }

    proptest! {
        #[test]
        fn scores_are_shares((words, causal, scores) in texts()) {
            let weights = pattern(&scores, words.len(), causal);
            for places in all_places(&words, causal) {
                let tally = places.measure(0, &weights).unwrap();
                for (role, score) in tally.scores().scores {
                    prop_assert!((0.0..=1.0).contains(&score.weight), "{role}: {score:?}");
                    prop_assert!((0.0..1.0).contains(&score.chance), "{role}: {score:?}");
                    prop_assert!(score.above_chance() <= 1.0 + 1e-5);
                }
                let distances: f32 = tally.distances().iter().sum();
                prop_assert!((distances - 1.0).abs() < 1e-4, "{distances}");
            }
        }

        #[test]
        fn uniform_attention_is_at_the_level_of_chance((words, causal, scores) in texts()) {
            let weights = pattern(&vec![0.0; scores.len()], words.len(), causal);
            for places in all_places(&words, causal) {
                let scores = places.measure(0, &weights).unwrap().scores();
                for (role, score) in &scores.scores {
                    prop_assert!((score.weight - score.chance).abs() < 1e-6, "{role}: {score:?}");
                }
                prop_assert_eq!(scores.clearest(), None);
            }
        }

        #[test]
        fn sentences_that_are_merged_are_the_mean_over_all_queries((words, causal, scores) in texts()) {
            let weights = pattern(&scores, words.len(), causal);
            let [places, _] = all_places(&words, causal);
            let one = places.measure(0, &weights).unwrap();
            let mut twice = one.clone();
            twice.merge(&one);
            for (role, score) in one.scores().scores {
                let Some(both) = twice.scores().of(role) else { continue };
                // Twice the queries can make another offset known.
                if role != Role::Offset {
                    prop_assert!((both.weight - score.weight).abs() < 1e-6);
                    prop_assert_eq!(both.queries, 2 * score.queries);
                }
            }
        }
    }
}
