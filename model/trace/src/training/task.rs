//! Tasks that a model learns, each with a rule that derives the output from the input.

use serde::{Deserialize, Serialize};

use super::fault::{ExampleFault, Number, Side, TrainingFault};
use super::numerals::digits as digits_of;
use super::rules::{closing, in_alphabet, sum};
use super::settings::check;

/// The separator of input and output if one model reads both.
pub const SEPARATOR: char = '=';

/// The most examples of the visitor's own.
const MOST_EXAMPLES: usize = 500;

/// The most characters of an example of the visitor's own.
const MOST_CHARACTERS: usize = 80;

/// An input to read and the output to write.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Example {
    /// The text that is read; empty if a line is learned by itself.
    pub input: String,
    /// The text that is to be written; empty if each place of the input names an earlier one.
    pub output: String,
}

/// Random sequences of letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sequences {
    /// Different letters, the first ones of the alphabet.
    pub letters: usize,
    /// Letters of the shortest sequence.
    pub shortest: usize,
    /// Letters of the longest sequence.
    pub longest: usize,
}

impl Default for Sequences {
    fn default() -> Self {
        Sequences {
            letters: 8,
            shortest: 3,
            longest: 8,
        }
    }
}

impl Sequences {
    /// Returns the letters of the alphabet.
    pub fn alphabet(self) -> impl Iterator<Item = char> {
        ('a'..='z').take(self.letters)
    }

    /// Checks sequences in which no letter occurs twice, and at least two do once.
    fn check_different(self) -> Result<(), TrainingFault> {
        self.check()?;
        match (2..=self.letters).contains(&self.longest) && self.shortest > 1 {
            true => Ok(()),
            false => Err(TrainingFault::Different {
                letters: self.letters,
            }),
        }
    }

    fn check(self) -> Result<(), TrainingFault> {
        check(Number::Letters, self.letters)?;
        check(Number::Shortest, self.shortest)?;
        check(Number::Longest, self.longest)?;
        if self.shortest > self.longest {
            return Err(TrainingFault::Lengths {
                shortest: self.shortest,
                longest: self.longest,
            });
        }
        Ok(())
    }
}

/// A task that a model learns.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Task {
    /// At every place, the letter a fixed number of places before is named.
    Back {
        /// The number of places back.
        places: usize,
        /// The sequences that are read.
        sequences: Sequences,
    },
    /// Different letters are read twice, and those of the second time are predicted from the second one on: a letter
    /// before it says which one follows.
    Repeat {
        /// The sequences that are repeated.
        sequences: Sequences,
    },
    /// The letters are written again.
    Copy {
        /// The sequences that are read.
        sequences: Sequences,
    },
    /// The letters from last to first.
    Reverse {
        /// The sequences that are read.
        sequences: Sequences,
    },
    /// The letters in the order of the alphabet.
    Sort {
        /// The sequences that are read.
        sequences: Sequences,
    },
    /// The sum of two numbers: `37+85` is `122`.
    Addition {
        /// Digits of the longest number.of each.
        digits: usize,
    },
    /// The brackets that close all open ones: `([]{` is closed by `})`.
    Brackets {
        /// The most brackets that are read.
        longest: usize,
    },
    /// A number in words is summed up in digits: `forty-two` is `42`.
    Numerals {
        /// Digits of the longest number.
        digits: usize,
    },
    /// Lines of the visitor's own, learned character by character.
    Lines {
        /// The lines of the visitor.
        text: String,
    },
    /// Pairs of the visitor's own, one a line: the input, a tab or `=`, the output.
    Pairs {
        /// The lines of the visitor.
        text: String,
    },
}

/// The kind of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskKind {
    /// The kind of [`Task::Back`].
    Back,
    /// The kind of [`Task::Repeat`].
    Repeat,
    /// The kind of [`Task::Copy`].
    Copy,
    /// The kind of [`Task::Reverse`].
    Reverse,
    /// The kind of [`Task::Sort`].
    Sort,
    /// The kind of [`Task::Addition`].
    Addition,
    /// The kind of [`Task::Brackets`].
    Brackets,
    /// The kind of [`Task::Numerals`].
    Numerals,
    /// The kind of [`Task::Lines`].
    Lines,
    /// The kind of [`Task::Pairs`].
    Pairs,
}

impl TaskKind {
    /// All of them, in the order in which they are offered.
    pub const ALL: [TaskKind; 10] = [
        TaskKind::Back,
        TaskKind::Repeat,
        TaskKind::Copy,
        TaskKind::Reverse,
        TaskKind::Sort,
        TaskKind::Addition,
        TaskKind::Brackets,
        TaskKind::Numerals,
        TaskKind::Lines,
        TaskKind::Pairs,
    ];
}

impl Task {
    /// The brackets that open, each with the one that closes it.
    pub const BRACKETS: [(char, char); 3] = [('(', ')'), ('[', ']'), ('{', '}')];

    /// Returns the kind of the task.
    pub fn kind(&self) -> TaskKind {
        match self {
            Task::Back { .. } => TaskKind::Back,
            Task::Repeat { .. } => TaskKind::Repeat,
            Task::Copy { .. } => TaskKind::Copy,
            Task::Reverse { .. } => TaskKind::Reverse,
            Task::Sort { .. } => TaskKind::Sort,
            Task::Addition { .. } => TaskKind::Addition,
            Task::Brackets { .. } => TaskKind::Brackets,
            Task::Numerals { .. } => TaskKind::Numerals,
            Task::Lines { .. } => TaskKind::Lines,
            Task::Pairs { .. } => TaskKind::Pairs,
        }
    }

    /// True if the task has an input apart from its output, which an encoder could read.
    pub fn has_output(&self) -> bool {
        !matches!(
            self,
            Task::Back { .. } | Task::Repeat { .. } | Task::Lines { .. }
        )
    }

    /// Checks that a model of the task can be trained.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), TrainingFault> {
        match self {
            Task::Back { places, sequences } => {
                check(Number::Places, *places)?;
                sequences.check()?;
                match *places < sequences.shortest {
                    true => Ok(()),
                    false => Err(TrainingFault::TooFarBack {
                        places: *places,
                        shortest: sequences.shortest,
                    }),
                }
            }
            Task::Repeat { sequences } => sequences.check_different(),
            Task::Copy { sequences } | Task::Reverse { sequences } | Task::Sort { sequences } => {
                sequences.check()
            }
            Task::Addition { digits } | Task::Numerals { digits } => check(Number::Digits, *digits),
            Task::Brackets { longest } => check(Number::Brackets, *longest),
            Task::Lines { .. } | Task::Pairs { .. } => self.check_own(),
        }
    }

    fn check_own(&self) -> Result<(), TrainingFault> {
        let examples = self.own();
        let count = examples.len();
        if count == 0 {
            return Err(TrainingFault::NoExamples);
        }
        if count > MOST_EXAMPLES {
            let most = MOST_EXAMPLES;
            return Err(TrainingFault::TooManyExamples { count, most });
        }
        for (index, example) in examples.iter().enumerate() {
            let number = index + 1;
            let empty = |side| TrainingFault::EmptySide {
                example: number,
                side,
            };
            if self.has_output() && example.input.is_empty() {
                return Err(empty(Side::Input));
            }
            if example.output.is_empty() {
                return Err(empty(Side::Output));
            }
            let characters = example.input.chars().count() + example.output.chars().count();
            if characters > MOST_CHARACTERS {
                return Err(TrainingFault::TooLong {
                    example: number,
                    characters,
                    most: MOST_CHARACTERS,
                });
            }
        }
        Ok(())
    }

    /// The examples that the visitor wrote, lines without text left out; none of a task that makes its own.
    pub fn own(&self) -> Vec<Example> {
        let lines = |text: &str, read: fn(&str) -> Example| -> Vec<Example> {
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            lines.map(read).collect()
        };
        match self {
            Task::Lines { text } => lines(text, |line| Example {
                input: String::new(),
                output: line.to_owned(),
            }),
            Task::Pairs { text } => lines(text, pair),
            _ => vec![],
        }
    }

    /// Returns the example with `input` and the text to be written after it.
    ///
    /// # Errors
    /// If the task has no answer to it.
    pub fn example(&self, input: &str) -> Result<Example, ExampleFault> {
        let input = input.trim();
        let characters = input.chars().count();
        if characters == 0 {
            return Err(ExampleFault::Empty);
        }
        if characters > self.most_characters() {
            return Err(ExampleFault::TooLong {
                characters,
                most: self.most_characters(),
            });
        }
        let output = match self {
            Task::Lines { .. } => {
                return Ok(Example {
                    input: String::new(),
                    output: input.to_owned(),
                });
            }
            Task::Pairs { .. } => {
                let mut pairs = self.own().into_iter();
                return pairs
                    .find(|pair| pair.input == input)
                    .ok_or(ExampleFault::UnknownInput);
            }
            Task::Back { sequences, .. } => {
                in_alphabet(input, *sequences).map(|_| String::new())?
            }
            Task::Repeat { sequences } | Task::Copy { sequences } => {
                in_alphabet(input, *sequences)?.collect()
            }
            Task::Reverse { sequences } => in_alphabet(input, *sequences)?.rev().collect(),
            Task::Sort { sequences } => {
                let mut letters: Vec<char> = in_alphabet(input, *sequences)?.collect();
                letters.sort_unstable();
                letters.into_iter().collect()
            }
            Task::Addition { .. } => sum(input)?,
            Task::Brackets { .. } => closing(input)?,
            Task::Numerals { .. } => digits_of(input)?,
        };
        Ok(Example {
            input: input.to_owned(),
            output,
        })
    }

    /// Returns the most characters of an input: twice as many as are learned from, so that a visitor can try longer
    /// ones.
    fn most_characters(&self) -> usize {
        match self {
            Task::Back { sequences, .. }
            | Task::Repeat { sequences }
            | Task::Copy { sequences }
            | Task::Reverse { sequences }
            | Task::Sort { sequences } => (2 * sequences.longest).min(MOST_CHARACTERS / 2),
            Task::Addition { .. } => 2 * Number::Digits.range().end() + 1,
            Task::Brackets { longest } => (2 * longest).min(MOST_CHARACTERS / 2),
            Task::Numerals { .. } | Task::Lines { .. } | Task::Pairs { .. } => MOST_CHARACTERS,
        }
    }
}

/// A line of the visitor's, cut at its first tab, or else at its first `=`.
fn pair(line: &str) -> Example {
    let cut = line.split_once('\t').or_else(|| line.split_once(SEPARATOR));
    let (input, output) = cut.unwrap_or((line, ""));
    Example {
        input: input.trim().to_owned(),
        output: output.trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn output(task: &Task, input: &str) -> Result<String, ExampleFault> {
        task.example(input).map(|example| example.output)
    }

    fn letters(task: fn(Sequences) -> Task) -> Task {
        task(Sequences::default())
    }

    #[test]
    fn each_rule_says_what_is_to_be_written() {
        let copy = letters(|sequences| Task::Copy { sequences });
        let reverse = letters(|sequences| Task::Reverse { sequences });
        let sort = letters(|sequences| Task::Sort { sequences });
        assert_eq!(output(&copy, "bca").unwrap(), "bca");
        assert_eq!(output(&reverse, "bca").unwrap(), "acb");
        let repeat = letters(|sequences| Task::Repeat { sequences });
        assert_eq!(output(&repeat, "bca").unwrap(), "bca");
        assert_eq!(output(&sort, "bcab").unwrap(), "abbc");
        assert_eq!(
            output(&Task::Addition { digits: 2 }, "37+85").unwrap(),
            "122"
        );
        assert_eq!(
            output(&Task::Brackets { longest: 8 }, "([]{").unwrap(),
            "})"
        );
        let numerals = Task::Numerals { digits: 3 };
        assert_eq!(output(&numerals, "nine hundred forty-two").unwrap(), "942");
    }

    #[test]
    fn inputs_without_an_answer_are_refused() {
        let copy = letters(|sequences| Task::Copy { sequences });
        let brackets = Task::Brackets { longest: 8 };
        let addition = Task::Addition { digits: 2 };
        let character = |character| Err(ExampleFault::Character { character });
        assert_eq!(output(&copy, " "), Err(ExampleFault::Empty));
        assert_eq!(output(&copy, "abz"), character('z'));
        assert!(matches!(
            output(&copy, &"a".repeat(17)),
            Err(ExampleFault::TooLong { most: 16, .. })
        ));
        assert_eq!(output(&addition, "3x4"), character('x'));
        assert_eq!(output(&addition, "37"), Err(ExampleFault::NoSum));
        assert_eq!(output(&addition, "3+"), Err(ExampleFault::NoSum));
        assert_eq!(output(&addition, "3++4"), Err(ExampleFault::NoSum));
        assert_eq!(
            output(&Task::Numerals { digits: 3 }, "hundred two"),
            Err(ExampleFault::NoNumeral)
        );
        assert_eq!(output(&brackets, "(]"), Err(ExampleFault::NothingOpen));
        assert_eq!(output(&brackets, "()"), Err(ExampleFault::NothingOpen));
    }

    #[test]
    fn pairs_are_cut_at_a_tab_or_else_at_the_sign() {
        let task = Task::Pairs {
            text: "1 = one\n\n a=b\tc \nno sign".to_owned(),
        };
        let sides: Vec<(String, String)> = task
            .own()
            .into_iter()
            .map(|example| (example.input, example.output))
            .collect();
        let owned = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(
            sides,
            [owned("1", "one"), owned("a=b", "c"), owned("no sign", "")]
        );
        assert_eq!(output(&task, "1").unwrap(), "one");
        assert_eq!(output(&task, "2"), Err(ExampleFault::UnknownInput));
        let side = TrainingFault::EmptySide {
            example: 3,
            side: Side::Output,
        };
        assert_eq!(task.check(), Err(side));
    }

    #[test]
    fn tasks_that_cannot_be_learned_are_refused() {
        let back = |places, shortest, longest| Task::Back {
            places,
            sequences: Sequences {
                letters: 8,
                shortest,
                longest,
            },
        };
        assert_eq!(back(3, 4, 8).check(), Ok(()));
        assert!(matches!(
            back(4, 4, 8).check(),
            Err(TrainingFault::TooFarBack { .. })
        ));
        assert!(matches!(
            back(1, 9, 8).check(),
            Err(TrainingFault::Lengths { .. })
        ));
        assert!(matches!(
            back(1, 2, 33).check(),
            Err(TrainingFault::Range {
                number: Number::Longest,
                ..
            })
        ));
        let repeat = |letters, shortest, longest| Task::Repeat {
            sequences: Sequences {
                letters,
                shortest,
                longest,
            },
        };
        assert_eq!(repeat(8, 2, 8).check(), Ok(()));
        for task in [repeat(8, 2, 9), repeat(8, 1, 8)] {
            let different = TrainingFault::Different { letters: 8 };
            assert_eq!(task.check(), Err(different));
        }
        let lines = |text: &str| Task::Lines {
            text: text.to_owned(),
        };
        assert_eq!(lines(" \n").check(), Err(TrainingFault::NoExamples));
        assert!(matches!(
            lines(&"a".repeat(81)).check(),
            Err(TrainingFault::TooLong { example: 1, .. })
        ));
        assert!(matches!(
            lines(&"a\n".repeat(501)).check(),
            Err(TrainingFault::TooManyExamples { .. })
        ));
    }

    proptest! {
        #[test]
        #[expect(
            clippy::let_underscore_must_use,
            reason = "a fault is an answer; a panic is none"
        )]
        fn no_input_makes_a_task_fail(input in ".{0,20}") {
            for task in [Task::Addition { digits: 4 }, Task::Brackets { longest: 8 }, Task::Lines { text: input.clone() }] {
                let _ = task.example(&input);
                let _ = task.check();
            }
        }
    }
}
