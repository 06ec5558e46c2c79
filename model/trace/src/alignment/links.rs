//! Links between words, out of attention weights between tokens.

use serde::{Deserialize, Serialize};

use super::Word;
use crate::Array;

/// The row of weights that a word's links are read from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowOf {
    /// The row that writes the word: of the token before it, where the decoder looks for the *next* one.
    #[default]
    Writing,
    /// The row that reads it.
    Reading,
}

impl RowOf {
    /// Both rows that links can be read from.
    pub const ALL: [RowOf; 2] = [RowOf::Writing, RowOf::Reading];
}

/// A way of treating the weight on the source's end token and on other tokens that are no word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndToken {
    /// The weight is removed, and the rest of the row is taken as the whole.
    #[default]
    TakenOut,
    /// The weight stays: a word that attends to it more than to any word has no link.
    Kept,
}

/// A word of the source and one of the target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// The word of the source.
    pub source: usize,
    /// The word of the target.
    pub target: usize,
    /// The weight that the target's row gives to that word.
    pub weight: f32,
}

/// Weights between words, `[target words, source words]`, of weights between tokens, `[rows, keys]`: summed over a
/// source word's tokens, the mean over a target word's (Clark et al. 2019). A word whose row the map lacks gets zeros.
pub fn word_weights(
    map: &Array,
    (target, first_row): (&[Word], usize),
    source: &[Word],
    (of, end): (RowOf, EndToken),
) -> Option<Array> {
    let &[_, keys] = map.shape.as_slice() else {
        return None;
    };
    let shift = first_row + usize::from(of == RowOf::Reading);
    let mut data = Vec::with_capacity(target.len() * source.len());
    for word in target {
        let rows = word.tokens.iter();
        let rows = rows.filter_map(|&(token, share)| Some((map.row(&[token + shift])?, share)));
        let (mut sums, mut total) = (vec![0.0_f32; source.len()], 0.0);
        for (row, share) in rows {
            total += share;
            for (sum, word) in sums.iter_mut().zip(source) {
                let parts = word.tokens.iter().filter(|(token, _)| *token < keys);
                *sum += share * parts.map(|&(token, part)| part * row[token]).sum::<f32>();
            }
        }
        let on_words: f32 = sums.iter().sum();
        let whole = match end {
            EndToken::TakenOut => on_words,
            EndToken::Kept => total,
        };
        if whole > 0.0 {
            sums.iter_mut().for_each(|sum| *sum /= whole);
        }
        data.extend(sums);
    }
    Some(Array {
        shape: vec![target.len(), source.len()],
        data,
    })
}

/// A link from each word of the target to the source word of the largest weight. Where the end token's weight is kept,
/// a word that leaves more to it than to any word has none.
pub fn links(weights: &Array, end: EndToken) -> Vec<Link> {
    let &[_, columns] = weights.shape.as_slice() else {
        return vec![];
    };
    let rows = weights.data.chunks_exact(columns.max(1)).enumerate();
    let link = |(target, row): (usize, &[f32])| {
        let best = row.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        let (source, &weight) = best.filter(|best| *best.1 > 0.0)?;
        let elsewhere = 1.0 - row.iter().sum::<f32>();
        (end == EndToken::TakenOut || weight >= elsewhere).then_some(Link {
            source,
            target,
            weight,
        })
    };
    rows.filter_map(link).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str, tokens: &[usize]) -> Word {
        Word {
            text: text.to_owned(),
            tokens: tokens.iter().map(|&token| (token, 1.0)).collect(),
        }
    }

    /// Three rows over two words, the second of two tokens, and the end.
    fn map() -> Array {
        Array {
            shape: vec![3, 4],
            data: vec![
                0.6, 0.1, 0.1, 0.2, //
                0.1, 0.3, 0.2, 0.4, //
                0.0, 0.1, 0.1, 0.8,
            ],
        }
    }

    fn found(of: RowOf, end: EndToken) -> Vec<(usize, usize)> {
        let target = [word("a", &[0]), word("b", &[1])];
        let source = [word("x", &[0]), word("y", &[1, 2])];
        let weights = word_weights(&map(), (&target, 0), &source, (of, end)).unwrap();
        let links = links(&weights, end).into_iter();
        links.map(|link| (link.target, link.source)).collect()
    }

    #[test]
    fn the_row_that_writes_a_word_is_the_one_before_the_row_that_reads_it() {
        let taken = EndToken::TakenOut;
        assert_eq!(found(RowOf::Writing, taken), [(0, 0), (1, 1)]);
        assert_eq!(found(RowOf::Reading, taken), [(0, 1), (1, 1)]);
    }

    #[test]
    fn a_word_that_looks_at_the_end_has_no_link_unless_that_is_taken_out() {
        assert_eq!(found(RowOf::Reading, EndToken::Kept), [(0, 1)]);
        let target = [word("b", &[1])];
        let source = [word("x", &[0]), word("y", &[1, 2])];
        let how = (RowOf::Reading, EndToken::TakenOut);
        let weights = word_weights(&map(), (&target, 0), &source, how).unwrap();
        assert!((weights.data[1] - 1.0).abs() < 1e-6, "{weights:?}");
    }

    #[test]
    fn a_row_that_the_map_lacks_gives_no_link() {
        let target = [word("a", &[2])];
        let source = [word("x", &[0])];
        let how = (RowOf::Reading, EndToken::TakenOut);
        let weights = word_weights(&map(), (&target, 0), &source, how).unwrap();
        assert_eq!(weights.data, [0.0]);
        assert_eq!(links(&weights, EndToken::TakenOut), []);
    }
}
