//! Where a text is cut before its pieces become tokens.

use unicode_categories::UnicodeCategories;

use super::{
    file::{PreTokenizer, PrependScheme},
    piece::Piece,
};

/// The pieces of a piece, as the rules say.
pub fn split(rules: &PreTokenizer, piece: Piece) -> Vec<Piece> {
    match rules {
        PreTokenizer::Sequence { pretokenizers } => {
            pretokenizers.iter().fold(vec![piece], |pieces, rules| {
                let split = |piece| split(rules, piece);
                pieces.into_iter().flat_map(split).collect()
            })
        }
        PreTokenizer::Metaspace {
            replacement,
            prepend_scheme,
            split,
        } => metaspace(piece, *replacement, *prepend_scheme, *split),
        PreTokenizer::Punctuation => isolated(&piece, |character| {
            character.is_ascii_punctuation() || character.is_punctuation()
        }),
        PreTokenizer::WhitespaceSplit => {
            let pieces = isolated(&piece, char::is_whitespace).into_iter();
            let is_word = |piece: &Piece| !piece.characters()[0].is_whitespace();
            pieces.filter(is_word).collect()
        }
    }
}

/// Spaces become visible, and a piece begins at each.
fn metaspace(mut piece: Piece, mark: char, scheme: PrependScheme, split: bool) -> Vec<Piece> {
    if piece.is_empty() {
        return Vec::new();
    }
    piece.replace(' ', mark);
    let prepends = match scheme {
        PrependScheme::Always => true,
        PrependScheme::First => piece.origin(0..1).start == 0,
        PrependScheme::Never => false,
    };
    if prepends && piece.characters()[0] != mark {
        piece.prepend(mark);
    }
    if !split {
        return vec![piece];
    }
    let characters = piece.characters();
    let starts = (1..characters.len()).filter(|&index| characters[index] == mark);
    cut(&piece, starts.collect())
}

/// Each character of a kind is a piece of its own.
fn isolated(piece: &Piece, is_of_kind: impl Fn(char) -> bool) -> Vec<Piece> {
    let of_kind: Vec<bool> = piece.characters().iter().map(|&c| is_of_kind(c)).collect();
    let starts = (1..of_kind.len()).filter(|&index| of_kind[index] || of_kind[index - 1]);
    cut(piece, starts.collect())
}

/// Cuts before the characters of these numbers.
fn cut(piece: &Piece, mut starts: Vec<usize>) -> Vec<Piece> {
    if piece.is_empty() {
        return Vec::new();
    }
    starts.insert(0, 0);
    starts.push(piece.len());
    starts
        .windows(2)
        .map(|window| piece.part(window[0]..window[1]))
        .collect()
}
