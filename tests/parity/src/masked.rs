//! BERT and its relatives give the numbers that PyTorch `transformers` gives, and the same guesses; without a head, they
//! give the same states.

use attention_model::checkpoint::Checkpoint;
use attention_model::decoding::Sequence;
use attention_model::error::ModelError;
use attention_model::evaluation::{BleuTokenizer, Scores, Scoring, evaluate};
use attention_model::inference::RunOptions;
use attention_model::sequence::Source;
use attention_model::tap::Tap;
use attention_model::training::Example;
use attention_trace::{Array, Block, Generates, Quantities, Quantity, Search, Stack, Weight};
use burn::prelude::*;
use pollster::block_on;
use serde::Deserialize;

use crate::fixture::{Fixture, HEADLESS, guessers, tiny};
use crate::run::{Input, batch, largest_difference, run, values};
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

const KINDS: [&str; 3] = ["logits", "attention weights", "hidden states"];

/// Compares the passes over all texts of a fixture.
fn compare(name: &str, kinds: &[&str]) {
    compare_with(&tiny(name), name, kinds);
}

/// Compares a checkpoint's passes over all texts of a fixture.
pub fn compare_with(checkpoint: &Checkpoint, name: &str, kinds: &[&str]) {
    let fixture = fixture(name);
    let mut differences = Differences::default();
    for case in &fixture.description.cases {
        let outcome = run(checkpoint, &case.input(), Quantities::all());
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
    differences.report(name, kinds);
}

#[test]
fn encoders_that_guess_words_equal_transformers() {
    for name in guessers() {
        compare(name, &KINDS);
    }
}

/// The last states are among the hidden states of every text.
#[test]
fn encoders_without_that_head_equal_transformers() {
    for name in HEADLESS {
        compare(name, &KINDS[1..]);
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

/// Returns the first rows of each matrix.
fn rows(array: &Array, count: usize) -> Array {
    let [others @ .., rows, columns] = array.shape.as_slice() else {
        panic!("no matrix")
    };
    let matrices = array.data.chunks(rows * columns);
    Array {
        shape: [others, &[count, *columns]].concat(),
        data: matrices
            .flat_map(|matrix| matrix[..count * columns].to_vec())
            .collect(),
    }
}

#[test]
fn a_padded_batch_equals_transformers() {
    for name in guessers().chain(HEADLESS) {
        let (checkpoint, fixture) = (tiny(name), fixture(name));
        let mut differences = Differences::default();
        let sources = &fixture.description.batch.sources;
        let longest = sources.iter().map(Vec::len).max().unwrap();
        // In a window of padding alone, what padding attends to says nothing.
        let mut layers = checkpoint
            .spec()
            .encoder
            .unwrap()
            .layer_attention
            .into_iter();
        let has_windows = layers.any(|layer| layer.window.is_some());
        let queries = |source: &Vec<u32>| if has_windows { source.len() } else { longest };
        let mut kinds = vec!["attention weights"];
        if let Some(expected) = fixture.arrays.get("batch/logits") {
            let found = together(&checkpoint, sources);
            for (row, source) in sources.iter().enumerate() {
                let [found, expected] =
                    [&found, expected].map(|all| rows(&slice(all, row), queries(source)));
                differences.compare("logits", &found, &expected);
            }
            kinds.push("logits");
        }
        // Weights are recorded of one sequence at a time.
        for (row, source) in sources.iter().enumerate() {
            let input = Input {
                source: source.clone(),
                padding: longest - source.len(),
                ..Input::default()
            };
            let outcome = run(&checkpoint, &input, Quantities::all());
            for (array, expected) in fixture.case("batch").filter(|(name, _)| *name != "logits") {
                let [found, expected] = [outcome.array(array), &slice(expected, row)]
                    .map(|all| rows(all, queries(source)));
                differences.compare(array, &found, &expected);
            }
        }
        differences.report(&format!("{name}, padded"), &kinds);
    }
}

#[test]
fn the_tokenizer_cuts_as_the_reference_does() {
    for name in guessers().chain(HEADLESS) {
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
    for name in guessers() {
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

/// A trace of a model without that head has attention weights and states, and neither logits nor guesses.
#[test]
fn a_model_without_a_head_traces_and_says_that_it_makes_no_logits() {
    let device = Device::flex();
    let says = |error: ModelError| {
        let message = error.to_string();
        assert!(
            message.contains("logits") || message.contains("writes no text"),
            "{message}"
        );
    };
    for name in HEADLESS {
        let (checkpoint, options) = (tiny(name), guessing());
        let text = "the dog sits";
        let spec = checkpoint.spec();
        assert_eq!(spec.generates, Generates::Nothing);
        let trace = block_on(checkpoint.trace(text, &[], &options, &device)).unwrap();
        assert!(trace.guesses.is_empty() && trace.decoding.is_none());
        assert!(
            trace
                .arrays
                .keys()
                .all(|site| site.quantity == Quantity::Pattern)
        );
        assert!(!trace.arrays.is_empty());
        let found = block_on(checkpoint.decode(text, &options, &device, async |_| true));
        assert!(found.unwrap().is_empty());
        says(block_on(checkpoint.lens(text, &[], 1, &[], &device)).unwrap_err());
        says(block_on(checkpoint.score(text, &[5], &[], &device)).unwrap_err());
        says(block_on(checkpoint.force(text, "the dog", &[], &device)).unwrap_err());
        for weight in [Weight::WUnembed, Weight::BUnembed] {
            let parameter = Block::Model.parameter(weight);
            assert!(checkpoint.model.parameter(parameter).is_none(), "{name}");
        }
    }
    says(block_on(evaluate_pair(&tiny("bert-tiny"), &device)).unwrap_err());
}

/// A target that is given to a model without a decoder, as `attn roles` does, is not read.
#[test]
fn a_model_without_a_decoder_reads_no_target() {
    let (device, options) = (Device::flex(), guessing());
    let given = [Sequence {
        tokens: (5..40).collect(),
        log_probability: 0.0,
        score: 0.0,
    }];
    for name in guessers().chain(HEADLESS) {
        let checkpoint = tiny(name);
        let trace = |sequences| {
            let traced = checkpoint.trace("the dog", sequences, &options, &device);
            block_on(traced).unwrap()
        };
        let (with, without) = (trace(&given), trace(&[]));
        assert_eq!(with.decoding, None, "{name}");
        assert_eq!(with.arrays, without.arrays, "{name}");
    }
}

/// Scores a model on a text, as `attn eval` does.
async fn evaluate_pair(checkpoint: &Checkpoint, device: &Device) -> Result<Scores, ModelError> {
    let pair = Example {
        source: None,
        target: "the dog".to_owned(),
    };
    let scoring = Scoring {
        search: Search::Greedy,
        tokenizer: BleuTokenizer::default(),
        edits: &[],
    };
    evaluate(checkpoint, &[pair], scoring, device, || {}).await
}

/// Heads for other purposes are named.
#[test]
fn heads_that_are_not_used_are_noted() {
    for (name, unused) in [
        ("bert-encoder", "pooler.dense.bias, pooler.dense.weight"),
        (
            "bert-classifier",
            "bert.pooler.dense.bias, bert.pooler.dense.weight, classifier.bias, classifier.weight",
        ),
        ("distilbert-questions", "qa_outputs.bias, qa_outputs.weight"),
    ] {
        let note = format!("model.safetensors: not used: {unused}");
        assert_eq!(tiny(name).notes(), [note]);
    }
    assert!(tiny("roberta-tiny").notes().is_empty());
}

/// RoBERTa's table begins with rows that no position has; the parameter has a row for each position.
#[test]
fn a_row_of_the_position_table_is_that_of_the_position() {
    let checkpoint = tiny("roberta-tiny");
    let tokens = vec![0, 9, 8, 2];
    let encoder = Block::Stack(Stack::Encoder);
    let input = Input {
        source: tokens.clone(),
        ..Input::default()
    };
    let embedding = &run(&checkpoint, &input, Quantities::all()).arrays;
    let parameter = |weight| {
        let found = checkpoint
            .model
            .parameter(encoder.parameter(weight))
            .unwrap();
        let [rows, columns] = found.dims();
        let (shape, data) = (vec![rows, columns], values(found));
        Array { shape, data }
    };
    let positions = parameter(Weight::PositionTable);
    assert_eq!(positions.shape[0], checkpoint.spec().max_tokens.unwrap());
    let (table, segments) = (
        parameter(Weight::TokenTable),
        parameter(Weight::SegmentTable),
    );
    let (gain, bias) = (
        parameter(Weight::EmbeddingNormGain),
        parameter(Weight::EmbeddingNormBias),
    );
    for (place, &token) in tokens.iter().enumerate() {
        let rows = [
            table.row(&[token as usize]).unwrap(),
            positions.row(&[place]).unwrap(),
            segments.row(&[0]).unwrap(),
        ];
        let sum: Vec<f32> = (0..24)
            .map(|at| rows.iter().map(|row| row[at]).sum())
            .collect();
        let mean = sum.iter().sum::<f32>() / 24.0;
        let variance = sum.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / 24.0;
        let expected = sum.iter().zip(gain.data.iter().zip(&bias.data));
        let expected: Vec<f32> = expected
            .map(|(x, (gain, bias))| (x - mean) / (variance + 1e-5).sqrt() * gain + bias)
            .collect();
        let found = embedding[&encoder.at(Quantity::Embedding)]
            .row(&[place])
            .unwrap();
        assert!(largest_difference(found, &expected) < 1e-5);
    }
}
