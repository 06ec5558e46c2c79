//! Marian checkpoints as they are published, without a `tokenizer.json`, cut and write texts as `MarianTokenizer`.

use attention_model::checkpoint::Checkpoint;
use attention_model::inference::RunOptions;
use attention_trace::{Quantities, Search, Token};
use burn::prelude::*;
use pollster::block_on;
use serde::Deserialize;

use crate::fixture::fixtures;

/// A text, as `marian.py` found it.
#[derive(Deserialize)]
struct Case {
    name: String,
    text: String,
    source: Vec<u32>,
    /// The tokens of the same text as a target.
    target: Vec<u32>,
    /// The text of the source tokens; with separate vocabularies, of the target tokens.
    read_back: String,
    /// The tokens that greedy search writes.
    greedy: Vec<u32>,
    written: String,
}

/// A checkpoint whose languages share a vocabulary.
const SHARED: &str = "marian-spm";
/// A checkpoint whose languages have separate ones, of different lengths.
const SEPARATE: &str = "marian-separate";

fn published(folder: &str) -> Checkpoint {
    Checkpoint::open(&fixtures().join(folder), &Device::flex()).unwrap()
}

fn cases(folder: &str) -> Vec<Case> {
    let path = fixtures().join(folder).join("texts.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn ids(tokens: &[Token]) -> Vec<u32> {
    tokens.iter().map(|token| token.id).collect()
}

fn written(checkpoint: &Checkpoint, text: &str, count: usize) -> Vec<u32> {
    let options = RunOptions {
        search: Search::Greedy,
        prefix: vec![],
        max_new_tokens: count,
        quantities: Quantities::NONE,
        edits: vec![],
    };
    let device = Device::flex();
    let found = checkpoint.decode(text, &options, &device, async |_| true);
    block_on(found).unwrap().swap_remove(0).tokens
}

#[test]
fn texts_are_cut_and_written_as_by_transformers() {
    compare(SHARED);
}

#[test]
fn so_are_those_of_separate_vocabularies() {
    let spec = published(SEPARATE).spec();
    assert_ne!(spec.source_vocabulary, None);
    assert_ne!(spec.source_vocabulary, Some(spec.vocabulary));
    compare(SEPARATE);
}

fn compare(folder: &str) {
    let checkpoint = published(folder);
    let tokenizer = &checkpoint.tokenizer;
    for case in cases(folder) {
        let name = &case.name;
        let source = tokenizer.encode(&case.text).unwrap();
        assert_eq!(ids(&source), case.source, "{name}");
        let target = tokenizer.target().encode(&case.text).unwrap();
        assert_eq!(ids(&target), case.target, "{name}");
        assert_eq!(
            ids(&checkpoint.encode_target(&case.text).unwrap().tokens),
            case.target
        );
        let is_separate = checkpoint.spec().source_vocabulary.is_some();
        let read = if is_separate {
            &case.target
        } else {
            &case.source
        };
        assert_eq!(tokenizer.decode(read).unwrap(), case.read_back, "{name}");
        assert_eq!(
            tokenizer.decode(&case.greedy).unwrap(),
            case.written,
            "{name}"
        );
        let found = written(&checkpoint, &case.text, case.greedy.len());
        assert_eq!(found, case.greedy, "{name}");
    }
}

#[test]
fn unknown_pieces_show_the_characters_they_stand_for() {
    let checkpoint = published(SHARED);
    let unknown = |text: &str| -> Vec<String> {
        let tokens = checkpoint.tokenizer.encode(text).unwrap().into_iter();
        let unknown = tokens.filter(|token| token.unknown);
        unknown.map(|token| token.text).collect()
    };
    assert_eq!(unknown("a 猫犬 sits"), ["猫犬"]);
    // The source's model has a piece for the word, which has no number.
    assert_eq!(unknown(">>fra<< the"), [">>fra<<", "the"]);
    assert_eq!(unknown("a①x"), ["①x"]);
}
