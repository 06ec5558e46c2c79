//! Reading a given target (teacher forcing): the model's probability of each of its tokens.

use attention_trace::{Candidate, Edit, ForcedToken, Token, text::is_blank};
use burn::prelude::*;

use super::{all_but_last, ids, no_logits, read_logits};
use crate::checkpoint::Checkpoint;
use crate::decoding::{log_softmax, top};
use crate::error::ModelError;
use crate::tap::Tap;

/// A target as a person wrote it, cut into tokens.
#[derive(Clone, Debug)]
pub struct Target {
    /// The token that the tokenizer puts in front of every text, if the model continues a text.
    pub start: Option<Token>,
    /// The tokens of the text. A translator's tokenizer ends them with the end of the sentence.
    pub tokens: Vec<Token>,
}

impl Checkpoint {
    /// Cuts a target into tokens.
    ///
    /// # Errors
    /// If it is empty, or the tokenizer refuses it.
    pub fn encode_target(&self, target: &str) -> Result<Target, ModelError> {
        let mut tokens = self.tokenizer.target().encode(target)?;
        let is_continued = self.control().start.is_none();
        let start = match is_continued && self.tokenizer.decode(&[tokens[0].id])?.is_empty() {
            true => Some(tokens.remove(0)),
            false => None,
        };
        Ok(Target { start, tokens })
    }

    /// Computes the model's probability of each token of `target`, and of its end, after `text`, in one pass with these
    /// edits: every token is predicted from the given ones before it, whatever the model itself would have written
    /// there. The text may be empty for a model that continues a text.
    ///
    /// # Errors
    /// If the target is empty or too long, or the model writes none; else as [`trace`](Checkpoint::trace).
    pub async fn force(
        &self,
        text: &str,
        target: &str,
        edits: &[Edit],
        device: &Device,
    ) -> Result<Vec<ForcedToken>, ModelError> {
        let Target { start, mut tokens } = self.encode_target(target)?;
        if self.spec().decoder.is_none() {
            return Err(writes_nothing());
        }
        self.end(&mut tokens);
        let input = match start {
            Some(start) if is_blank(text) => vec![start],
            _ => self.encode_input(text)?,
        };
        let target = ids(&tokens);
        self.check_tokens(&target)?;
        let edits = self.prepared(edits, device).await?;
        let (sides, edits) = self.read_with(self.sides(input, all_but_last(&target))?, edits)?;
        let mut tap = Tap::quiet().with_edits(&edits);
        let logits = self
            .forward(&sides, device, &mut tap)?
            .ok_or_else(no_logits)?;
        let logits = read_logits(logits).await?;
        // Of a prompt, the last row alone predicts a token of the target.
        let first = logits.len().saturating_sub(tokens.len());
        let rows = logits[first..].iter();
        Ok(rows
            .zip(tokens)
            .map(|(row, token)| self.forced_token(row, token))
            .collect())
    }

    /// Appends the model's usual end token, if it has one and the text does not end yet.
    pub(crate) fn end(&self, tokens: &mut Vec<Token>) {
        let control = self.control();
        let is_ended = tokens
            .last()
            .is_some_and(|last| control.rules.is_end(last.id));
        if let Some(end) = control.end().filter(|_| !is_ended) {
            tokens.push(self.tokenizer.token(end));
        }
    }

    fn forced_token(&self, logits: &[f32], given: Token) -> ForcedToken {
        let log_probabilities = log_softmax(logits);
        let candidate = |token: Token| Candidate {
            logit: logits[token.id as usize],
            log_probability: log_probabilities[token.id as usize],
            token,
        };
        let own = logits[given.id as usize];
        let best = top(logits, 1).first().map_or(given.id, |&(id, _)| id);
        ForcedToken {
            rank: 1 + logits.iter().filter(|&&logit| logit > own).count(),
            best: candidate(self.tokenizer.token(best)),
            given: candidate(given),
        }
    }
}

/// The error for a model without a decoder.
pub(crate) fn writes_nothing() -> ModelError {
    ModelError::Unsupported("a model that writes no text cannot be given one to score".into())
}
