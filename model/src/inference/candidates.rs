//! The tokens that a model considers: at each decoding step, and for each masked word.

use attention_trace::{Candidate, Generates, Guess, Step, Token};

use crate::checkpoint::Checkpoint;
use crate::decoding::{log_softmax, top};

/// The number of candidates reported at each decoding step, and for each masked word.
const CANDIDATES: usize = 10;

impl Checkpoint {
    /// Creates the record of a decoding step from the row of logits that `chosen` was taken from.
    pub(super) fn step(&self, row: usize, logits: &[f32], chosen: u32, forced: bool) -> Step {
        let log_probabilities = log_softmax(logits);
        Step {
            row,
            chosen: self.candidate(logits, &log_probabilities, chosen),
            forced,
            candidates: self.candidates(logits, &log_probabilities),
        }
    }

    /// Returns the classes of a picture, which the class token stands for, from the only row of logits.
    fn classes(&self, logits: &[&[f32]]) -> Vec<Guess> {
        let (Some(model), Some(row)) = (self.model.pictures(), logits.first()) else {
            return vec![];
        };
        let log_probabilities = log_softmax(row);
        let best = top(row, CANDIDATES).into_iter();
        let candidates = best.map(|(class, _)| Candidate {
            token: Token {
                id: class,
                text: model.label(class),
                unknown: false,
            },
            logit: row[class as usize],
            log_probability: log_probabilities[class as usize],
        });
        vec![Guess {
            place: 0,
            candidates: candidates.collect(),
        }]
    }

    /// Returns the model's guesses for the masked words of the source, from the row of logits at each of them, or the
    /// classes of a picture.
    pub(super) fn guesses(&self, source: &[Token], logits: &[&[f32]]) -> Vec<Guess> {
        let mask = match self.spec().generates {
            Generates::MaskedWords => self.tokenizer.mask().map(|mask| mask.id),
            Generates::Labels => return self.classes(logits),
            Generates::TextFromText | Generates::Continuation | Generates::Nothing => None,
        };
        let rows = source.iter().zip(logits).enumerate();
        let masked = rows.filter(|(_, (token, _))| Some(token.id) == mask);
        masked
            .map(|(place, (_, row))| Guess {
                place,
                candidates: self.candidates(row, &log_softmax(row)),
            })
            .collect()
    }

    /// Returns the most probable tokens, best first.
    pub(super) fn candidates(&self, logits: &[f32], log_probabilities: &[f32]) -> Vec<Candidate> {
        let best = top(logits, CANDIDATES).into_iter();
        best.map(|(token, _)| self.candidate(logits, log_probabilities, token))
            .collect()
    }

    fn candidate(&self, logits: &[f32], log_probabilities: &[f32], token: u32) -> Candidate {
        Candidate {
            token: self.tokenizer.token(token),
            logit: logits[token as usize],
            log_probability: log_probabilities[token as usize],
        }
    }
}
