//! The `tokenizers` crate.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::de::IgnoredAny;
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
        serde_json::from_slice::<IgnoredAny>(bytes)
            .map_err(|error| ModelError::Tokenizer(error.to_string()))?;
        guarded(|| Tokenizer::from_bytes(bytes)).map(Self)
    }
}

impl Segmenter for HuggingFace {
    fn encode(&self, text: &str) -> Result<Vec<u32>, ModelError> {
        let encoding = guarded(|| self.0.encode_fast(text, true))?;
        Ok(encoding.get_ids().to_vec())
    }

    fn decode(&self, ids: &[u32]) -> Result<String, ModelError> {
        guarded(|| self.0.decode(ids, true))
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

/// The crate panics on some files that are not tokenizers, for one on a decoder whose settings are of another type.
fn guarded<T>(call: impl FnOnce() -> tokenizers::Result<T>) -> Result<T, ModelError> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => result.map_err(|error| ModelError::Tokenizer(error.to_string())),
        Err(_) => Err(ModelError::Tokenizer(
            "the tokenizers library cannot make sense of the file".to_owned(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decoder_of_the_wrong_type_is_refused() {
        let file = br#"{"version":"1.0","added_tokens":[],"normalizer":null,"pre_tokenizer":null,
            "post_processor":null,"decoder":{"1":{}},"model":{"type":"BPE","vocab":{},"merges":[]}}"#;
        for damaged in [file.as_slice(), br#"{"decoder":{1:2}}"#, b"{"] {
            assert!(matches!(
                HuggingFace::from_json(damaged),
                Err(ModelError::Tokenizer(_))
            ));
        }
    }
}
