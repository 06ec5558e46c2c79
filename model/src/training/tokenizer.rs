//! The training of the tokenizer.

use tokenizers::decoders::fuse::Fuse;
use tokenizers::decoders::metaspace::Metaspace as MetaspaceDecoder;
use tokenizers::models::bpe::{BPE, BpeTrainerBuilder, Vocab};
use tokenizers::normalizers::{Lowercase, NFKC, Sequence as Normalizers, replace::Replace};
use tokenizers::pre_tokenizers::metaspace::{Metaspace, PrependScheme};
use tokenizers::pre_tokenizers::punctuation::Punctuation;
use tokenizers::pre_tokenizers::sequence::Sequence as PreTokenizers;
use tokenizers::pre_tokenizers::whitespace::WhitespaceSplit;
use tokenizers::processors::template::TemplateProcessing;
use tokenizers::{AddedToken, SplitDelimiterBehavior, TokenizerBuilder, TokenizerImpl};

use super::TokenizerRecipe;
use crate::error::ModelError;

/// The special tokens, in the order of their numbers.
pub const SPECIAL_TOKENS: [&str; 3] = ["<pad>", "</s>", "<unk>"];
/// Those of a tokenizer for masked words, with BERT's names.
pub const MASKED_TOKENS: [&str; 5] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", MASK];
/// The token in place of a masked word.
const MASK: &str = "[MASK]";

/// The special tokens around a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Around {
    /// The token `</s>` ends it.
    End,
    /// `</s>` begins it: a language model's sentence starts where the last one ended.
    Start,
    /// `[CLS]` begins it and `[SEP]` ends it; one of its words may be `[MASK]`.
    Both,
}

impl Around {
    fn tokens(self) -> &'static [&'static str] {
        match self {
            Around::End | Around::Start => &SPECIAL_TOKENS,
            Around::Both => &MASKED_TOKENS,
        }
    }

    fn unknown(self) -> &'static str {
        match self {
            Around::End | Around::Start => "<unk>",
            Around::Both => "[UNK]",
        }
    }

    fn template(self) -> Result<TemplateProcessing, ModelError> {
        match self {
            Around::End => template("$A </s>", &[("</s>", 1)]),
            Around::Start => template("</s> $A", &[("</s>", 1)]),
            Around::Both => template("[CLS] $A [SEP]", &[("[CLS]", 2), ("[SEP]", 3)]),
        }
    }
}

type CharacterBpe = TokenizerImpl<BPE, Lowercase, WhitespaceSplit, TemplateProcessing, Fuse>;
type Bpe = TokenizerImpl<BPE, Normalizers, PreTokenizers, TemplateProcessing, MetaspaceDecoder>;

/// Trains byte-pair encoding on `sentences`. Spaces become `▁`, and punctuation is separate. Each of the `prefixes`
/// becomes a token.
///
/// # Errors
/// If the tokenizers library refuses its input.
pub fn train_tokenizer(
    recipe: &TokenizerRecipe,
    around: Around,
    prefixes: &[&str],
    sentences: impl Iterator<Item = String> + Send,
) -> Result<String, ModelError> {
    let model = BPE::builder()
        .unk_token(around.unknown().into())
        .fuse_unk(true)
        .build()
        .map_err(fail)?;
    let apostrophe = Replace::new("’", "'").map_err(fail)?;
    // What follows a masked word is no beginning of a text.
    let prepended = match around {
        Around::End | Around::Start => PrependScheme::Always,
        Around::Both => PrependScheme::First,
    };
    let metaspace = || Metaspace::new('▁', prepended, true);
    let mut tokenizer: Bpe = TokenizerBuilder::default()
        .with_model(model)
        .with_normalizer(Some(Normalizers::new(vec![NFKC.into(), apostrophe.into()])))
        .with_pre_tokenizer(Some(PreTokenizers::new(vec![
            metaspace().into(),
            Punctuation::new(SplitDelimiterBehavior::Isolated).into(),
        ])))
        .with_post_processor(Some(around.template()?))
        .with_decoder(Some(metaspace()))
        .build()
        .map_err(fail)?;
    let mut trainer = BpeTrainerBuilder::new()
        .vocab_size(recipe.vocab_size)
        .limit_alphabet(recipe.alphabet)
        .min_frequency(2)
        .special_tokens(
            (around.tokens().iter().chain(prefixes))
                // The space in front of a masked word is the word's.
                .map(|&token| AddedToken::from(token, true).lstrip(token == MASK))
                .collect(),
        )
        .build();
    tokenizer.train(&mut trainer, sentences).map_err(fail)?;
    tokenizer.to_string(true).map_err(fail)
}

/// Creates a tokenizer in which each of these characters is a token, spaces are dropped, and `</s>` comes first.
///
/// # Errors
/// If the tokenizers library refuses its input.
pub fn character_tokenizer(characters: &[char]) -> Result<String, ModelError> {
    let pieces = SPECIAL_TOKENS.map(str::to_owned).into_iter();
    let pieces = pieces.chain(characters.iter().map(char::to_string));
    let vocabulary = pieces.zip(0..).collect();
    let model = BPE::builder()
        .vocab_and_merges::<Vocab>(vocabulary, vec![])
        .unk_token("<unk>".into())
        .build()
        .map_err(fail)?;
    let mut tokenizer: CharacterBpe = TokenizerBuilder::default()
        .with_model(model)
        .with_normalizer(Some(Lowercase))
        .with_pre_tokenizer(Some(WhitespaceSplit))
        .with_post_processor(Some(Around::Start.template()?))
        .with_decoder(Some(Fuse::new()))
        .build()
        .map_err(fail)?;
    tokenizer
        .add_special_tokens(SPECIAL_TOKENS.map(|token| AddedToken::from(token, true)))
        .map_err(fail)?;
    tokenizer.to_string(true).map_err(fail)
}

fn template(single: &str, special: &[(&str, u32)]) -> Result<TemplateProcessing, ModelError> {
    TemplateProcessing::builder()
        .try_single(single)
        .map_err(|error| ModelError::Tokenizer(error.to_string()))?
        .special_tokens(special.to_vec())
        .build()
        .map_err(|error| ModelError::Tokenizer(error.to_string()))
}

fn fail(error: Box<dyn std::error::Error + Send + Sync>) -> ModelError {
    ModelError::Tokenizer(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenizer::Tokenizer;

    #[test]
    fn every_character_is_a_token_and_spaces_are_none() {
        let json = character_tokenizer(&['a', 'b', 'z', '猿']).unwrap();
        let tokenizer = Tokenizer::from_json(json.as_bytes()).unwrap();
        assert_eq!(tokenizer.vocabulary(), 3 + 4);
        let tokens = tokenizer.encode("ab 猿!").unwrap();
        let texts: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
        assert_eq!(texts, ["</s>", "a", "b", "猿", "!"]);
        assert!(tokens[4].unknown);
        let ids: Vec<u32> = tokens.iter().map(|token| token.id).collect();
        assert_eq!(tokenizer.decode(&ids[..4]).unwrap(), "ab猿");
    }
}
