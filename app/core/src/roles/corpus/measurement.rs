//! A measurement in turns: its next question, its progress and the time that is left.

use attention_protocol::{Failure, RolesTurn};
use attention_trace::roles::{RolesProgress, RolesQuestion, SkipReason};

use super::text::Origin;
use crate::{engine::Question, state::Model};

/// The stage of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub enum Stage {
    /// The worker reads sentences.
    Reading,
    /// The visitor has stopped it; the roles on what was read are on their way.
    Stopping,
    /// It stopped before everything was read.
    Stopped,
    /// All sentences were read.
    Finished,
    /// The worker failed, for this reason.
    Failed(Failure),
}

/// A measurement of the roles of a model's heads.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// The model that reads.
    pub model: Model,
    /// The origin of the sentences.
    pub origin: Origin,
    pub question: RolesQuestion,
    pub progress: RolesProgress,
    pub stage: Stage,
    turn: usize,
    /// True if the next answer brings the roles.
    returns: bool,
    /// The number of passes at which the roles are asked for again: twice those of the last time, since a set of many
    /// heads is large.
    next_return: usize,
    /// The time that all passes took so far.
    spent_ms: f64,
}

impl Measurement {
    /// Begins a measurement of a model's heads.
    pub fn new(model: Model, origin: Origin, question: RolesQuestion) -> Self {
        Measurement {
            model,
            origin,
            question,
            progress: RolesProgress::default(),
            stage: Stage::Reading,
            turn: 0,
            returns: true,
            next_return: 0,
            spent_ms: 0.0,
        }
    }

    /// Returns the question that the worker is to answer next; `None` if the measurement rests.
    pub fn asked(&self) -> Option<Question> {
        let reads = match self.stage {
            Stage::Reading => true,
            Stage::Stopping => false,
            Stage::Stopped | Stage::Finished | Stage::Failed(_) => return None,
        };
        let turn = RolesTurn {
            question: self.question.clone(),
            turn: self.turn,
            reads,
            returns: self.returns,
        };
        Some(Question::Roles(self.model, turn))
    }

    /// Takes the progress of a turn that took so long.
    pub fn take(&mut self, progress: RolesProgress, spent_ms: f64) {
        self.progress = progress;
        self.spent_ms += spent_ms;
        self.turn += 1;
        self.returns = self.passes() >= self.next_return;
        if self.returns {
            self.next_return = 2 * self.passes();
        }
        self.stage = match self.stage {
            Stage::Stopping => Stage::Stopped,
            _ if self.passes() == self.all_passes() => Stage::Finished,
            _ => Stage::Reading,
        };
    }

    /// Takes the failure of a turn.
    pub fn fail(&mut self, failure: Failure) {
        self.turn += 1;
        self.stage = Stage::Failed(failure);
    }

    /// Stops the reading, and asks for the roles on what was read.
    pub fn stop(&mut self) {
        if self.stage == Stage::Reading {
            self.turn += 1;
            self.returns = true;
            self.stage = Stage::Stopping;
        }
    }

    /// Goes on with the reading after a stop or a failure.
    pub fn go_on(&mut self) {
        if matches!(self.stage, Stage::Stopped | Stage::Failed(_)) {
            self.turn += 1;
            self.stage = Stage::Reading;
        }
    }

    /// Returns true while the worker is asked.
    pub fn is_busy(&self) -> bool {
        matches!(self.stage, Stage::Reading | Stage::Stopping)
    }

    /// Returns the seconds that the rest takes if each pass takes as long as those before; `None` before the first.
    pub fn seconds_left(&self) -> Option<u64> {
        let passes = self.passes();
        let rest = self.all_passes().saturating_sub(passes);
        let each_s = self.spent_ms / 1000.0 / passes as f64;
        (passes > 0).then(|| (each_s * rest as f64).ceil() as u64)
    }

    /// Returns the share that was read, from 0 to 1.
    pub fn share(&self) -> f64 {
        self.passes() as f64 / self.all_passes().max(1) as f64
    }

    /// Returns the lines that were too long for the model, and those that it refused, with the reason for the first.
    pub fn skipped(&self) -> (Vec<usize>, Vec<usize>, Option<String>) {
        let (mut long, mut refused, mut reason) = (vec![], vec![], None);
        for sentence in &self.progress.skipped {
            match &sentence.reason {
                SkipReason::TooLong { .. } => long.push(sentence.line),
                SkipReason::Refused(why) => {
                    refused.push(sentence.line);
                    reason.get_or_insert_with(|| why.clone());
                }
            }
        }
        (long, refused, reason)
    }

    fn passes(&self) -> usize {
        self.progress.sentences + self.progress.sequences
    }

    fn all_passes(&self) -> usize {
        self.question.sentences.len() + self.progress.of_sequences
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::roles::RoleSentence;

    use super::*;

    fn measurement(sentences: usize) -> Measurement {
        let sentence = |line| RoleSentence {
            line,
            text: "a".to_owned(),
            target: None,
        };
        let question = RolesQuestion {
            sentences: (1..=sentences).map(sentence).collect(),
            forced: vec![],
            seed: 16,
        };
        Measurement::new(Model::default(), Origin::Pasted, question)
    }

    fn read(sentences: usize, sequences: usize) -> RolesProgress {
        RolesProgress {
            sentences,
            sequences,
            of_sequences: 2,
            skipped: vec![],
        }
    }

    fn turn(measurement: &Measurement) -> RolesTurn {
        match measurement.asked() {
            Some(Question::Roles(_, turn)) => turn,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn no_two_turns_are_equal_and_the_roles_are_asked_for_ever_more_rarely() {
        let mut measured = measurement(8);
        let mut returned = vec![];
        let first = turn(&measured);
        assert!(first.returns && first.reads);
        for sentences in 1..=8 {
            measured.take(read(sentences, 0), 100.0);
            let next = turn(&measured);
            assert_ne!(next, first);
            returned.extend(next.returns.then_some(sentences));
        }
        assert_eq!(returned, [1, 2, 4, 8]);
        measured.take(read(8, 2), 100.0);
        assert_eq!(
            (measured.stage.clone(), measured.asked()),
            (Stage::Finished, None)
        );
    }

    #[test]
    fn the_time_that_is_left_is_that_of_the_passes_before() {
        let mut measured = measurement(8);
        assert_eq!(measured.seconds_left(), None);
        measured.take(read(5, 0), 10_000.0);
        assert_eq!(measured.seconds_left(), Some(10));
        assert!((measured.share() - 0.5).abs() < 1e-9);
    }

    #[test]
    fn a_stop_asks_for_the_roles_so_far_and_the_reading_goes_on() {
        let mut measured = measurement(8);
        measured.take(read(3, 0), 100.0);
        measured.stop();
        let last = turn(&measured);
        assert!(last.returns && !last.reads);
        measured.take(read(3, 0), 1.0);
        assert_eq!(measured.stage, Stage::Stopped);
        assert_eq!(measured.asked(), None);
        measured.go_on();
        assert!(turn(&measured).reads);
        measured.fail(Failure::NotReady);
        assert!(!measured.is_busy());
        measured.go_on();
        assert!(measured.is_busy());
    }
}
