//! All tokens at once: at each place the token that is most probable over all sequences, without knowledge of the
//! others.

use super::path::Path;

/// Returns the sequence of the tokens that are most probable at each place by themselves, of equally probable ones the
/// smaller number. `all` is every sequence with its probability. `None` if there are none, or if they differ in length.
pub fn at_once(all: &[Path]) -> Option<&Path> {
    let length = all.first()?.tokens.len();
    if all.iter().any(|path| path.tokens.len() != length) {
        return None;
    }
    let tokens: Vec<usize> = (0..length)
        .map(|place| most_probable(&shares(all, place)))
        .collect();
    all.iter().find(|path| path.tokens == tokens)
}

/// Returns the total probability of the sequences that have each token at a place.
fn shares(all: &[Path], place: usize) -> Vec<f64> {
    let tokens = all.iter().map(|path| path.tokens[place]);
    let mut shares = vec![0.0; tokens.max().map_or(0, |last| last + 1)];
    for path in all {
        shares[path.tokens[place]] += path.probability();
    }
    shares
}

fn most_probable(shares: &[f64]) -> usize {
    let better = |best: usize, token: usize| match shares[token] > shares[best] + 1e-12 {
        true => token,
        false => best,
    };
    (0..shares.len()).fold(0, better)
}

#[cfg(test)]
mod tests {
    use super::super::{
        exhaustive::{Ending, exhaustive},
        table::{TableModel, tests::lecture},
    };
    use super::*;

    #[test]
    fn the_lectures_table_at_once_misses_its_best_sequence() {
        let all = exhaustive(&lecture(), Ending::AllSteps).unwrap().found;
        // Step 3 over all beginnings: C has 0.85 · 0.4 + 0.15 · 0.2 = 0.37, B 0.85 · 0.2 + 0.15 · 0.6 = 0.26.
        let third = shares(&all, 2);
        assert!((third[2] - 0.37).abs() < 1e-9 && (third[1] - 0.26).abs() < 1e-9);
        let found = at_once(&all).unwrap();
        assert_eq!(found.tokens, [0, 1, 2, 3]);
        assert!((found.probability() - 0.048).abs() < 1e-9);
    }

    #[test]
    fn tokens_that_win_by_themselves_can_exclude_each_other() {
        // "thank you" as "danke schön" with 0.4, "vielen dank" with 0.35 and "vielen herzlich" with 0.25.
        let after = |prefix: usize, row: [f64; 3]| (vec![prefix], row.to_vec());
        let model = TableModel::new(
            vec![vec![0.4, 0.6, 0.0], vec![1.0, 0.0, 0.0]],
            [after(0, [1.0, 0.0, 0.0]), after(1, [0.0, 0.6, 0.4])],
        );
        let all = exhaustive(&model.unwrap(), Ending::AllSteps).unwrap().found;
        let found = at_once(&all).unwrap();
        assert_eq!(found.tokens, [1, 0]);
        assert_eq!(found.probability(), 0.0);
    }

    #[test]
    fn sequences_of_different_lengths_have_no_places_in_common() {
        let path = |tokens: &[usize]| Path {
            tokens: tokens.to_vec(),
            probabilities: vec![0.5; tokens.len()],
        };
        assert_eq!(at_once(&[path(&[0, 1]), path(&[0])]), None);
        assert_eq!(at_once(&[]), None);
    }
}
