//! Division of a text into the sentences that a translator reads one at a time.

mod boundary;

use std::cell::RefCell;

use attention_trace::text::{is_blank, without_byte_order_mark};
use unicode_segmentation::UnicodeSegmentation;

/// The number of characters in the longest text that is divided and read: some ten pages.
pub const MOST_CHARACTERS: usize = 20_000;

/// The largest number of marks on a letter, such as accents, in a text that is read. Languages have a handful; a
/// browser takes seconds to lay out thousands.
pub const MOST_MARKS: usize = 64;

/// The reason why a text is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Excess {
    /// The text has this number of characters, more than [`MOST_CHARACTERS`].
    Characters(usize),
    /// A letter has this number of marks, more than [`MOST_MARKS`].
    Marks(usize),
}

impl Excess {
    /// Returns the limit that a text exceeds, if any.
    pub fn of(text: &str) -> Option<Self> {
        // A character has a byte at least.
        if text.len() > MOST_CHARACTERS {
            let characters = text.chars().count();
            if characters > MOST_CHARACTERS {
                return Some(Excess::Characters(characters));
            }
        }
        if text.is_ascii() {
            return None;
        }
        let letters = text.graphemes(true);
        let marks = letters.map(|letter| letter.chars().count() - 1).max()?;
        (marks > MOST_MARKS).then_some(Excess::Marks(marks))
    }
}

thread_local! {
    /// The text that was divided last, with its sentences: each change of a view requests them again.
    static LAST: RefCell<(String, Vec<String>)> = RefCell::default();
}

/// Divides a text into sentences by lines and by Unicode's rules (UAX #29), except at the points that end no sentence:
/// those of titles, initials and abbreviations. Consecutive white space becomes one space. A text without visible
/// characters is one empty sentence.
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
    let lines = without_byte_order_mark(text).lines();
    let mut sentences: Vec<String> = vec![];
    for piece in lines.flat_map(line_sentences) {
        let piece = spaced(piece);
        let says_something = piece.chars().any(char::is_alphanumeric);
        match sentences.last_mut() {
            _ if is_blank(&piece) => {}
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

/// Returns the sentences of one line, with all of its white space.
fn line_sentences(line: &str) -> Vec<&str> {
    let (mut found, mut start) = (vec![], 0);
    for (at, _) in line.split_sentence_bound_indices().skip(1) {
        if let Some(end) = boundary::end(line, start, at) {
            found.push(&line[start..end]);
            start = end;
        }
    }
    found.push(&line[start..]);
    found
}

/// Returns the lines of verse of a text: the parts between punctuation marks, spaces or line breaks. A text without
/// letters is one empty line.
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

/// Replaces consecutive white space by one space, and trims the text.
pub fn spaced(text: &str) -> String {
    let words = without_byte_order_mark(text).split_whitespace();
    words.collect::<Vec<_>>().join(" ")
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
        assert_eq!(Excess::of(&"é".repeat(MOST_CHARACTERS)), None);
        let long = "a\u{301}".repeat(MOST_CHARACTERS);
        let characters = Excess::Characters(2 * MOST_CHARACTERS);
        assert_eq!(Excess::of(&long), Some(characters));
    }

    #[test]
    fn a_letter_may_have_the_marks_of_a_language_and_no_thousands() {
        let marked = |marks| format!("Un mot: e{}.", "\u{301}".repeat(marks));
        assert_eq!(Excess::of(&marked(MOST_MARKS)), None);
        assert_eq!(Excess::of(&marked(5_000)), Some(Excess::Marks(5_000)));
        assert_eq!(Excess::of("👨‍👩‍👧‍👦 ཧྐྵྨླྺྼྻྂ"), None);
        assert_eq!(Excess::of(""), None);
    }

    #[test]
    fn one_sentence_stays_one() {
        assert_eq!(sentences("Je ne sais pas."), ["Je ne sais pas."]);
        assert_eq!(sentences("Ah !  ?"), ["Ah ! ?"]);
        assert_eq!(sentences("3.5 km, c'est loin."), ["3.5 km, c'est loin."]);
    }

    #[test]
    fn a_point_need_not_be_the_end() {
        for one in [
            "Mr. Smith is here.",
            "Mrs. and Mr. Brown met Dr. Jones.",
            "M. Dupont est là.",
            "Mme. Curie et M. Le Pen sont venus.",
            "MM. Dupont et Durand sont là.",
            "He met J. R. R. Tolkien.",
            "John F. Kennedy spoke.",
            "J.-C. Dupont est parti.",
            "Il est né av. J.-C. en Grèce.",
            "The U.S. Army came.",
            "Il vit à St. Gallen.",
            "Some animals, e.g. Dogs, bark.",
            "Il aime les villes, p. ex. Paris.",
            "See fig. 3 and vol. II for more.",
            "No. 5 Downing Street is small.",
            "It was on Jan. 5.",
            "3.5 km, c'est loin.",
            "It costs 1,000.50 dollars.",
            "1. Introduction",
            "... Puis il partit.",
            "Wait... what?",
            "Attends… quoi ?",
            "« Oui. » Puis il partit.",
            "« Oui. » Puis …",
            "«Oui.» Puis il partit.",
            "« Ça va ? » demanda-t-elle.",
            "\"Really?\" she asked.",
            "“Stop!” he cried.",
            "他说：“好……”",
        ] {
            assert_eq!(sentences(one), [one]);
        }
    }

    #[test]
    fn a_point_after_a_letter_or_a_short_word_can_be_the_end() {
        let both = |first: &str, second: &str| {
            assert_eq!(sentences(&format!("{first} {second}")), [first, second]);
        };
        both("This is plan B.", "It is better.");
        both("C'est la vitamine C.", "Elle est utile.");
        both("It was I.", "Tom was away.");
        both("No.", "I don't know.");
        both("J'en ai 3.", "Il en a 4.");
        both("C'est de l'art.", "Paul aime ça.");
        both("He met Mr. Smith.", "They talked.");
        both("He said “No.”", "Then he left.");
        both("“No.”", "“Yes.”");
        both("« Oui. »", "« Non. »");
        both("Il dit : « Je viens. »", "Puis il partit.");
        both("« Viens.", "Je t'attends. »");
        both("He waited...", "Then he left.");
        both("(It rained.)", "He left.");
        assert_eq!(sentences("“好。”他说。"), ["“好。”", "他说。"]);
        assert_eq!(sentences("「走吧。」\n好！"), ["「走吧。」", "好！"]);
    }

    #[test]
    fn what_cannot_be_seen_is_no_sentence() {
        for nothing in ["\u{200b}", "\u{feff}", "\u{200b}\n\u{2060} \u{ad}"] {
            assert_eq!(sentences(nothing), [""]);
        }
        assert_eq!(sentences("\u{feff}Je suis là."), ["Je suis là."]);
        assert_eq!(sentences("Oui.\n\u{200b}\nNon."), ["Oui.", "Non."]);
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
            let lines = without_byte_order_mark(&text).lines();
            let seen = lines.flat_map(line_sentences).filter(|sentence| !is_blank(sentence));
            prop_assert_eq!(squeeze(&kept), squeeze(&seen.collect::<String>()));
        }

        #[test]
        fn the_sentences_of_a_line_are_the_line(text in "([A-Za-zéÀ我。.?!…«»“”\"'’() ]|Mr\\. |St\\. |1\\. ){0,40}") {
            prop_assert_eq!(line_sentences(&text).concat(), text);
        }
    }
}
