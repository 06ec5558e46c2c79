//! Training the tokenizer.

use tokenizers::decoders::metaspace::Metaspace as MetaspaceDecoder;
use tokenizers::models::bpe::{BPE, BpeTrainerBuilder};
use tokenizers::normalizers::{NFKC, Sequence as Normalizers, replace::Replace};
use tokenizers::pre_tokenizers::metaspace::{Metaspace, PrependScheme};
use tokenizers::pre_tokenizers::punctuation::Punctuation;
use tokenizers::pre_tokenizers::sequence::Sequence as PreTokenizers;
use tokenizers::processors::template::TemplateProcessing;
use tokenizers::{AddedToken, SplitDelimiterBehavior, TokenizerBuilder, TokenizerImpl};

use super::TokenizerRecipe;
use crate::error::ModelError;

/// The special tokens, in the order of their numbers.
pub const SPECIAL_TOKENS: [&str; 3] = ["<pad>", "</s>", "<unk>"];

type Bpe = TokenizerImpl<BPE, Normalizers, PreTokenizers, TemplateProcessing, MetaspaceDecoder>;

/// Trains byte-pair encoding on `sentences`. Spaces become `▁`, punctuation stands alone, and
/// every encoding ends in `</s>`, or starts with it where `starts` is set: a language model's
/// sentence starts where the last one ended.
///
/// # Errors
/// If the tokenizers library refuses its input.
pub fn train_tokenizer(
    recipe: &TokenizerRecipe,
    starts: bool,
    sentences: impl Iterator<Item = String> + Send,
) -> Result<String, ModelError> {
    let fail =
        |error: Box<dyn std::error::Error + Send + Sync>| ModelError::Tokenizer(error.to_string());
    let model = BPE::builder()
        .unk_token("<unk>".into())
        .fuse_unk(true)
        .build()
        .map_err(fail)?;
    let apostrophe = Replace::new("’", "'").map_err(fail)?;
    let template = TemplateProcessing::builder()
        .try_single(if starts { "</s> $A" } else { "$A </s>" })
        .map_err(|error| ModelError::Tokenizer(error.to_string()))?
        .special_tokens(vec![("</s>", 1)])
        .build()
        .map_err(|error| ModelError::Tokenizer(error.to_string()))?;
    let metaspace = || Metaspace::new('▁', PrependScheme::Always, true);
    let mut tokenizer: Bpe = TokenizerBuilder::default()
        .with_model(model)
        .with_normalizer(Some(Normalizers::new(vec![NFKC.into(), apostrophe.into()])))
        .with_pre_tokenizer(Some(PreTokenizers::new(vec![
            metaspace().into(),
            Punctuation::new(SplitDelimiterBehavior::Isolated).into(),
        ])))
        .with_post_processor(Some(template))
        .with_decoder(Some(metaspace()))
        .build()
        .map_err(fail)?;
    let mut trainer = BpeTrainerBuilder::new()
        .vocab_size(recipe.vocab_size)
        .limit_alphabet(recipe.alphabet)
        .min_frequency(2)
        .special_tokens(
            SPECIAL_TOKENS
                .map(|token| AddedToken::from(token, true))
                .to_vec(),
        )
        .build();
    tokenizer.train(&mut trainer, sentences).map_err(fail)?;
    tokenizer.to_string(true).map_err(fail)
}
