//! BLEU of a text against one reference or several, and of a corpus (Papineni et al. 2002).

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::Overlap;

/// BLEU counts n-grams up to this `n`.
pub const ORDERS: usize = 4;

/// The counts that BLEU is computed from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bleu {
    /// Clipped counts of n-grams, for `n` = 1 … 4.
    pub overlaps: [Overlap; ORDERS],
}

/// The weights `α_n` of the precisions in `b · exp(Σ α_n ln p_n)`, where `n` goes from 1 to `N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// `1/N`: the geometric mean (Papineni et al. 2002).
    Even,
    /// `1/2ⁿ`: longer n-grams count less ("Dive into Deep Learning").
    Halving,
}

impl Weights {
    /// `α_n` of `N` = `most`.
    fn of(self, n: usize, most: usize) -> f64 {
        match self {
            Weights::Even => 1.0 / most as f64,
            Weights::Halving => 0.5f64.powi(n as i32),
        }
    }
}

/// BLEU as sacreBLEU prints it of a corpus of one sentence, in per cent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmoothedBleu {
    /// The precisions, smoothed where they are 0.
    pub precisions: [f64; ORDERS],
    /// The score after smoothing.
    pub score: f64,
}

impl Bleu {
    /// Counts the n-grams of two texts.
    pub fn of(reference: &[String], candidate: &[String]) -> Self {
        Self::of_any(&[reference], candidate)
    }

    /// Counts the n-grams of a candidate that has several references: each counts at most as often as it occurs in the
    /// reference that has it most often. The brevity penalty uses the reference whose length is closest to the
    /// candidate's, and of two equally close the shorter.
    pub fn of_any(references: &[impl AsRef<[String]>], candidate: &[String]) -> Self {
        let lengths = references.iter().map(AsRef::as_ref);
        let closest = lengths.min_by_key(|reference: &&[String]| {
            (reference.len().abs_diff(candidate.len()), reference.len())
        });
        let closest = closest.unwrap_or_default();
        Bleu {
            overlaps: std::array::from_fn(|index| {
                Overlap::of_any(references, closest, candidate, index + 1)
            }),
        }
    }

    /// Tokens of the reference, of several of the closest one, `l_s`.
    pub fn reference_length(&self) -> usize {
        self.overlaps[0].reference
    }

    /// Tokens of the candidate, `l_x`.
    pub fn candidate_length(&self) -> usize {
        self.overlaps[0].candidate
    }

    /// The penalty of a candidate that is shorter than its reference, see [`brevity`].
    pub fn brevity(&self) -> f64 {
        brevity(self.candidate_length(), self.reference_length())
    }

    /// `b · Π p_n^{α_n}` for `n` = 1 … `most`, between 0 and 1; `None` where the candidate is shorter than an n-gram.
    pub fn weighted(&self, most: usize, weights: Weights) -> Option<f64> {
        self.weighted_with(self.brevity(), most, weights)
    }

    /// The same with another penalty `b`, as where `l_s` is the length of the shortest reference.
    pub fn weighted_with(&self, brevity: f64, most: usize, weights: Weights) -> Option<f64> {
        let mut product = brevity;
        for (index, overlap) in self.overlaps.iter().take(most).enumerate() {
            product *= overlap.precision()?.powf(weights.of(index + 1, most));
        }
        Some(product)
    }

    /// sacreBLEU's score, with its standard smoothing `exp`: the first precision that is 0 counts as half a match, the
    /// next one as a quarter, and so on. 0 where nothing matches at all, or the candidate has fewer than four tokens.
    pub fn smoothed(&self) -> SmoothedBleu {
        let mut precisions = [0.0; ORDERS];
        if self.overlaps[0].matched == 0 {
            return SmoothedBleu {
                precisions,
                score: 0.0,
            };
        }
        let mut part = 1.0;
        for (precision, overlap) in precisions.iter_mut().zip(&self.overlaps) {
            if overlap.matched == 0 {
                part /= 2.0;
            }
            let matched = match overlap.matched {
                0 => part,
                matched => matched as f64,
            };
            *precision = match overlap.candidate {
                0 => 0.0,
                all => 100.0 * matched / all as f64,
            };
        }
        let logarithms: f64 = precisions.iter().map(|precision| precision.ln()).sum();
        SmoothedBleu {
            precisions,
            score: self.brevity() * (logarithms / ORDERS as f64).exp(),
        }
    }

    /// Returns the line that sacreBLEU prints for it.
    pub fn line(&self) -> String {
        let SmoothedBleu { precisions, score } = self.smoothed();
        let precisions = precisions.map(|precision| format!("{precision:.1}"));
        let (candidate, reference) = (self.candidate_length(), self.reference_length());
        let ratio = match reference {
            0 => 0.0,
            _ => candidate as f64 / reference as f64,
        };
        format!(
            "BLEU = {score:.2} {} (BP = {:.3} ratio = {ratio:.3} hyp_len = {candidate} ref_len = {reference})",
            precisions.join("/"),
            self.brevity()
        )
    }
}

/// The brevity penalty: `exp(1 − l_s/l_x)` of a candidate that is shorter than its reference, 1 of any other, 0 of an
/// empty one whose reference is not empty.
pub fn brevity(candidate: usize, reference: usize) -> f64 {
    match candidate {
        _ if candidate >= reference => 1.0,
        0 => 0.0,
        _ => (1.0 - reference as f64 / candidate as f64).exp(),
    }
}

/// The counts of a corpus are the sums of its sentences' counts.
impl AddAssign for Bleu {
    fn add_assign(&mut self, sentence: Self) {
        for (all, own) in self.overlaps.iter_mut().zip(sentence.overlaps) {
            all.matched += own.matched;
            all.reference += own.reference;
            all.candidate += own.candidate;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        super::overlap::tests::{letters, text},
        *,
    };

    fn lecture() -> Bleu {
        Bleu::of(&letters("ABCDEF"), &letters("ABBCD"))
    }

    fn is_near(found: f64, expected: f64) -> bool {
        (found - expected).abs() < 5e-4
    }

    #[test]
    fn lecture_brevity_is_0_819() {
        assert!(is_near(lecture().brevity(), 0.819));
        assert_eq!(lecture().brevity(), (1.0f64 - 6.0 / 5.0).exp());
    }

    #[test]
    fn lecture_bleu_with_halving_weights() {
        let bleu = |most| lecture().weighted(most, Weights::Halving).unwrap();
        // b · (4/5)^½, times (3/4)^¼, times (1/3)^⅛.
        assert!(is_near(bleu(1), 0.7323));
        assert!(is_near(bleu(2), 0.6815));
        assert!(is_near(bleu(3), 0.5940));
        assert_eq!(bleu(4), 0.0);
    }

    #[test]
    fn lecture_bleu_with_even_weights() {
        let bleu = |most| lecture().weighted(most, Weights::Even).unwrap();
        // b · 4/5, b · (4/5 · 3/4)^½, b · (4/5 · 3/4 · 1/3)^⅓.
        assert!(is_near(bleu(1), 0.6550));
        assert!(is_near(bleu(2), 0.6342));
        assert!(is_near(bleu(3), 0.4788));
        assert_eq!(bleu(4), 0.0);
    }

    #[test]
    fn lecture_bleu_of_sacrebleu_counts_half_a_match() {
        let SmoothedBleu { precisions, score } = lecture().smoothed();
        // Half of one of the two 4-grams.
        assert_eq!(precisions[3], 25.0);
        assert!(is_near(score, 38.7154));
    }

    #[test]
    fn a_candidate_of_two_tokens_has_no_4_grams() {
        let short = Bleu::of(&letters("AB"), &letters("AB"));
        assert_eq!(short.weighted(2, Weights::Even), Some(1.0));
        assert_eq!(short.weighted(3, Weights::Even), None);
        assert_eq!(short.smoothed().score, 0.0);
    }

    #[test]
    fn of_several_references_each_gram_has_the_one_that_has_it_most_often() {
        let references = ["ABCDEF", "ABB"].map(letters);
        let bleu = Bleu::of_any(&references, &letters("ABBCD"));
        // The second B counts now, and AB, BB, BC, CD.
        assert_eq!(bleu.overlaps.map(|overlap| overlap.matched), [5, 4, 2, 0]);
        // Six tokens are closer to five than three are.
        assert_eq!(bleu.reference_length(), 6);
        // Of lengths that are equally close it is the shorter.
        let references = ["ABCDEF", "ABCD"].map(letters);
        assert_eq!(Bleu::of_any(&references, &letters("ABBCD")).brevity(), 1.0);
        let none: [Vec<String>; 0] = [];
        assert_eq!(Bleu::of_any(&none, &letters("A")).smoothed().score, 0.0);
    }

    proptest! {
        #[test]
        fn another_reference_takes_no_match_away(
            (one, other) in (text(), text()), candidate in text()
        ) {
            let alone = Bleu::of(&one, &candidate);
            let both = Bleu::of_any(&[one.clone(), other.clone()], &candidate);
            for (alone, both) in alone.overlaps.iter().zip(both.overlaps) {
                prop_assert!(both.matched >= alone.matched);
                prop_assert_eq!(both.candidate, alone.candidate);
            }
            prop_assert_eq!(Bleu::of_any(&[other, one.clone(), one], &candidate), both);
        }

        #[test]
        fn bleu_is_between_nothing_and_all(reference in text(), candidate in text()) {
            let bleu = Bleu::of(&reference, &candidate);
            for weights in [Weights::Even, Weights::Halving] {
                for most in 1..=ORDERS {
                    let score = bleu.weighted(most, weights);
                    prop_assert!(score.is_none_or(|score| (0.0..=1.0).contains(&score)));
                }
            }
            prop_assert!((0.0..=100.0 + 1e-9).contains(&bleu.smoothed().score));
        }

        #[test]
        fn without_zeros_sacrebleu_smooths_nothing(reference in text(), candidate in text()) {
            let bleu = Bleu::of(&reference, &candidate);
            if bleu.overlaps[ORDERS - 1].matched > 0 {
                let even = bleu.weighted(ORDERS, Weights::Even).unwrap();
                prop_assert!((bleu.smoothed().score - 100.0 * even).abs() < 1e-9);
            }
        }
    }
}
