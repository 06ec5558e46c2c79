//! Comparisons to begin with: two runs that differ in one setting.

use attention_core::state::{AddressValue, flat};
use attention_trace::{
    RecurrentAttention,
    positions::PositionalEncoding,
    training::{Architecture, Sequences, Task, TrainingSettings},
};
use serde::{Deserialize, Serialize};

/// A comparison of two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lesson {
    /// One head against four heads that are as wide together.
    Heads,
    /// No positions against RoPE.
    Positions,
    /// A learning rate that is too high, and one that is not.
    Rate,
    /// An encoder and a decoder, and a decoder alone.
    Stacks,
    /// A decoder alone without QK-norm and with it, at a rate that is high for the first one.
    HeadNorm,
    /// A recurrent encoder–decoder with Bahdanau's attention, and a Transformer of about as many parameters.
    Recurrence,
}

impl Lesson {
    /// All comparisons, in the order of the page.
    pub const ALL: [Lesson; 6] = [
        Lesson::Heads,
        Lesson::Positions,
        Lesson::Rate,
        Lesson::HeadNorm,
        Lesson::Stacks,
        Lesson::Recurrence,
    ];

    /// The settings of its two runs.
    pub fn settings(self) -> [TrainingSettings; 2] {
        let copy = TrainingSettings::default();
        let changed = |change: fn(&mut TrainingSettings)| {
            let mut settings = copy.clone();
            change(&mut settings);
            settings
        };
        match self {
            Lesson::Heads => [
                changed(|settings| (settings.task, settings.shape.heads) = (addition(), 1)),
                changed(|settings| settings.task = addition()),
            ],
            Lesson::Positions => [
                changed(|settings| settings.shape.positions = PositionalEncoding::None),
                copy,
            ],
            Lesson::Rate => [
                changed(|settings| settings.optimizer.schedule.peak *= 40.0),
                copy,
            ],
            Lesson::HeadNorm => [
                changed(|settings| settings.optimizer.schedule.peak = HEAD_NORM_RATE),
                changed(|settings| {
                    settings.optimizer.schedule.peak = HEAD_NORM_RATE;
                    settings.shape.head_norm = true;
                }),
            ],
            Lesson::Stacks => [
                changed(|settings| {
                    settings.task = reverse();
                    settings.shape.architecture = Architecture::EncoderDecoder;
                    settings.shape.positions = PositionalEncoding::Sinusoidal;
                }),
                changed(|settings| {
                    settings.task = reverse();
                    settings.shape.positions = PositionalEncoding::Sinusoidal;
                }),
            ],
            Lesson::Recurrence => [
                changed(|settings| {
                    settings.task = reverse();
                    settings.shape.architecture =
                        Architecture::Recurrent(RecurrentAttention::Bahdanau);
                    // As many parameters as two layers on each side have at a width of 32.
                    settings.shape.width = 48;
                }),
                changed(|settings| {
                    settings.task = reverse();
                    settings.shape.architecture = Architecture::EncoderDecoder;
                    settings.shape.positions = PositionalEncoding::Sinusoidal;
                }),
            ],
        }
    }
}

/// The learning rate of both runs that differ by QK-norm.
const HEAD_NORM_RATE: f64 = 0.05;

/// A task in which the answer depends on several places at once.
fn addition() -> Task {
    Task::Addition { digits: 1 }
}

fn reverse() -> Task {
    Task::Reverse {
        sequences: Sequences::default(),
    }
}

impl AddressValue for Lesson {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_runs_of_a_lesson_can_begin_and_learn_the_same() {
        for lesson in Lesson::ALL {
            let [one, other] = lesson.settings();
            assert_eq!((one.check(), other.check()), (Ok(()), Ok(())), "{lesson:?}");
            assert_eq!(one.task, other.task);
            assert_ne!(one, other);
        }
    }

    #[test]
    fn a_recurrent_model_meets_a_transformer_of_about_as_many_parameters() {
        let [one, other] = Lesson::Recurrence.settings().map(|settings| {
            let vocabulary = settings.vocabulary().unwrap().len();
            settings.config(vocabulary).parameters() as f64
        });
        assert!((one / other - 1.0).abs() < 0.02, "{one} {other}");
    }
}
