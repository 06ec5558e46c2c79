//! The roles of every head of a model, measured sentence by sentence and on repeated random tokens.

mod entries;
mod heads;
mod induction;
mod strongest;
mod sums;

use attention_trace::{
    Quantities, Quantity, Search, Trace,
    roles::{RoleSentence, RoleSet, RolesProgress, RolesQuestion, SkipReason, SkippedSentence},
};
use burn::prelude::*;

use self::induction::Repeats;
use crate::checkpoint::Checkpoint;
use crate::decoding::Sequence;
use crate::error::ModelError;
use crate::inference::RunOptions;

#[cfg(feature = "cli")]
pub(crate) use self::heads::MeasuredHead;
pub use self::sums::RoleSums;

/// The number of tokens by which what a model writes may exceed its source.
const EXTRA_TOKENS: usize = 40;

/// A measurement of the roles of a model's heads, one sentence at a time.
pub struct RoleMeasurement {
    question: RolesQuestion,
    sums: RoleSums,
    skipped: Vec<SkippedSentence>,
    /// The number of sentences that were read or skipped.
    handled: usize,
    induction: Option<Repeats>,
}

impl RoleMeasurement {
    /// Begins the measurement; nothing has been read.
    ///
    /// # Errors
    /// If the model has no attention over tokens, or its tokenizer fails.
    pub fn new(checkpoint: &Checkpoint, question: RolesQuestion) -> Result<Self, ModelError> {
        let spec = checkpoint.spec();
        Ok(RoleMeasurement {
            sums: RoleSums::new(&spec)?,
            skipped: vec![],
            handled: 0,
            induction: Repeats::of(checkpoint, question.seed)?,
            question,
        })
    }

    /// Returns true if the measurement answers this question.
    pub fn answers(&self, question: &RolesQuestion) -> bool {
        self.question == *question
    }

    /// Returns the progress of the measurement.
    pub fn progress(&self) -> RolesProgress {
        let sequences = |count: fn(&Repeats) -> usize| self.induction.as_ref().map_or(0, count);
        RolesProgress {
            sentences: self.handled,
            sequences: sequences(Repeats::read),
            of_sequences: sequences(|_| Repeats::SEQUENCES),
            skipped: self.skipped.clone(),
        }
    }

    /// Returns true if everything has been read.
    pub fn is_finished(&self) -> bool {
        let RolesProgress {
            sequences,
            of_sequences,
            ..
        } = self.progress();
        self.handled == self.question.sentences.len() && sequences == of_sequences
    }

    /// Reads the next sentence or, after the last one, the next random sequence. Skips a sentence that the model cannot
    /// read.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn step(
        &mut self,
        checkpoint: &Checkpoint,
        device: &Device,
    ) -> Result<(), ModelError> {
        let Some(sentence) = self.question.sentences.get(self.handled) else {
            if let Some(repeats) = self.induction.as_mut().filter(|it| !it.is_finished()) {
                repeats.step(checkpoint, &mut self.sums, device).await?;
            }
            return Ok(());
        };
        let forced = self.question.forced.as_slice();
        let read = self.sums.read(checkpoint, (sentence, forced), device);
        self.skipped.extend(read.await?);
        self.handled += 1;
        Ok(())
    }

    /// Returns the roles of all heads on what was read so far. The digests of the weights and of the file are the
    /// caller's to add, as are pairs that a person aligned.
    pub fn set(&self) -> RoleSet {
        self.sums.set()
    }
}

impl RoleSums {
    /// Has the heads read a sentence and, if they begin a target, the `forced` tokens first. Returns the sentence if the
    /// model cannot read it.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn read(
        &mut self,
        checkpoint: &Checkpoint,
        (sentence, forced): (&RoleSentence, &[u32]),
        device: &Device,
    ) -> Result<Option<SkippedSentence>, ModelError> {
        match read(checkpoint, sentence, forced, device).await {
            Ok(trace) => {
                self.add(sentence.line, &sentence.text, &trace);
                Ok(None)
            }
            Err(error) => Ok(Some(SkippedSentence {
                line: sentence.line,
                reason: skip_reason(error)?,
            })),
        }
    }

    /// Has the heads read the random sequences that induction is measured on, if the model reads the text that it
    /// continues.
    ///
    /// # Errors
    /// If the tokenizer or the device fails.
    #[cfg(feature = "cli")]
    pub(crate) async fn read_repeats(
        &mut self,
        checkpoint: &Checkpoint,
        seed: u64,
        device: &Device,
    ) -> Result<(), ModelError> {
        let Some(mut repeats) = Repeats::of(checkpoint, seed)? else {
            return Ok(());
        };
        while !repeats.is_finished() {
            repeats.step(checkpoint, self, device).await?;
        }
        Ok(())
    }

    #[cfg(feature = "cli")]
    pub(crate) fn heads_mut(&mut self) -> &mut [MeasuredHead] {
        self.heads.all_mut()
    }
}

/// Returns the reason why a sentence is skipped.
///
/// # Errors
/// If the error is not about the sentence.
fn skip_reason(error: ModelError) -> Result<SkipReason, ModelError> {
    match error {
        ModelError::InputTooLong { tokens, limit } => Ok(SkipReason::TooLong { tokens, limit }),
        ModelError::Device(_)
        | ModelError::Read(_)
        | ModelError::Unread
        | ModelError::Cancelled => Err(error),
        refused => Ok(SkipReason::Refused(refused.to_string())),
    }
}

/// Makes one pass over a sentence that records all weights.
async fn read(
    checkpoint: &Checkpoint,
    sentence: &RoleSentence,
    forced: &[u32],
    device: &Device,
) -> Result<Trace, ModelError> {
    let RoleSentence { text, target, .. } = sentence;
    let spec = checkpoint.spec();
    let mut run = RunOptions {
        search: Search::Greedy,
        prefix: vec![],
        max_new_tokens: 0,
        quantities: Quantities::of(&[Quantity::Pattern]),
        edits: vec![],
    };
    let sequences = match target {
        Some(target) => {
            let target = checkpoint.encode_target(target)?.tokens;
            let target = checkpoint.checked(target, spec.vocabulary)?;
            vec![Sequence {
                tokens: target.iter().map(|token| token.id).collect(),
                log_probability: 0.0,
                score: 0.0,
            }]
        }
        None if spec.encoder.is_some() && spec.decoder.is_some() => {
            run.prefix = forced.to_vec();
            run.max_new_tokens = checkpoint.encode_input(text)?.len() + EXTRA_TOKENS;
            checkpoint
                .decode(text, &run, device, async |_| true)
                .await?
        }
        None => vec![],
    };
    checkpoint.trace(text, &sequences, &run, device).await
}
