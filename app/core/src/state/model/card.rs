//! Facts of a model that are known before it is loaded.

use attention_trace::{NormPlacement, positions::PositionalEncoding};

/// The facts of a model of any origin.
#[derive(Debug)]
pub struct Card {
    /// The words about the model, by language.
    pub words: &'static [(&'static str, Words)],
    /// The task that the model was trained for.
    pub task: Task,
    /// The languages of the texts that it was trained to read.
    pub reads: &'static [Language],
    /// The language of its output, if that is one of ours.
    pub writes: Option<Language>,
    pub positions: PositionalEncoding,
    /// The place of the norms; `None` for a model without any.
    pub norm: Option<NormPlacement>,
    /// True for an encoder and a decoder of recurrent cells.
    pub is_recurrent: bool,
    /// True if it has attention of any kind.
    pub attends: bool,
    /// True if each position halts after as many uses of one block as it needs.
    pub halts: bool,
    /// True if several heads share their keys and values.
    pub shares_keys: bool,
    /// The length of the longest training sequence, of a model that learned from random characters.
    pub longest_trained: Option<usize>,
    /// The largest number of tokens that a run may append.
    pub most_new_tokens: usize,
    /// The token before the text that selects the target language.
    pub prefix: Option<&'static str>,
    /// Example texts, some from the lectures.
    pub examples: &'static [&'static str],
    /// Pairs of sentences for patching: their difference determines a word of the model's output.
    pub pairs: &'static [[&'static str; 2]],
}

/// The words about a model in one language.
#[derive(Debug)]
pub struct Words {
    /// The name, which variants share.
    pub name: &'static str,
    /// The difference from other variants; empty if there are none or the positional encoding is the difference.
    pub variant: &'static str,
    /// Name and variant in one; empty if they are joined by a dot.
    pub title: &'static str,
    /// A sentence about input and output.
    pub reads: &'static str,
    /// A hint for the text box.
    pub hint: &'static str,
    /// A sentence about the model's purpose.
    pub good: &'static str,
}

/// The task that a model was trained for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    Translate,
    Continue,
    /// Guess the masked words of a sentence.
    Fill,
    /// Name an earlier letter at each letter.
    Letters,
    /// Name an earlier character of the line at each character.
    Verse,
    /// Write a picture cell by cell.
    Picture,
    /// Not known before the configuration is read.
    Unknown,
}

/// A language that served models read or write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    English,
    French,
    Chinese,
}

/// A part of the list of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Translators,
    /// Transformers that continue a text.
    LanguageModels,
    /// Small Transformers that differ in their positional encoding.
    PositionsAndVerse,
    /// Models that translate, of the time before the Transformer.
    Recurrent,
}

impl Group {
    /// All groups, in the order of the list.
    pub const ALL: [Self; 4] = [
        Group::Translators,
        Group::LanguageModels,
        Group::PositionsAndVerse,
        Group::Recurrent,
    ];
}

/// The quantity measured by a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// BLEU from French to English.
    FrenchEnglish,
    /// BLEU from Chinese to English.
    ChineseEnglish,
    /// BLEU from English to French.
    EnglishFrench,
    /// BLEU from English to Chinese.
    EnglishChinese,
    /// Perplexity per token of English sentences.
    Perplexity,
    /// Percent of the letters 65 to 128 named correctly: training ended at the 32nd.
    LettersBeyond,
    /// Percent of the sixth characters named correctly: training ended at the fifth.
    SixthCharacter,
    /// Perplexity per cell of pictures.
    Cells,
    /// Percent of the letters of a second reading predicted correctly.
    Repeats,
}

/// A model that is served with the page.
#[derive(Debug)]
pub struct Served {
    /// The name in addresses.
    pub address: &'static str,
    /// The names in addresses of earlier versions.
    pub earlier: &'static [&'static str],
    /// The number of the list's entry, which variants share.
    pub entry: usize,
    /// True if the list names this variant first.
    pub leads: bool,
    /// The part of the list.
    pub group: Group,
    /// The folder with the files that variants share, relative to the page.
    pub folder: &'static str,
    /// The checkpoint's directory, relative to the page.
    pub directory: &'static str,
    /// The number of weights.
    pub parameters: u64,
    /// The licence, by its usual name.
    pub licence: &'static str,
    /// Each measured quantity, and the score as written in the README.
    pub scores: &'static [(Measure, &'static str)],
    /// The alignment error rates of its heads, if they were measured; compiled in since the first sentence under a map
    /// depends on them.
    pub alignment_errors: Option<&'static str>,
    /// True if the importance of its heads on published sentences was measured.
    pub has_importance: bool,
    /// The facts that models of any origin have.
    pub card: Card,
}

impl PartialEq for Served {
    fn eq(&self, other: &Self) -> bool {
        self.address == other.address
    }
}

impl Eq for Served {}
