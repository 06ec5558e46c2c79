//! Greedy and beam search find the same sequences as `transformers.generate`.

use attention_model::checkpoint::Checkpoint;
use attention_model::decoding::{Bounds, NextToken, Rules, Sequence, search};
use attention_model::error::ModelError;
use attention_model::inference::RunOptions;
use attention_trace::{Quantities, Search};
use burn::prelude::Device;

use crate::fixture::{Description, Fixture, LLAMAS, MARIANS, tiny, writers};

/// The tolerance for scores, sums of a dozen logarithms.
const SCORE_TOLERANCE: f32 = 1e-4;

/// Compares the search of every text of a fixture, of a model that writes.
pub fn compare(checkpoint: &Checkpoint, name: &str, expected: &Description) {
    if checkpoint.spec().decoder.is_none() {
        return;
    }
    let device = Device::flex();
    let decode = |text: &str, search| {
        let options = RunOptions {
            search,
            prefix: vec![],
            max_new_tokens: expected.max_new_tokens,
            quantities: Quantities::NONE,
            edits: vec![],
        };
        let found = checkpoint.decode(text, &options, &device, async |_| true);
        pollster::block_on(found).unwrap()
    };
    let mut compared = 0;
    for case in &expected.cases {
        let Some(text) = case.text.as_deref() else {
            continue;
        };
        let greedy = decode(text, Search::Greedy);
        assert_eq!(greedy[0].tokens, case.greedy, "{name}, greedy: {text}");

        let beam = decode(
            text,
            Search::Beam {
                width: expected.beam_width,
                length_penalty: expected.length_penalty,
            },
        );
        let tokens = |sequence: &Sequence| sequence.tokens.clone();
        assert_eq!(
            beam.iter().map(tokens).collect::<Vec<_>>(),
            case.beam
                .iter()
                .map(|hypothesis| hypothesis.tokens.clone())
                .collect::<Vec<_>>(),
            "{name}, beam: {text}"
        );
        for (found, expected) in beam.iter().zip(&case.beam) {
            let difference = (found.score - expected.score).abs();
            assert!(
                difference <= SCORE_TOLERANCE,
                "{name}: {text}: {difference}"
            );
        }
        compared += 1;
    }
    assert!(compared > 0, "{name} has no text to decode");
}

#[test]
fn searches_find_what_transformers_finds() {
    for name in writers() {
        let fixture = Fixture::<Description>::read(&format!("tiny/{name}/expected.safetensors"));
        compare(&tiny(name), name, &fixture.description);
    }
}

/// A model of three tokens, the last of which ends; the next token depends on the number of tokens read.
struct Steps {
    read: usize,
}

impl NextToken for Steps {
    async fn begin(&mut self, _tokens: &[u32]) -> Result<Vec<f32>, ModelError> {
        Ok(self.step(&[0]).await?.remove(0))
    }

    async fn step(&mut self, tokens: &[u32]) -> Result<Vec<Vec<f32>>, ModelError> {
        self.read += 1;
        let probabilities: [f32; 3] = match self.read {
            1 => [0.6, 0.1, 0.3],
            2 => [0.4, 0.3, 0.3],
            _ => [0.05, 0.05, 0.9],
        };
        Ok(vec![probabilities.map(f32::ln).to_vec(); tokens.len()])
    }

    fn select(&mut self, _parents: &[usize]) {}
}

#[test]
fn greedy_search_takes_the_best_token_though_ending_early_is_likelier() {
    let bounds = Bounds {
        start: vec![0],
        prefix: vec![],
        rules: Rules {
            end_tokens: vec![2],
            ..Rules::default()
        },
        max_new_tokens: 8,
    };
    let mut model = Steps { read: 0 };
    let found = search(&mut model, Search::Greedy, &bounds, async |_| true);
    // To end at once has p = 0.3, to go on as argmax says 0.6 · 0.4 · 0.9.
    assert_eq!(pollster::block_on(found).unwrap()[0].tokens, [0, 0, 2]);
}

#[test]
fn a_forced_token_that_the_model_does_not_have_is_named_whatever_the_search() {
    let device = Device::flex();
    let beam = Search::Beam {
        width: 2,
        length_penalty: 0.75,
    };
    for (name, search) in [(MARIANS[0], beam), (LLAMAS[0], Search::Greedy)] {
        let options = RunOptions {
            search,
            prefix: vec![5, 999_999],
            max_new_tokens: 8,
            quantities: Quantities::NONE,
            edits: vec![],
        };
        let checkpoint = tiny(name);
        let found = checkpoint.decode("a", &options, &device, async |_| true);
        let Err(ModelError::ForcedToken { token, vocabulary }) = pollster::block_on(found) else {
            panic!("{name} forces a token that it does not have")
        };
        assert_eq!((token, vocabulary), (999_999, 128), "{name}");
    }
}
