//! The place where the continuations of two passes part.

use serde::{Deserialize, Serialize};

use super::logits::log_sum;
use crate::{Array, Token};

/// The first step of decoding at which two models write different tokens. Up to there they read the same ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parting {
    /// The step, from 0.
    pub step: usize,
    /// The token that each model writes.
    pub tokens: [Token; 2],
    /// The probability of both tokens in each model: `probabilities[model][token]`.
    pub probabilities: [[f32; 2]; 2],
}

impl Parting {
    /// Finds the parting of two continuations, those that each model wrote; `logits` are those of both models after each
    /// position, `[positions, vocabulary]`, and `first_row` is the row that predicts the first token of the continuations.
    /// `None` if the continuations are the same, one ends where the other goes on, or the logits lack a row or a token.
    pub fn find(
        continuations: [&[Token]; 2],
        logits: [&Array; 2],
        first_row: usize,
    ) -> Option<Self> {
        let [one, other] = continuations;
        let ids = |tokens: &[Token]| tokens.iter().map(|token| token.id).collect::<Vec<_>>();
        let step = parting_step(&ids(one), &ids(other))?;
        let tokens = [one.get(step)?.clone(), other.get(step)?.clone()];
        let row = first_row.checked_add(step)?;
        let probability = |logits: &Array, token: &Token| {
            let row = logits.row(&[row])?;
            let logit = row.get(token.id as usize)?;
            Some((f64::from(*logit) - log_sum(row)).exp() as f32)
        };
        let of = |logits: &Array| {
            let [first, second] = &tokens;
            Some([probability(logits, first)?, probability(logits, second)?])
        };
        let probabilities = [of(logits[0])?, of(logits[1])?];
        Some(Parting {
            step,
            tokens,
            probabilities,
        })
    }
}

/// Returns the first step at which two sequences of tokens differ; `None` if they are the same. If one ends before, that is
/// the step at which it has no token.
pub fn parting_step(one: &[u32], other: &[u32]) -> Option<usize> {
    let same = one
        .iter()
        .zip(other)
        .take_while(|(one, other)| one == other);
    let step = same.count();
    (step < one.len().max(other.len())).then_some(step)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tokens(ids: &[u32]) -> Vec<Token> {
        let token = |&id: &u32| Token {
            id,
            text: id.to_string(),
            unknown: false,
        };
        ids.iter().map(token).collect()
    }

    fn logits(rows: &[[f32; 2]]) -> Array {
        Array {
            shape: vec![rows.len(), 2],
            data: rows.concat().iter().map(|p| p.ln()).collect(),
        }
    }

    #[test]
    fn both_models_have_probabilities_of_both_tokens() {
        let one = logits(&[[0.5, 0.5], [0.9, 0.1], [0.75, 0.25]]);
        let other = logits(&[[0.5, 0.5], [0.8, 0.2], [0.25, 0.75]]);
        let (written, others) = (tokens(&[0, 0, 1]), tokens(&[0, 1, 1]));
        let parting = Parting::find([&written, &others], [&one, &other], 1).unwrap();
        assert_eq!(parting.step, 1);
        assert_eq!(parting.tokens.clone().map(|token| token.id), [0, 1]);
        for (found, expected) in
            (parting.probabilities.concat().iter()).zip([0.75, 0.25, 0.25, 0.75])
        {
            assert!((found - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn what_does_not_part_has_no_parting() {
        let one = logits(&[[0.5, 0.5]]);
        let find = |written: &[u32], others: &[u32], first_row| {
            Parting::find([&tokens(written), &tokens(others)], [&one, &one], first_row)
        };
        assert_eq!(find(&[0, 1], &[0, 1], 0), None);
        assert_eq!(find(&[], &[], 0), None);
        assert_eq!(find(&[0], &[], 0), None);
        // A row or a token that the logits lack.
        assert_eq!(find(&[0], &[1], 1), None);
        assert_eq!(find(&[0], &[1], usize::MAX), None);
        assert_eq!(find(&[0], &[2], 0), None);
        assert!(find(&[0], &[1], 0).is_some());
    }

    proptest! {
        #[test]
        fn sequences_agree_up_to_where_they_part(
            one in proptest::collection::vec(0u32..3, 0..12),
            other in proptest::collection::vec(0u32..3, 0..12),
        ) {
            match parting_step(&one, &other) {
                Some(step) => {
                    prop_assert_eq!(&one[..step], &other[..step]);
                    prop_assert_ne!(one.get(step), other.get(step));
                }
                None => prop_assert_eq!(one, other),
            }
        }
    }
}
