//! Pieces of a tokenizer merged into words.

use std::ops::Range;

use crate::roles::is_mark;
use crate::spelling::{is_bytes, stretches};
use crate::{Pieces, Token, WordMark};

/// A space, as it is shown in a token.
const SPACE: char = '▁';
/// A line break, as it is shown in a token.
const LINE_BREAK: char = '⏎';

/// A stretch of tokens among those of a word.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// A word of its own.
    Alone,
    /// The beginning of a word.
    Start,
    /// The beginning of a word if none is open, or else its continuation.
    Inside,
    /// The end of a word.
    End,
}

/// Returns the runs of tokens that are words, in order. Special and unknown tokens, punctuation, symbols, line breaks,
/// and pieces in a script without spaces between words stay as they are; tokens that share a character are together.
pub fn words(tokens: &[Token], pieces: &Pieces) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = vec![];
    let mut is_open = false;
    for stretch in stretches(tokens) {
        let token = &tokens[stretch.tokens.start];
        let is_fixed = stretch.tokens.len() == 1 && (token.unknown || pieces.is_special(token));
        let place = match is_fixed || is_alone(&stretch.text) {
            true => Place::Alone,
            false => place(&stretch.text, &pieces.words),
        };
        let joins = is_open && matches!(place, Place::Inside | Place::End);
        match words.last_mut().filter(|_| joins) {
            Some(word) => word.end = stretch.tokens.end,
            None => words.push(stretch.tokens),
        }
        is_open = matches!(place, Place::Start | Place::Inside);
    }
    words
}

fn place(text: &str, mark: &WordMark) -> Place {
    match mark {
        WordMark::Start if text.starts_with(SPACE) => Place::Start,
        WordMark::Start => Place::Inside,
        WordMark::Continuation(prefix) if text.starts_with(prefix.as_str()) => Place::Inside,
        WordMark::Continuation(_) => Place::Start,
        WordMark::End(suffix) if text.ends_with(suffix.as_str()) => Place::End,
        WordMark::End(_) => Place::Inside,
    }
}

/// True if a piece is no part of a longer word.
fn is_alone(text: &str) -> bool {
    let text = text.trim_start_matches(SPACE);
    let is_own = |character| is_unspaced(character) || is_symbol(character);
    is_mark(text) || is_bytes(text) || text.contains(LINE_BREAK) || text.chars().any(is_own)
}

/// True for Chinese characters, kana, and letters of Thai, Lao, Burmese and Khmer, which have no space between words.
fn is_unspaced(character: char) -> bool {
    matches!(
        character,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
            | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
            | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}'
    )
}

/// True for arrows, mathematical signs and emoji.
fn is_symbol(character: char) -> bool {
    matches!(character, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

/// Returns the token that names a run: its text is that of all pieces, without the marks between them.
pub fn name(run: &[Token], pieces: &Pieces) -> Token {
    let [first, rest @ ..] = run else {
        return Token {
            id: 0,
            text: String::new(),
            unknown: false,
        };
    };
    if rest.is_empty() {
        return first.clone();
    }
    let joined = stretches(run).into_iter().enumerate();
    let joined = joined.map(|(place, stretch)| match &pieces.words {
        WordMark::Continuation(prefix) if place > 0 => {
            let text = stretch.text.strip_prefix(prefix.as_str());
            text.map_or(stretch.text.clone(), str::to_owned)
        }
        _ => stretch.text,
    });
    Token {
        id: first.id,
        text: joined.collect(),
        unknown: run.iter().any(|token| token.unknown),
    }
}
