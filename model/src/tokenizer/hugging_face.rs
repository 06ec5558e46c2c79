//! The `tokenizers` crate.

use tokenizers::Tokenizer;

use super::Segmenter;
use crate::error::ModelError;

/// A `tokenizer.json` as the crate reads it.
#[derive(Debug)]
pub struct HuggingFace(Tokenizer);

impl HuggingFace {
    /// Reads a `tokenizer.json`.
    ///
    /// # Errors
    /// If the bytes are not one.
    pub fn from_json(bytes: &[u8]) -> Result<Self, ModelError> {
        Tokenizer::from_bytes(bytes).map(Self).map_err(refused)
    }
}

impl Segmenter for HuggingFace {
    fn encode(&self, text: &str) -> Result<Vec<u32>, ModelError> {
        let encoding = self.0.encode_fast(text, true).map_err(refused)?;
        Ok(encoding.get_ids().to_vec())
    }

    fn decode(&self, ids: &[u32]) -> Result<String, ModelError> {
        self.0.decode(ids, true).map_err(refused)
    }

    fn piece(&self, id: u32) -> Option<String> {
        self.0.id_to_token(id)
    }

    fn id(&self, piece: &str) -> Option<u32> {
        self.0.token_to_id(piece)
    }

    fn vocabulary(&self) -> usize {
        self.0.get_vocab_size(true)
    }
}

fn refused(error: tokenizers::Error) -> ModelError {
    ModelError::Tokenizer(error.to_string())
}
