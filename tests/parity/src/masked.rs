//! BERT gives the numbers that PyTorch `transformers` gives, and the same guesses.

use attention_model::checkpoint::Checkpoint;
use attention_model::inference::RunOptions;
use attention_model::sequence::Source;
use attention_model::tap::Tap;
use attention_trace::{Array, Quantities, Quantity, Search};
use burn::prelude::*;
use pollster::block_on;
use serde::Deserialize;

use crate::fixture::{BERTS, Fixture, tiny};
use crate::run::{Input, batch, run, values};
use crate::transformers::{Differences, site, slice};

/// The contents of the fixture that `bert.py` wrote.
#[derive(Deserialize)]
struct Description {
    cases: Vec<Case>,
    batch: Batch,
}

/// A text, or two that are read together.
#[derive(Deserialize)]
struct Case {
    name: String,
    text: Option<Vec<String>>,
    source: Vec<u32>,
    token_types: Vec<u32>,
    /// The places of the masked words.
    masked: Vec<usize>,
    /// The ten likeliest tokens at each of them.
    best: Vec<Vec<u32>>,
}

#[derive(Deserialize)]
struct Batch {
    sources: Vec<Vec<u32>>,
}

fn fixture(name: &str) -> Fixture<Description> {
    Fixture::read(&format!("tiny/{name}/expected.safetensors"))
}

impl Case {
    fn input(&self) -> Input {
        Input {
            source: self.source.clone(),
            segments: self.token_types.clone(),
            ..Input::default()
        }
    }
}

/// Returns the likeliest tokens, best first.
fn best(logits: &Array, place: usize, count: usize) -> Vec<u32> {
    let row = logits.row(&[place]).unwrap();
    let mut tokens: Vec<u32> = (0..row.len() as u32).collect();
    tokens.sort_by(|&a, &b| row[b as usize].total_cmp(&row[a as usize]));
    tokens[..count].to_vec()
}

#[test]
fn bert_equals_transformers() {
    for name in BERTS {
        let (checkpoint, fixture) = (tiny(name), fixture(name));
        let mut differences = Differences::default();
        for case in &fixture.description.cases {
            let outcome = run(&checkpoint, &case.input(), Quantities::all());
            for (array, expected) in fixture.case(&case.name) {
                let found = match array {
                    "logits" => &outcome.logits,
                    array => &outcome.arrays[&site(&checkpoint.spec(), array)],
                };
                differences.compare(&format!("{name}/{}/{array}", case.name), found, expected);
            }
            for (&place, expected) in case.masked.iter().zip(&case.best) {
                let found = best(&outcome.logits, place, expected.len());
                assert_eq!(&found, expected, "{name}, {}: {place}", case.name);
            }
        }
        differences.report(name, &["logits", "attention weights", "hidden states"]);
    }
}

/// Logits of sources of several lengths that are read together, `[batch, source, vocabulary]`.
fn together(checkpoint: &Checkpoint, sources: &[Vec<u32>]) -> Array {
    let longest = sources.iter().map(Vec::len).max().unwrap();
    let padding = checkpoint.control().padding.unwrap();
    let padded = sources.iter().map(|source| {
        let mut source = source.clone();
        source.resize(longest, padding);
        source
    });
    let is_padding = |source: &Vec<u32>| (0..longest).map(|i| i >= source.len()).collect();
    let mask: Vec<Vec<bool>> = sources.iter().map(is_padding).collect();
    let mask = TensorData::new(mask.concat(), [sources.len(), longest]);
    let source = Source {
        tokens: batch(&padded.collect::<Vec<_>>()),
        padding: Some(Tensor::from_data(mask, &Device::flex())),
        segments: None,
    };
    let states = checkpoint.model.read(Some(source), None, &mut Tap::quiet());
    let logits = checkpoint.model.logits(states.flatten(0, 1));
    Array {
        shape: vec![sources.len(), longest, logits.dims()[1]],
        data: values(logits),
    }
}

#[test]
fn a_padded_batch_equals_transformers() {
    for name in BERTS {
        let (checkpoint, fixture) = (tiny(name), fixture(name));
        let mut differences = Differences::default();
        let sources = &fixture.description.batch.sources;
        let logits = together(&checkpoint, sources);
        differences.compare("logits", &logits, &fixture.arrays["batch/logits"]);
        // Weights are recorded of one sequence at a time.
        let longest = logits.shape[1];
        for (row, source) in sources.iter().enumerate() {
            let input = Input {
                source: source.clone(),
                padding: longest - source.len(),
                ..Input::default()
            };
            let outcome = run(&checkpoint, &input, Quantities::all());
            for (array, expected) in fixture.case("batch").filter(|(name, _)| *name != "logits") {
                differences.compare(array, outcome.array(array), &slice(expected, row));
            }
        }
        differences.report(&format!("{name}, padded"), &["logits", "attention weights"]);
    }
}

#[test]
fn the_tokenizer_cuts_as_the_reference_does() {
    for name in BERTS {
        let checkpoint = tiny(name);
        for case in fixture(name).description.cases {
            let Some([text]) = case.text.as_deref() else {
                continue;
            };
            let tokens = checkpoint.tokenizer.encode(text).unwrap();
            let ids: Vec<u32> = tokens.iter().map(|token| token.id).collect();
            assert_eq!(ids, case.source, "{text}");
        }
    }
}

/// The guesses of a trace are the likeliest tokens at each mask, as `transformers` ranks them.
#[test]
fn masked_words_are_guessed_as_transformers_guesses_them() {
    let device = Device::flex();
    for name in BERTS {
        let checkpoint = tiny(name);
        for case in fixture(name).description.cases {
            let Some([text]) = case.text.as_deref() else {
                continue;
            };
            let trace = block_on(checkpoint.trace(text, &[], &guessing(), &device)).unwrap();
            let places: Vec<usize> = trace.guesses.iter().map(|guess| guess.place).collect();
            assert_eq!(places, case.masked, "{name}: {text}");
            for (guess, best) in trace.guesses.iter().zip(&case.best) {
                let ids = guess.candidates.iter().map(|candidate| candidate.token.id);
                assert_eq!(&ids.collect::<Vec<_>>(), best, "{name}: {text}");
                let logarithms = guess.candidates.iter().map(|one| one.log_probability);
                let sum: f32 = logarithms.map(f32::exp).sum();
                assert!(sum > 0.0 && sum <= 1.0 + 1e-5, "{name}: {text}: {sum}");
            }
        }
    }
    let writer = tiny("gpt2-tiny");
    let trace = block_on(writer.trace("the [MASK]", &[], &guessing(), &device)).unwrap();
    assert_eq!(trace.guesses, []);
}

fn guessing() -> RunOptions {
    RunOptions {
        search: Search::Greedy,
        prefix: vec![],
        max_new_tokens: 8,
        quantities: Quantities::of(&[Quantity::Pattern, Quantity::Logits]),
        edits: vec![],
    }
}

/// A trace has the logits of every place, and nothing decoded.
#[test]
fn a_text_with_masked_words_is_traced_and_continued_by_nothing() {
    let (checkpoint, device) = (tiny("bert-tiny"), Device::flex());
    let options = guessing();
    let text = "the dog [MASK]";
    let found = block_on(checkpoint.decode(text, &options, &device, async |_| true)).unwrap();
    assert!(found.is_empty());
    let trace = block_on(checkpoint.trace(text, &found, &options, &device)).unwrap();
    assert_eq!(trace.decoding, None);
    let logits = &trace.arrays[&attention_trace::Site::LOGITS];
    assert_eq!(logits.shape, [trace.meta.source.len(), 128]);
}
