//! Long sentences of a document.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The most words of a sentence.
const MOST_WORDS: usize = 40;

/// A sentence of a document.
#[derive(Debug, PartialEq, Eq)]
pub struct Sentence {
    /// The number of the line on which it begins, from 1.
    pub line: usize,
    /// The number of its words; code and a formula are a word each.
    pub words: usize,
    /// Its words; signs that stand alone are among them.
    pub text: String,
}

/// The sentences of a Markdown document that have more than 40 words.
pub fn long_sentences(document: &str) -> Vec<Sentence> {
    let mut found = sentences(document);
    found.retain(|sentence| sentence.words > MOST_WORDS);
    found
}

fn sentences(document: &str) -> Vec<Sentence> {
    let mut blocks = Blocks {
        document,
        ..Blocks::default()
    };
    let parser = Parser::new_ext(document, Options::ENABLE_TABLES | Options::ENABLE_MATH);
    for (event, range) in parser.into_offset_iter() {
        blocks.take(event, range);
    }
    blocks.end();
    blocks.sentences
}

/// The text of the block that is being read, and the sentences of those before.
#[derive(Default)]
struct Blocks<'a> {
    document: &'a str,
    text: String,
    /// The places in `text` that come from another place of the document, each with that place.
    places: Vec<(usize, usize)>,
    is_code: bool,
    sentences: Vec<Sentence>,
}

impl Blocks<'_> {
    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Text(text) if !self.is_code => self.push(&text, range.start),
            Event::Code(code) => {
                let word = code.split_whitespace().collect::<Vec<_>>().join("_");
                self.push(&format!("`{word}`"), range.start);
            }
            Event::InlineMath(_) | Event::DisplayMath(_) => self.push("`formula`", range.start),
            Event::SoftBreak | Event::HardBreak => self.text.push(' '),
            Event::Start(tag) if !is_inline(&tag.to_end()) => {
                self.end();
                self.is_code = matches!(tag, Tag::CodeBlock(_));
            }
            Event::End(tag) if !is_inline(&tag) => {
                self.end();
                self.is_code = false;
            }
            _ => {}
        }
    }

    fn push(&mut self, text: &str, place: usize) {
        self.places.push((self.text.len(), place));
        self.text.push_str(text);
    }

    /// Ends the block, and with it a sentence.
    fn end(&mut self) {
        let text = std::mem::take(&mut self.text);
        let mut start = 0;
        let mut sentence: Vec<&str> = Vec::new();
        let mut words = words(&text).peekable();
        while let Some((place, word)) = words.next() {
            if sentence.is_empty() {
                start = place;
            }
            sentence.push(word);
            if words.peek().is_none_or(|(_, next)| is_end(word, next)) {
                self.sentences.push(Sentence {
                    line: self.line(start),
                    words: sentence.iter().filter(|word| is_word(word)).count(),
                    text: sentence.join(" "),
                });
                sentence.clear();
            }
        }
        self.places.clear();
    }

    /// The line of the document that a place in `text` comes from.
    fn line(&self, at: usize) -> usize {
        let place = self.places.iter().rev().find(|(start, _)| *start <= at);
        let before = place.map_or("", |(_, place)| &self.document[..*place]);
        before.matches('\n').count() + 1
    }
}

/// The words of a text with their places.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    let pieces = text.split_inclusive(char::is_whitespace).map(move |piece| {
        let place = at;
        at += piece.len();
        (place, piece.trim_end())
    });
    pieces.filter(|(_, word)| !word.is_empty())
}

/// True if what the tag ends is a part of a sentence.
fn is_inline(tag: &TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image
    )
}

/// True if a sentence ends with `word`: after "e.g." it goes on with a small letter.
fn is_end(word: &str, next: &str) -> bool {
    let word = word.trim_end_matches([')', ']', '"', '”', '’']);
    word.ends_with(['.', '!', '?']) && !next.starts_with(char::is_lowercase)
}

/// False for a dash or an arrow between words.
fn is_word(word: &str) -> bool {
    word.contains(|c: char| c.is_alphanumeric() || c == '`')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(document: &str) -> Vec<(usize, usize, String)> {
        let sentences = sentences(document).into_iter();
        sentences
            .map(|sentence| (sentence.line, sentence.words, sentence.text))
            .collect()
    }

    #[test]
    fn sentences_end_at_their_marks_and_with_their_block() {
        let document = "# A title\n\nOne two,\ne.g. three – **four**. `five six`\nseven?\n\n* eight\n* nine\n  * ten\n";
        let expected = [
            (1, 2, "A title"),
            (3, 5, "One two, e.g. three – four."),
            (4, 2, "`five_six` seven?"),
            (7, 1, "eight"),
            (8, 1, "nine"),
            (9, 1, "ten"),
        ];
        let expected = expected.map(|(line, words, text)| (line, words, text.to_owned()));
        assert_eq!(found(document), expected);
    }

    #[test]
    fn cells_are_sentences_and_blocks_of_code_are_none() {
        let document =
            "| a | b c |\n| --- | --- |\n| d. E | f |\n\n```sh\ncargo run\n```\n<!-- g -->\n";
        let words: Vec<usize> = found(document).into_iter().map(|found| found.1).collect();
        assert_eq!(words, [1, 2, 1, 1, 1]);
    }

    #[test]
    fn a_sentence_may_have_forty_words() {
        assert!(long_sentences(&"word ".repeat(40)).is_empty());
        assert_eq!(long_sentences(&"word ".repeat(41))[0].words, 41);
    }
}
