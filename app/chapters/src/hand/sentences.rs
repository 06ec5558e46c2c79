//! Sentences in which a pronoun may mean several people, with names that a bundled model knows, whole and shortened.

use std::ops::Range;

use attention_trace::Token;

use attention_core::state::{Language, Model};

/// A sentence with a pronoun, in two forms: whole and shortened, or with another last word.
#[derive(Debug)]
pub struct Sentence {
    /// The language, which determines the model.
    pub language: Language,
    /// The sentence, and its other form.
    pub forms: [&'static str; 2],
    /// The pronoun whose row is read.
    pub asks: &'static str,
    /// Words that it may mean or not; the last is in the first form alone.
    pub names: [&'static str; 3],
}

/// In Chinese the lecture's, with other names: the translator has no piece for 嘉 and 鸿. In English the same in other
/// words. The last pair is that of Google's announcement of the Transformer: one word decides what the pronoun means.
pub static SENTENCES: [Sentence; 3] = [
    Sentence {
        language: Language::Chinese,
        forms: [
            "那时候，玛丽在家里等汤姆回家来吃晚饭，希望他会跟姑母和好，到她厂里做事",
            "那时候，玛丽在家里等汤姆回家来吃晚饭，希望他到她厂里做事",
        ],
        asks: "她",
        names: ["玛丽", "汤姆", "姑母"],
    },
    Sentence {
        language: Language::English,
        forms: [
            "Mary was at home waiting for Tom to come back to dinner, hoping that he would make peace with her aunt and work where she worked.",
            "Mary was at home waiting for Tom to come back to dinner, hoping that he would work where she worked.",
        ],
        asks: "she",
        names: ["Mary", "Tom", "aunt"],
    },
    Sentence {
        language: Language::English,
        forms: [
            "The animal didn't cross the street because it was too tired.",
            "The animal didn't cross the street because it was too wide.",
        ],
        asks: "it",
        names: ["animal", "street", "tired"],
    },
];

impl Sentence {
    /// The model that reads it.
    pub fn model(&self) -> Model {
        Model::translator_from(self.language)
    }
}

/// The place of the sentence that a model was given, and its form: whole (0) or shortened (1).
pub fn found(model: Model, text: &str) -> Option<(usize, usize)> {
    let mut sentences = SENTENCES.iter().enumerate();
    sentences.find_map(|(at, sentence)| {
        let form = sentence.forms.iter().position(|form| *form == text)?;
        (sentence.model() == model).then_some((at, form))
    })
}

/// The tokens that a word consists of, where it stands last.
pub fn places(tokens: &[Token], word: &str) -> Option<Range<usize>> {
    let mut text = String::new();
    let mut ends = Vec::with_capacity(tokens.len());
    for token in tokens {
        text.push_str(&token.text.replace('▁', " "));
        ends.push(text.len());
    }
    let start = text.rfind(word)?;
    let first = ends.partition_point(|&end| end <= start);
    let last = ends.partition_point(|&end| end < start + word.len());
    Some(first..last + 1)
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

    #[test]
    fn a_word_is_found_in_one_token_or_several() {
        let tokens = tokens(&["▁那", "时候", ",", "姑", "母", "和", "她的", "</s>"]);
        assert_eq!(places(&tokens, "姑母"), Some(3..5));
        assert_eq!(places(&tokens, "她"), Some(6..7));
        assert_eq!(places(&tokens, "汤姆"), None);
    }

    #[test]
    fn of_a_word_that_stands_twice_it_is_the_last() {
        let tokens = tokens(&["▁she", "▁said", "▁she", "▁did", "."]);
        assert_eq!(places(&tokens, "she"), Some(2..3));
    }

    #[test]
    fn a_sentence_is_found_by_its_model_and_its_text() {
        for (at, sentence) in SENTENCES.iter().enumerate() {
            for (form, text) in sentence.forms.iter().enumerate() {
                assert_eq!(found(sentence.model(), text), Some((at, form)));
                assert!(text.contains(sentence.asks));
                let names = sentence.names.map(|name| text.contains(name));
                assert_eq!(names, [true, true, form == 0]);
            }
        }
        assert!(found("sentences".parse().unwrap(), SENTENCES[1].forms[0]).is_none());
    }
}
