//! Matrices that a family ties: separate ones in a file are used, and one under another of its names is found, as in
//! `transformers`.

use std::collections::BTreeMap;

use attention_trace::Quantities;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::files::Files;
use crate::fixture::Fixture;
use crate::run::{Input, largest_difference, run};

const TOLERANCE: f32 = 1e-4;

/// The description of the arrays that `tied.py` wrote.
#[derive(Deserialize)]
struct Description {
    source: Vec<u32>,
    target: Vec<u32>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    model: String,
    config: Map<String, Value>,
    tensors: Vec<Added>,
    without: Vec<String>,
}

#[derive(Deserialize)]
struct Added {
    name: String,
    of: String,
    reversed: bool,
}

impl Case {
    fn files(&self) -> Files {
        let files = Files::read(&self.model);
        let file = safetensors::SafeTensors::deserialize(&files.weights).unwrap();
        let mut tensors: BTreeMap<String, _> = file
            .tensors()
            .into_iter()
            .map(|(name, tensor)| {
                let tensor = (
                    tensor.dtype(),
                    tensor.shape().to_vec(),
                    tensor.data().to_vec(),
                );
                (name, tensor)
            })
            .collect();
        for added in &self.tensors {
            let (dtype, shape, mut bytes) = tensors[&added.of].clone();
            if added.reversed {
                let row = bytes.len() / shape[0];
                let rows = bytes.chunks(row).rev();
                bytes = rows.flatten().copied().collect();
            }
            tensors.insert(added.name.clone(), (dtype, shape, bytes));
        }
        for name in &self.without {
            assert!(tensors.remove(name).is_some(), "{name}");
        }
        let views = tensors.iter().map(|(name, (dtype, shape, bytes))| {
            let view = safetensors::tensor::TensorView::new(*dtype, shape.clone(), bytes);
            (name, view.unwrap())
        });
        let weights = safetensors::serialize(views, None).unwrap();
        let files = Files {
            weights,
            ..files.clone()
        };
        files.with_config(Value::Object(self.config.clone()))
    }
}

#[test]
fn tied_matrices_are_what_transformers_takes_for_them() {
    let fixture = Fixture::<Description>::read("tied.safetensors");
    let Description {
        source,
        target,
        cases,
    } = &fixture.description;
    let mut largest = 0.0_f32;
    for (number, case) in cases.iter().enumerate() {
        let what = format!(
            "{}, {:?} without {:?}",
            case.model,
            names(case),
            case.without
        );
        let checkpoint = case
            .files()
            .load()
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        let input = Input {
            source: source.clone(),
            target: target.clone(),
            ..Input::default()
        };
        let found = run(&checkpoint, &input, Quantities::NONE).logits;
        let expected = &fixture.arrays[&number.to_string()];
        assert_eq!(found.shape, expected.shape, "{what}");
        let difference = largest_difference(&found.data, &expected.data);
        assert!(difference < TOLERANCE, "{what}: {difference}");
        largest = largest.max(difference);
    }
    println!("{} ties: {largest:.1e}", cases.len());
}

fn names(case: &Case) -> Vec<&str> {
    case.tensors
        .iter()
        .map(|added| added.name.as_str())
        .collect()
}

/// A model with separate matrices is the same after writing and reading.
#[test]
fn matrices_of_their_own_are_written_and_read_again() {
    let fixture = Fixture::<Description>::read("tied.safetensors");
    let Description {
        source,
        target,
        cases,
    } = &fixture.description;
    let is_written =
        |case: &&Case| case.model.starts_with("marian") || case.model.starts_with("llama");
    for case in cases.iter().filter(is_written) {
        let checkpoint = case.files().load().unwrap();
        let precision = attention_model::weights::Precision::Full;
        let (config, weights) = checkpoint.model.published(precision).unwrap();
        let written = Files {
            config: serde_json::to_vec(&config).unwrap(),
            weights,
            ..Files::read(&case.model)
        };
        let input = Input {
            source: source.clone(),
            target: target.clone(),
            ..Input::default()
        };
        let [before, after] = [checkpoint, written.load().unwrap()]
            .map(|checkpoint| run(&checkpoint, &input, Quantities::NONE).logits.data);
        assert_eq!(before, after, "{}: {:?}", case.model, names(case));
    }
}

/// `transformers` leaves out of `config.json` what it takes for granted.
#[test]
fn tables_are_tied_without_a_word_where_the_family_ties_them() {
    let input = Input {
        target: vec![1, 20, 30],
        ..Input::default()
    };
    let logits = |files: Files| run(&files.load().unwrap(), &input, Quantities::NONE).logits;
    for name in ["gemma2", "gemma3", "smollm3"] {
        let files = Files::read(name);
        let silent = files
            .clone()
            .with_config(json!({"tie_word_embeddings": null}));
        assert_eq!(logits(silent), logits(files), "{name}");
    }
}
