//! Counts of the tokens that two texts have in common.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// An n-gram of the candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gram {
    /// The tokens of the n-gram.
    pub tokens: Vec<String>,
    /// The number of occurrences in the candidate.
    pub candidate: usize,
    /// The number of occurrences in the reference; with several references, in the one that has the
    /// most.
    pub reference: usize,
}

impl Gram {
    /// Returns the number of the candidate's occurrences that count: no more than a reference has
    /// (clipping).
    pub fn counted(&self) -> usize {
        self.candidate.min(self.reference)
    }
}

/// The candidate's n-grams, each once, in the order in which they come first. `n` is 1 at least.
pub fn grams(references: &[impl AsRef<[String]>], candidate: &[String], n: usize) -> Vec<Gram> {
    let references: Vec<_> = references
        .iter()
        .map(|reference| counts(reference.as_ref(), n))
        .collect();
    let most = |tokens: &[String]| {
        let found = references.iter().filter_map(|counts| counts.get(tokens));
        found.copied().max().unwrap_or(0)
    };
    let mut candidates = counts(candidate, n);
    let taken = candidate.windows(n).filter_map(|tokens| {
        // Only the first of its kind finds its count.
        let count = candidates.remove(tokens)?;
        Some(Gram {
            tokens: tokens.to_vec(),
            candidate: count,
            reference: most(tokens),
        })
    });
    taken.collect()
}

fn counts(tokens: &[String], n: usize) -> BTreeMap<&[String], usize> {
    let mut counts = BTreeMap::new();
    for gram in tokens.windows(n) {
        *counts.entry(gram).or_insert(0) += 1;
    }
    counts
}

/// The overlap of two texts: n-grams, or tokens in the same order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlap {
    /// The number that both texts share.
    pub matched: usize,
    /// The number in the reference.
    pub reference: usize,
    /// The number in the candidate.
    pub candidate: usize,
}

impl Overlap {
    /// Returns the overlap of n-grams; none counts more often than it occurs in the reference. `n` is at least 1.
    pub fn of_grams(reference: &[String], candidate: &[String], n: usize) -> Self {
        Self::of_any(&[reference], reference, candidate, n)
    }

    /// The same where n-grams of any of several references count; `closest` is the one whose n-grams are
    /// [`reference`](Self::reference).
    pub(super) fn of_any(
        references: &[impl AsRef<[String]>],
        closest: &[String],
        candidate: &[String],
        n: usize,
    ) -> Self {
        let all = |tokens: &[String]| (tokens.len() + 1).saturating_sub(n);
        let counted = grams(references, candidate, n);
        Overlap {
            matched: counted.iter().map(Gram::counted).sum(),
            reference: all(closest),
            candidate: all(candidate),
        }
    }

    /// The share of the candidate that the reference has; `None` of no candidate.
    pub fn precision(self) -> Option<f64> {
        share(self.matched, self.candidate)
    }

    /// The share of the reference that the candidate has; `None` of no reference.
    pub fn recall(self) -> Option<f64> {
        share(self.matched, self.reference)
    }

    /// The harmonic mean `2PR/(P + R)` of precision and recall, 0 where they have nothing in common.
    pub fn f_measure(self) -> f64 {
        // 2(m/c)(m/r) / (m/c + m/r) = 2m / (c + r).
        share(2 * self.matched, self.candidate + self.reference).unwrap_or(0.0)
    }
}

fn share(part: usize, all: usize) -> Option<f64> {
    (all > 0).then(|| part as f64 / all as f64)
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    pub fn letters(text: &str) -> Vec<String> {
        text.chars().map(String::from).collect()
    }

    /// Texts that have much in common.
    pub fn text() -> impl Strategy<Value = Vec<String>> {
        prop::collection::vec("[a-d]", 0..14)
    }

    #[test]
    fn lecture_precisions_are_4_5_3_4_1_3_and_0() {
        let (label, predicted) = (letters("ABCDEF"), letters("ABBCD"));
        let shares = [1, 2, 3, 4].map(|n| {
            let overlap = Overlap::of_grams(&label, &predicted, n);
            (overlap.matched, overlap.candidate)
        });
        assert_eq!(shares, [(4, 5), (3, 4), (1, 3), (0, 2)]);
    }

    #[test]
    fn the_second_b_does_not_count() {
        let grams = grams(&[letters("ABCDEF")], &letters("ABBCD"), 1);
        let names: Vec<_> = grams.iter().map(|gram| gram.tokens.concat()).collect();
        assert_eq!(names, ["A", "B", "C", "D"]);
        let b = &grams[1];
        assert_eq!((b.candidate, b.reference, b.counted()), (2, 1, 1));
    }

    #[test]
    fn a_text_that_is_too_short_has_no_grams() {
        let overlap = Overlap::of_grams(&letters("AB"), &letters("A"), 2);
        assert_eq!((overlap.reference, overlap.candidate), (1, 0));
        assert_eq!(overlap.precision(), None);
        assert_eq!((overlap.recall(), overlap.f_measure()), (Some(0.0), 0.0));
    }

    proptest! {
        #[test]
        fn precision_one_way_is_recall_the_other_way(one in text(), other in text(), n in 1usize..5) {
            let (there, back) = (Overlap::of_grams(&one, &other, n), Overlap::of_grams(&other, &one, n));
            prop_assert_eq!(there.precision(), back.recall());
            prop_assert_eq!(there.f_measure(), back.f_measure());
            prop_assert!(there.matched <= there.candidate.min(there.reference));
        }

        #[test]
        fn a_text_has_all_of_itself(text in text(), n in 1usize..5) {
            let overlap = Overlap::of_grams(&text, &text, n);
            prop_assert_eq!(overlap.matched, overlap.candidate);
            let listed: usize = grams(&[text.as_slice()], &text, n).iter().map(|gram| gram.candidate).sum();
            prop_assert_eq!(listed, overlap.candidate);
        }
    }
}
