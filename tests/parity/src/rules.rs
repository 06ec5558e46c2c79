//! Settings of generation in the files beside the weights are applied as in stock `generate()`.

use attention_model::inference::RunOptions;
use attention_trace::{Quantities, Search};
use burn::prelude::Device;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::files::Files;
use crate::fixture::{Hypothesis, fixtures};

/// The tolerance for scores, sums of a few logarithms.
const SCORE_TOLERANCE: f32 = 1e-4;

/// The contents of the fixture that `rules.py` wrote.
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
    /// Entries that are left out of `config.json`.
    without: Vec<String>,
    generation: Option<Value>,
    greedy: Vec<u32>,
    beam: Vec<Hypothesis>,
}

impl Case {
    fn files(&self) -> Files {
        let mut files = Files::read(&self.model);
        let mut config: Map<String, Value> = serde_json::from_slice(&files.config).unwrap();
        config.extend(self.config.clone());
        for name in &self.without {
            assert!(config.remove(name).is_some(), "{name}");
        }
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
        let what = format!(
            "{} {:?} without {:?} {:?}",
            case.model, case.config, case.without, case.generation
        );
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
        let found = beam.into_iter().map(|found| (found.score, found.tokens));
        let expected = case.beam.iter();
        let expected = expected.map(|found| (found.score, found.tokens.clone()));
        let (found, expected) = (in_order(found.collect()), in_order(expected.collect()));
        let tokens = |ranked: &[(f32, Vec<u32>)]| -> Vec<Vec<u32>> {
            ranked.iter().map(|(_, tokens)| tokens.clone()).collect()
        };
        assert_eq!(tokens(&found), tokens(&expected), "{what}");
        for ((found, _), (expected, _)) in found.iter().zip(&expected) {
            let difference = (found - expected).abs();
            assert!(difference <= SCORE_TOLERANCE, "{what}: {difference}");
        }
    }
    println!("{} settings", expected.cases.len());
}

/// Sorts sequences by score, those of one score by their tokens: `transformers` leaves the order of several forced
/// tokens to chance.
fn in_order(mut ranked: Vec<(f32, Vec<u32>)>) -> Vec<(f32, Vec<u32>)> {
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
    for tied in ranked.chunk_by_mut(|one, other| one.0 - other.0 < SCORE_TOLERANCE) {
        tied.sort_by(|one, other| one.1.cmp(&other.1));
    }
    ranked
}
