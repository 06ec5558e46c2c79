//! The shipped model of attention alone gives PyTorch's numbers: its pass, its circuits, and what it loses without heads.

use std::path::PathBuf;

use attention_model::checkpoint::Checkpoint;
use attention_model::inference::RunOptions;
use attention_trace::circuits::{
    Composition, HeadMatrices, LayerMatrices, Turn, composition, led_by_diagonal, logits_of,
    unit_rows,
};
use attention_trace::{
    Array, AttentionKind, AttentionLayer, Block, Edit, Quantities, Quantity, Search, Site, Slice,
    Stack, Weight, log_probability,
};
use burn::prelude::Device;
use pollster::block_on;
use safetensors::SafeTensors;

use crate::fixture::{assert_made_with, expected, fixtures};

const TOLERANCE: f32 = 1e-4;
/// The letters and the distance of `induction.py`.
const LETTERS: &str = "gatemnkp";
const DISTANCE: usize = 7;
const HEADS: usize = 4;

fn shipped() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../assets/models/induction")
}

fn close(name: &str, found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len(), "{name}");
    let differences = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
    let largest = differences.fold(0.0, f32::max);
    println!("induction: {name} differ by at most {largest:.1e}");
    assert!(largest < TOLERANCE, "{name}: {largest}");
}

struct Shipped {
    checkpoint: Checkpoint,
    device: Device,
    fixture: Vec<u8>,
}

impl Shipped {
    fn open() -> Self {
        let fixture = std::fs::read(fixtures().join("induction.safetensors")).unwrap();
        let weights = std::fs::read(shipped().join("model.safetensors")).unwrap();
        assert_made_with(&fixture, "model", &weights, "induction.py");
        let device = Device::flex();
        Shipped {
            checkpoint: Checkpoint::open(&shipped(), &device).unwrap(),
            device,
            fixture,
        }
    }

    fn expected(&self, name: &str) -> Vec<f32> {
        expected(&SafeTensors::deserialize(&self.fixture).unwrap(), name)
    }

    /// The pair of heads that the script found.
    fn pair(&self) -> [(usize, usize); 2] {
        let heads = self.expected("heads");
        [(0, heads[0] as usize), (1, heads[1] as usize)]
    }

    fn parameter(&self, block: Block, weight: Weight) -> Array {
        let parameter = block.parameter(weight);
        let found = block_on(self.checkpoint.parameter(parameter, Slice::Whole));
        found.unwrap().unwrap()
    }

    fn head(&self, (layer, head): (usize, usize)) -> HeadMatrices {
        let block = attention(layer).block();
        let weights = [
            Weight::NormGain,
            Weight::WQ,
            Weight::WK,
            Weight::WV,
            Weight::WO,
        ];
        let [gain, query, key, value, output] = weights.map(|weight| self.parameter(block, weight));
        let layer = LayerMatrices {
            gain: Some(&gain),
            query: &query,
            key: &key,
            value: &value,
            output: &output,
        };
        layer.head(head, HEADS, HEADS).unwrap()
    }

    /// The rows of a table for the letters, sorted.
    fn letters(&self, block: Block, weight: Weight) -> Array {
        let table = self.parameter(block, weight);
        let mut letters: Vec<char> = LETTERS.chars().collect();
        letters.sort_unstable();
        let row = |letter: &char| {
            let id = self.checkpoint.tokenizer.id(&letter.to_string()).unwrap();
            table.row(&[id as usize]).unwrap().to_vec()
        };
        Array {
            shape: vec![letters.len(), table.shape[1]],
            data: letters.iter().flat_map(row).collect(),
        }
    }

    /// The surprise at the letters of the second reading from its second one on, with these heads off.
    fn surprise(&self, off: &[(usize, usize)]) -> Vec<f32> {
        let edits: Vec<Edit> = off
            .iter()
            .map(|&(layer, head)| Edit::ScaleHead {
                attention: attention(layer),
                head,
                factor: 0.0,
            })
            .collect();
        let sites = [Site::LOGITS].into();
        let text = LETTERS.repeat(2);
        let arrays = self
            .checkpoint
            .arrays(&text, &[], &sites, &edits, &self.device);
        let logits = block_on(arrays).unwrap().remove(&Site::LOGITS).unwrap();
        let letters: Vec<char> = text.chars().collect();
        (LETTERS.len() + 1..letters.len())
            .map(|row| {
                let id = self.checkpoint.tokenizer.id(&letters[row].to_string());
                let logits = logits.row(&[row]).unwrap();
                -log_probability(logits, id.unwrap() as usize).unwrap()
            })
            .collect()
    }
}

fn attention(layer: usize) -> AttentionLayer {
    AttentionLayer {
        kind: AttentionKind::DecoderSelf,
        layer,
    }
}

#[test]
fn attention_alone_equals_pytorch() {
    let shipped = Shipped::open();
    let options = RunOptions {
        search: Search::Greedy,
        prefix: vec![],
        max_new_tokens: 0,
        quantities: Quantities::of(&[Quantity::Pattern, Quantity::Logits]),
        edits: vec![],
    };
    let text = LETTERS.repeat(2);
    let trace = shipped
        .checkpoint
        .trace(&text, &[], &options, &shipped.device);
    let trace = block_on(trace).unwrap();
    let patterns: Vec<f32> = (0..2)
        .flat_map(|layer| {
            trace.arrays[&attention(layer).at(Quantity::Pattern)]
                .data
                .clone()
        })
        .collect();
    close("patterns", &patterns, &shipped.expected("patterns"));
    let logits = &trace.arrays[&Site::LOGITS].data;
    close("logits", logits, &shipped.expected("logits"));
    let sites: Vec<Site> = trace.meta.spec.sites().collect();
    assert!(sites.iter().all(|site| !site.to_string().contains("mlp")));
}

#[test]
fn circuits_and_compositions_equal_pytorch() {
    let shipped = Shipped::open();
    let [earlier, later] = shipped.pair().map(|place| shipped.head(place));
    let vectors = unit_rows(&shipped.letters(Block::Stack(Stack::Decoder), Weight::TokenTable));
    let vectors = vectors.unwrap();
    let turn = Turn {
        distance: DISTANCE,
        base: 10_000.0,
    };
    let noted = earlier.written(&vectors).unwrap();
    let scores = later.scores(&vectors, &noted, Some(turn)).unwrap();
    close("scores", &scores.data, &shipped.expected("scores"));
    let outputs = shipped.letters(Block::Model, Weight::WUnembed);
    let gain = shipped.parameter(Block::Stack(Stack::Decoder), Weight::NormGain);
    let written = later.written(&vectors).unwrap();
    let written = logits_of(&written, &outputs, Some(&gain)).unwrap();
    close("written", &written.data, &shipped.expected("written"));
    // The chapter's text has both numbers.
    assert_eq!(
        (led_by_diagonal(&scores), led_by_diagonal(&written)),
        (5, 6)
    );

    let mut found = vec![];
    for part in Composition::ALL {
        for first in 0..HEADS {
            for second in 0..HEADS {
                let (one, other) = (shipped.head((0, first)), shipped.head((1, second)));
                found.push(composition(&one, &other, part).unwrap());
            }
        }
    }
    close("composition", &found, &shipped.expected("composition"));
}

#[test]
fn what_is_lost_without_heads_equals_pytorch_and_the_chapters_text() {
    let shipped = Shipped::open();
    let [earlier, later] = shipped.pair();
    let all: Vec<(usize, usize)> = (0..HEADS).map(|head| (1, head)).collect();
    let mut told = vec![];
    for (name, off) in [
        ("surprise", &[][..]),
        ("without_later", &[later]),
        ("without_layer", &all),
        ("without_earlier", &[earlier]),
    ] {
        let found = shipped.surprise(off);
        close(name, &found, &shipped.expected(name));
        told.push(found.iter().sum::<f32>() / found.len() as f32);
    }
    let told: Vec<String> = [4, 2, 2, 2]
        .into_iter()
        .zip(told)
        .map(|(digits, mean)| format!("{mean:.digits$}"))
        .collect();
    assert_eq!(told, ["0.0002", "0.02", "4.10", "1.71"]);
    assert_texts_have("induction", &told);
}

/// The texts name the weights of the heads and their composition to two decimals.
#[test]
fn the_heads_of_the_chapters_text_are_those_of_pytorch() {
    let shipped = Shipped::open();
    let [(_, earlier), _] = shipped.pair();
    let (previous, induction) = (shipped.expected("previous"), shipped.expected("induction"));
    let keys = &shipped.expected("composition")[..HEADS * HEADS];
    let row = |head: usize| keys[head * HEADS..(head + 1) * HEADS].iter().copied();
    let [most, second] = [1, 2].map(|head| row(head).fold(0.0, f32::max));
    let others = || [0, 3].into_iter().flat_map(row);
    let later: Vec<String> = induction[HEADS..]
        .iter()
        .map(|weight| format!("{weight:.2}"))
        .collect();
    assert_eq!(later, ["0.94", "0.94", "0.95", "0.68"]);
    let numbers = [
        previous[earlier],
        most,
        // The smaller one of the two that look back, at its weakest and at its strongest.
        row(2).fold(0.0, |sum, score| sum + score / HEADS as f32),
        others().fold(f32::INFINITY, f32::min),
        others().fold(0.0, f32::max),
    ]
    .map(|number| format!("{number:.2}"));
    assert_eq!(numbers, ["0.75", "0.23", "0.19", "0.10", "0.12"]);
    assert!(second < most);
    assert_texts_have("induction", &numbers);
    assert_texts_have("induction", &later[1..3]);
}

/// Asserts that the text of a page has these numbers in both languages.
fn assert_texts_have(page: &str, numbers: &[String]) {
    for language in ["en", "zh"] {
        let path = format!("../../app/chapters/src/{page}/{language}/text.md");
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path);
        let text = std::fs::read_to_string(path).unwrap();
        for number in numbers {
            assert!(
                text.contains(number.as_str()),
                "{page}, {language}: {number}"
            );
        }
    }
}

/// The numbers of SmolLM2, which a journey compares with the page's own where its file can be had.
#[test]
fn the_numbers_of_smollm2_in_the_texts_are_those_of_transformers() {
    let json = std::fs::read(fixtures().join("smollm2.json")).unwrap();
    let fixture: serde_json::Value = serde_json::from_slice(&json).unwrap();
    let number = |value: &serde_json::Value| format!("{:.2}", value.as_f64().unwrap());
    let repeated = &fixture["repeated"];
    let entries = [
        "best_weight",
        "surprise",
        "without_best",
        "without_clear",
        "without_random",
        "without_previous",
    ];
    assert_texts_have("induction", &entries.map(|entry| number(&repeated[entry])));
    assert_eq!(repeated["clear"], 5);
    let windows = fixture["windows"].as_array().unwrap().iter();
    let of_four = windows.filter(|window| window["keys"] == 4 && window["first"] != 2);
    let mut told: Vec<String> = of_four.map(|window| number(&window["surprise"])).collect();
    told.push(number(&fixture["surprise"]));
    assert_texts_have("long", &told);

    let json = std::fs::read(fixtures().join("smollm2_long.json")).unwrap();
    let fixture: serde_json::Value = serde_json::from_slice(&json).unwrap();
    let of = |remedy: &str, block: usize| number(&fixture["perplexities"][remedy][block]);
    let mut told = vec![of("plain", 0), of("linear", 0)];
    for remedy in ["plain", "ntk", "yarn"] {
        // The blocks just beyond the training length, and the last.
        told.extend([of(remedy, 4), of(remedy, 5)]);
    }
    assert_texts_have("long", &told);
}
