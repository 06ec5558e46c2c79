//! ViT and DINOv2 give the numbers that PyTorch `transformers` gives of the same pictures, which Pillow resizes.

use attention_model::checkpoint::Checkpoint;
use attention_model::error::ModelError;
use attention_model::inference::RunOptions;
use attention_model::picture::{self, Picture};
use attention_trace::{
    Array, AttentionKind, AttentionLayer, Block, Edit, Generates, Quantities, Quantity, Search,
    Stack, Sublayer, Trace, Weight,
};
use burn::prelude::*;
use pollster::block_on;
use serde::Deserialize;

use crate::fixture::{Fixture, VISIONS, fixtures, tiny};
use crate::run::{largest_difference, values};
use crate::transformers::{Differences, site};

/// Pillow's integers are ours; what is left is the order of a division and a subtraction in 32 bits.
const PIXEL_TOLERANCE: f32 = 1e-6;
const KINDS: [&str; 2] = ["attention weights", "hidden states"];

/// The contents of the fixture that `vision.py` wrote.
#[derive(Deserialize)]
struct Description {
    pictures: Vec<String>,
}

fn fixture(name: &str) -> Fixture<Description> {
    Fixture::read(&format!("tiny/{name}/expected.safetensors"))
}

fn open(file: &str) -> Picture {
    picture::open(&fixtures().join("pictures").join(file)).unwrap()
}

fn traced(checkpoint: &Checkpoint, name: &str, edits: Vec<Edit>) -> Result<Trace, ModelError> {
    let options = RunOptions {
        search: Search::Greedy,
        prefix: vec![],
        max_new_tokens: 9,
        quantities: Quantities::all(),
        edits,
    };
    let device = Device::flex();
    let found = block_on(checkpoint.decode(name, &options, &device, async |_| true))?;
    assert!(found.is_empty());
    block_on(checkpoint.trace(name, &found, &options, &device))
}

/// Returns the logits of the classes, which a trace lists by their probability.
fn logits(trace: &Trace) -> Array {
    let mut classes = trace.guesses[0].candidates.clone();
    classes.sort_by_key(|candidate| candidate.token.id);
    Array {
        shape: vec![classes.len()],
        data: classes.iter().map(|candidate| candidate.logit).collect(),
    }
}

#[test]
fn models_of_pictures_equal_transformers() {
    for name in VISIONS {
        let checkpoint = tiny(name);
        let fixture = fixture(name);
        let mut differences = Differences::default();
        let mut largest_pixel = 0.0_f32;
        for label in &fixture.description.pictures {
            let picture = open(&format!("{label}.png"));
            let processor = checkpoint.processor.as_ref().unwrap();
            let pixels = processor.apply(&picture).unwrap();
            let grid = checkpoint.show(label, &picture).unwrap();
            let trace = traced(&checkpoint, label, vec![]).unwrap();
            assert_eq!(trace.meta.pieces.picture.as_ref(), Some(&grid));
            assert_eq!(trace.meta.source.len(), grid.tokens());
            for (array, expected) in fixture.case(label) {
                let what = format!("{name}/{label}/{array}");
                match array {
                    "pixels" => {
                        assert_eq!(expected.shape, [3, pixels.height, pixels.width], "{what}");
                        let difference = largest_difference(&pixels.data, &expected.data);
                        assert!(difference <= PIXEL_TOLERANCE, "{what}: {difference}");
                        largest_pixel = largest_pixel.max(difference);
                    }
                    "logits" => differences.compare(&what, &logits(&trace), expected),
                    array => {
                        let site = site(&checkpoint.spec(), array);
                        differences.compare(&what, &trace.arrays[&site], expected);
                    }
                }
            }
        }
        differences.report(name, &KINDS);
        println!("{name}: pixels: {largest_pixel:.1e}");
        let is_classifier = checkpoint.spec().generates == Generates::Labels;
        assert_eq!(is_classifier, fixture.arrays.contains_key("wide/logits"));
        if is_classifier {
            differences.report(name, &["logits"]);
        }
    }
}

#[test]
fn opacity_is_left_out_and_the_camera_is_turned_back() {
    let wide = open("wide.png");
    assert_eq!(open("veiled.png"), wide);
    let turned = open("turned.jpg");
    assert_eq!(turned.size(), wide.size());
    let checkpoint = tiny("vit-tiny");
    let processor = checkpoint.processor.as_ref().unwrap();
    let [upright, found] = [&wide, &turned].map(|picture| processor.apply(picture).unwrap().data);
    let apart: f32 = upright.iter().zip(&found).map(|(a, b)| (a - b).abs()).sum();
    // What JPEG loses, far less than another orientation.
    assert!(apart / (upright.len() as f32) < 0.1, "{apart}");
}

#[test]
fn the_parameters_of_a_sublayer_make_its_output_of_its_heads() {
    for name in VISIONS {
        let checkpoint = tiny(name);
        checkpoint.show("wide", &open("wide.png")).unwrap();
        let trace = traced(&checkpoint, "wide", vec![]).unwrap();
        let block = Block::Sublayer(Stack::Encoder, 0, Sublayer::SelfAttention);
        let parameter = |weight| {
            let found = checkpoint.model.parameter(block.parameter(weight)).unwrap();
            (found.dims(), values(found))
        };
        let ([width, _], matrix) = parameter(Weight::WO);
        let (_, bias) = parameter(Weight::BO);
        let z = &trace.arrays[&block.at(Quantity::Z)];
        let out = &trace.arrays[&block.at(Quantity::Out)];
        let [heads, tokens, d_k] = z.shape[..] else {
            panic!("{:?}", z.shape)
        };
        for token in [0, tokens - 1] {
            for row in 0..width {
                let products = (0..heads * d_k).map(|at| {
                    let number = z.data[(at / d_k * tokens + token) * d_k + at % d_k];
                    number * matrix[row * heads * d_k + at]
                });
                let sum = products.sum::<f32>() + bias[row];
                let found = out.data[token * width + row];
                assert!((sum - found).abs() < 1e-4, "{name}: {sum} {found}");
            }
        }
        let spec = checkpoint.spec();
        let mlp = Block::Sublayer(Stack::Encoder, 0, Sublayer::FeedForward);
        let inner = checkpoint.model.parameter(mlp.parameter(Weight::WIn));
        let width = spec.encoder.unwrap().feed_forward.unwrap().width;
        assert_eq!(inner.unwrap().dims(), [width, spec.width]);
    }
}

#[test]
fn edits_act_on_patches() {
    let checkpoint = tiny("dinov2-registers");
    checkpoint.show("wide", &open("wide.png")).unwrap();
    let whole = traced(&checkpoint, "wide", vec![]).unwrap();
    let tokens = whole.meta.source.len();
    let shuffled = Edit::Permute {
        order: (0..tokens).rev().collect(),
    };
    let without = traced(
        &checkpoint,
        "wide",
        vec![Edit::WithoutPositions, shuffled.clone()],
    )
    .unwrap();
    let unordered = traced(&checkpoint, "wide", vec![Edit::WithoutPositions]).unwrap();
    let pattern = AttentionLayer {
        kind: AttentionKind::EncoderSelf,
        layer: 0,
    }
    .block()
    .at(Quantity::Pattern);
    // Without positions, another order changes nothing but the order.
    let (turned, plain) = (&without.arrays[&pattern], &unordered.arrays[&pattern]);
    let last = tokens - 1;
    let row = turned.row(&[0, 0]).unwrap();
    let mut mirrored = plain.row(&[0, last]).unwrap().to_vec();
    mirrored.reverse();
    assert!(largest_difference(row, &mirrored) < 1e-5);
    let ordered = traced(&checkpoint, "wide", vec![shuffled]).unwrap();
    assert!(largest_difference(&ordered.arrays[&pattern].data, &turned.data) > 1e-3);
}

#[test]
fn a_picture_that_was_not_shown_cannot_be_read() {
    let checkpoint = tiny("vit-tiny");
    let message = traced(&checkpoint, "wide", vec![]).unwrap_err().to_string();
    assert_eq!(
        message,
        "the picture: the model has not been shown a picture “wide”"
    );
    for name in ["wide", "tall", "dot"] {
        checkpoint
            .show(name, &open(&format!("{name}.png")))
            .unwrap();
    }
    // The newest two are kept.
    assert!(traced(&checkpoint, "tall", vec![]).is_ok());
    assert!(traced(&checkpoint, "wide", vec![]).is_err());
    let text = tiny("bert-tiny").show("wide", &open("wide.png"));
    assert!(text.unwrap_err().to_string().contains("reads texts"));
}

#[test]
fn notes_name_what_is_assumed_and_what_is_not_used() {
    let notes = tiny("vit-encoder").notes().join("\n");
    assert!(
        notes.contains("preprocessor_config.json: it is missing"),
        "{notes}"
    );
    assert!(notes.contains("24 × 16 pixels"), "{notes}");
    assert!(notes.contains("pooler.dense.weight"), "{notes}");
}
