//! Sentence pairs by the number of words of their sources, and longer pairs joined from several.

use std::ops::RangeInclusive;

use attention_trace::LengthBin;
use rand::seq::SliceRandom;
use rand::{SeedableRng, rngs::StdRng};

use crate::training::Example;

/// The seed that decides which sentences are joined, and which ones are scored if a bin has too many.
const SEED: u64 = 20261124;

/// Returns at most `most` of the `pairs` whose sources have a number of words in the bin, and of `more` if these are
/// too few; for a joined bin, `pairs` are concatenated until they have enough words.
pub fn fill(bin: LengthBin, pairs: &[Example], more: &[Example], most: usize) -> Vec<Example> {
    let words = bin.from..=bin.to;
    let mut found = match bin.is_joined {
        true => joined(&shuffled(pairs), &words),
        false => [shuffled(pairs), shuffled(more)]
            .concat()
            .into_iter()
            .cloned()
            .collect(),
    };
    found.retain(|pair| words.contains(&length(pair)));
    found.truncate(most);
    found
}

/// Returns the mean number of words of a source; 0 if there are no pairs.
pub fn mean_words(pairs: &[Example]) -> f64 {
    let sum: usize = pairs.iter().map(length).sum();
    sum as f64 / pairs.len().max(1) as f64
}

fn shuffled(pairs: &[Example]) -> Vec<&Example> {
    let mut order: Vec<&Example> = pairs.iter().collect();
    order.shuffle(&mut StdRng::seed_from_u64(SEED));
    order
}

/// Joins all pairs, each used once, until each result has enough words.
fn joined(order: &[&Example], words: &RangeInclusive<usize>) -> Vec<Example> {
    let mut all = vec![];
    let mut parts: Vec<&Example> = vec![];
    let mut count = 0;
    for pair in order {
        parts.push(pair);
        count += length(pair);
        if count >= *words.start() {
            all.push(together(&parts));
            parts.clear();
            count = 0;
        }
    }
    all
}

fn together(parts: &[&Example]) -> Example {
    let sources: Vec<&str> = parts.iter().filter_map(|p| p.source.as_deref()).collect();
    let targets: Vec<&str> = parts.iter().map(|pair| pair.target.as_str()).collect();
    Example {
        source: (!sources.is_empty()).then(|| sources.join(" ")),
        target: targets.join(" "),
    }
}

/// Counts the words of the source, separated by white space.
fn length(pair: &Example) -> usize {
    let source = pair.source.as_deref().unwrap_or_default();
    source.split_whitespace().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs() -> Vec<Example> {
        let pair = |words: usize| Example {
            source: Some(vec!["mot"; words].join(" ")),
            target: format!("word {words}"),
        };
        (1..=9).chain(1..=9).map(pair).collect()
    }

    fn plain(from: usize, to: usize) -> LengthBin {
        LengthBin {
            from,
            to,
            is_joined: false,
        }
    }

    #[test]
    fn a_bin_has_the_sentences_of_its_lengths() {
        let found = fill(plain(3, 4), &pairs(), &[], 100);
        assert_eq!((found.len(), mean_words(&found)), (4, 3.5));
        assert_eq!(fill(plain(3, 4), &pairs(), &[], 2).len(), 2);
        assert_eq!(mean_words(&fill(plain(20, 30), &pairs(), &[], 100)), 0.0);
    }

    #[test]
    fn other_pairs_fill_a_bin_only_where_it_lacks_some() {
        let more: Vec<Example> = pairs()
            .into_iter()
            .map(|pair| Example {
                target: format!("{}, held out besides", pair.target),
                ..pair
            })
            .collect();
        let alone = fill(plain(3, 4), &pairs(), &[], 4);
        assert_eq!(fill(plain(3, 4), &pairs(), &more, 4), alone);
        let filled = fill(plain(3, 4), &pairs(), &more, 6);
        assert_eq!((&filled[..4], filled.len()), (&alone[..], 6));
    }

    #[test]
    fn long_sources_are_made_of_sentences_that_are_used_once() {
        let bin = LengthBin {
            is_joined: true,
            ..plain(12, 20)
        };
        let found = fill(bin, &pairs(), &[], 100);
        assert!(found.len() > 2);
        let mut targets: Vec<String> = vec![];
        for pair in &found {
            assert!((12..=20).contains(&length(pair)));
            let numbers = pair
                .target
                .split_whitespace()
                .filter_map(|word| word.parse::<usize>().ok());
            assert_eq!(numbers.sum::<usize>(), length(pair));
            targets.push(pair.target.clone());
        }
        let used = targets.join(" ").matches("word").count();
        assert!(used <= pairs().len());
        assert_eq!(fill(bin, &pairs(), &[], 100), found);
    }
}
