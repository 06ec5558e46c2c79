//! Rules for the end of a sentence. Some boundaries by Unicode's rules are not ends: those after a title, an initial,
//! an abbreviation or a number with a point, and those within a quotation that goes on.

/// Characters that close a quotation or a bracket.
const CLOSING: &str = "\"'’”»)]}」』》〉）】";
/// Closing characters that may also open a quotation, so that a space has to follow.
const CLOSING_OR_OPENING: &str = "\"'’»";
/// Characters that open a quotation or a turn of speech.
const OPENING: &str = "«“„‘「『《—–-";
/// Characters that precede a word and are not part of it.
const BEFORE_WORDS: &str = "«“”„\"'‘’([{「『《—–/";

/// Titles before names: with a point they end no sentence. They begin with a capital letter.
const TITLES: [&str; 39] = [
    "mr", "mrs", "ms", "mx", "dr", "drs", "prof", "rev", "hon", "pres", "gov", "sen", "rep", "gen",
    "col", "maj", "capt", "cpt", "lt", "cmdr", "sgt", "cpl", "pvt", "adm", "insp", "supt",
    "messrs", "fr", "m", "mm", "mme", "mmes", "mlle", "mlles", "mgr", "pr", "vve", "cdt", "dre",
];
/// Abbreviations that never end a sentence, whatever follows.
const GO_ON: [&str; 8] = ["e.g", "i.e", "c.-à-d", "cad", "viz", "resp", "p.ex", "n.b"];
/// Abbreviations of places and institutions; they begin with a capital letter.
const OF_NAMES: [&str; 7] = ["st", "ste", "mt", "ft", "dept", "univ", "ph.d"];
/// Abbreviations before names and references.
const OF_REFERENCES: [&str; 9] = ["vs", "cf", "al", "bd", "boul", "tél", "v", "av", "apr"];
/// Abbreviations before numbers, in figures or Roman numerals.
const OF_NUMBERS: [&str; 36] = [
    "no", "nos", "n°", "nr", "p", "pp", "vol", "ch", "chap", "fig", "figs", "art", "sec", "eq",
    "éq", "t", "env", "approx", "av", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep",
    "sept", "oct", "nov", "dec", "janv", "févr", "avr", "juil", "déc",
];
/// Words that begin sentences. After a single letter they show that it was no initial: "plan B. It is".
const OPENERS: [&str; 75] = [
    "The", "An", "I", "He", "She", "It", "We", "You", "They", "This", "That", "These", "Those",
    "There", "Here", "His", "Her", "Its", "Our", "My", "Your", "Their", "But", "And", "So", "Then",
    "When", "If", "What", "Who", "Where", "Why", "How", "No", "Yes", "In", "At", "As", "For", "Le",
    "La", "Les", "Un", "Une", "Des", "Il", "Elle", "Ils", "Elles", "On", "Je", "Nous", "Vous",
    "Tu", "Ce", "Cette", "Ces", "Cet", "Mais", "Et", "Or", "Donc", "Puis", "Alors", "Quand", "Si",
    "Que", "Qui", "Où", "Pourquoi", "Comment", "Non", "Oui", "Dans", "Après",
];
/// Letters that French elides: one with an apostrophe counts as the beginning of a sentence.
const ELIDED: &str = "CDJLMNST";

/// Returns the end of the sentence that begins at `start` of the line, if it ends at `at` or right after the quotation
/// that closes there; `at` is a boundary by Unicode's rules.
pub fn end(line: &str, start: usize, at: usize) -> Option<usize> {
    let end = at + closing_length(line.get(at..)?);
    let (sentence, rest) = (line.get(start..end)?, line.get(end..)?);
    let says_something = |text: &str| text.chars().any(char::is_alphanumeric);
    if rest.is_empty() || !says_something(sentence) {
        return None;
    }
    let ends_line = |c: char| {
        matches!(
            c,
            '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
        )
    };
    if sentence.ends_with(ends_line) {
        return Some(end);
    }
    let is_end = !goes_on_after_quotation(sentence, rest) && !is_abbreviated(sentence, rest);
    is_end.then_some(end)
}

/// Returns the length in bytes of the closing characters at the beginning of a text, including the spaces after them.
fn closing_length(text: &str) -> usize {
    let mut length = 0;
    while let Some(mark) = text[length..]
        .chars()
        .next()
        .filter(|&c| CLOSING.contains(c))
    {
        let after = &text[length + mark.len_utf8()..];
        let is_followed = after
            .chars()
            .next()
            .is_some_and(|c| !c.is_whitespace() && !CLOSING.contains(c));
        if CLOSING_OR_OPENING.contains(mark) && is_followed {
            break;
        }
        length = text.len() - after.trim_start().len();
    }
    length
}

/// True if a sentence goes on after a quotation at its end: in small letters, or because it began with that quotation
/// in guillemets, as in "« Oui. » Puis il partit."
fn goes_on_after_quotation(sentence: &str, rest: &str) -> bool {
    let sentence = sentence.trim_end();
    if !sentence.ends_with(|c| CLOSING.contains(c)) {
        return false;
    }
    if rest.starts_with(char::is_lowercase) {
        return true;
    }
    let is_first = sentence.starts_with('«')
        && sentence
            .find('»')
            .is_some_and(|at| at + '»'.len_utf8() == sentence.len());
    is_first && !rest.starts_with(|c| OPENING.contains(c))
}

/// True if the point at the end of a sentence is part of an abbreviation or of a number in a list.
fn is_abbreviated(sentence: &str, rest: &str) -> bool {
    let sentence = sentence.trim_end_matches(|c: char| c.is_whitespace() || CLOSING.contains(c));
    let Some(before) = sentence
        .strip_suffix('.')
        .filter(|before| !before.ends_with('.'))
    else {
        return false;
    };
    let is_between = |c: char| c.is_whitespace() || BEFORE_WORDS.contains(c);
    let word = before.rsplit(is_between).next().unwrap_or_default();
    let is_alone = before.trim_start_matches(is_between).len() == word.len();
    let has_capital = word.starts_with(char::is_uppercase);
    let small = word.to_lowercase();
    let small = small.as_str();
    let is_phrase = ["p. ex", "par ex"]
        .iter()
        .any(|phrase| before.ends_with(phrase));
    is_phrase
        || GO_ON.contains(&small)
        || (TITLES.contains(&small) && has_capital)
        || (is_alone && is_item(word))
        || (OF_NUMBERS.contains(&small) && begins_with_number(rest))
        || (is_name_like(word, is_alone) && !begins_sentence(rest))
}

/// True if a word with a point precedes a name: an initial, or the abbreviation of a place or a reference.
fn is_name_like(word: &str, is_alone: bool) -> bool {
    let small = word.to_lowercase();
    let has_capital = word.starts_with(char::is_uppercase);
    let is_pronoun = word == "I" && !is_alone;
    (is_initials(word) && !is_pronoun)
        || (OF_NAMES.contains(&small.as_str()) && has_capital)
        || (OF_REFERENCES.contains(&small.as_str()) && !has_capital)
}

/// True if a word consists of initials, such as `J`, `J.-C` or `U.S`.
fn is_initials(word: &str) -> bool {
    let mut parts = word.split(['.', '-']).filter(|part| !part.is_empty());
    let is_initial = |part: &str| part.chars().count() == 1 && part.starts_with(char::is_uppercase);
    !word.is_empty() && parts.all(is_initial)
}

/// True if a word is the number or letter of a list item: `1`, `12`, `a`.
fn is_item(word: &str) -> bool {
    let count = word.chars().count();
    (1..=3).contains(&count) && word.chars().all(|c| c.is_ascii_digit())
        || count == 1 && word.starts_with(char::is_alphabetic)
}

/// True if a text begins with a number, in figures or Roman numerals.
fn begins_with_number(text: &str) -> bool {
    let word = text
        .split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    // One letter can be a word, as in "I know" and "C'est".
    let is_roman = word.len() > 1 && word.chars().all(|c| "IVXLC".contains(c));
    is_roman || word.starts_with(char::is_numeric)
}

/// True if a text begins with a word that commonly begins sentences.
fn begins_sentence(text: &str) -> bool {
    let text = text.trim_start_matches(|c| BEFORE_WORDS.contains(c));
    let word = text.split(char::is_whitespace).next().unwrap_or_default();
    let (word, is_elided) = match word.split_once(['\'', '’']) {
        Some((first, _)) => (first, first.len() == 1 && ELIDED.contains(first)),
        None => (word.trim_end_matches([',', ';', ':', '!', '?', '…']), false),
    };
    is_elided || OPENERS.contains(&word)
}
