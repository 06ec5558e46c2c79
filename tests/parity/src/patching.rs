//! Patched runs: numbers that equal those of PyTorch's hooks, and the claims about the shipped models.

use std::collections::BTreeMap;
use std::path::PathBuf;

use attention_model::checkpoint::Checkpoint;
use attention_model::error::ModelError;
use attention_trace::{
    Edit, MapQuestion, Patched, PatchedPlace, PatchingEnds, PatchingMap, PatchingPair, Stack,
    TakenInto,
};
use burn::prelude::Device;
use pollster::block_on;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::fixture::{fixtures, tiny};

const TOLERANCE: f32 = 1e-4;

/// The contents of the fixture that `patching.py` wrote.
#[derive(Deserialize)]
struct Expected {
    weights_sha256: BTreeMap<String, String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    model: String,
    #[serde(flatten)]
    pair: PatchingPair,
    ends: PatchingEnds,
    maps: Vec<Map>,
}

#[derive(Deserialize)]
struct Map {
    stack: Stack,
    patched: Patched,
    into: TakenInto,
    cells: Vec<Option<f32>>,
}

fn expected() -> Expected {
    let expected = std::fs::read(fixtures().join("patching.json")).unwrap();
    serde_json::from_slice(&expected).unwrap()
}

fn shipped(model: &str) -> PathBuf {
    let models = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../assets/models");
    models.join(model)
}

/// Opens a tiny checkpoint, or a shipped one, whose weights must be those of the fixture.
fn checkpoint(expected: &Expected, model: &str) -> Checkpoint {
    let Some(sha256) = expected.weights_sha256.get(model) else {
        return tiny(model);
    };
    let weights = std::fs::read(shipped(model).join("model.safetensors")).unwrap();
    let digest = Sha256::digest(weights);
    let found: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(
        &found, sha256,
        "the weights of {model} have changed: run patching.py"
    );
    Checkpoint::open(&shipped(model), &Device::flex()).unwrap()
}

fn map(checkpoint: &Checkpoint, question: &MapQuestion) -> PatchingMap {
    let device = Device::flex();
    block_on(checkpoint.patching_map(question, &device, async |_| true)).unwrap()
}

fn question(pair: &PatchingPair, stack: Stack, patched: Patched, into: TakenInto) -> MapQuestion {
    MapQuestion {
        pair: pair.clone(),
        stack,
        patched,
        into,
    }
}

/// Returns the share of the cell at a row and column, in per cent.
fn share(map: &PatchingMap, row: usize, column: usize) -> f32 {
    let mut cells = map.cells.iter();
    let cell = cells.find(|cell| (cell.row, cell.column) == (row, column));
    100.0 * map.ends.share(cell.unwrap().difference).unwrap()
}

#[test]
fn maps_equal_those_of_pytorch() {
    let expected = expected();
    let (mut cells, mut largest) = (0, 0.0_f32);
    for case in &expected.cases {
        let checkpoint = checkpoint(&expected, &case.model);
        for of in &case.maps {
            let name = format!(
                "{}: {} {} into {}",
                case.model, of.stack, of.patched, of.into
            );
            let found = map(
                &checkpoint,
                &question(&case.pair, of.stack, of.patched, of.into),
            );
            assert!(
                (found.ends.clean - case.ends.clean).abs() < TOLERANCE,
                "{name}"
            );
            assert!(
                (found.ends.other - case.ends.other).abs() < TOLERANCE,
                "{name}"
            );
            let rows = checkpoint.spec().patching_sites(of.stack, of.patched).len();
            let columns = of.cells.len() / rows;
            let known = of.cells.iter().flatten().count();
            assert_eq!(found.cells.len(), known, "{name}");
            for cell in &found.cells {
                let number = of.cells[cell.row * columns + cell.column];
                let apart = (cell.difference - number.expect(&name)).abs();
                assert!(apart < TOLERANCE, "{name}, {cell:?}: {apart}");
                largest = largest.max(apart);
                cells += 1;
            }
        }
    }
    println!("{cells} patched passes, the largest difference {largest:.1e}");
    assert!(cells > 1000);
}

/// Returns the pair of the fixture for a shipped model.
fn pair_of(expected: &Expected, model: &str) -> PatchingPair {
    let case = expected.cases.iter().find(|case| case.model == model);
    case.unwrap().pair.clone()
}

#[test]
fn the_translator_fetches_the_noun_in_its_last_layer() {
    let expected = expected();
    let checkpoint = checkpoint(&expected, "translator");
    let pair = pair_of(&expected, "translator");
    let found = |stack, patched| {
        map(
            &checkpoint,
            &question(&pair, stack, patched, TakenInto::Other),
        )
    };
    // The tokens are Je, suis, étudi, ant without a partner, and the end.
    let encoder = found(Stack::Encoder, Patched::Residual);
    for row in 0..4 {
        assert!(share(&encoder, row, 2) > 98.9, "{row}");
        for column in [0, 1, 4] {
            assert!(share(&encoder, row, column).abs() <= 1.4, "{row} {column}");
        }
    }
    let last = pair.target.len();
    let decoder = found(Stack::Decoder, Patched::Attention);
    let cross = [1, 3, 5].map(|row| share(&decoder, row, last));
    assert!(
        cross[0].abs() < 4.0 && cross[1].abs() < 4.0 && cross[2] > 96.5,
        "{cross:?}"
    );
}

#[test]
fn the_sentence_model_carries_the_subject_to_the_last_word() {
    let expected = expected();
    let checkpoint = checkpoint(&expected, "sentences");
    let pair = pair_of(&expected, "sentences");
    let stream = map(
        &checkpoint,
        &question(&pair, Stack::Decoder, Patched::Residual, TakenInto::Other),
    );
    // The tokens are the start, the subject and the verb.
    let shares = [1, 2, 3].map(|row| [share(&stream, row, 1), share(&stream, row, 2)]);
    assert!(shares[0][0] > 96.5, "{shares:?}");
    assert!((45.0..55.0).contains(&shares[1][1]), "{shares:?}");
    assert!(shares[2][1] > 90.5 && shares[2][0] < 10.0, "{shares:?}");
}

#[test]
fn a_patch_at_one_place_is_the_cell_of_the_map_and_acts_in_decoding() {
    let expected = expected();
    let checkpoint = checkpoint(&expected, "translator");
    let pair = pair_of(&expected, "translator");
    let stream = question(&pair, Stack::Encoder, Patched::Residual, TakenInto::Other);
    let whole = map(&checkpoint, &stream);
    let site = checkpoint
        .spec()
        .patching_sites(Stack::Encoder, Patched::Residual)[1];
    let place = PatchedPlace {
        site,
        head: None,
        at: Some([2, 2]),
    };
    let device = Device::flex();
    let into = TakenInto::Other;
    let run = checkpoint.patched_run(&pair, place, into, 32, &device, async || true);
    let run = block_on(run).unwrap();
    let cell = whole
        .cells
        .iter()
        .find(|cell| (cell.row, cell.column) == (1, 2))
        .unwrap();
    assert!((cell.difference - run.difference).abs() < TOLERANCE);
    assert!(run.text_before.contains("doctor") && run.text_after.contains("student"));
    assert_eq!(run.after[0].token.id, pair.answer);
}

#[test]
fn what_changes_nothing_is_dropped_and_leaves_every_bit_as_it_was() {
    let checkpoint = tiny("llama-gqa");
    let pair = PatchingPair {
        text: "the cat sat".to_owned(),
        other: "the cat ran".to_owned(),
        target: vec![],
        answer: 5,
        against: 9,
    };
    let stream = question(&pair, Stack::Decoder, Patched::Residual, TakenInto::Other);
    let mut passes = vec![];
    let watch = async |progress: attention_model::inference::MapProgress<'_>| {
        passes.push(progress.cells.len());
        true
    };
    let found = block_on(checkpoint.patching_map(&stream, &Device::flex(), watch)).unwrap();
    // Causal: the tokens before the first that differs are the same in every layer.
    let same = found
        .cells
        .iter()
        .filter(|cell| cell.difference == found.ends.other);
    assert!(passes[0] > 0 && same.count() >= passes[0]);
    let target = [7, 3];
    let score = |edits: &[Edit]| {
        let device = Device::flex();
        block_on(checkpoint.score(&pair.text, &target, edits, &device)).unwrap()
    };
    let nothing = Edit::PatchRows {
        site: "decoder.0.mlp.residual".parse().unwrap(),
        head: None,
        rows: vec![],
        text: pair.other.clone(),
        target: vec![],
    };
    assert_eq!(score(&[nothing]), score(&[]));
}

#[test]
fn a_map_that_is_stopped_is_cancelled() {
    let checkpoint = tiny("marian-tiny");
    let pair = PatchingPair {
        text: "the cat sat".to_owned(),
        other: "the dog sat".to_owned(),
        target: vec![],
        answer: 5,
        against: 9,
    };
    let stream = question(&pair, Stack::Encoder, Patched::Residual, TakenInto::Other);
    let device = Device::flex();
    let stopped = checkpoint.patching_map(&stream, &device, async |_| false);
    assert!(matches!(block_on(stopped), Err(ModelError::Cancelled)));
}

#[test]
fn models_without_a_stream_or_a_text_are_refused() {
    for model in ["gru-bahdanau", "bert-tiny"] {
        let checkpoint = tiny(model);
        let device = Device::flex();
        let runs = checkpoint.patching_runs(("a", "b"), None, 4, &device, async || true);
        assert!(
            matches!(block_on(runs), Err(ModelError::Unsupported(_))),
            "{model}"
        );
    }
}
