//! Universal Transformers: properties that hold for any input, whatever the weights.

use std::sync::LazyLock;

use attention_model::checkpoint::{Checkpoint, CheckpointFiles};
use attention_model::tap::Tap;
use attention_trace::{Edit, ModelSpec, Ponder, Quantities, Site, Stack};
use burn::prelude::Device;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::encoder_decoders::{ROUNDING, input};
use crate::fixture::{UNIVERSALS, fixtures, tiny};
use crate::run::{Outcome, largest_difference, relative, run, run_with};

static CHECKPOINTS: LazyLock<[Checkpoint; 3]> = LazyLock::new(|| UNIVERSALS.map(tiny));

/// Opens a model with the weights of "universal-act" and changes in its configuration.
fn configured(change: impl Fn(&mut Value)) -> Checkpoint {
    let folder = fixtures().join("tiny/universal-act");
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let mut config: Value = serde_json::from_slice(&read("config.json")).unwrap();
    change(&mut config);
    let files = CheckpointFiles {
        config: serde_json::to_vec(&config).unwrap(),
        weights: read("model.safetensors").into(),
        tokenizer: read("tokenizer.json"),
        ..CheckpointFiles::default()
    };
    Checkpoint::load(files, &Device::flex()).unwrap()
}

static EASIER: LazyLock<Checkpoint> =
    LazyLock::new(|| configured(|config| config["halting"]["epsilon"] = json!(0.4)));
static SHALLOW: LazyLock<Checkpoint> =
    LazyLock::new(|| configured(|config| config["max_depth"] = json!(2)));

fn halting() -> impl Iterator<Item = (&'static Checkpoint, ModelSpec)> {
    let all = CHECKPOINTS.iter().map(|one| (one, one.spec()));
    all.filter(|(_, spec)| spec.halting().is_some())
}

/// Returns an array of every depth of a stack, each a number for every position.
fn by_depth(outcome: &Outcome, spec: &ModelSpec, stack: Stack, quantity: &str) -> Vec<Vec<f32>> {
    let depths = 0..spec.stack(stack).unwrap().layers;
    let array = |depth| outcome.array(&format!("{stack}.{depth}.mlp.{quantity}"));
    depths.map(|depth| array(depth).data.clone()).collect()
}

/// Returns the numbers of one position, from the first depth.
fn column(by_depth: &[Vec<f32>], position: usize) -> Vec<f32> {
    by_depth.iter().map(|row| row[position]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn weights_of_depths_are_those_of_the_probabilities(input in input()) {
        for (checkpoint, spec) in halting() {
            let outcome = run(checkpoint, &input, Quantities::all());
            for stack in [Stack::Encoder, Stack::Decoder] {
                let probabilities = by_depth(&outcome, &spec, stack, "halting");
                let weights = by_depth(&outcome, &spec, stack, "depth_weight");
                for position in 0..probabilities[0].len() {
                    let found = column(&weights, position);
                    let expected = Ponder::of(&column(&probabilities, position), spec.halting().unwrap());
                    prop_assert!(largest_difference(&found, &expected.weights) < 1e-6);
                }
            }
        }
    }

    /// A halted position keeps its state, and the output of a stack is the sum of its depths.
    #[test]
    fn halted_positions_keep_their_states(input in input()) {
        for (checkpoint, spec) in halting() {
            let outcome = run(checkpoint, &input, Quantities::all());
            for stack in [Stack::Encoder, Stack::Decoder] {
                let weights = by_depth(&outcome, &spec, stack, "depth_weight");
                let states = by_depth(&outcome, &spec, stack, "state");
                let handed_on = outcome.array(&format!("{stack}.state"));
                let width = handed_on.shape[1];
                let row = |depth: usize, position: usize| &states[depth][position * width..(position + 1) * width];
                for position in 0..weights[0].len() {
                    let used = column(&weights, position);
                    let mut sum = vec![0.0; width];
                    for (depth, &weight) in used.iter().enumerate() {
                        if depth > 0 && weight == 0.0 {
                            prop_assert_eq!(row(depth, position), row(depth - 1, position));
                        }
                        sum.iter_mut().zip(row(depth, position)).for_each(|(sum, x)| *sum += weight * x);
                    }
                    let found = handed_on.row(&[position]).unwrap();
                    prop_assert!(relative(found, &sum) < ROUNDING);
                }
            }
        }
    }

    /// An edited probability determines halting: if it is 1 after the first depth, the output is the first state alone.
    #[test]
    fn an_edited_probability_halts(input in input()) {
        for (checkpoint, _) in halting() {
            let site: Site = "encoder.0.mlp.halting".parse().unwrap();
            let mut array = run(checkpoint, &input, Quantities::all()).arrays[&site].clone();
            array.data.fill(1.0);
            let tap = Tap::recording(Quantities::all()).with_edits(&[Edit::Replace { site, array }]);
            let edited = run_with(checkpoint, &input, tap);
            let first = &edited.array("encoder.0.mlp.state").data;
            prop_assert!(relative(&edited.array("encoder.state").data, first) < ROUNDING);
        }
    }

    /// An edit of halting gives the same result as a configuration with that halting.
    #[test]
    fn halting_elsewhere_is_another_configuration(input in input()) {
        let own = &CHECKPOINTS[0];
        for (other, epsilon, depths) in [(&*EASIER, 0.4, usize::MAX), (&*SHALLOW, 0.01, 2)] {
            let edit = Edit::Halt { epsilon, depths };
            prop_assert_eq!(edit.fault(&own.spec()), None);
            let tap = Tap::recording(Quantities::all()).with_edits(&[edit]);
            let edited = run_with(own, &input, tap);
            let expected = run(other, &input, Quantities::all());
            prop_assert_eq!(&edited.logits.data, &expected.logits.data);
            for name in ["encoder.state", "decoder.state", "decoder.1.mlp.depth_weight"] {
                prop_assert_eq!(&edited.array(name).data, &expected.array(name).data, "{}", name);
            }
            let beyond = by_depth(&edited, &own.spec(), Stack::Encoder, "depth_weight");
            let mut beyond = beyond.iter().skip(depths).flatten();
            prop_assert!(beyond.all(|&weight| weight == 0.0));
        }
    }
}
