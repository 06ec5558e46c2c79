//! The order of tokens in attention: without positions, and without a causal mask, permuting the input permutes the
//! output.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::LazyLock;

use attention_model::checkpoint::Checkpoint;
use attention_model::error::ModelError;
use attention_model::tap::Tap;
use attention_trace::{Edit, Stack};
use burn::prelude::*;
use pollster::block_on;
use proptest::prelude::*;

use crate::fixture::tiny;
use crate::run::{batch, largest_difference, values};

/// The tolerance for f32 sums of a few dozen terms in another order.
const ROUNDING: f32 = 2e-5;
const VOCABULARY: u32 = 128;

static CHECKPOINTS: LazyLock<[Checkpoint; 2]> =
    LazyLock::new(|| [tiny("marian-tiny"), tiny("llama-gqa")]);

/// Returns the outputs of the encoder, or of a decoder-only model, `[n, d]`.
fn outputs(checkpoint: &Checkpoint, tokens: &[u32], edits: &[Edit]) -> Vec<f32> {
    let mut tap = Tap::quiet().with_edits(edits);
    let tokens = batch(&[tokens.to_vec()]);
    let model = &checkpoint.model;
    let states = match model.spec().reads_source() {
        true => {
            model
                .start(Some(tokens.into()), &mut tap)
                .memory
                .unwrap()
                .states
        }
        false => model.read(None, Some(tokens), &mut tap),
    };
    values(states.flatten::<2>(0, 1))
}

/// Returns the largest difference between the permuted outputs and the outputs of the permuted input.
fn difference(checkpoint: &Checkpoint, tokens: &[u32], order: &[usize], edits: &[Edit]) -> f32 {
    let plain = outputs(checkpoint, tokens, edits);
    let width = plain.len() / tokens.len();
    let row = |&place: &usize| plain[place * width..(place + 1) * width].to_vec();
    let permuted: Vec<f32> = order.iter().flat_map(row).collect();
    let moved: Vec<u32> = order.iter().map(|&place| tokens[place]).collect();
    largest_difference(&permuted, &outputs(checkpoint, &moved, edits))
}

/// The edits that remove all information about the order of tokens.
const WITHOUT_ORDER: [Edit; 2] = [Edit::WithoutPositions, Edit::WithoutCausality];

/// Generates different tokens, and an order of them.
fn permuted() -> impl Strategy<Value = (Vec<u32>, Vec<usize>)> {
    let tokens = prop::sample::subsequence((0..VOCABULARY).collect::<Vec<_>>(), 2..10);
    tokens.prop_flat_map(|tokens| {
        let places: Vec<usize> = (0..tokens.len()).collect();
        (Just(tokens).prop_shuffle(), Just(places).prop_shuffle())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn without_positions_outputs_permute_with_their_tokens((tokens, order) in permuted()) {
        for checkpoint in &*CHECKPOINTS {
            let found = difference(checkpoint, &tokens, &order, &WITHOUT_ORDER);
            prop_assert!(found < ROUNDING, "{found}");
        }
    }

    #[test]
    fn with_positions_they_do_not((tokens, order) in permuted()) {
        let moved = order.iter().enumerate().any(|(place, &token)| place != token);
        prop_assume!(moved);
        for checkpoint in &*CHECKPOINTS {
            let found = difference(checkpoint, &tokens, &order, &[]);
            prop_assert!(found > 10.0 * ROUNDING, "{found}");
        }
    }

    #[test]
    fn a_causal_mask_alone_tells_order((tokens, order) in permuted()) {
        let moved = order.iter().enumerate().any(|(place, &token)| place != token);
        prop_assume!(moved);
        let found = difference(&CHECKPOINTS[1], &tokens, &order, &WITHOUT_ORDER[..1]);
        prop_assert!(found > 10.0 * ROUNDING, "{found}");
    }
}

/// The claims of the chapter "order": the translator on the lecture's sentence with two words exchanged.
#[test]
fn the_lectures_sentence_in_another_order() {
    const LECTURE: &str = "那时候，柔嘉在家里等鸿渐回家来吃晚饭，希望他会跟姑母和好，到她厂里做事";
    let models = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../assets/models");
    let device = Device::flex();
    let checkpoint = Checkpoint::open(&models.join("translator"), &device).unwrap();
    let count = checkpoint.encode_input(LECTURE).unwrap().len();
    let site = checkpoint.spec().stack_output(Stack::Encoder);
    let array = |order: &[usize], positions: bool| {
        let mut edits = vec![Edit::Permute {
            order: order.to_vec(),
        }];
        edits.extend((!positions).then_some(Edit::WithoutPositions));
        let sites = BTreeSet::from([site]);
        let arrays = checkpoint.arrays(LECTURE, &[], &sites, &edits, &device);
        block_on(arrays).unwrap().remove(&site).unwrap()
    };
    let places: Vec<usize> = (0..count).collect();
    let mut order = places.clone();
    order.swap(2, count - 3);
    let found = |positions| {
        let (plain, moved) = (array(&places, positions), array(&order, positions));
        let width = plain.shape[1];
        let row = |&place: &usize| plain.data[place * width..(place + 1) * width].to_vec();
        let permuted: Vec<f32> = order.iter().flat_map(row).collect();
        largest_difference(&permuted, &moved.data)
    };
    let (without, with) = (found(false), found(true));
    println!("largest difference: {without:e} without positions, {with:e} with them");
    assert!(without < ROUNDING, "{without}");
    assert!(with > 0.1, "{with}");

    let twice = [Edit::Permute {
        order: vec![0; count],
    }];
    let sites = BTreeSet::from([site]);
    let arrays = checkpoint.arrays(LECTURE, &[], &sites, &twice, &device);
    let error = block_on(arrays).unwrap_err();
    assert!(
        matches!(error, ModelError::Order { tokens } if tokens == count),
        "{error}"
    );
}
