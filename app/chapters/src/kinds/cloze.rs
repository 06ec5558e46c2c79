//! A sentence with a masked word: what stands around it, and what stands before it.

/// The token that stands for a masked word.
pub const MASK: &str = "[MASK]";

/// Marks at the end of a word that are no part of it.
const MARKS: [char; 6] = ['.', ',', '!', '?', ';', ':'];

/// A sentence with one of its words masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cloze {
    /// The words before it.
    pub left: String,
    /// The sentence with the mask in place of the word.
    pub masked: String,
    /// The word that is masked, without its mark.
    pub hidden: String,
    /// The index of the word, from 0.
    pub word: usize,
}

impl Cloze {
    /// Masks a word of a sentence, counted from 0: the last one if there are fewer, and never the first. `None` for a
    /// sentence of one word.
    pub fn of(sentence: &str, word: usize) -> Option<Self> {
        let words: Vec<&str> = sentence.split_whitespace().collect();
        let last = words.len().checked_sub(1).filter(|last| *last > 0)?;
        let word = word.clamp(1, last);
        let hidden = words[word].trim_end_matches(MARKS);
        let marks = &words[word][hidden.len()..];
        let mask = format!("{MASK}{marks}");
        let masked: Vec<&str> = words
            .iter()
            .enumerate()
            .map(|(place, other)| if place == word { mask.as_str() } else { other })
            .collect();
        Some(Cloze {
            left: words[..word].join(" "),
            masked: masked.join(" "),
            hidden: hidden.to_owned(),
            word,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_masked_without_its_mark() {
        let cloze = Cloze::of("The cat  sleeps.", 2).unwrap();
        assert_eq!(cloze.left, "The cat");
        assert_eq!(cloze.masked, "The cat [MASK].");
        assert_eq!((cloze.hidden.as_str(), cloze.word), ("sleeps", 2));
    }

    #[test]
    fn the_first_word_is_never_masked() {
        assert_eq!(Cloze::of("The cat", 0).unwrap().word, 1);
        assert_eq!(Cloze::of("The cat", 9).unwrap().word, 1);
        assert_eq!(Cloze::of("Cat", 0), None);
        assert_eq!(Cloze::of("", 0), None);
    }
}
