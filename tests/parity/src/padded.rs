//! Models with more rows than their tokenizer has pieces, like many published ones: such a row is shown by its number
//! in place of a token's text.

use attention_model::checkpoint::Checkpoint;
use attention_model::inference::RunOptions;
use attention_trace::{Quantities, Search, Trace};
use burn::prelude::Device;
use serde_json::json;

use crate::files::Files;
use crate::fixture::tiny;
use crate::run::{Input, run};

/// The number of pieces in the tiny checkpoints' tokenizer.
const PIECES: usize = 128;
/// The number of appended rows; the last one becomes the most probable token everywhere.
const MORE: usize = 3;
const LIKELIEST: u32 = (PIECES + MORE - 1) as u32;

/// Returns a tiny checkpoint with more rows than pieces.
fn padded(name: &str) -> Checkpoint {
    let files = Files::read(name).with_config(json!({"vocab_size": PIECES + MORE}));
    let files = files.with_values(|tensor, view| {
        let (mut bytes, mut shape) = (view.data().to_vec(), view.shape().to_vec());
        let value_bytes = bytes.len() / shape.iter().product::<usize>();
        if tensor == "final_logits_bias" {
            bytes.resize((PIECES + MORE - 1) * value_bytes, 0);
            bytes.extend(1e4_f32.to_le_bytes());
            shape[1] += MORE;
        } else if shape[0] == PIECES {
            bytes.resize(bytes.len() + MORE * shape[1] * value_bytes, 0);
            shape[0] += MORE;
        }
        (bytes, shape)
    });
    files.load().unwrap()
}

fn decoded(checkpoint: &Checkpoint, prefix: Vec<u32>, max_new_tokens: usize) -> Trace {
    let device = Device::flex();
    let options = RunOptions {
        search: Search::Greedy,
        prefix,
        max_new_tokens,
        quantities: Quantities::NONE,
        edits: vec![],
    };
    let text = "the old dog sits in the garden";
    pollster::block_on(async {
        let sequences = checkpoint
            .decode(text, &options, &device, async |_| true)
            .await
            .unwrap();
        checkpoint
            .trace(text, &sequences, &options, &device)
            .await
            .unwrap()
    })
}

#[test]
fn a_row_without_a_piece_is_shown_by_its_number() {
    let checkpoint = padded("marian-tiny");
    let trace = decoded(&checkpoint, vec![], 3);
    let decoding = trace.decoding.unwrap();
    assert_eq!(decoding.hypotheses[0].text, "<130><130><130>");
    let texts = |tokens: &[attention_trace::Token]| -> Vec<String> {
        tokens.iter().map(|token| token.text.clone()).collect()
    };
    assert_eq!(texts(&decoding.hypotheses[0].tokens), ["<130>"; 3]);
    assert_eq!(texts(&trace.meta.target), ["<pad>", "<130>", "<130>"]);
    for step in &decoding.steps {
        assert_eq!(step.chosen.token.text, "<130>");
        assert_eq!(step.candidates[0].token.id, LIKELIEST);
        assert_eq!(step.candidates[0].token.text, "<130>");
        assert!(!step.candidates[0].token.unknown);
    }
}

#[test]
fn a_language_model_reads_and_shows_such_rows_too() {
    for name in ["llama-tiny", "llama-gqa"] {
        let trace = decoded(&padded(name), vec![LIKELIEST, 20], 3);
        let decoding = trace.decoding.unwrap();
        assert!(decoding.hypotheses[0].text.starts_with("<130>"), "{name}");
        assert_eq!(decoding.steps[0].chosen.token.text, "<130>");
        assert!(trace.meta.target.iter().any(|token| token.text == "<130>"));
    }
}

#[test]
fn words_around_such_rows_keep_their_spaces() {
    let checkpoint = padded("marian-tiny");
    let tokens = |text: &str| -> Vec<u32> {
        let tokens = checkpoint.tokenizer.encode(text).unwrap();
        let ids = tokens.into_iter().map(|token| token.id);
        ids.filter(|&id| id != 1).collect()
    };
    let decode = |ids: &[u32]| checkpoint.tokenizer.decode(ids).unwrap();
    let (dog, sits) = (tokens("the dog"), tokens("sits here"));
    let whole = [&dog[..], &[128][..], &sits[..], &[129, 130][..]].concat();
    assert_eq!(decode(&whole), "the dog<128> sits here<129><130>");
    assert_eq!(decode(&[&[128][..], &dog[..]].concat()), "<128>the dog");
    assert_eq!(decode(&[&dog[..], &sits[..]].concat()), "the dog sits here");
    // Far beyond every row, where only a caller's own numbers can be.
    assert_eq!(decode(&[u32::MAX]), "<4294967295>");
}

#[test]
fn more_rows_change_no_number_of_the_others() {
    for name in ["marian-tiny", "llama-tiny"] {
        let input = Input {
            source: vec![4, 9, 1],
            target: vec![0, 7, 8],
            ..Input::default()
        };
        let logits = |checkpoint: &Checkpoint| {
            let logits = run(checkpoint, &input, Quantities::NONE).logits;
            let rows = logits.data.chunks(logits.shape[1]);
            rows.flat_map(|row| row[..PIECES].to_vec())
                .collect::<Vec<f32>>()
        };
        let difference = logits(&tiny(name))
            .iter()
            .zip(logits(&padded(name)))
            .fold(0.0_f32, |worst, (a, b)| worst.max((a - b).abs()));
        assert!(difference < 1e-5, "{name}: {difference}");
    }
}
