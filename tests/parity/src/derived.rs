//! Maps derived from attention weights: gradients times weights, lengths of values and rollout equal PyTorch's, and
//! flows are at least rollouts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use attention_model::checkpoint::Checkpoint;
use attention_model::decoding::Sequence;
use attention_model::error::ModelError;
use attention_model::gradients::Differentiable;
use attention_trace::derived::{GradientQuestion, JointMap, Objective, value_weighted};
use attention_trace::{Array, AttentionKind, AttentionLayer, Edit, Quantity, Slice};
use burn::prelude::Device;
use pollster::block_on;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::fixture::{Fixture, GRUS, fixtures, tiny};

const TOLERANCE: f32 = 1e-4;

/// The description of the arrays that `derived.py` wrote.
#[derive(Deserialize)]
struct Description {
    weights_sha256: BTreeMap<String, String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    model: String,
    text: String,
    source: Vec<u32>,
    target: Vec<u32>,
    row: usize,
    token: u32,
    logit: f32,
    log_probability: f32,
}

/// Returns the directory of a tiny checkpoint, or of a shipped one.
fn directory(model: &str, is_shipped: bool) -> PathBuf {
    match is_shipped {
        true => Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../assets/models")
            .join(model),
        false => fixtures().join("tiny").join(model),
    }
}

fn differentiable(directory: &Path) -> Differentiable {
    let read = |name: &str| std::fs::read(directory.join(name)).unwrap();
    Differentiable::load(&read("config.json"), &read("model.safetensors")).unwrap()
}

fn attentions(checkpoint: &Checkpoint) -> Vec<AttentionLayer> {
    let spec = checkpoint.spec();
    let kinds = spec.kinds().into_iter();
    kinds
        .flat_map(|kind| (0..spec.layers(kind)).map(move |layer| AttentionLayer { kind, layer }))
        .collect()
}

fn compare(found: &Array, expected: &Array, name: &str) -> f32 {
    assert_eq!(found.shape, expected.shape, "{name}");
    let apart = found.data.iter().zip(&expected.data);
    let largest = apart.fold(0.0_f32, |largest, (a, b)| largest.max((a - b).abs()));
    assert!(largest < TOLERANCE, "{name}: {largest}");
    largest
}

/// Returns the tokens after the start, in the form that a search returns; nothing for a prompt alone.
fn written(case: &Case) -> Vec<Sequence> {
    let sequence = Sequence {
        tokens: case.target.clone(),
        log_probability: 0.0,
        score: 0.0,
    };
    let is_written = !case.target.is_empty();
    is_written.then_some(sequence).into_iter().collect()
}

impl Case {
    /// Returns the question for the gradient of the case's token.
    fn question(&self, checkpoint: &Checkpoint, attention: AttentionLayer) -> GradientQuestion {
        let spec = checkpoint.spec();
        let start = checkpoint.control().start;
        let (source, target) = match (&spec.encoder, &spec.decoder) {
            (Some(_), None) => (self.source.clone(), vec![]),
            (None, _) => (vec![], self.source.clone()),
            (Some(_), Some(_)) => {
                let read = &self.target[..self.target.len() - 1];
                let start = start.into_iter().chain(read.iter().copied());
                (self.source.clone(), start.collect())
            }
        };
        GradientQuestion {
            source,
            target,
            row: self.row,
            token: self.token,
            of: Objective::Logit,
            attention,
            edits: vec![],
        }
    }
}

#[test]
fn derived_maps_equal_those_of_pytorch() {
    let fixture = Fixture::<Description>::read("derived.safetensors");
    let Description {
        weights_sha256,
        cases,
    } = &fixture.description;
    let device = Device::flex();
    let mut largest = [0.0_f32; 3];
    let mut arrays = 0;
    for case in cases {
        let name = &case.model;
        let sha256 = weights_sha256.get(name);
        let directory = directory(name, sha256.is_some());
        if let Some(sha256) = sha256 {
            let weights = std::fs::read(directory.join("model.safetensors")).unwrap();
            let digest = Sha256::digest(weights);
            let found: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(
                &found, sha256,
                "the weights of {name} have changed: run derived.py"
            );
        }
        let checkpoint = Checkpoint::open(&directory, &device).unwrap();
        let gradients = differentiable(&directory);
        let (text, sequences) = (&case.text, written(case));
        for attention in attentions(&checkpoint) {
            let block = attention.block();
            let expected = |what: &str| &fixture.arrays[&format!("{name}/{block}.{what}")];
            let lengths = checkpoint.value_lengths(text, &sequences, attention, &[], &device);
            let lengths = block_on(lengths).unwrap();
            let apart = compare(&lengths, expected("lengths"), name);
            largest[0] = largest[0].max(apart);
            let map = (JointMap::Rollout, attention);
            let rollout = checkpoint.joint_map(text, &sequences, map, &[], &device);
            let rollout = block_on(rollout).unwrap();
            let apart = compare(&rollout, expected("rollout"), name);
            largest[1] = largest[1].max(apart);
            for (of, what, value) in [
                (Objective::Logit, "logit", case.logit),
                (
                    Objective::LogProbability,
                    "log_probability",
                    case.log_probability,
                ),
            ] {
                let question = GradientQuestion {
                    of,
                    ..case.question(&checkpoint, attention)
                };
                let found = block_on(gradients.gradient_times_attention(&question)).unwrap();
                assert!(
                    (found.value - value).abs() < TOLERANCE,
                    "{name}: {}",
                    found.value
                );
                let apart = compare(&found.product, expected(what), &format!("{name}/{block}"));
                largest[2] = largest[2].max(apart);
            }
            arrays += 4;
        }
    }
    let [lengths, rollout, gradients] = largest;
    println!(
        "{arrays} arrays: lengths of values {lengths:.1e}, rollout {rollout:.1e}, gradient × attention {gradients:.1e}"
    );
}

/// The claims of the chapter on derived maps about the translator on “Je suis étudiant.”
#[test]
fn the_end_token_is_given_weight_and_carries_little() {
    let device = Device::flex();
    let checkpoint = Checkpoint::open(&directory("translator", true), &device).unwrap();
    let text = "Je suis étudiant.";
    let target = checkpoint.encode_target("I am a student.").unwrap().tokens;
    let sequences = [Sequence {
        tokens: target.iter().map(|token| token.id).collect(),
        log_probability: 0.0,
        score: 0.0,
    }];
    let lengths = |attention| {
        let lengths = checkpoint.value_lengths(text, &sequences, attention, &[], &device);
        block_on(lengths).unwrap()
    };
    // The end token's length by the mean of the others'.
    let ratio = |lengths: &Array, head: usize| {
        let (end, others) = lengths.row(&[head]).unwrap().split_last().unwrap();
        end * others.len() as f32 / others.iter().sum::<f32>()
    };
    let mut ratios = vec![];
    for layer in 0..3 {
        let lengths = lengths(AttentionLayer {
            kind: AttentionKind::Cross,
            layer,
        });
        ratios.extend((0..8).map(|head| ratio(&lengths, head)));
    }
    assert!(ratios.iter().all(|&ratio| ratio < 1.0), "{ratios:?}");
    let short = ratios.iter().filter(|&&ratio| ratio < 0.5).count();
    assert!(short > 12, "{ratios:?}");
    let encoder = lengths(AttentionLayer {
        kind: AttentionKind::EncoderSelf,
        layer: 2,
    });
    assert!(ratio(&encoder, 6) > 2.0, "{}", ratio(&encoder, 6));
    let cross = AttentionLayer {
        kind: AttentionKind::Cross,
        layer: 1,
    };
    let site = cross.at(Quantity::Pattern);
    let sites = BTreeSet::from([site]);
    let arrays = checkpoint.arrays(text, &sequences, &sites, &[], &device);
    let pattern = block_on(arrays).unwrap().remove(&site).unwrap();
    let head = pattern.slice(Slice::Head(7)).unwrap();
    let carried = value_weighted(&head, lengths(cross).row(&[7]).unwrap()).unwrap();
    let on_end = |map: &Array| {
        let rows = map.data.chunks_exact(map.shape[1]);
        let shares = rows.map(|row| row.last().unwrap() / row.iter().sum::<f32>());
        shares.sum::<f32>() / map.shape[0] as f32
    };
    let shares = [on_end(&head), on_end(&carried)].map(|share| format!("{share:.2}"));
    assert_eq!(shares, ["0.26", "0.14"]);
}

#[test]
fn a_flow_is_no_less_than_the_rollout() {
    let checkpoint = tiny("marian-tiny");
    let device = Device::flex();
    for attention in attentions(&checkpoint) {
        let map = |map| {
            let joint = checkpoint.joint_map("Je suis.", &[], (map, attention), &[], &device);
            block_on(joint).unwrap()
        };
        let (rollout, flow) = (map(JointMap::Rollout), map(JointMap::Flow));
        assert_eq!(rollout.shape, flow.shape);
        let pairs = rollout.data.iter().zip(&flow.data);
        for (rolled, flows) in pairs {
            assert!(
                *flows >= rolled - 1e-5 && *flows <= 1.0 + 1e-5,
                "{flows} {rolled}"
            );
        }
    }
}

#[test]
fn gradients_are_those_of_an_edited_pass_and_edits_that_need_a_pass_are_refused() {
    let directory = directory("marian-tiny", false);
    let model = differentiable(&directory);
    let attention = AttentionLayer {
        kind: AttentionKind::Cross,
        layer: 0,
    };
    let question = GradientQuestion {
        source: vec![5, 6, 2],
        target: vec![0, 5],
        row: 1,
        token: 7,
        of: Objective::Logit,
        attention,
        edits: vec![],
    };
    let ask = |edits: Vec<Edit>| {
        let question = GradientQuestion {
            edits,
            ..question.clone()
        };
        block_on(model.gradient_times_attention(&question))
    };
    let off = Edit::ScaleHead {
        attention,
        head: 0,
        factor: 0.0,
    };
    let (plain, edited) = (ask(vec![]).unwrap(), ask(vec![off]).unwrap());
    let head = |found: &attention_trace::derived::GradientAnswer| {
        found
            .product
            .matrix(0)
            .unwrap()
            .iter()
            .map(|value| value.abs())
            .sum::<f32>()
    };
    assert!(head(&plain) > 0.0);
    assert_eq!(head(&edited), 0.0, "a head that is off changes nothing");
    assert_ne!(plain.value, edited.value);
    let patch = Edit::Patch {
        site: "encoder.0.mlp.out".parse().unwrap(),
        text: "a".to_owned(),
        target: vec![],
    };
    assert!(matches!(ask(vec![patch]), Err(ModelError::Unsupported(_))));
    let beyond = GradientQuestion { row: 9, ..question };
    let refused = block_on(model.gradient_times_attention(&beyond));
    assert!(matches!(refused, Err(ModelError::Unsupported(_))));
}

const WITHOUT_ATTENTION: [&str; 2] = ["gru-fixed", "gru-both-ends"];

#[test]
fn a_recurrent_model_has_no_chain_of_layers_and_no_output_matrix() {
    let device = Device::flex();
    for name in GRUS
        .into_iter()
        .filter(|&name| !WITHOUT_ATTENTION.contains(&name))
    {
        let checkpoint = tiny(name);
        let attention = attentions(&checkpoint)[0];
        let map = (JointMap::Rollout, attention);
        let rollout = block_on(checkpoint.joint_map("a", &[], map, &[], &device));
        assert!(matches!(rollout, Err(ModelError::Unsupported(_))), "{name}");
        let lengths = block_on(checkpoint.value_lengths("a", &[], attention, &[], &device));
        assert!(lengths.is_err(), "{name}");
    }
}
