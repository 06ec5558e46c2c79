//! Tokens merged into words.

use crate::{
    Token,
    spelling::{is_bytes, stretches},
};

/// A word, and how much of each of its tokens is its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// The word as it is written.
    pub text: String,
    /// Tokens by their place, each with the share of its characters that are the word's: 1 unless a token reaches over
    /// the end of a word.
    pub tokens: Vec<(usize, f32)>,
}

/// True if a token stands for no characters of the text: the start, the end, padding, or the
/// language that is asked for.
pub fn is_control(token: &Token) -> bool {
    let text = token.text.as_str();
    let text = text.strip_prefix('▁').unwrap_or(text);
    let is_between = |(open, close): (&str, &str)| {
        text.len() > open.len() + close.len() && text.starts_with(open) && text.ends_with(close)
    };
    !token.unknown
        && !is_bytes(text)
        && [("<", ">"), ("[", "]"), (">>", "<<")]
            .into_iter()
            .any(is_between)
}

/// Returns the characters that a token shown as `text` adds to the whole, and true if a space
/// precedes them.
fn characters(text: &str) -> (bool, &str) {
    match (text.strip_prefix('▁'), text.strip_prefix("##")) {
        (Some(rest), _) => (true, rest),
        (None, Some(rest)) if !rest.is_empty() => (false, rest),
        (None, _) => (false, text),
    }
}

/// True if a text has a Chinese character, which is written without spaces.
pub fn has_han(text: &str) -> bool {
    text.chars().any(is_han)
}

fn is_han(character: char) -> bool {
    matches!(character, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

/// True if a text consists only of signs, of any script, that end or separate sentences. An
/// apostrophe and a hyphen stand inside words.
fn is_punctuation(text: &str) -> bool {
    let is_sign = |c: char| !c.is_alphanumeric() && !c.is_whitespace() && !"'’-‐".contains(c);
    !text.is_empty() && text.chars().all(is_sign)
}

/// The words of a text: a word begins at a space, at each token of Chinese, and at a sign. Control tokens are no word.
pub fn words_of(tokens: &[Token]) -> Vec<Word> {
    let mut words: Vec<Word> = vec![];
    let mut is_open = false;
    for stretch in stretches(tokens) {
        if is_control(&tokens[stretch.tokens.start]) {
            is_open = false;
            continue;
        }
        let (is_spaced, text) = characters(&stretch.text);
        let stands_alone = has_han(text) || is_punctuation(text);
        if is_spaced || stands_alone {
            is_open = false;
        }
        if text.is_empty() {
            continue;
        }
        let places = stretch.tokens.map(|place| (place, 1.0));
        match words.last_mut().filter(|_| is_open) {
            Some(word) => {
                word.text.push_str(text);
                word.tokens.extend(places);
            }
            None => words.push(Word {
                text: text.to_owned(),
                tokens: places.collect(),
            }),
        }
        is_open = !stands_alone;
    }
    words
}

/// Given words and the tokens of the text that they make up, matched character by character, spaces left out. `None`
/// where tokens and words have another number of characters.
pub fn words_at(tokens: &[Token], words: &[String]) -> Option<Vec<Word>> {
    let length = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
    // Of each character of the text, its tokens and their length.
    let mut owners = vec![];
    for stretch in stretches(tokens) {
        if !is_control(&tokens[stretch.tokens.start]) {
            let count = length(characters(&stretch.text).1);
            owners.extend(std::iter::repeat_n((stretch.tokens, count), count));
        }
    }
    if words.iter().map(|word| length(word)).sum::<usize>() != owners.len() {
        return None;
    }
    let mut owners = owners.into_iter();
    let word = |text: &String| {
        let mut tokens: Vec<(usize, f32)> = vec![];
        for (places, count) in owners.by_ref().take(length(text)) {
            let share = 1.0 / count as f32;
            for place in places {
                match tokens.iter_mut().find(|(known, _)| *known == place) {
                    Some((_, sum)) => *sum += share,
                    None => tokens.push((place, share)),
                }
            }
        }
        Word {
            text: text.clone(),
            tokens,
        }
    };
    Some(words.iter().map(word).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(texts: &[&str]) -> Vec<Token> {
        let token = |(id, text): (usize, &&str)| Token {
            id: id as u32,
            text: (*text).to_owned(),
            unknown: false,
        };
        texts.iter().enumerate().map(token).collect()
    }

    fn texts(words: &[Word]) -> Vec<&str> {
        words.iter().map(|word| word.text.as_str()).collect()
    }

    #[test]
    fn subwords_are_merged_and_signs_stand_alone() {
        let words = words_of(&tokens(&[
            "▁Je",
            "▁n",
            "'",
            "ai",
            "▁étudi",
            "ant",
            ".",
            "</s>",
        ]));
        assert_eq!(texts(&words), ["Je", "n'ai", "étudiant", "."]);
        assert_eq!(words[1].tokens, [(1, 1.0), (2, 1.0), (3, 1.0)]);
        let wanted = words_of(&tokens(&[">>fra<<", "▁I", "▁am", ".", "</s>"]));
        assert_eq!(texts(&wanted), ["I", "am", "."]);
        let pieces = words_of(&tokens(&["[CLS]", "chien", "##s", "[SEP]"]));
        assert_eq!(texts(&pieces), ["chiens"]);
    }

    #[test]
    fn a_space_that_is_a_token_of_its_own_begins_a_word() {
        let words = words_of(&tokens(&["▁", "Oui", "▁", "!", "</s>"]));
        assert_eq!(texts(&words), ["Oui", "!"]);
    }

    #[test]
    fn each_token_of_chinese_is_a_word() {
        let words = words_of(&tokens(&["▁我", "喜欢", "音乐", "。", "</s>"]));
        assert_eq!(texts(&words), ["我", "喜欢", "音乐", "。"]);
    }

    #[test]
    fn tokens_that_share_a_character_are_of_one_word() {
        let read = tokens(&["<s>", "▁a", "<0xE4><0xBD>", "<0xA0>", "b"]);
        let words = words_of(&read);
        assert_eq!(texts(&words), ["a", "你", "b"]);
        assert_eq!(words[1].tokens, [(2, 1.0), (3, 1.0)]);
        let given = ["a", "你b"].map(str::to_owned);
        let found = words_at(&read, &given).unwrap();
        assert_eq!(found[1].tokens, [(2, 1.0), (3, 1.0), (4, 1.0)]);
    }

    #[test]
    fn given_words_take_their_share_of_tokens() {
        let given = ["C'", "est", "ça"].map(str::to_owned);
        let words = words_at(&tokens(&["▁C", "'est", "▁ça", "</s>"]), &given).unwrap();
        assert_eq!(words[0].tokens, [(0, 1.0), (1, 0.25)]);
        assert_eq!(words[1].tokens, [(1, 0.75)]);
        assert_eq!(words[2].tokens, [(2, 1.0)]);
        assert_eq!(words_at(&tokens(&["▁C"]), &given), None);
    }
}
