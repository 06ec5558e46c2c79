//! The cut of a text into the pieces whose probabilities have the largest product (Kudo 2018), by the Viterbi algorithm.
//! Sums are those of single precision, as in the library, so that texts with several best cuts are cut as there.

use std::collections::HashMap;

/// The log-probability that an unknown character has less than the least probable piece.
const UNKNOWN_PENALTY: f32 = 10.0;

/// The pieces with their log-probabilities.
pub struct Unigram {
    scores: HashMap<String, f32>,
    /// The length of the longest piece in bytes.
    longest: usize,
    /// The log-probability of an unknown character.
    unknown: f32,
}

/// The best way to cut a text up to a place.
#[derive(Clone, Copy)]
struct Best {
    score: f32,
    /// The place where the last piece begins.
    start: usize,
    is_unknown: bool,
}

impl Unigram {
    /// Creates the model of the pieces; `None` if there are none.
    pub fn new(scores: HashMap<String, f32>) -> Option<Self> {
        let least = scores.values().copied().reduce(f32::min)?;
        Some(Unigram {
            longest: scores.keys().map(String::len).max()?,
            unknown: least - UNKNOWN_PENALTY,
            scores,
        })
    }

    /// Returns the pieces of the most probable segmentation (Viterbi). Neighbouring characters without a piece are one.
    pub fn cut<'a>(&self, text: &'a str) -> Vec<&'a str> {
        let mut ends: Vec<Option<Best>> = vec![None; text.len() + 1];
        for (start, character) in text.char_indices() {
            let before = ends[start].map_or(0.0, |best| best.score);
            let next = start + character.len_utf8();
            let mut is_known = false;
            let limit = text.len().min(start + self.longest);
            for (end, best) in ends.iter_mut().enumerate().take(limit + 1).skip(next) {
                let score = text.get(start..end).and_then(|it| self.scores.get(it));
                let Some(&score) = score else { continue };
                is_known |= end == next;
                let score = score + before;
                if best.is_none_or(|best| score > best.score) {
                    *best = Some(Best {
                        score,
                        start,
                        is_unknown: false,
                    });
                }
            }
            let score = self.unknown + before;
            if !is_known && ends[next].is_none_or(|best| score > best.score) {
                ends[next] = Some(Best {
                    score,
                    start,
                    is_unknown: true,
                });
            }
        }
        let mut pieces: Vec<&str> = vec![];
        let mut end = text.len();
        let mut unknown_until = None;
        while let Some(best) = ends[end].filter(|_| end > 0) {
            let until = unknown_until.filter(|_| best.is_unknown).unwrap_or(end);
            if until > end {
                pieces.pop();
            }
            pieces.push(&text[best.start..until]);
            unknown_until = best.is_unknown.then_some(until);
            end = best.start;
        }
        pieces.reverse();
        pieces
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn unigram(scores: &[(&str, f32)]) -> Unigram {
        let scores = scores
            .iter()
            .map(|&(piece, score)| (piece.to_owned(), score));
        Unigram::new(scores.collect()).unwrap()
    }

    /// The largest sum of scores over all cuts into pieces and unknown characters.
    fn largest(model: &Unigram, text: &str) -> f64 {
        if text.is_empty() {
            return 0.0;
        }
        let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
        let single = text.chars().next().map_or(0, char::len_utf8);
        ends.filter_map(|end| {
            let known = model.scores.get(&text[..end]).copied();
            let score = known.or((end == single).then_some(model.unknown))?;
            Some(f64::from(score) + largest(model, &text[end..]))
        })
        .fold(f64::NEG_INFINITY, f64::max)
    }

    proptest! {
        #[test]
        fn no_other_cut_is_more_probable(
            scores in prop::collection::hash_map("[ab猫]{1,3}", -9.0f32..0.0, 1..8),
            text in "[abc猫]{0,9}",
        ) {
            let model = Unigram::new(scores).unwrap();
            let pieces = model.cut(&text);
            prop_assert_eq!(pieces.concat(), text.clone());
            let score = |piece: &&str| match model.scores.get(*piece) {
                Some(&score) => f64::from(score),
                None => piece.chars().count() as f64 * f64::from(model.unknown),
            };
            let sum: f64 = pieces.iter().map(score).sum();
            let best = largest(&model, &text);
            prop_assert!((sum - best).abs() < 1e-3, "{} {}", sum, best);
        }
    }

    #[test]
    fn neighbouring_unknown_characters_are_one_piece() {
        let model = unigram(&[("ab", -1.0), ("a", -2.0)]);
        assert_eq!(model.cut("猫犬abx猫"), ["猫犬", "ab", "x猫"]);
        assert!(model.cut("").is_empty());
        assert!(Unigram::new(HashMap::new()).is_none());
    }
}
