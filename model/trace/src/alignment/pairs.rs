//! Sentence pairs with the links that a person drew, one a line: language, source, target, links, tabs between. In a
//! text `|` parts two words that no space stands between; `0-2` is a sure link from the first word of the source to the
//! third of the target, `0?2` a possible one.

use std::collections::BTreeSet;

use thiserror::Error;

use super::Gold;

/// A sentence pair with the links that a person drew between its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlignedPair {
    /// The language of the source: `fr`, `zh`.
    pub language: String,
    /// The source as it is read.
    pub source: String,
    /// The words of the source.
    pub source_words: Vec<String>,
    /// The text of the target.
    pub target: String,
    /// The words of the target.
    pub target_words: Vec<String>,
    /// The links that a person drew.
    pub gold: Gold,
}

impl AlignedPair {
    /// The same with source and target exchanged, for a model that translates the other way; the language stays.
    pub fn swapped(self) -> AlignedPair {
        AlignedPair {
            source: self.target,
            source_words: self.target_words,
            target: self.source,
            target_words: self.source_words,
            gold: self.gold.swapped(),
            language: self.language,
        }
    }
}

/// A fault in a line of the file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PairFault {
    /// The number of columns is not four.
    #[error("it has {0} columns, not four: language, source, target, links")]
    Columns(usize),
    /// A link is spelled otherwise.
    #[error("`{0}` is no link, such as 0-2 or 0?2")]
    Link(String),
    /// A link leads to a word that is not there.
    #[error("`{0}` leads to a word that is not there")]
    Word(String),
}

/// Reads such a line.
///
/// # Errors
/// If it is none.
pub fn read_aligned_pair(line: &str) -> Result<AlignedPair, PairFault> {
    let columns: Vec<&str> = line.split('\t').collect();
    let &[language, source, target, links] = columns.as_slice() else {
        return Err(PairFault::Columns(columns.len()));
    };
    let words = |text: &str| -> Vec<String> {
        let words = text.split([' ', '|']).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let (source_words, target_words) = (words(source), words(target));
    let mut gold = Gold::default();
    for spelled in links.split_whitespace() {
        let (of, set): (_, &mut BTreeSet<_>) = match spelled.split_once('-') {
            Some(of) => (Some(of), &mut gold.sure),
            None => (spelled.split_once('?'), &mut gold.possible),
        };
        let number = |text: &str| text.parse::<usize>().ok();
        let link = of.and_then(|(source, target)| Some((number(source)?, number(target)?)));
        let link = link.ok_or_else(|| PairFault::Link(spelled.to_owned()))?;
        if link.0 >= source_words.len() || link.1 >= target_words.len() {
            return Err(PairFault::Word(spelled.to_owned()));
        }
        set.insert(link);
    }
    Ok(AlignedPair {
        language: language.to_owned(),
        source: source.replace('|', ""),
        target: target.replace('|', ""),
        source_words,
        target_words,
        gold,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_two_texts_and_their_links() {
        let pair = read_aligned_pair("fr\tJ'|ai faim|.\tI am hungry|.\t0-0 1?1 2-2 3-3").unwrap();
        assert_eq!(
            (pair.source.as_str(), pair.target.as_str()),
            ("J'ai faim.", "I am hungry.")
        );
        assert_eq!(pair.source_words, ["J'", "ai", "faim", "."]);
        assert_eq!(pair.gold.possible, BTreeSet::from([(1, 1)]));
        assert_eq!(pair.gold.sure.len(), 3);
        let swapped = pair.swapped();
        assert_eq!(swapped.source, "I am hungry.");
    }

    #[test]
    fn what_is_wrong_with_a_line_is_said() {
        let fault = |line: &str| read_aligned_pair(line).unwrap_err();
        assert_eq!(fault("fr\tOui"), PairFault::Columns(2));
        assert_eq!(
            fault("fr\tOui\tYes\t0+0"),
            PairFault::Link("0+0".to_owned())
        );
        let beyond = fault("fr\tOui\tYes\t0-1");
        assert_eq!(
            beyond.to_string(),
            "`0-1` leads to a word that is not there"
        );
    }
}
