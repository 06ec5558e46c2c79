//! Rows of attention with some weights set: properties that hold whatever the weights of the model.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use attention_model::checkpoint::Checkpoint;
use attention_model::decoding::Progress;
use attention_model::error::ModelError;
use attention_model::inference::RunOptions;
use attention_model::tap::Tap;
use attention_trace::{
    Array, AttentionLayer, Edit, EditFault, Quantities, Quantity, Search, SetRow, Site,
};
use burn::prelude::Device;
use pollster::block_on;
use proptest::prelude::*;

use crate::fixture::tiny;
use crate::run::{Input, largest_difference, run, run_with};

/// The tolerance for f32 sums of a few dozen terms in another order.
const ROUNDING: f32 = 2e-5;
/// The number of heads of each tiny Transformer.
const HEADS: usize = 4;
const TEXT: &str = "the old dog sits in the garden";

/// Attentions that are computed before any that their edits could change.
static FIRST: LazyLock<[(Checkpoint, AttentionLayer); 5]> = LazyLock::new(|| {
    [
        ("marian-tiny", "encoder.0.self"),
        ("marian-tiny", "decoder.0.self"),
        ("marian-tiny", "decoder.0.cross"),
        ("llama-gqa", "decoder.0.self"),
        ("gpt2-tiny", "decoder.0.self"),
    ]
    .map(|(model, attention)| (tiny(model), layer(attention)))
});

fn layer(name: &str) -> AttentionLayer {
    name.to_owned().try_into().unwrap()
}

/// Generates places in a matrix of eight rows and columns, each with its weight in twentieths.
fn cells() -> impl Strategy<Value = Vec<(usize, usize, usize, u8)>> {
    prop::collection::vec((0..HEADS, 0usize..8, 0usize..8, 0u8..=20), 1..8)
}

fn edits(attention: AttentionLayer, cells: &[(usize, usize, usize, u8)]) -> Vec<Edit> {
    let edit = |&(head, query, key, twentieths): &(usize, usize, usize, u8)| Edit::SetWeight {
        attention,
        head,
        query,
        key,
        weight: f32::from(twentieths) / 20.0,
    };
    cells.iter().map(edit).collect()
}

fn input() -> Input {
    Input {
        source: (5..12).collect(),
        target: (4..11).collect(),
        ..Input::default()
    }
}

fn row_of(map: &Array, row: &SetRow) -> Option<Vec<f32>> {
    Some(map.row(&[row.head, row.query])?.to_vec())
}

/// Returns the row after the edit.
fn expected(own: &[f32], row: &SetRow) -> Vec<f32> {
    let others = own.iter().enumerate();
    let others = others.filter(|(key, _)| !row.weights.contains_key(key));
    let sum: f32 = others.map(|(_, weight)| weight).sum();
    let weight = |(key, own): (usize, &f32)| match row.weights.get(&key) {
        Some(weight) => *weight,
        None if row.rest() == 0.0 => 0.0,
        None => own * row.rest() / sum,
    };
    own.iter().enumerate().map(weight).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn rows_sum_to_one_and_the_others_keep_their_ratios(cells in cells()) {
        let input = input();
        for (checkpoint, attention) in &*FIRST {
            let spec = checkpoint.spec();
            let source = if spec.reads_source() { input.source.len() } else { 0 };
            let mut edits = edits(*attention, &cells);
            if Edit::row_fault(&edits, &spec, [source, input.target.len()]).is_some() {
                continue;
            }
            edits.retain(|edit| !edit.misses(&spec, source, false));
            let wanted = Quantities::of(&[Quantity::Pattern]);
            let tap = Tap::recording(wanted).with_edits(&edits);
            let site = attention.at(Quantity::Pattern);
            let edited = run_with(checkpoint, &input, tap).arrays.remove(&site).unwrap();
            let own = run(checkpoint, &input, wanted).arrays.remove(&site).unwrap();
            for row in edited.data.chunks(edited.shape[2]) {
                let sum: f32 = row.iter().sum();
                prop_assert!((sum - 1.0).abs() < 1e-5, "{site} sums to {sum}");
            }
            let mut rest = own.clone();
            for row in SetRow::all(&edits) {
                let Some(own) = row_of(&own, &row) else { continue };
                let wanted = expected(&own, &row);
                let at = (row.head * rest.shape[1] + row.query) * own.len();
                rest.data[at..at + own.len()].copy_from_slice(&wanted);
            }
            let difference = largest_difference(&edited.data, &rest.data);
            prop_assert!(difference < ROUNDING, "{site}: {difference}");
        }
    }
}

/// A head that has driven the other weights to 0 keeps their ratios in its scores.
#[test]
fn the_others_share_what_is_left_of_a_row_that_looked_at_one_key_alone() {
    let (checkpoint, attention) = &FIRST[0];
    let all_but = |weight: f32| {
        vec![
            Edit::ScaleKey {
                attention: *attention,
                head: Some(0),
                key: 2,
                factor: 1e38,
            },
            Edit::SetWeight {
                attention: *attention,
                head: 0,
                query: 1,
                key: 2,
                weight,
            },
        ]
    };
    let row = |edits: &[Edit]| {
        let tap = Tap::recording(Quantities::all()).with_edits(edits);
        let outcome = run_with(checkpoint, &input(), tap);
        let map = &outcome.arrays[&attention.at(Quantity::Pattern)];
        map.row(&[0, 1]).unwrap().to_vec()
    };
    let pinned = row(&all_but(0.25)[..1]);
    assert_eq!(pinned[2], 1.0);
    let shared = row(&all_but(0.25));
    assert!((shared[2] - 0.25).abs() < ROUNDING);
    let own = row(&[]);
    let others = 1.0 - own[2];
    for key in (0..own.len()).filter(|&key| key != 2) {
        assert!((shared[key] - 0.75 * own[key] / others).abs() < ROUNDING);
    }
}

fn options(edits: Vec<Edit>) -> RunOptions {
    RunOptions {
        search: Search::Greedy,
        prefix: vec![],
        max_new_tokens: 8,
        quantities: Quantities::NONE,
        edits,
    }
}

/// A step of decoding and the row of the pass that reads all at once are edited alike.
#[test]
fn decoding_and_one_pass_agree() {
    for (model, attention, query) in [
        ("marian-tiny", "decoder.0.cross", 0),
        ("llama-gqa", "decoder.0.self", 12),
        ("gru-bahdanau", "decoder.0.cross", 0),
        ("gru-general", "decoder.0.cross", 0),
    ] {
        let (checkpoint, device) = (tiny(model), Device::flex());
        let cells: Vec<_> = (0..checkpoint.spec().heads(layer(attention).kind))
            .map(|head| (head, query, 1, 18))
            .collect();
        let edits = edits(layer(attention), &cells);
        let options = options(edits.clone());
        let watch = async |_: Progress<'_>| true;
        let found = block_on(checkpoint.decode(TEXT, &options, &device, watch)).unwrap();
        let scores = |edits: &[Edit]| {
            block_on(checkpoint.score(TEXT, &found[0].tokens, edits, &device)).unwrap()
        };
        let sum: f32 = scores(&edits).iter().sum();
        assert!((sum - found[0].log_probability).abs() < 1e-3, "{model}");
        assert_ne!(scores(&edits), scores(&[]), "{model}");
    }
}

/// `C_i` of a recurrent decoder moves to the state of the word that the step is pinned to; of the others none moves
/// that was there before.
#[test]
fn the_context_of_a_recurrent_step_moves_to_the_word_that_it_is_pinned_to() {
    for model in ["gru-bahdanau", "gru-dot", "gru-general", "gru-concat"] {
        let (checkpoint, input) = (tiny(model), input());
        let traced = |edits: &[Edit]| {
            let tap = Tap::recording(Quantities::all()).with_edits(edits);
            run_with(&checkpoint, &input, tap)
        };
        let pin = edits(layer("decoder.0.cross"), &[(0, 3, 5, 20)]);
        let (pinned, own) = (traced(&pin), traced(&[]));
        let row = |outcome: &crate::run::Outcome, name: &str, at: &[usize]| {
            outcome.array(name).row(at).unwrap().to_vec()
        };
        let context = "decoder.0.cross.z";
        let state = row(&own, "encoder.state", &[5]);
        let moved = largest_difference(&row(&pinned, context, &[0, 3]), &state);
        assert!(moved < ROUNDING, "{model}: {moved}");
        assert_ne!(row(&own, context, &[0, 3]), row(&pinned, context, &[0, 3]));
        for earlier in 0..3 {
            let at = [0, earlier];
            assert_eq!(row(&own, context, &at), row(&pinned, context, &at));
        }
    }
}

#[test]
fn weights_of_cells_that_are_not_there_leave_every_bit() {
    let device = Device::flex();
    for (model, attention, cell) in [
        ("llama-gqa", "decoder.0.self", (1, 2, 5, 10)),
        ("marian-tiny", "decoder.0.cross", (1, 0, 99, 10)),
        ("marian-tiny", "encoder.0.self", (1, 99, 0, 10)),
    ] {
        let checkpoint = tiny(model);
        let logits = |edits: &[Edit]| {
            let sites = BTreeSet::from([Site::LOGITS]);
            block_on(checkpoint.arrays(TEXT, &[], &sites, edits, &device)).unwrap()
        };
        let far = edits(layer(attention), &[cell]);
        assert_eq!(logits(&far), logits(&[]), "{model}");
    }
}

#[test]
fn rows_that_cannot_sum_to_one_are_refused() {
    let device = Device::flex();
    let checkpoint = tiny("marian-tiny");
    let tokens = checkpoint.encode_input(TEXT).unwrap().len();
    let cross = layer("decoder.0.cross");
    let all = |weight| -> Vec<_> { (0..tokens).map(|key| (0, 2, key, weight)).collect() };
    for (cells, fault) in [
        (all(0), EditFault::Keys),
        (vec![(0, 2, 0, 15), (0, 2, 1, 15)], EditFault::Sum),
    ] {
        let options = options(edits(cross, &cells));
        let refused = checkpoint.decode(TEXT, &options, &device, async |_| true);
        let error = block_on(refused).unwrap_err();
        assert!(
            matches!(error, ModelError::Edit(found) if found == fault),
            "{error}"
        );
    }
}
