//! Text to tokens and back, by a Hugging Face `tokenizer.json`.
//!
//! Hugging Face maintains two implementations of that format: a Rust crate, for programs, and a JavaScript module of a
//! few kilobytes, for browsers, where the crate would be most of the download. [`Segmenter`] is the interface of both.

mod bytes;
mod description;
#[cfg(feature = "tokenizers")]
mod hugging_face;
mod languages;
pub mod marian;
#[cfg(feature = "tokenizers")]
mod normalizer;
mod sentencepiece;

use std::fmt::Debug;
use std::sync::Arc;

use attention_trace::{
    Pieces, TargetOpening, Token, language_named,
    text::{is_blank, without_byte_order_mark},
};

use crate::error::ModelError;

pub use self::description::{Around, Description, DescriptionFault, Unknown};
use self::languages::Languages;

/// The tokens of a masked word in published models, BERT's and RoBERTa's.
const MASKS: [&str; 2] = ["[MASK]", "<mask>"];

/// An implementation of `tokenizer.json`. Its errors carry the implementation's own messages.
pub trait Segmenter: Debug + Send + Sync {
    /// Returns the numbers of the tokens of `text`, with special tokens added by the post-processor if `adds_special`.
    ///
    /// # Errors
    /// If the implementation refuses the text.
    fn encode(&self, text: &str, adds_special: bool) -> Result<Vec<u32>, ModelError>;

    /// Returns the stretches of `text` that the tokens numbered `id` stand for, in order, as they were before
    /// normalisation. Empty for a token that corresponds to nothing in the text.
    ///
    /// # Errors
    /// If the implementation refuses the text.
    fn stretches(&self, text: &str, id: u32) -> Result<Vec<String>, ModelError>;

    /// Returns the text of `ids`, special tokens left out.
    ///
    /// # Errors
    /// If the implementation refuses the ids.
    fn decode(&self, ids: &[u32]) -> Result<String, ModelError>;

    /// Returns the piece numbered `id` in the vocabulary; `None` if there is none, as beyond the vocabulary.
    fn piece(&self, id: u32) -> Option<String>;

    /// Returns the number of a piece; `None` if the vocabulary lacks it.
    fn id(&self, piece: &str) -> Option<u32>;

    /// Size of the vocabulary, special tokens included.
    fn vocabulary(&self) -> usize;
}

/// A trained tokenizer with its description.
#[derive(Clone, Debug)]
pub struct Tokenizer {
    segmenter: Arc<dyn Segmenter>,
    /// The implementation for target texts, if it is another.
    target: Option<Arc<dyn Segmenter>>,
    /// The tokenizer of target texts, if their tokens have numbers of their own.
    separate: Option<Box<Tokenizer>>,
    description: Arc<Description>,
    unknown: Option<u32>,
    /// The languages of source and target, if tokens name them.
    languages: Option<Languages>,
    /// The beginning of texts that a chat template wrote, which has written all special tokens itself.
    opening: Option<String>,
}

impl Tokenizer {
    /// Creates the tokenizer that `segmenter` implements, with this description.
    pub fn new(segmenter: impl Segmenter + 'static, description: Description) -> Self {
        let named = match &description.unknown {
            Some(Unknown::Piece(piece)) => segmenter.id(piece),
            Some(Unknown::Number(id)) => Some(*id),
            None => None,
        };
        let usual = ["<unk>", "[UNK]"];
        Tokenizer {
            unknown: named.or_else(|| usual.iter().find_map(|piece| segmenter.id(piece))),
            segmenter: Arc::new(segmenter),
            target: None,
            separate: None,
            description: Arc::new(description),
            languages: None,
            opening: None,
        }
    }

    /// Returns the tokenizer of a checkpoint whose chat template begins every text with `opening`: to such a text no
    /// special tokens are added, as `apply_chat_template` of `transformers` adds none. Any text begins with an empty
    /// opening, which therefore marks none.
    #[must_use]
    pub fn with_opening(self, opening: String) -> Self {
        Tokenizer {
            opening: Some(opening).filter(|opening| !opening.is_empty()),
            ..self
        }
    }

    /// Returns the tokenizer that puts its language and the end around a text. `target` is the language of targets.
    ///
    /// # Errors
    /// If the tokens that the post-processor puts around a text are not known.
    pub(crate) fn naming_languages(
        self,
        end: Option<u32>,
        target: Option<u32>,
    ) -> Result<Self, ModelError> {
        let around = self.description.around.clone().ok_or_else(|| {
            ModelError::Tokenizer(
                "the post-processor of tokenizer.json is no TemplateProcessing, as those of M2M-100 and NLLB are".to_owned(),
            )
        })?;
        Ok(Tokenizer {
            languages: Some(Languages::new(around, end, target)),
            ..self
        })
    }

    /// Returns the tokenizer for texts of these languages, and the token of the target language, if it is given.
    ///
    /// # Errors
    /// If tokens name no languages, or none is named so.
    pub(crate) fn with_languages(
        mut self,
        source: Option<&str>,
        target: Option<&str>,
    ) -> Result<(Self, Option<u32>), ModelError> {
        let mut languages = self.languages.take().ok_or_else(|| {
            ModelError::Tokenizer(
                "texts of this model do not begin with the token of a language, so that none can be chosen".to_owned(),
            )
        })?;
        let number = |name: &str| languages::language(&self, name);
        let (source, target) = (
            source.map(number).transpose()?,
            target.map(number).transpose()?,
        );
        languages.source = source.or(languages.source);
        languages.target = target.or(languages.target);
        self.languages = Some(languages);
        Ok((self, target))
    }

    /// Returns a note if the post-processor puts the language where it is not read.
    pub(crate) fn note(&self) -> Option<String> {
        let are_behind = self.languages.as_ref().is_some_and(Languages::are_behind);
        are_behind.then(|| {
            "tokenizer.json: the token of the language is put before a text, not behind it, as NllbTokenizer of transformers \
             does without legacy_behaviour"
                .to_owned()
        })
    }

    /// Returns the tokenizer with another implementation for target texts, whose pieces have the same numbers.
    fn with_target(self, target: impl Segmenter + 'static) -> Self {
        Tokenizer {
            target: Some(Arc::new(target)),
            ..self
        }
    }

    /// Returns the tokenizer with another one for target texts, whose tokens have numbers of their own. Tokens are then
    /// named and numbered as those of the target, except in a text that is encoded.
    fn with_separate(self, target: Tokenizer) -> Self {
        Tokenizer {
            separate: Some(Box::new(target)),
            ..self
        }
    }

    /// Returns the tokenizer of target texts: the same one, except in checkpoints with a model for each language.
    pub fn target(&self) -> Self {
        if let Some(separate) = &self.separate {
            return Tokenizer::clone(separate);
        }
        let segmenter = self.target.as_ref().unwrap_or(&self.segmenter);
        let mut languages = self.languages.clone();
        if let Some(languages) = &mut languages {
            languages.is_target = true;
        }
        Tokenizer {
            segmenter: segmenter.clone(),
            languages,
            ..self.clone()
        }
    }

    /// Reads a `tokenizer.json`.
    ///
    /// The library panics on some broken files. Such a panic becomes an error: the first call, here or of a method,
    /// installs a panic hook for the whole process that keeps these panics from being printed and hands all others to
    /// the hook before it. A program that sets a hook of its own should do so before.
    ///
    /// # Errors
    /// If the bytes are not one.
    #[cfg(feature = "tokenizers")]
    pub fn from_json(bytes: &[u8]) -> Result<Self, ModelError> {
        let description = Description::read(bytes)?;
        let segmenter = hugging_face::HuggingFace::from_json(bytes)?;
        Ok(Self::new(segmenter, description))
    }

    /// Splits `text` into tokens, with special tokens added by the tokenizer's post-processor, unless a chat template
    /// wrote the text. A byte order mark in front is removed; spaces are kept, at the ends as well. Where tokens name
    /// languages, a text that begins with such a token and a space is in that language.
    ///
    /// # Errors
    /// If there is nothing to see in `text`, nothing is left of it once it is normalised, or the tokenizer refuses it.
    pub fn encode(&self, text: &str) -> Result<Vec<Token>, ModelError> {
        let text = without_byte_order_mark(text);
        let (language, text) = match self.languages {
            Some(_) => self.named_language(text),
            None => (None, text),
        };
        if is_blank(text) {
            return Err(ModelError::EmptyInput);
        }
        let is_written = |opening: &String| text.starts_with(opening);
        let adds_special = !self.opening.as_ref().is_some_and(is_written);
        let ids = self.segmenter.encode(text, adds_special)?;
        if ids.is_empty() {
            return Err(ModelError::EmptyInput);
        }
        let ids = match &self.languages {
            Some(languages) => languages.replace(&ids, language)?,
            None => ids,
        };
        let mut tokens: Vec<Token> = ids.into_iter().map(|id| self.own_token(id)).collect();
        self.name_unknown(&mut tokens, text)?;
        Ok(tokens)
    }

    /// Returns the language that a text begins with, by its token, and the text behind it.
    fn named_language<'a>(&self, text: &'a str) -> (Option<u32>, &'a str) {
        let named = text.split_once(' ').and_then(|(piece, rest)| {
            language_named(piece)?;
            let id = self.segmenter.id(piece)?;
            self.description.added.contains(&id).then_some((id, rest))
        });
        match named {
            Some((language, rest)) => (Some(language), rest),
            None => (None, text),
        }
    }

    /// Returns the added tokens that name languages, each with its language, in the order of their numbers.
    pub(crate) fn language_tokens(&self) -> Vec<TargetOpening> {
        let tokens = self.description.added.iter().filter_map(|&id| {
            let piece = self.segmenter.piece(id)?;
            let language = language_named(&piece)?.to_owned();
            let token = self.token(id);
            Some(TargetOpening { token, language })
        });
        tokens.collect()
    }

    /// True if each text begins with the token of its language.
    pub(crate) fn names_languages(&self) -> bool {
        self.languages.is_some()
    }

    /// Names unknown tokens after the characters they stand for. One that stands for none keeps its name.
    fn name_unknown(&self, tokens: &mut [Token], text: &str) -> Result<(), ModelError> {
        let Some(id) = self
            .unknown
            .filter(|_| tokens.iter().any(|token| token.unknown))
        else {
            return Ok(());
        };
        let unknown = tokens.iter_mut().filter(|token| token.unknown);
        for (token, stretch) in unknown.zip(self.segmenter.stretches(text, id)?) {
            match stretch.trim() {
                "" if stretch.is_empty() => {}
                "" => token.text = "▁".to_owned(),
                characters => token.text = characters.to_owned(),
            }
        }
        Ok(())
    }

    /// Returns the token numbered `id`. Many published models have more rows than their tokenizer has pieces; a row
    /// without one is shown by its number, as `<408>`.
    pub fn token(&self, id: u32) -> Token {
        self.written().own_token(id)
    }

    /// Returns the tokenizer whose numbers a model writes.
    fn written(&self) -> &Tokenizer {
        self.separate.as_deref().unwrap_or(self)
    }

    fn own_token(&self, id: u32) -> Token {
        Token {
            id,
            text: self.shown(id).unwrap_or_else(|| nameless(id)),
            unknown: Some(id) == self.unknown,
        }
    }

    /// Returns the facts about the tokens of a source text and of a target.
    pub fn pieces(&self, source: &[Token], target: &[Token]) -> Pieces {
        let special = [(self, source), (self.written(), target)]
            .into_iter()
            .flat_map(|(tokenizer, tokens)| {
                let ids = tokens.iter().map(|token| token.id);
                ids.filter(|&id| tokenizer.is_special(id))
            });
        Pieces {
            special: special.collect(),
            words: self.description.words.clone(),
            mask: self.mask(),
            picture: None,
        }
    }

    fn is_special(&self, id: u32) -> bool {
        self.description.special.contains(&id) && Some(id) != self.unknown
    }

    /// Returns the token of a masked word, as BERT and RoBERTa write it; `None` if the vocabulary lacks it. `config.json`
    /// does not name it.
    pub fn mask(&self) -> Option<Token> {
        let mut masks = MASKS.iter().filter_map(|mask| self.segmenter.id(mask));
        masks.next().map(|id| self.token(id))
    }

    /// Returns the piece numbered `id` in readable form: its text, if it is written in bytes.
    fn shown(&self, id: u32) -> Option<String> {
        let piece = self.segmenter.piece(id)?;
        let is_bytes = self.description.is_byte_level && !self.description.added.contains(&id);
        let readable = is_bytes.then(|| bytes::readable(&piece)).flatten();
        Some(readable.unwrap_or(piece))
    }

    /// Returns the number of the token written `piece`, in the form of the vocabulary or in readable form; `None` if
    /// there is none.
    pub fn id(&self, piece: &str) -> Option<u32> {
        if let Some(separate) = &self.separate {
            return separate.id(piece);
        }
        let written = self.segmenter.id(piece);
        let is_bytes = self.description.is_byte_level;
        written.or_else(|| self.segmenter.id(&bytes::piece(piece)).filter(|_| is_bytes))
    }

    /// Returns the text of `ids`, special tokens left out, numbers without a piece written as `<408>`.
    ///
    /// # Errors
    /// If the tokenizer refuses the ids.
    pub fn decode(&self, ids: &[u32]) -> Result<String, ModelError> {
        if let Some(separate) = &self.separate {
            return separate.decode(ids);
        }
        let is_piece = |id: &u32| self.segmenter.piece(*id).is_some();
        if ids.iter().all(is_piece) {
            return self.segmenter.decode(ids);
        }
        let mut text = String::new();
        let (mut pieces, mut before) = (vec![], String::new());
        for part in ids.chunk_by(|a, b| is_piece(a) == is_piece(b)) {
            if !part.iter().all(is_piece) {
                text.extend(part.iter().map(|&id| nameless(id)));
                continue;
            }
            // What these pieces add to those before them: decoded alone they would lose the space that
            // their first word begins with.
            pieces.extend_from_slice(part);
            let longer = self.segmenter.decode(&pieces)?;
            match longer.strip_prefix(&before) {
                Some(added) => text.push_str(added),
                None => text.push_str(&self.segmenter.decode(part)?),
            }
            before = longer;
        }
        Ok(text)
    }

    /// Size of the vocabulary, special tokens included; of two, that of the target.
    pub fn vocabulary(&self) -> usize {
        self.written().segmenter.vocabulary()
    }
}

/// Returns the text shown for a row without a piece.
fn nameless(id: u32) -> String {
    format!("<{id}>")
}

#[cfg(test)]
#[cfg(feature = "tokenizers")]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// GPT-2's kind of tokenizer, of single bytes and a few pieces more.
    fn of_bytes(pieces: &[&str]) -> Tokenizer {
        let mut pieces: Vec<String> = pieces.iter().map(|&piece| piece.to_owned()).collect();
        let merges: Vec<String> = pieces
            .iter()
            .map(|piece| {
                let at = piece.char_indices().next_back().map_or(0, |(at, _)| at);
                format!("{} {}", &piece[..at], &piece[at..])
            })
            .collect();
        pieces.extend((0..=u8::MAX).map(|byte| bytes::piece(&format!("<0x{byte:02X}>"))));
        let vocabulary: Value = pieces
            .iter()
            .zip(0..)
            .map(|(piece, id)| (piece.clone(), json!(id)))
            .collect();
        let end = pieces.len();
        let file = json!({
            "version": "1.0",
            "added_tokens": [{
                "id": end, "content": "<é>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false,
                "special": true,
            }],
            "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
            "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
            "model": {"type": "BPE", "vocab": vocabulary, "merges": merges},
        });
        Tokenizer::from_json(file.to_string().as_bytes()).unwrap()
    }

    /// Characters of a few letters and the space, with NFKC in front.
    fn of_characters() -> Tokenizer {
        let file = json!({
            "version": "1.0",
            "added_tokens": [],
            "normalizer": {"type": "NFKC"},
            "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
            "model": {
                "type": "BPE", "unk_token": "<unk>", "fuse_unk": true, "merges": [],
                "vocab": {"<unk>": 0, "▁": 1, "J": 2, "e": 3, "s": 4, "u": 5, "i": 6, "l": 7, "à": 8},
            },
        });
        Tokenizer::from_json(file.to_string().as_bytes()).unwrap()
    }

    fn shown(tokenizer: &Tokenizer, text: &str) -> Vec<String> {
        let tokens = tokenizer.encode(text).unwrap().into_iter();
        tokens.map(|token| token.text).collect()
    }

    #[test]
    fn unknown_tokens_show_the_characters_they_stand_for() {
        let tokenizer = of_characters();
        for (text, unknown) in [
            ("Ｊｅ 😀 ｓｕｉｓ là", vec!["😀"]),
            ("Je suis 😀🙂", vec!["😀🙂"]),
            ("😀 Ｊｅ ① ㍿", vec!["😀", "①", "㍿"]),
            ("ｘＪｙ", vec!["ｘ", "ｙ"]),
            ("{Je}", vec!["{", "}"]),
        ] {
            let tokens = tokenizer.encode(text).unwrap();
            let found = tokens.iter().filter(|token| token.unknown);
            let found: Vec<&str> = found.map(|token| token.text.as_str()).collect();
            assert_eq!(found, unknown, "{text}");
        }
    }

    #[test]
    fn bytes_are_shown_as_the_characters_they_make() {
        let tokenizer = of_bytes(&["na", "Ġn", "ä½"]);
        assert_eq!(
            shown(&tokenizer, "naïve 你"),
            [
                "na",
                "<0xC3>",
                "<0xAF>",
                "v",
                "e",
                "▁",
                "<0xE4><0xBD>",
                "<0xA0>"
            ]
        );
        assert_eq!(shown(&tokenizer, " n\n<é>"), ["▁n", "⏎", "<é>"]);
        for (text, id) in [("▁n", 1), ("Ġn", 1), ("<0xE4><0xBD>", 2), ("<é>", 3 + 256)] {
            assert_eq!(tokenizer.id(text), Some(id), "{text}");
        }
        assert_eq!(tokenizer.id("no such piece"), None);
    }

    #[test]
    fn special_tokens_of_a_text_are_known_and_the_unknown_one_is_part_of_it() {
        let tokenizer = of_bytes(&[]);
        let tokens = tokenizer.encode("n<é>").unwrap();
        let pieces = tokenizer.pieces(&tokens, &[]);
        let special: Vec<bool> = tokens
            .iter()
            .map(|token| pieces.is_special(token))
            .collect();
        assert_eq!(special, [false, true]);
        let tokenizer = of_characters();
        let tokens = tokenizer.encode("Je 😀").unwrap();
        assert_eq!(tokenizer.pieces(&tokens, &[]), Pieces::default());
    }

    #[test]
    fn spaces_at_the_ends_are_read_and_a_byte_order_mark_is_not() {
        let tokenizer = of_bytes(&["ĠT", "ĠTo", "ĠTom"]);
        assert_eq!(shown(&tokenizer, " Tom"), ["▁Tom"]);
        assert_eq!(shown(&tokenizer, "Tom "), ["T", "o", "m", "▁"]);
        assert_eq!(shown(&tokenizer, "\u{feff} Tom"), ["▁Tom"]);
        let tokenizer = of_characters();
        assert_eq!(shown(&tokenizer, "\u{feff}Je"), shown(&tokenizer, "Je"));
        assert_eq!(shown(&tokenizer, " Je"), ["▁", "J", "e"]);
    }

    #[test]
    fn a_text_with_nothing_to_see_is_empty() {
        for tokenizer in [of_bytes(&[]), of_characters()] {
            for nothing in ["", " ", "\u{200b}", "\u{feff}", "\u{2060}\t\u{ad}"] {
                let refused = tokenizer.encode(nothing);
                assert!(
                    matches!(refused, Err(ModelError::EmptyInput)),
                    "{nothing:?}"
                );
            }
        }
    }
}
