//! The tiny checkpoints give the numbers that PyTorch `transformers` gave.

use std::collections::BTreeMap;

use attention_model::checkpoint::Checkpoint;
use attention_trace::{Array, Quantities};

use crate::fixture::{Description, Fixture, LLAMAS, MARIANS, tiny};
use crate::run::{Input, largest_difference, run, run_batch};

const TOLERANCE: f32 = 1e-4;

/// The largest differences seen so far, by kind of array.
#[derive(Default)]
pub struct Differences(BTreeMap<&'static str, (f32, usize)>);

impl Differences {
    /// Compares one array, and fails at once where it is out of tolerance.
    pub fn compare(&mut self, name: &str, found: &Array, expected: &Array) {
        assert_eq!(found.shape, expected.shape, "{name}");
        let difference = largest_difference(&found.data, &expected.data);
        assert!(difference <= TOLERANCE, "{name} is off by {difference}");
        let kind = match name.rsplit('/').next().unwrap() {
            name if name.ends_with(".pattern") => "attention weights",
            "logits" | "log_normalizer" => "logits",
            _ => "hidden states",
        };
        let (largest, count) = self.0.entry(kind).or_default();
        *largest = largest.max(difference);
        *count += found.data.len();
    }

    /// Prints the largest differences; fails where a kind was not compared at all.
    pub fn report(&self, what: &str, kinds: &[&str]) {
        for kind in kinds {
            let (largest, count) = self.0[kind];
            println!("{what}: {kind}: largest difference {largest:.1e} of {count} numbers");
        }
    }
}

const KINDS: [&str; 3] = ["logits", "attention weights", "hidden states"];

fn compare_cases(checkpoint: &Checkpoint, name: &str, differences: &mut Differences) {
    let fixture = Fixture::<Description>::read(&format!("tiny/{name}/expected.safetensors"));
    for case in &fixture.description.cases {
        let input = Input {
            source: case.source.clone(),
            target: case.target.clone(),
            padding: 0,
        };
        let outcome = run(checkpoint, &input, Quantities::all());
        for (array, expected) in fixture.case(&case.name) {
            let found = match array {
                "logits" => &outcome.logits,
                array => outcome.array(array),
            };
            differences.compare(&format!("{name}/{}/{array}", case.name), found, expected);
        }
    }
}

#[test]
fn marian_equals_transformers() {
    let mut differences = Differences::default();
    for name in MARIANS {
        compare_cases(&tiny(name), name, &mut differences);
    }
    differences.report("marian", &KINDS);
}

#[test]
fn llama_equals_transformers() {
    let mut differences = Differences::default();
    for name in LLAMAS {
        compare_cases(&tiny(name), name, &mut differences);
    }
    differences.report("llama", &KINDS);
}

#[test]
fn a_padded_batch_equals_transformers() {
    let mut differences = Differences::default();
    for name in MARIANS {
        let checkpoint = tiny(name);
        let marian = &*checkpoint.model;
        let fixture = Fixture::<Description>::read(&format!("tiny/{name}/expected.safetensors"));
        let batch = fixture.description.batch.as_ref().unwrap();
        let logits = run_batch(marian, &batch.sources, &batch.targets);
        differences.compare("logits", &logits, &fixture.arrays["batch/logits"]);

        // Weights are recorded of one sequence at a time.
        let longest = batch.sources.iter().map(Vec::len).max().unwrap();
        for (row, (source, target)) in batch.sources.iter().zip(&batch.targets).enumerate() {
            let input = Input {
                source: source.clone(),
                padding: longest - source.len(),
                target: target.clone(),
            };
            let outcome = run(&checkpoint, &input, Quantities::all());
            for (array, expected) in fixture.case("batch").filter(|(name, _)| *name != "logits") {
                let expected = slice(expected, row);
                differences.compare(array, outcome.array(array), &expected);
            }
        }
    }
    differences.report("marian, padded", &["logits", "attention weights"]);
}

/// One row of a batch.
fn slice(array: &Array, row: usize) -> Array {
    let shape = array.shape[1..].to_vec();
    let length = shape.iter().product::<usize>();
    Array {
        shape,
        data: array.data[row * length..(row + 1) * length].to_vec(),
    }
}

#[test]
fn the_tokenizer_cuts_as_the_reference_does() {
    for name in MARIANS.into_iter().chain(LLAMAS) {
        let checkpoint = tiny(name);
        let fixture = Fixture::<Description>::read(&format!("tiny/{name}/expected.safetensors"));
        for case in &fixture.description.cases {
            let Some(text) = &case.text else { continue };
            let tokens = checkpoint.tokenizer.encode(text).unwrap();
            let ids: Vec<u32> = tokens.iter().map(|token| token.id).collect();
            let expected = match checkpoint.spec().reads_source() {
                true => &case.source,
                false => &case.target,
            };
            assert_eq!(&ids, expected, "{text}");
        }
    }
}
