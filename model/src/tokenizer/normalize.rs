//! What is done to a text before it is cut: compatibility forms, replacements.

use unicode_normalization_alignments::UnicodeNormalization;

use super::{file::Normalizer, piece::Piece};

/// Changes the piece as the rules say.
pub fn normalize(rules: &Normalizer, piece: &mut Piece) {
    match rules {
        Normalizer::Sequence { normalizers } => {
            for rules in normalizers {
                normalize(rules, piece);
            }
        }
        Normalizer::Nfkc => *piece = nfkc(piece),
        Normalizer::Replace { pattern, content } => *piece = replaced(piece, &pattern.0, content),
        Normalizer::Prepend { prepend } => {
            if !piece.is_empty() {
                for character in prepend.chars().rev() {
                    piece.prepend(character);
                }
            }
        }
    }
}

fn nfkc(piece: &Piece) -> Piece {
    let origins: Vec<(usize, usize)> = piece.iter().map(|(_, origin)| origin).collect();
    let mut next = 0usize;
    let characters = piece.characters().iter().copied();
    // Beside each character: how many it adds (> 0), or how many after the one it replaces it
    // takes with it (≤ 0).
    characters
        .nfkc()
        .map(|(character, change)| {
            if change > 0 {
                let origin = origins.get(next.saturating_sub(1));
                return (character, origin.copied().unwrap_or_default());
            }
            let last = (next + change.unsigned_abs()).min(origins.len().saturating_sub(1));
            let (first, end) = (origins[next.min(last)], origins[last]);
            next = last + 1;
            (character, (first.0, end.1))
        })
        .collect()
}

fn replaced(piece: &Piece, pattern: &str, content: &str) -> Piece {
    let pattern: Vec<char> = pattern.chars().collect();
    let items: Vec<_> = piece.iter().collect();
    let characters = piece.characters();
    let mut result = Vec::with_capacity(items.len());
    let mut at = 0;
    while at < items.len() {
        if !pattern.is_empty() && characters[at..].starts_with(&pattern) {
            let end = at + pattern.len();
            let origin = (items[at].1.0, items[end - 1].1.1);
            result.extend(content.chars().map(|character| (character, origin)));
            at = end;
        } else {
            result.push(items[at]);
            at += 1;
        }
    }
    result.into_iter().collect()
}
