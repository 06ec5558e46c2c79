//! Reasons why a training run cannot begin.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::task::TaskKind;

/// A number of the settings that has bounds of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Number {
    /// Layers of each stack.
    Layers,
    /// Heads of each layer.
    Heads,
    /// Width of the residual stream, or of recurrent states.
    Width,
    /// The number of different letters.
    Letters,
    /// Letters of the shortest sequence.
    Shortest,
    /// Letters of the longest sequence.
    Longest,
    /// The distance, in places, back to the letter that is to be named.
    Places,
    /// Digits of each summand.
    Digits,
    /// Brackets of the longest sequence.
    Brackets,
    /// Examples of a step.
    Batch,
    /// Steps of the run.
    Steps,
    /// Steps until the learning rate has reached its peak.
    WarmupSteps,
}

impl Number {
    /// The values it may have.
    pub fn range(self) -> RangeInclusive<usize> {
        match self {
            Number::Layers => 1..=6,
            Number::Heads => 1..=8,
            Number::Width => 8..=256,
            Number::Letters => 2..=26,
            Number::Shortest | Number::Longest => 1..=32,
            Number::Places => 1..=16,
            Number::Digits => 1..=4,
            Number::Brackets => 2..=32,
            Number::Batch => 1..=256,
            Number::Steps => 1..=100_000,
            Number::WarmupSteps => 0..=10_000,
        }
    }
}

/// One side of an example that the visitor wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The text that is read.
    Input,
    /// The text that is to be written.
    Output,
}

/// A fault in the settings of a training run.
#[derive(Clone, Debug, PartialEq, Error, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum TrainingFault {
    /// A number out of its range.
    #[error("{number:?} is {value}; it must be between {least} and {most}")]
    Range {
        /// The name of the number.
        number: Number,
        /// The value that was given.
        value: usize,
        /// The least it may be.
        least: usize,
        /// The most it may be.
        most: usize,
    },
    /// A learning rate out of its range, or none.
    #[error("the learning rate must be between {least} and {most}")]
    Rate {
        /// The rate that was given; `None` if it is not a finite number, which JSON cannot represent.
        value: Option<f64>,
        /// The least it may be.
        least: f64,
        /// The most it may be.
        most: f64,
    },
    /// The width cannot be split into the heads.
    #[error("a width of {width} cannot be split into {heads} heads of an even width")]
    Heads {
        /// The width of the model.
        width: usize,
        /// The number of heads.
        heads: usize,
    },
    /// The two directions of an encoder cannot share the width.
    #[error("a width of {width} cannot be split into two directions")]
    Directions {
        /// The width of the model.
        width: usize,
    },
    /// An encoder–decoder of Marian's kind knows sinusoidal positions alone.
    #[error("an encoder–decoder is trained with sinusoidal positions alone")]
    Positions,
    /// A task that only a decoder-only model learns, since it has no input apart from its output.
    #[error("only a decoder-only model learns the task {task:?}")]
    DecoderOnly {
        /// The kind of the task.
        task: TaskKind,
    },
    /// The shortest sequence is longer than the longest.
    #[error("the shortest sequence has {shortest} letters, the longest {longest}")]
    Lengths {
        /// Letters of the shortest.
        shortest: usize,
        /// Letters of the longest.
        longest: usize,
    },
    /// Sequences of different letters are longer than the alphabet, or too short to repeat a step.
    #[error("sequences of different letters have from 2 to {letters} of them")]
    Different {
        /// Letters of the alphabet.
        letters: usize,
    },
    /// The shortest sequence has no letter so many places back.
    #[error("a sequence of {shortest} letters has none {places} places back")]
    TooFarBack {
        /// The number of places back.
        places: usize,
        /// Letters of the shortest sequence.
        shortest: usize,
    },
    /// There is nothing to learn from.
    #[error("there are no examples")]
    NoExamples,
    /// Too many examples of the visitor's own.
    #[error("there are {count} examples; {most} are the most")]
    TooManyExamples {
        /// The number of examples.
        count: usize,
        /// The most examples allowed.
        most: usize,
    },
    /// An example of the visitor's own with nothing on one side.
    #[error("example {example} lacks its {side:?}")]
    EmptySide {
        /// The example's number, from 1.
        example: usize,
        /// The side that is empty.
        side: Side,
    },
    /// An example of the visitor's own that is too long.
    #[error("example {example} has {characters} characters; {most} are the most")]
    TooLong {
        /// The example's number, from 1.
        example: usize,
        /// The number of characters, both sides together.
        characters: usize,
        /// The most characters allowed.
        most: usize,
    },
    /// More different characters than the vocabulary takes.
    #[error("there are {count} different characters; {most} are the most")]
    TooManyCharacters {
        /// The number of different characters.
        count: usize,
        /// The most characters allowed.
        most: usize,
    },
}

/// A reason why a task has no answer to an input.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum ExampleFault {
    /// The input is empty.
    #[error("the input is empty")]
    Empty,
    /// A character that the task does not have.
    #[error("the task has no `{character}`")]
    Character {
        /// The character that is not allowed.
        character: char,
    },
    /// More characters than the model reads.
    #[error("the input has {characters} characters; {most} are the most")]
    TooLong {
        /// The number of characters.
        characters: usize,
        /// The most characters allowed.
        most: usize,
    },
    /// Not two numbers with a plus sign between them.
    #[error("the input is no sum of two numbers")]
    NoSum,
    /// The brackets close one that is not open, or leave none open.
    #[error("the brackets leave nothing to close")]
    NothingOpen,
    /// The words are no number, or not spelled as it is in the task.
    #[error("the input is no number in words")]
    NoNumeral,
    /// None of the visitor's pairs begins so.
    #[error("none of the pairs has this input")]
    UnknownInput,
}
