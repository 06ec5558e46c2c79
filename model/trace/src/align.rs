//! Two texts side by side, token by token.

use std::cmp::Ordering;

/// A place in both texts, or in the one that has something there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The token of the first text.
    pub before: Option<usize>,
    /// The token of the second.
    pub after: Option<usize>,
    /// True if both tokens are the same.
    pub is_same: bool,
}

/// The texts aligned by their longest common subsequence. What lies between two tokens that they share stands side by
/// side too, as far as both have something there.
pub fn align<T: PartialEq>(before: &[T], after: &[T]) -> Vec<Pair> {
    let mut pairs = vec![];
    let (mut from, mut to) = (0, 0);
    for (row, column) in shared(before, after) {
        pairs.extend(differing(from..row, to..column));
        pairs.push(Pair {
            before: Some(row),
            after: Some(column),
            is_same: true,
        });
        (from, to) = (row + 1, column + 1);
    }
    pairs.extend(differing(from..before.len(), to..after.len()));
    pairs
}

/// Returns the positions, in both texts, of each token of a longest common subsequence.
fn shared<T: PartialEq>(before: &[T], after: &[T]) -> Vec<(usize, usize)> {
    let lengths = lengths(before, after);
    let (mut row, mut column) = (0, 0);
    let mut shared = vec![];
    while row < before.len() && column < after.len() {
        if before[row] == after[column] {
            shared.push((row, column));
            (row, column) = (row + 1, column + 1);
            continue;
        }
        match lengths[row + 1][column].cmp(&lengths[row][column + 1]) {
            Ordering::Less => column += 1,
            Ordering::Equal | Ordering::Greater => row += 1,
        }
    }
    shared
}

/// Returns the length of the longest common subsequence of the texts after each pair of places.
fn lengths<T: PartialEq>(before: &[T], after: &[T]) -> Vec<Vec<usize>> {
    let mut lengths = vec![vec![0; after.len() + 1]; before.len() + 1];
    for row in (0..before.len()).rev() {
        for column in (0..after.len()).rev() {
            lengths[row][column] = match before[row] == after[column] {
                true => lengths[row + 1][column + 1] + 1,
                false => lengths[row + 1][column].max(lengths[row][column + 1]),
            };
        }
    }
    lengths
}

fn differing(
    mut before: std::ops::Range<usize>,
    mut after: std::ops::Range<usize>,
) -> impl Iterator<Item = Pair> {
    std::iter::from_fn(move || {
        let (before, after) = (before.next(), after.next());
        (before.is_some() || after.is_some()).then_some(Pair {
            before,
            after,
            is_same: false,
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the pairs as words: `a` for a shared one, `-b` for a removed one, `+c` for a new one, `b/c` for a
    /// replaced one.
    fn spelled(before: &'static str, after: &'static str) -> String {
        let words = |text: &'static str| text.split_whitespace().collect::<Vec<_>>();
        let (before, after) = (words(before), words(after));
        let pairs = align(&before, &after).into_iter();
        let pairs = pairs.map(|pair| match (pair.before, pair.after) {
            (Some(one), Some(_)) if pair.is_same => before[one].to_owned(),
            (Some(one), Some(other)) => format!("{}/{}", before[one], after[other]),
            (Some(one), None) => format!("-{}", before[one]),
            (None, Some(other)) => format!("+{}", after[other]),
            (None, None) => "?".to_owned(),
        });
        pairs.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_stand_beside_their_own_and_beside_what_stands_for_them() {
        assert_eq!(
            spelled("I am a student .", "I am a student ."),
            "I am a student ."
        );
        assert_eq!(
            spelled("I am a student .", "I 'm a student ."),
            "I am/'m a student ."
        );
        assert_eq!(
            spelled("I am a student .", "I am student ."),
            "I am -a student ."
        );
        assert_eq!(spelled("I am .", "I am a good ."), "I am +a +good .");
        assert_eq!(spelled("a b c", "x y"), "a/x b/y -c");
        assert_eq!(spelled("", "x"), "+x");
        assert_eq!(spelled("", ""), "");
    }

    fn texts() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
        let text = || prop::collection::vec(0..4u8, 0..12);
        (text(), text())
    }

    fn count(pairs: &[Pair]) -> usize {
        pairs.iter().filter(|pair| pair.is_same).count()
    }

    proptest! {
        #[test]
        fn every_token_is_there_once_and_in_order((before, after) in texts()) {
            let pairs = align(&before, &after);
            let rows: Vec<usize> = pairs.iter().filter_map(|pair| pair.before).collect();
            let columns: Vec<usize> = pairs.iter().filter_map(|pair| pair.after).collect();
            prop_assert!(rows.into_iter().eq(0..before.len()));
            prop_assert!(columns.into_iter().eq(0..after.len()));
            for pair in pairs.iter().filter(|pair| pair.is_same) {
                prop_assert_eq!(pair.before.map(|at| before[at]), pair.after.map(|at| after[at]));
            }
        }

        #[test]
        fn as_much_is_shared_as_can_be((before, after) in texts()) {
            let shared = count(&align(&before, &after));
            prop_assert_eq!(shared, count(&align(&after, &before)));
            // Of no way to leave tokens out of the one text is more found in the other.
            for kept in 0..1_u32 << before.len() {
                let taken = (0..before.len()).filter(|at| (kept >> at) & 1 == 1);
                let taken: Vec<u8> = taken.map(|at| before[at]).collect();
                let mut rest = after.iter();
                let is_found = taken.iter().all(|token| rest.any(|other| other == token));
                prop_assert!(!is_found || taken.len() <= shared);
            }
        }

        #[test]
        fn a_text_is_the_same_as_itself(text in prop::collection::vec(0..4u8, 0..20)) {
            prop_assert_eq!(count(&align(&text, &text)), text.len());
        }
    }
}
