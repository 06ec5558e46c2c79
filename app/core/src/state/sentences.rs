//! A text as the sentences that a translator reads one at a time.

use std::cell::RefCell;

use unicode_segmentation::UnicodeSegmentation;

/// Characters of the longest text that is cut into sentences and read: some ten pages.
pub const MOST_CHARACTERS: usize = 20_000;

/// How many characters a text has, if that is more than is read.
pub fn too_many_characters(text: &str) -> Option<usize> {
    // A character has a byte at least.
    let characters = (text.len() > MOST_CHARACTERS).then(|| text.chars().count());
    characters.filter(|&characters| characters > MOST_CHARACTERS)
}

thread_local! {
    /// The text that was cut last, with its sentences: each change of a view asks for them again.
    static LAST: RefCell<(String, Vec<String>)> = RefCell::default();
}

/// The sentences of a text, by Unicode's rules (UAX #29) and by lines; white space in a row is one space. A text
/// without a letter in it is one empty sentence.
pub fn sentences(text: &str) -> Vec<String> {
    LAST.with_borrow_mut(|(cut, sentences)| {
        if cut != text || sentences.is_empty() {
            *sentences = cut_at_bounds(text);
            text.clone_into(cut);
        }
        sentences.clone()
    })
}

fn cut_at_bounds(text: &str) -> Vec<String> {
    let lines = text
        .lines()
        .flat_map(UnicodeSegmentation::split_sentence_bounds);
    let mut sentences: Vec<String> = Vec::new();
    for piece in lines.map(spaced) {
        let says_something = piece.chars().any(char::is_alphanumeric);
        match sentences.last_mut() {
            _ if piece.is_empty() => {}
            // Marks alone, as in "! ?", belong to what they follow.
            Some(last) if !says_something => {
                last.push(' ');
                last.push_str(&piece);
            }
            _ => sentences.push(piece),
        }
    }
    if sentences.is_empty() {
        sentences.push(String::new());
    }
    sentences
}

/// The lines of verse of a text: what stands between punctuation marks, spaces or line breaks. A text without a letter
/// in it is one empty line.
pub fn verses(text: &str) -> Vec<String> {
    let pieces = text.split(|c: char| !c.is_alphanumeric());
    let verses: Vec<String> = pieces
        .filter(|piece| !piece.is_empty())
        .map(str::to_owned)
        .collect();
    match verses.is_empty() {
        true => vec![String::new()],
        false => verses,
    }
}

/// The text with one space for white space in a row, and none at its ends.
pub fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sentences_end_at_marks_and_lines() {
        assert_eq!(
            sentences("Je suis étudiant. Où est la gare ?\nIl pleut"),
            ["Je suis étudiant.", "Où est la gare ?", "Il pleut"]
        );
        assert_eq!(sentences("我是学生。你呢？"), ["我是学生。", "你呢？"]);
    }

    #[test]
    fn a_text_is_too_long_by_its_characters_not_its_bytes() {
        assert_eq!(too_many_characters(&"é".repeat(MOST_CHARACTERS)), None);
        let long = "a\u{301}".repeat(MOST_CHARACTERS);
        assert_eq!(too_many_characters(&long), Some(2 * MOST_CHARACTERS));
    }

    #[test]
    fn one_sentence_stays_one() {
        assert_eq!(sentences("Je ne sais pas."), ["Je ne sais pas."]);
        assert_eq!(sentences("Ah !  ?"), ["Ah ! ?"]);
        assert_eq!(sentences("3.5 km, c'est loin."), ["3.5 km, c'est loin."]);
    }

    #[test]
    fn nothing_is_one_empty_sentence() {
        assert_eq!(sentences(" \n "), [""]);
        assert_eq!(verses(" ，\n"), [""]);
    }

    #[test]
    fn verses_end_at_marks_spaces_and_lines() {
        assert_eq!(
            verses("风劲角弓鸣，将军猎渭城。\n风急天高猿啸哀 渚清沙白鸟飞回"),
            [
                "风劲角弓鸣",
                "将军猎渭城",
                "风急天高猿啸哀",
                "渚清沙白鸟飞回"
            ]
        );
    }

    proptest! {
        #[test]
        fn no_character_is_lost(text in any::<String>()) {
            let kept: String = sentences(&text).concat();
            let squeeze = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(squeeze(&kept), squeeze(&text));
        }
    }
}
