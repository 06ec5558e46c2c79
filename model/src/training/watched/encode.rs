//! The conversion of examples to tokens.

use attention_trace::Token;
use attention_trace::training::{
    Architecture, CONTEXT, END, Example, ExampleFault, PADDING, SEPARATOR, Task, Vocabulary,
};

use crate::training::batch::Encoded;

/// A converter of a task's examples to tokens.
pub struct Encoder {
    task: Task,
    architecture: Architecture,
    vocabulary: Vocabulary,
    /// The texts of the tokens.
    pieces: Vec<String>,
}

impl Encoder {
    /// Creates the encoder of a task and a model.
    pub fn new(task: Task, architecture: Architecture, vocabulary: Vocabulary) -> Self {
        Encoder {
            task,
            architecture,
            pieces: vocabulary.pieces().collect(),
            vocabulary,
        }
    }

    /// Returns the vocabulary of the tokens.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Returns the tokens that the model reads, and its labels. A single model that reads both sides learns to write
    /// only the second, after the sign between them.
    ///
    /// # Errors
    /// If the vocabulary lacks a character, or there are more tokens than the model reads.
    pub fn encode(&self, example: &Example) -> Result<Encoded, ExampleFault> {
        let input = self.ids(&example.input)?;
        let output = self.ids(&example.output)?;
        let encoded = match (&self.task, self.architecture) {
            (Task::Back { places, .. }, _) => Encoded::back(END, *places, &input),
            (Task::Repeat { .. }, _) => Encoded::repeated(END, &input),
            (_, architecture) if architecture.has_encoder() => {
                let source = [&input[..], &[END]].concat();
                Encoded::shifted(source, PADDING, &[&output[..], &[END]].concat())
            }
            (Task::Lines { .. }, _) => {
                Encoded::shifted(vec![], END, &[&output[..], &[END]].concat())
            }
            _ => {
                let sign = self.ids(&SEPARATOR.to_string())?;
                let whole = [&input[..], &sign, &output, &[END]].concat();
                let mut encoded = Encoded::shifted(vec![], END, &whole);
                encoded.labels[..=input.len()].fill(None);
                encoded
            }
        };
        let characters = encoded.input.len().max(encoded.source.len());
        match characters <= CONTEXT {
            true => Ok(encoded),
            false => Err(ExampleFault::TooLong {
                characters,
                most: CONTEXT,
            }),
        }
    }

    /// Returns the tokens with these numbers.
    pub fn tokens(&self, ids: &[u32]) -> Vec<Token> {
        ids.iter().map(|&id| self.token(id)).collect()
    }

    /// Returns the token numbered `id`.
    pub fn token(&self, id: u32) -> Token {
        Token {
            id,
            text: self.pieces.get(id as usize).cloned().unwrap_or_default(),
            unknown: false,
        }
    }

    fn ids(&self, text: &str) -> Result<Vec<u32>, ExampleFault> {
        let id = |character| {
            let id = self.vocabulary.id(character);
            id.ok_or(ExampleFault::Character { character })
        };
        text.chars().map(id).collect()
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::training::Sequences;

    use super::*;

    fn encoder(task: &Task, architecture: Architecture) -> Encoder {
        let vocabulary = Vocabulary::of(task, architecture).unwrap();
        Encoder::new(task.clone(), architecture, vocabulary)
    }

    fn copy() -> Task {
        Task::Copy {
            sequences: Sequences {
                letters: 3,
                shortest: 1,
                longest: 3,
            },
        }
    }

    #[test]
    fn one_model_learns_what_follows_the_sign() {
        let encoder = encoder(&copy(), Architecture::DecoderOnly);
        let encoded = encoder.encode(&copy().example("ba").unwrap()).unwrap();
        // </s> b a = b a, and from the sign on: b a </s>.
        assert_eq!(encoded.input, [1, 5, 4, 3, 5, 4]);
        assert_eq!(
            encoded.labels,
            [None, None, None, Some(5), Some(4), Some(1)]
        );
        let texts: Vec<String> = encoder
            .tokens(&encoded.input)
            .into_iter()
            .map(|t| t.text)
            .collect();
        assert_eq!(texts.join(""), "</s>ba=ba");
    }

    #[test]
    fn a_repeat_is_predicted_from_its_second_letter_on() {
        let task = Task::Repeat {
            sequences: Sequences {
                letters: 3,
                shortest: 2,
                longest: 3,
            },
        };
        let encoder = encoder(&task, Architecture::DecoderOnly);
        let encoded = encoder.encode(&task.example("cab").unwrap()).unwrap();
        // </s> c a b c a, and from the second c on: a b.
        assert_eq!(encoded.input, [1, 5, 3, 4, 5, 3]);
        assert_eq!(encoded.labels, [None, None, None, None, Some(3), Some(4)]);
    }

    #[test]
    fn an_encoder_reads_the_input() {
        for architecture in [Architecture::EncoderDecoder, Architecture::LUONG] {
            let encoder = encoder(&copy(), architecture);
            let encoded = encoder.encode(&copy().example("ba").unwrap()).unwrap();
            assert_eq!(encoded.source, [4, 3, 1]);
            assert_eq!(encoded.input, [0, 4, 3]);
            assert_eq!(encoded.labels, [Some(4), Some(3), Some(1)]);
        }
    }

    #[test]
    fn a_line_is_learned_from_its_first_character_on() {
        let task = Task::Lines {
            text: "ab\nb a".to_owned(),
        };
        let encoder = encoder(&task, Architecture::DecoderOnly);
        let encoded = encoder.encode(&task.own()[1]).unwrap();
        assert_eq!(encoded.input, [1, 5, 3, 4]);
        assert_eq!(encoded.labels, [Some(5), Some(3), Some(4), Some(1)]);
        let unknown = encoder.encode(&task.example("abc").unwrap());
        assert_eq!(
            unknown.unwrap_err(),
            ExampleFault::Character { character: 'c' }
        );
    }
}
