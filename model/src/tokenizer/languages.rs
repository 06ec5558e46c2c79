//! Tokens that name the language of a text, as M2M-100 and NLLB read them: a text is its language, its pieces and the end.

use super::Tokenizer;
use super::description::Around;
use crate::error::ModelError;

/// The tokens around the texts of two languages.
#[derive(Clone, Debug)]
pub struct Languages {
    /// The tokens that the post-processor puts around a text, which those of the language replace.
    around: Around,
    /// The language of source texts.
    pub source: Option<u32>,
    /// The language of target texts; that of the source if it is `None`, as in `transformers`.
    pub target: Option<u32>,
    /// The token that ends a text.
    end: Option<u32>,
    /// True if the texts are targets.
    pub is_target: bool,
}

impl Languages {
    /// Returns the languages of a tokenizer whose post-processor puts tokens around a text: one that does not end it names
    /// the source language.
    pub fn new(around: Around, end: Option<u32>, target: Option<u32>) -> Self {
        let others: Vec<u32> = around
            .tokens()
            .filter(|&token| Some(token) != end)
            .collect();
        let source = match others.as_slice() {
            &[language] => Some(language),
            _ => None,
        };
        Languages {
            around,
            source,
            target,
            end,
            is_target: false,
        }
    }

    /// True if the post-processor puts the language behind the text, as older files of NLLB do.
    pub fn are_behind(&self) -> bool {
        let mut behind = self.around.after.iter();
        behind.any(|&token| Some(token) == self.source && self.source != self.end)
    }

    /// Replaces the tokens that the post-processor put around a text. `named` is the language that the text itself names.
    ///
    /// # Errors
    /// If the language is not known.
    pub fn replace(&self, ids: &[u32], named: Option<u32>) -> Result<Vec<u32>, ModelError> {
        let target = self.target.filter(|_| self.is_target);
        let language = named.or(target).or(self.source).ok_or_else(|| {
            ModelError::Tokenizer(
                "the post-processor of tokenizer.json writes no token of a language, and no source language is chosen"
                    .to_owned(),
            )
        })?;
        let Around { before, after } = &self.around;
        let text = ids.get(before.len()..ids.len().saturating_sub(after.len()));
        let text = text.unwrap_or_default();
        Ok([&[language], text, self.end.as_slice()].concat())
    }
}

/// Returns the number of a language's token: the piece itself, or with the underscores of M2M-100 around it.
///
/// # Errors
/// If it is not among the added tokens, as languages are.
pub fn language(tokenizer: &Tokenizer, name: &str) -> Result<u32, ModelError> {
    let pieces = [name.to_owned(), format!("__{name}__")];
    let mut found = pieces.iter().filter_map(|piece| tokenizer.id(piece));
    found
        .find(|id| tokenizer.description.added.contains(id))
        .ok_or_else(|| {
            ModelError::Tokenizer(format!(
                "`{name}` is none of its languages, which are among the added_tokens of tokenizer.json"
            ))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const END: u32 = 2;

    fn languages(before: &[u32], after: &[u32]) -> Languages {
        let around = Around {
            before: before.to_vec(),
            after: after.to_vec(),
        };
        Languages::new(around, Some(END), Some(8))
    }

    #[test]
    fn the_language_is_in_front_wherever_the_post_processor_puts_it() {
        for (before, after, read) in [
            (&[7][..], &[END][..], &[7, 50, 51, END][..]),
            (&[], &[END, 7], &[50, 51, END, 7]),
        ] {
            let source = languages(before, after);
            assert_eq!(source.are_behind(), before.is_empty());
            assert_eq!(source.replace(read, None).unwrap(), [7, 50, 51, END]);
            assert_eq!(source.replace(read, Some(9)).unwrap(), [9, 50, 51, END]);
            let target = Languages {
                is_target: true,
                ..source
            };
            assert_eq!(target.replace(read, None).unwrap(), [8, 50, 51, END]);
        }
    }

    #[test]
    fn a_source_without_a_language_is_refused() {
        for before in [&[][..], &[5, 6]] {
            let refused = languages(before, &[END])
                .replace(&[50, END], None)
                .unwrap_err();
            assert!(refused.to_string().contains("no source language"));
        }
    }
}
