//! `tokenizer.json`: the parts of it that are implemented.

use std::collections::HashMap;

use serde::Deserialize;

use super::piece::Piece;

/// The file.
#[derive(Debug, Deserialize)]
pub struct File {
    /// Tokens that are found in a text before anything is done to it.
    #[serde(default)]
    pub added_tokens: Vec<AddedToken>,
    /// What is done to a text first.
    pub normalizer: Option<Normalizer>,
    /// Where it is cut.
    pub pre_tokenizer: Option<PreTokenizer>,
    /// What is put around its tokens.
    pub post_processor: Option<PostProcessor>,
    /// How tokens become text.
    pub decoder: Option<Decoder>,
    /// How pieces become tokens.
    pub model: Model,
}

/// A token beside the model's.
#[derive(Debug, Deserialize)]
pub struct AddedToken {
    /// Its number.
    pub id: u32,
    /// Its text.
    pub content: String,
    /// Whether it stands for no text.
    #[serde(default)]
    pub special: bool,
    #[serde(default)]
    single_word: bool,
    #[serde(default)]
    lstrip: bool,
    #[serde(default)]
    rstrip: bool,
    #[serde(default)]
    normalized: bool,
}

/// What is done to a text first.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "type")]
pub enum Normalizer {
    /// One after another.
    Sequence {
        /// The steps.
        normalizers: Vec<Normalizer>,
    },
    /// Unicode's compatibility composition.
    #[serde(rename = "NFKC")]
    Nfkc,
    /// One text for another.
    Replace {
        /// What is replaced.
        pattern: Literal,
        /// By what.
        content: String,
    },
    /// A text before everything.
    Prepend {
        /// The text.
        prepend: String,
    },
}

/// A pattern that is no regular expression.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "Pattern")]
pub struct Literal(pub String);

#[derive(Deserialize)]
enum Pattern {
    String(String),
}

impl From<Pattern> for Literal {
    fn from(Pattern::String(text): Pattern) -> Self {
        Literal(text)
    }
}

/// Where a text is cut.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "type")]
pub enum PreTokenizer {
    /// One after another.
    Sequence {
        /// The steps.
        pretokenizers: Vec<PreTokenizer>,
    },
    /// Before every space, which becomes visible.
    Metaspace {
        /// What a space becomes.
        replacement: char,
        /// Where one is put before the text.
        #[serde(default)]
        prepend_scheme: PrependScheme,
        /// Whether it is cut at all.
        #[serde(default = "yes")]
        split: bool,
    },
    /// Around every punctuation mark.
    Punctuation,
    /// At spaces, which are left out.
    WhitespaceSplit,
}

/// Where a space is put before a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PrependScheme {
    /// Before every part.
    #[default]
    Always,
    /// Before the first part.
    First,
    /// Nowhere.
    Never,
}

/// What is put around the tokens of a text.
#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub enum PostProcessor {
    /// Tokens before and after.
    TemplateProcessing {
        /// What becomes of a single text.
        single: Vec<TemplatePart>,
        /// The tokens it names.
        special_tokens: HashMap<String, TemplateToken>,
    },
}

/// A part of a template.
#[derive(Debug, Deserialize)]
pub enum TemplatePart {
    /// A token.
    SpecialToken {
        /// Its name.
        id: String,
    },
    /// The text.
    Sequence {},
}

/// A token that a template names.
#[derive(Debug, Deserialize)]
pub struct TemplateToken {
    ids: Vec<u32>,
}

/// How tokens become text.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "type")]
pub enum Decoder {
    /// Visible spaces become spaces again.
    Metaspace {
        /// What a space became.
        replacement: char,
        /// Where one was put before the text.
        #[serde(default)]
        prepend_scheme: PrependScheme,
    },
}

impl Decoder {
    /// The text of these tokens.
    pub fn decode<'a>(&self, tokens: impl Iterator<Item = &'a str>) -> String {
        let Decoder::Metaspace {
            replacement,
            prepend_scheme,
        } = self;
        let mut text = String::new();
        for (index, token) in tokens.enumerate() {
            let prepended = index == 0 && *prepend_scheme != PrependScheme::Never;
            text.extend(
                token
                    .chars()
                    .filter_map(|character| match character == *replacement {
                        true => (!prepended).then_some(' '),
                        false => Some(character),
                    }),
            );
        }
        text
    }
}

/// How pieces become tokens.
#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub enum Model {
    /// Byte-pair encoding.
    #[serde(rename = "BPE")]
    Bpe(BpeModel),
    /// Whole words.
    WordLevel {
        /// Tokens and their numbers.
        vocab: HashMap<String, u32>,
        /// What stands for every other word.
        unk_token: String,
    },
}

impl Model {
    /// Tokens and their numbers.
    pub fn vocabulary(&self) -> &HashMap<String, u32> {
        match self {
            Model::Bpe(model) => &model.vocab,
            Model::WordLevel { vocab, .. } => vocab,
        }
    }
}

/// A byte-pair encoding.
#[derive(Debug, Deserialize)]
pub struct BpeModel {
    /// Tokens and their numbers.
    pub vocab: HashMap<String, u32>,
    /// Pairs, the earliest learnt first.
    pub merges: Vec<Pair>,
    /// What stands for every unknown character.
    pub unk_token: Option<String>,
    /// Whether unknown characters in a row are one token.
    #[serde(default)]
    pub fuse_unk: bool,
    /// Whether a piece that is a token is taken whole.
    #[serde(default)]
    pub ignore_merges: bool,
    #[serde(default)]
    byte_fallback: bool,
    dropout: Option<f32>,
    continuing_subword_prefix: Option<String>,
    end_of_word_suffix: Option<String>,
}

/// Two tokens, as newer files and as older ones write them.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Pair {
    /// One by one.
    Parts(String, String),
    /// With a space between.
    Line(String),
}

impl Pair {
    /// The two.
    pub fn parts(&self) -> Option<(&str, &str)> {
        match self {
            Pair::Parts(left, right) => Some((left, right)),
            Pair::Line(line) => line.split_once(' '),
        }
    }
}

fn is_set(text: &Option<String>) -> bool {
    text.as_ref().is_some_and(|text| !text.is_empty())
}

fn yes() -> bool {
    true
}

/// A part of a text.
#[derive(Debug)]
pub enum Part {
    /// An added token.
    Added(u32),
    /// What lies between them.
    Text(Piece),
}

impl File {
    /// Reads the file, refusing what is not implemented.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let file: File = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        match file.not_implemented() {
            Some(name) => Err(format!("{name} is not implemented")),
            None => Ok(file),
        }
    }

    fn not_implemented(&self) -> Option<&'static str> {
        let added = |asks: fn(&AddedToken) -> bool| self.added_tokens.iter().any(asks);
        let of_bpe = |asks: fn(&BpeModel) -> bool| match &self.model {
            Model::Bpe(model) => asks(model),
            Model::WordLevel { .. } => false,
        };
        [
            ("byte_fallback", of_bpe(|model| model.byte_fallback)),
            (
                "dropout",
                of_bpe(|model| model.dropout.is_some_and(|rate| rate > 0.0)),
            ),
            (
                "continuing_subword_prefix",
                of_bpe(|model| is_set(&model.continuing_subword_prefix)),
            ),
            (
                "end_of_word_suffix",
                of_bpe(|model| is_set(&model.end_of_word_suffix)),
            ),
            ("lstrip of an added token", added(|token| token.lstrip)),
            ("rstrip of an added token", added(|token| token.rstrip)),
            (
                "single_word of an added token",
                added(|token| token.single_word),
            ),
            (
                "normalized of an added token",
                added(|token| token.normalized),
            ),
        ]
        .into_iter()
        .find_map(|(name, asked)| asked.then_some(name))
    }

    /// The tokens before a text and those after it.
    pub fn surroundings(&self) -> Result<(Vec<u32>, Vec<u32>), String> {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let Some(PostProcessor::TemplateProcessing {
            single,
            special_tokens,
        }) = &self.post_processor
        else {
            return Ok((before, after));
        };
        let mut passed = false;
        for part in single {
            match part {
                TemplatePart::Sequence {} => passed = true,
                TemplatePart::SpecialToken { id } => {
                    let token = special_tokens.get(id);
                    let token = token.ok_or_else(|| format!("the template's `{id}` is missing"))?;
                    let side = if passed { &mut after } else { &mut before };
                    side.extend(&token.ids);
                }
            }
        }
        Ok((before, after))
    }
}
