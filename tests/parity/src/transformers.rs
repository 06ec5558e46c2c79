//! The tiny checkpoints give the numbers that PyTorch `transformers` gave.

use std::collections::BTreeMap;

use attention_model::checkpoint::Checkpoint;
use attention_trace::{Array, ModelSpec, Quantities, Quantity, Site};

use crate::decoding;
use crate::fixture::{
    BARTS, Case, Description, Fixture, GPT_NEOXS, GPT2S, GRUS, HALVES, LLAMAS, M2M100S, MARIANS,
    T5S, UNIVERSALS, tiny, writers,
};
use crate::run::{Input, largest_difference, run, run_batch};

const TOLERANCE: f32 = 1e-4;
/// The longest text that `phi3-switch` reads by its short factors, in tokens.
const LONGROPE_LIMIT: usize = 14;

/// The largest differences seen so far, by kind of array.
#[derive(Default)]
pub struct Differences(BTreeMap<&'static str, Largest>);

#[derive(Default)]
struct Largest {
    difference: f32,
    /// The largest number that was compared.
    number: f32,
    count: usize,
}

impl Differences {
    /// Compares one array, and fails at once if it is out of tolerance.
    pub fn compare(&mut self, name: &str, found: &Array, expected: &Array) {
        assert_eq!(found.shape, expected.shape, "{name}");
        let difference = largest_difference(&found.data, &expected.data);
        assert!(difference <= TOLERANCE, "{name} is off by {difference}");
        let kind = match name.rsplit('/').next().unwrap() {
            name if name.ends_with(".pattern") => "attention weights",
            "logits" | "log_normalizer" => "logits",
            _ => "hidden states",
        };
        let largest = self.0.entry(kind).or_default();
        largest.difference = largest.difference.max(difference);
        let numbers = expected.data.iter().map(|number| number.abs());
        largest.number = numbers.fold(largest.number, f32::max);
        largest.count += found.data.len();
    }

    /// Prints the largest differences; fails if a kind was never compared.
    pub fn report(&self, what: &str, kinds: &[&str]) {
        for kind in kinds {
            let Largest {
                difference,
                number,
                count,
            } = self.0[kind];
            println!("{what}: {kind}: {difference:.1e} of {count} numbers up to {number:.0}");
        }
    }
}

const KINDS: [&str; 3] = ["logits", "attention weights", "hidden states"];

/// Returns the place of a fixture's array. A model that adds no vectors to embeddings computes them at one place.
pub fn site(spec: &ModelSpec, name: &str) -> Site {
    let site: Site = name.parse().unwrap_or_else(|error| panic!("{error}"));
    match (site.quantity, site.block.stack()) {
        (Quantity::TokenEmbedding, Some(stack)) => spec.token_embedding(stack),
        _ => site,
    }
}

pub fn compare_cases(checkpoint: &Checkpoint, name: &str, differences: &mut Differences) {
    let fixture = Fixture::<Description>::read(&format!("tiny/{name}/expected.safetensors"));
    for case in &fixture.description.cases {
        let input = Input {
            source: case.source.clone(),
            target: case.target.clone(),
            ..Input::default()
        };
        let outcome = run(checkpoint, &input, Quantities::all());
        for (array, expected) in fixture.case(&case.name) {
            let found = match array {
                "logits" => &outcome.logits,
                array => &outcome.arrays[&site(&checkpoint.spec(), array)],
            };
            differences.compare(&format!("{name}/{}/{array}", case.name), found, expected);
        }
    }
}

fn compare_all(names: &[&str]) {
    for name in names {
        let mut differences = Differences::default();
        compare_cases(&tiny(name), name, &mut differences);
        differences.report(name, &KINDS);
    }
}

#[test]
fn marian_equals_transformers() {
    compare_all(&MARIANS);
}

#[test]
fn weights_of_16_bits_equal_transformers() {
    compare_all(&HALVES);
    for name in HALVES {
        let fixture = Fixture::<Description>::read(&format!("tiny/{name}/expected.safetensors"));
        decoding::compare(&tiny(name), name, &fixture.description);
    }
}

#[test]
fn bart_equals_transformers() {
    compare_all(&BARTS);
}

#[test]
fn m2m100_equals_transformers() {
    compare_all(&M2M100S);
}

#[test]
fn llama_and_its_likes_equal_transformers() {
    compare_all(&LLAMAS);
}

/// Of the texts some are shorter than LongRoPE's short factors reach, two are longer, and decoding crosses that limit: there
/// all tokens before are read once more.
#[test]
fn longrope_changes_its_factors_where_transformers_does() {
    let name = "phi3-switch";
    compare_all(&[name]);
    let fixture = Fixture::<Description>::read(&format!("tiny/{name}/expected.safetensors"));
    let tokens = |case: &Case| (case.target.len(), case.target.len() + case.greedy.len());
    let sizes: Vec<(usize, usize)> = fixture.description.cases.iter().map(tokens).collect();
    assert!(sizes.iter().any(|(text, _)| *text > LONGROPE_LIMIT));
    assert!(
        sizes
            .iter()
            .any(|(text, all)| *text < LONGROPE_LIMIT && *all > LONGROPE_LIMIT)
    );
    decoding::compare(&tiny(name), name, &fixture.description);
}

#[test]
fn gpt2_equals_transformers() {
    compare_all(&GPT2S);
}

#[test]
fn gpt_neox_equals_transformers() {
    compare_all(&GPT_NEOXS);
}

#[test]
fn t5_equals_transformers() {
    compare_all(&T5S);
}

/// Returns true if a model has attention.
fn attends(checkpoint: &Checkpoint) -> bool {
    !checkpoint.spec().kinds().is_empty()
}

/// No library has these models: the reference is written in PyTorch, of its `nn.GRU` and the papers' formulas.
#[test]
fn recurrent_models_equal_pytorch() {
    for name in GRUS {
        let mut differences = Differences::default();
        let checkpoint = tiny(name);
        compare_cases(&checkpoint, name, &mut differences);
        let kinds = KINDS.into_iter();
        let kinds = kinds.filter(|&kind| attends(&checkpoint) || kind != "attention weights");
        differences.report(name, &kinds.collect::<Vec<_>>());
    }
}

/// The reference of these models is written in PyTorch from the papers too; halting probabilities and the weight of
/// each depth are among the hidden states.
#[test]
fn universal_transformers_equal_pytorch() {
    compare_all(&UNIVERSALS);
}

#[test]
fn a_padded_batch_equals_transformers() {
    let families = MARIANS.into_iter().chain(BARTS).chain(M2M100S).chain(T5S);
    for name in families.chain(GRUS).chain(UNIVERSALS) {
        let mut differences = Differences::default();
        let checkpoint = tiny(name);
        let model = &*checkpoint.model;
        let fixture = Fixture::<Description>::read(&format!("tiny/{name}/expected.safetensors"));
        let batch = fixture.description.batch.as_ref().unwrap();
        let logits = run_batch(model, &batch.sources, &batch.targets);
        differences.compare("logits", &logits, &fixture.arrays["batch/logits"]);

        // Weights are recorded of one sequence at a time.
        let longest = batch.sources.iter().map(Vec::len).max().unwrap();
        for (row, (source, target)) in batch.sources.iter().zip(&batch.targets).enumerate() {
            let input = Input {
                source: source.clone(),
                padding: longest - source.len(),
                target: target.clone(),
                ..Input::default()
            };
            let outcome = run(&checkpoint, &input, Quantities::all());
            for (array, expected) in fixture.case("batch").filter(|(name, _)| *name != "logits") {
                let expected = slice(expected, row);
                differences.compare(array, outcome.array(array), &expected);
            }
        }
        let kinds = match attends(&checkpoint) {
            true => &["logits", "attention weights"][..],
            false => &["logits"],
        };
        differences.report(&format!("{name}, padded"), kinds);
    }
}

/// Returns one row of a batch.
pub fn slice(array: &Array, row: usize) -> Array {
    let shape = array.shape[1..].to_vec();
    let length = shape.iter().product::<usize>();
    Array {
        shape,
        data: array.data[row * length..(row + 1) * length].to_vec(),
    }
}

#[test]
fn the_tokenizer_cuts_as_the_reference_does() {
    for name in writers() {
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
