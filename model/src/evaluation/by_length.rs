//! Sentence pairs by the number of words of their sources, and longer ones made of several.

use std::ops::RangeInclusive;

use attention_trace::LengthBin;
use rand::seq::SliceRandom;
use rand::{SeedableRng, rngs::StdRng};

use crate::training::Example;

/// Decides which sentences are joined, and which stand for a bin that has more than are scored.
const SEED: u64 = 20261124;

/// The pairs of a bin.
pub struct Bin {
    /// What it is.
    pub about: LengthBin,
    /// Its pairs.
    pub pairs: Vec<Example>,
}

/// At most `most` of the `pairs` whose sources have so many words; if `is_joined`, sentences put one behind the other
/// until they have.
pub fn bin(pairs: &[Example], words: RangeInclusive<usize>, most: usize, is_joined: bool) -> Bin {
    let mut order: Vec<&Example> = pairs.iter().collect();
    order.shuffle(&mut StdRng::seed_from_u64(SEED));
    let mut found = match is_joined {
        true => joined(&order, &words),
        false => order.into_iter().cloned().collect(),
    };
    found.retain(|pair| words.contains(&length(pair)));
    found.truncate(most);
    let sum: usize = found.iter().map(length).sum();
    Bin {
        about: LengthBin {
            from: *words.start(),
            to: *words.end(),
            pairs: found.len(),
            mean_words: sum as f64 / found.len().max(1) as f64,
            is_joined,
        },
        pairs: found,
    }
}

/// Every pair once, put one behind the other until there are words enough.
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

/// Words of the source: what white space parts.
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

    #[test]
    fn a_bin_has_the_sentences_of_its_lengths() {
        let found = bin(&pairs(), 3..=4, 100, false);
        assert_eq!((found.about.pairs, found.about.mean_words), (4, 3.5));
        assert_eq!(bin(&pairs(), 3..=4, 2, false).pairs.len(), 2);
        assert_eq!(bin(&pairs(), 20..=30, 100, false).about.mean_words, 0.0);
    }

    #[test]
    fn long_sources_are_made_of_sentences_that_are_used_once() {
        let found = bin(&pairs(), 12..=20, 100, true);
        assert!(found.about.is_joined && found.about.pairs > 2);
        let mut targets: Vec<String> = vec![];
        for pair in &found.pairs {
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
        assert_eq!(bin(&pairs(), 12..=20, 100, true).pairs, found.pairs);
    }
}
