//! Settings of generation in the files beside the weights are followed as stock `generate()` follows them.

use attention_model::decoding::Sequence;
use attention_model::inference::RunOptions;
use attention_trace::{Quantities, Search};
use burn::prelude::Device;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::files::Files;
use crate::fixture::{Hypothesis, fixtures};

/// Scores are sums of a few logarithms.
const SCORE_TOLERANCE: f32 = 1e-4;

/// What `rules.py` wrote.
#[derive(Deserialize)]
struct Expected {
    limit: usize,
    beam_width: usize,
    length_penalty: f32,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    model: String,
    text: String,
    config: Map<String, Value>,
    generation: Option<Value>,
    greedy: Vec<u32>,
    beam: Vec<Hypothesis>,
}

impl Case {
    fn files(&self) -> Files {
        let mut files = Files::read(&self.model);
        let mut config: Map<String, Value> = serde_json::from_slice(&files.config).unwrap();
        config.extend(self.config.clone());
        files.config = serde_json::to_vec(&config).unwrap();
        match &self.generation {
            Some(settings) => files.with_generation(settings),
            None => files,
        }
    }
}

#[test]
fn settings_are_followed_as_generate_follows_them() {
    let text = std::fs::read_to_string(fixtures().join("rules.json")).unwrap();
    let expected: Expected = serde_json::from_str(&text).unwrap();
    let device = Device::flex();
    for case in &expected.cases {
        let what = format!("{} {:?} {:?}", case.model, case.config, case.generation);
        let checkpoint = case
            .files()
            .load()
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        let decode = |search| {
            let options = RunOptions {
                search,
                prefix: vec![],
                max_new_tokens: expected.limit,
                quantities: Quantities::NONE,
                edits: vec![],
            };
            let found = checkpoint.decode(&case.text, &options, &device, async |_| true);
            pollster::block_on(found).unwrap_or_else(|error| panic!("{what}: {error}"))
        };
        assert_eq!(decode(Search::Greedy)[0].tokens, case.greedy, "{what}");
        let beam = decode(Search::Beam {
            width: expected.beam_width,
            length_penalty: expected.length_penalty,
        });
        let tokens = |sequence: &Sequence| sequence.tokens.clone();
        let hypotheses = case.beam.iter().map(|found| found.tokens.clone());
        assert_eq!(
            beam.iter().map(tokens).collect::<Vec<_>>(),
            hypotheses.collect::<Vec<_>>(),
            "{what}"
        );
        for (found, expected) in beam.iter().zip(&case.beam) {
            let difference = (found.score - expected.score).abs();
            assert!(difference <= SCORE_TOLERANCE, "{what}: {difference}");
        }
    }
    println!("{} settings", expected.cases.len());
}
