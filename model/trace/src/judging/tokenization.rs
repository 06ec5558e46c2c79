//! Ways of cutting a text into the tokens that BLEU and ROUGE count.

/// A way of cutting a text into tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tokenization {
    /// Every character that is not white space, as in sacreBLEU's tokenizer `char`.
    #[default]
    Characters,
    /// Words, and punctuation apart, as sacreBLEU's standard tokenizer `13a` has them.
    Words,
}

impl Tokenization {
    /// The tokens of a text.
    pub fn tokens(self, text: &str) -> Vec<String> {
        match self {
            Tokenization::Characters => {
                let characters = text.chars().filter(|&character| !is_space(character));
                characters.map(String::from).collect()
            }
            Tokenization::Words => split_words(&words_and_punctuation(text)),
        }
    }
}

/// The replacements that `13a` makes first, in this order.
const REPLACED: [(&str, &str); 7] = [
    ("<skipped>", ""),
    ("-\n", ""),
    ("\n", " "),
    ("&quot;", "\""),
    ("&amp;", "&"),
    ("&lt;", "<"),
    ("&gt;", ">"),
];

/// True for Python's white space: Unicode's, and four separators of ASCII.
pub(super) fn is_space(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\u{1c}'..='\u{1f}')
}

/// Splits a text at white space.
pub(super) fn split_words(text: &str) -> Vec<String> {
    let words = text.split(is_space).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// The text as `13a` cuts it, with white space around each token.
fn words_and_punctuation(text: &str) -> String {
    let text = text.trim_end_matches(is_space).to_owned();
    let text = REPLACED
        .iter()
        .fold(text, |text, (from, to)| text.replace(from, to));
    separated(&format!(" {text} "))
}

/// The text with white space around all that is a token of its own. Of points and commas that is each one that does not
/// stand between digits, of hyphens one after a digit; an apostrophe stays in its word.
pub(super) fn separated(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    for character in text.chars() {
        match is_separate(character) {
            true => spaced.extend([' ', character, ' ']),
            false => spaced.push(character),
        }
    }
    let is_stop = |character| matches!(character, '.' | ',');
    let is_digit = |character: char| character.is_ascii_digit();
    let spaced = replace_pairs(&spaced, |one, other| {
        (!is_digit(one) && is_stop(other)).then_some([one, ' ', other, ' '])
    });
    let spaced = replace_pairs(&spaced, |one, other| {
        (is_stop(one) && !is_digit(other)).then_some([' ', one, ' ', other])
    });
    replace_pairs(&spaced, |one, other| {
        (is_digit(one) && other == '-').then_some([one, ' ', other, ' '])
    })
}

fn is_separate(character: char) -> bool {
    matches!(character, '{'..='~' | '['..='`' | ' '..='&' | '('..='+' | ':'..='@' | '/')
}

/// Replaces pairs of neighbours from left to right; a replaced character is in no other pair.
fn replace_pairs(text: &str, replacement: impl Fn(char, char) -> Option<[char; 4]>) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(one) = rest.next() {
        let pair = rest
            .clone()
            .next()
            .and_then(|other| replacement(one, other));
        match pair {
            Some(pair) => {
                replaced.extend(pair);
                rest.next();
            }
            None => replaced.push(one),
        }
    }
    replaced
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn characters_are_all_but_white_space() {
        let tokens = Tokenization::Characters.tokens(" 面包 a\u{3000}b");
        assert_eq!(tokens, ["面", "包", "a", "b"]);
    }

    #[test]
    fn words_end_before_punctuation_and_numbers_do_not() {
        let words = |text| Tokenization::Words.tokens(text).join("|");
        assert_eq!(words("Don't go, she said."), "Don't|go|,|she|said|.");
        assert_eq!(words("1,000.5 in 3-4 ways."), "1,000.5|in|3|-|4|ways|.");
        assert_eq!(words("a well-known \"A & B\""), "a|well-known|\"|A|&|B|\"");
        assert_eq!(words("a &amp; b"), "a|&|b");
        assert_eq!(words(" "), "");
    }

    proptest! {
        #[test]
        fn no_token_is_lost_and_none_has_white_space(text in any::<String>()) {
            let characters = Tokenization::Characters.tokens(&text);
            let visible: String = text.split(is_space).collect();
            prop_assert_eq!(characters.concat(), visible);
            for token in Tokenization::Words.tokens(&text) {
                prop_assert!(!token.is_empty() && !token.contains(is_space));
            }
        }
    }
}
