//! ROUGE: how much of the reference a candidate has (Lin 2004).

use super::Overlap;

/// Returns ROUGE-N, the overlap of n-grams; ROUGE reports its recall. `n` is at least 1. Of several references, matches
/// and n-grams are summed over all of them, and the candidate counts once for each.
pub fn rouge_n(references: &[impl AsRef<[String]>], candidate: &[String], n: usize) -> Overlap {
    let nothing = Overlap {
        matched: 0,
        reference: 0,
        candidate: 0,
    };
    let overlaps = references
        .iter()
        .map(|reference| Overlap::of_grams(reference.as_ref(), candidate, n));
    overlaps.fold(nothing, |sum, overlap| Overlap {
        matched: sum.matched + overlap.matched,
        reference: sum.reference + overlap.reference,
        candidate: sum.candidate + overlap.candidate,
    })
}

/// Returns the index of the reference whose ROUGE-L has the largest F, and this overlap: rouge-score's `score_multi`. Of
/// equal ones it is the first; `None` without references.
pub fn rouge_l_best(
    references: &[impl AsRef<[String]>],
    candidate: &[String],
) -> Option<(usize, Overlap)> {
    let overlaps = references.iter().enumerate();
    overlaps
        .map(|(index, reference)| (index, rouge_l(reference.as_ref(), candidate)))
        .reduce(
            |best, other| match other.1.f_measure() > best.1.f_measure() {
                true => other,
                false => best,
            },
        )
}

/// ROUGE-L: the overlap of tokens in the same order, the longest common subsequence.
pub fn rouge_l(reference: &[String], candidate: &[String]) -> Overlap {
    Overlap {
        matched: longest_common(reference, candidate).len(),
        reference: reference.len(),
        candidate: candidate.len(),
    }
}

/// A longest common subsequence: the places of its tokens in the reference and in the candidate, from 0. It takes time
/// and memory by the product of both lengths.
pub fn longest_common(reference: &[String], candidate: &[String]) -> Vec<(usize, usize)> {
    let lengths = common_lengths(reference, candidate);
    let (mut row, mut column) = (0, 0);
    let mut places = Vec::new();
    while row < reference.len() && column < candidate.len() {
        if reference[row] == candidate[column] {
            places.push((row, column));
            row += 1;
            column += 1;
        } else if lengths[row + 1][column] >= lengths[row][column + 1] {
            row += 1;
        } else {
            column += 1;
        }
    }
    places
}

/// Returns `[i][j]`, the length of the longest common subsequence of the tails that begin at `i` and at `j`.
fn common_lengths(reference: &[String], candidate: &[String]) -> Vec<Vec<usize>> {
    let mut lengths = vec![vec![0; candidate.len() + 1]; reference.len() + 1];
    for row in (0..reference.len()).rev() {
        for column in (0..candidate.len()).rev() {
            lengths[row][column] = match reference[row] == candidate[column] {
                true => lengths[row + 1][column + 1] + 1,
                false => lengths[row + 1][column].max(lengths[row][column + 1]),
            };
        }
    }
    lengths
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        super::overlap::tests::{letters, text},
        *,
    };

    #[test]
    fn lecture_rouge_is_the_recall_of_4_6_3_5_and_4_6() {
        let (label, predicted) = (letters("ABCDEF"), letters("ABBCD"));
        let recall = |overlap: Overlap| (overlap.matched, overlap.reference);
        assert_eq!(recall(rouge_n(&[&label], &predicted, 1)), (4, 6));
        assert_eq!(recall(rouge_n(&[&label], &predicted, 2)), (3, 5));
        assert_eq!(recall(rouge_l(&label, &predicted)), (4, 6));
    }

    #[test]
    fn lecture_longest_common_subsequence_is_abcd() {
        let places = longest_common(&letters("ABCDEF"), &letters("ABBCD"));
        assert_eq!(places, [(0, 0), (1, 1), (2, 3), (3, 4)]);
    }

    #[test]
    fn several_references_are_summed_and_the_best_one_gives_rouge_l() {
        let references = [letters("ABCDEF"), letters("ABBD")];
        let predicted = letters("ABBCD");
        let recall = |n: usize| {
            let overlap = rouge_n(&references, &predicted, n);
            (overlap.matched, overlap.reference)
        };
        // A, B, C, D of six and A, B, B, D of four; AB, BC, CD of five and AB, BB of three.
        assert_eq!(recall(1), (4 + 4, 6 + 4));
        assert_eq!(recall(2), (3 + 2, 5 + 3));
        // F is 8/11 with the first and 8/9 with the second.
        let (index, overlap) = rouge_l_best(&references, &predicted).unwrap();
        assert_eq!((index, overlap.matched, overlap.reference), (1, 4, 4));
        assert_eq!(rouge_l_best(&[] as &[Vec<String>], &predicted), None);
    }

    #[test]
    fn order_matters_to_rouge_l_and_not_to_rouge_1() {
        let (there, back) = (letters("ABCD"), letters("DCBA"));
        assert_eq!(rouge_n(&[&there], &back, 1).recall(), Some(1.0));
        assert_eq!(rouge_l(&there, &back).recall(), Some(0.25));
    }

    proptest! {
        #[test]
        fn what_is_common_is_in_both_in_this_order(one in text(), other in text()) {
            let places = longest_common(&one, &other);
            for &(row, column) in &places {
                prop_assert_eq!(&one[row], &other[column]);
            }
            for pair in places.windows(2) {
                prop_assert!(pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1);
            }
            prop_assert_eq!(places.len(), longest_common(&other, &one).len());
            prop_assert!(places.len() <= rouge_n(&[&one], &other, 1).matched);
        }
    }
}
