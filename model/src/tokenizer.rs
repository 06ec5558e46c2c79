//! Text to tokens and back, by a Hugging Face `tokenizer.json`.

use attention_trace::Token;
use tokenizers::Tokenizer as HfTokenizer;

use crate::error::ModelError;

/// A trained tokenizer.
#[derive(Clone, Debug)]
pub struct Tokenizer {
    inner: HfTokenizer,
    unknown: Option<u32>,
}

impl Tokenizer {
    /// Reads a `tokenizer.json`.
    ///
    /// # Errors
    /// If the bytes are not one.
    pub fn from_json(bytes: &[u8]) -> Result<Self, ModelError> {
        let inner = HfTokenizer::from_bytes(bytes)
            .map_err(|error| ModelError::Tokenizer(error.to_string()))?;
        let unknown = inner.token_to_id("<unk>");
        Ok(Tokenizer { inner, unknown })
    }

    /// Cuts `text` into tokens, special tokens added as the tokenizer's post-processor says.
    ///
    /// # Errors
    /// If nothing is left of `text` once it is trimmed, or the tokenizer refuses it.
    pub fn encode(&self, text: &str) -> Result<Vec<Token>, ModelError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(ModelError::EmptyInput);
        }
        let encoding = self
            .inner
            .encode_char_offsets(text, true)
            .map_err(|error| ModelError::Tokenizer(error.to_string()))?;
        let characters: Vec<char> = text.chars().collect();
        let tokens = encoding
            .get_ids()
            .iter()
            .zip(encoding.get_tokens())
            .zip(encoding.get_offsets());
        Ok(tokens
            .map(|((&id, piece), &(start, end))| {
                let unknown = Some(id) == self.unknown;
                // An unknown token shows the characters it stands for.
                let text = match characters.get(start..end) {
                    Some(characters) if unknown => characters.iter().collect(),
                    _ => piece.clone(),
                };
                Token { id, text, unknown }
            })
            .collect())
    }

    /// The token numbered `id`; `None` outside the vocabulary.
    pub fn token(&self, id: u32) -> Option<Token> {
        let text = self.inner.id_to_token(id)?;
        Some(Token {
            id,
            text,
            unknown: Some(id) == self.unknown,
        })
    }

    /// The number of the token written `piece`; `None` where there is none.
    pub fn id(&self, piece: &str) -> Option<u32> {
        self.inner.token_to_id(piece)
    }

    /// The text of `ids`, special tokens left out.
    ///
    /// # Errors
    /// If the tokenizer refuses the ids.
    pub fn decode(&self, ids: &[u32]) -> Result<String, ModelError> {
        self.inner
            .decode(ids, true)
            .map_err(|error| ModelError::Tokenizer(error.to_string()))
    }

    /// Size of the vocabulary, special tokens included.
    pub fn vocabulary(&self) -> usize {
        self.inner.get_vocab_size(true)
    }
}
