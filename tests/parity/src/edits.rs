//! Edited passes give the numbers and the tokens that PyTorch gives with the same edits made by hooks.

use std::collections::{BTreeMap, BTreeSet};

use attention_model::decoding::{Progress, Sequence};
use attention_model::error::ModelError;
use attention_model::inference::RunOptions;
use attention_trace::{Edit, EditFault, Quantities, Quantity, Search, Site};
use burn::prelude::Device;
use pollster::block_on;
use serde::Deserialize;

use crate::fixture::{Description, Fixture, fixtures, tiny};
use crate::run::largest_difference;

const TOLERANCE: f32 = 1e-4;

/// The contents of the fixture that `edits.py` wrote.
#[derive(Deserialize)]
struct Expected {
    max_new_tokens: usize,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    model: String,
    source: Vec<u32>,
    target: Vec<u32>,
    edits: Vec<Edit>,
    /// Absent where an edit acts on tokens that are read at once.
    greedy: Option<Vec<u32>>,
}

impl Case {
    /// Returns the text whose tokens the case reads.
    fn text(&self) -> String {
        let path = format!("tiny/{}/expected.safetensors", self.model);
        let cases = Fixture::<Description>::read(&path).description.cases;
        let same = |case: &&crate::fixture::Case| {
            case.text.is_some() && case.source == self.source && case.target == self.target
        };
        let case = cases.iter().find(same);
        case.unwrap_or_else(|| panic!("{}", self.name))
            .text
            .clone()
            .unwrap()
    }

    /// Returns the target tokens after the start token: those of the source, in the order in which it is read.
    fn given(&self) -> Vec<Sequence> {
        let mut read = self.source.clone();
        for edit in &self.edits {
            if let Edit::Permute { order } = edit {
                read = order
                    .iter()
                    .filter_map(|&place| read.get(place).copied())
                    .collect();
            }
        }
        // The last token is predicted, never read; a decoder-only model is given no target.
        let sequence = (!read.is_empty()).then_some(Sequence {
            tokens: read,
            log_probability: 0.0,
            score: 0.0,
        });
        sequence.into_iter().collect()
    }
}

/// Returns the kinds of a case's edits, each once, by their names in a file of edits.
fn kinds(edits: &[Edit]) -> BTreeSet<String> {
    let kind = |edit: &Edit| serde_json::to_value(edit).unwrap()["kind"].to_string();
    edits.iter().map(kind).collect()
}

fn options(edits: Vec<Edit>, max_new_tokens: usize) -> RunOptions {
    RunOptions {
        search: Search::Greedy,
        prefix: vec![],
        max_new_tokens,
        quantities: Quantities::NONE,
        edits,
    }
}

#[test]
fn edited_passes_equal_those_that_hooks_make_in_pytorch() {
    let expected = std::fs::read(fixtures().join("edits.json")).unwrap();
    let Expected {
        max_new_tokens,
        cases,
    } = serde_json::from_slice(&expected).unwrap();
    let logits = Fixture::<serde_json::Value>::read("edits.safetensors");
    let device = Device::flex();
    let mut largest: BTreeMap<String, (usize, f32)> = BTreeMap::new();
    for case in &cases {
        let (checkpoint, text) = (tiny(&case.model), case.text());
        let (sites, given) = (BTreeSet::from([Site::LOGITS]), case.given());
        let arrays = checkpoint.arrays(&text, &given, &sites, &case.edits, &device);
        let found = block_on(arrays).unwrap().remove(&Site::LOGITS).unwrap();
        let wanted = &logits.arrays[&format!("{}/logits", case.name)];
        assert_eq!(found.shape, wanted.shape, "{}", case.name);
        let difference = largest_difference(&found.data, &wanted.data);
        assert!(
            difference <= TOLERANCE,
            "{}: off by {difference}",
            case.name
        );
        for kind in kinds(&case.edits) {
            let (passes, most) = largest.entry(kind).or_default();
            (*passes, *most) = (*passes + 1, most.max(difference));
        }

        let Some(greedy) = &case.greedy else { continue };
        let options = options(case.edits.clone(), max_new_tokens);
        let decoded = checkpoint.decode(&text, &options, &device, async |_| true);
        assert_eq!(
            &block_on(decoded).unwrap()[0].tokens,
            greedy,
            "{}",
            case.name
        );
    }
    for (kind, (passes, difference)) in &largest {
        println!("{kind}: {passes} passes, logits differ by at most {difference:.1e}");
    }
    let is_changed = |case: &&Case| {
        let plain = cases
            .iter()
            .find(|one| one.model == case.model && one.edits.is_empty());
        plain.is_some_and(|plain| plain.greedy != case.greedy)
    };
    assert!(cases.iter().filter(is_changed).count() > cases.len() / 2);
}

/// Greedy search with edits writes the same text if and only if each of its tokens is still the most probable one.
#[test]
fn ranks_tell_whether_greedy_search_writes_the_same_text() {
    let expected = std::fs::read(fixtures().join("edits.json")).unwrap();
    let expected: Expected = serde_json::from_slice(&expected).unwrap();
    let device = Device::flex();
    let (mut same, mut other) = (0, 0);
    for case in &expected.cases {
        let (checkpoint, text) = (tiny(&case.model), case.text());
        let of_model = expected.cases.iter().find(|one| one.model == case.model);
        let (Some(plain), Some(edited)) = (&of_model.unwrap().greedy, &case.greedy) else {
            continue;
        };
        let scores =
            block_on(checkpoint.ranked_scores(&text, plain, &case.edits, &device)).unwrap();
        let are_first = scores.iter().all(|&(_, rank)| rank == 1);
        assert_eq!(are_first, plain == edited, "{}", case.name);
        *(if are_first { &mut same } else { &mut other }) += 1;
    }
    assert!(same >= 3 && other > same, "{same} the same, {other} others");
}

const TEXT: &str = "the old dog sits in the garden";

/// An array of another text, as `patch` takes it, is the same as the array itself in its place.
#[test]
fn a_patch_is_the_array_of_the_other_pass() {
    let (checkpoint, device) = (tiny("marian-tiny"), Device::flex());
    let site: Site = "encoder.0.mlp.norm".parse().unwrap();
    let arrays = |text: &str, sites: &[Site], edits: &[Edit]| {
        let sites = sites.iter().copied().collect();
        block_on(checkpoint.arrays(text, &[], &sites, edits, &device)).unwrap()
    };
    let other = "he says that the train is late again";
    let donor = arrays(other, &[site], &[]).remove(&site).unwrap();
    let patch = Edit::Patch {
        site,
        text: other.to_owned(),
        target: vec![],
    };
    let replace = Edit::Replace {
        site,
        array: donor.clone(),
    };
    let patched = arrays(TEXT, &[Site::LOGITS, site], &[patch]);
    assert_eq!(patched, arrays(TEXT, &[Site::LOGITS, site], &[replace]));
    assert_ne!(
        patched[&Site::LOGITS],
        arrays(TEXT, &[Site::LOGITS], &[])[&Site::LOGITS]
    );
    let rows = donor.shape[0].min(patched[&site].shape[0]);
    let width = donor.shape[1];
    assert_eq!(
        patched[&site].data[..rows * width],
        donor.data[..rows * width]
    );
}

/// The score of a text under edits equals that of decoding: the sum and, step by step, the pass that is recorded.
#[test]
fn a_score_is_the_log_probability_of_each_token() {
    for (model, attention) in [
        ("marian-tiny", "decoder.0.cross"),
        ("llama-gqa", "decoder.0.self"),
    ] {
        let (checkpoint, device) = (tiny(model), Device::flex());
        let edits = vec![Edit::ScaleHead {
            attention: attention.to_owned().try_into().unwrap(),
            head: 1,
            factor: 0.0,
        }];
        let options = options(edits.clone(), 8);
        let watch = async |_: Progress<'_>| true;
        let found = block_on(checkpoint.decode(TEXT, &options, &device, watch)).unwrap();
        let trace = block_on(checkpoint.trace(TEXT, &found, &options, &device)).unwrap();
        let scores = |edits: &[Edit]| {
            block_on(checkpoint.score(TEXT, &found[0].tokens, edits, &device)).unwrap()
        };
        let edited = scores(&edits);
        let steps = trace.decoding.unwrap().steps;
        assert_eq!(edited.len(), steps.len(), "{model}");
        for (score, step) in edited.iter().zip(&steps) {
            assert!(
                (score - step.chosen.log_probability).abs() < 1e-5,
                "{model}"
            );
        }
        let sum: f32 = edited.iter().sum();
        assert!((sum - found[0].log_probability).abs() < 1e-3, "{model}");
        assert_ne!(edited, scores(&[]), "{model}");
    }
    let (checkpoint, device) = (tiny("marian-tiny"), Device::flex());
    let refused = block_on(checkpoint.score(TEXT, &[5, 999_999], &[], &device));
    assert!(matches!(
        refused,
        Err(ModelError::ForcedToken { token: 999_999, .. })
    ));
    assert!(
        block_on(checkpoint.score(TEXT, &[], &[], &device))
            .unwrap()
            .is_empty()
    );
}

#[test]
fn edits_that_change_nothing_leave_every_bit() {
    let (checkpoint, device) = (tiny("llama-gqa"), Device::flex());
    let attention: attention_trace::AttentionLayer =
        "decoder.0.self".to_owned().try_into().unwrap();
    let idle = vec![
        Edit::ScaleHead {
            attention,
            head: 0,
            factor: 1.0,
        },
        Edit::Permute {
            order: vec![0, 1, 2],
        },
    ];
    let traced = |edits: Vec<Edit>| {
        let options = RunOptions {
            quantities: Quantities::of(&[Quantity::Pattern, Quantity::Logits]),
            ..options(edits, 4)
        };
        let watch = async |_: Progress<'_>| true;
        let found = block_on(checkpoint.decode(TEXT, &options, &device, watch)).unwrap();
        block_on(checkpoint.trace(TEXT, &found, &options, &device)).unwrap()
    };
    let mut edited = traced(idle.clone());
    // A trace tells the edits that were made.
    assert_eq!(std::mem::take(&mut edited.edits), idle);
    assert_eq!(edited, traced(vec![]));
}

#[test]
fn an_edit_that_the_model_cannot_make_is_refused() {
    let (checkpoint, device) = (tiny("llama-gqa"), Device::flex());
    let edit = |json| serde_json::from_value::<Edit>(json).unwrap();
    for (json, fault) in [
        (
            serde_json::json!({"kind": "scale_head", "attention": "decoder.0.cross", "head": 0, "factor": 0.0}),
            EditFault::Layer,
        ),
        (
            serde_json::json!({"kind": "scale_head", "attention": "decoder.0.self", "head": 9, "factor": 0.0}),
            EditFault::Head,
        ),
        (
            serde_json::json!({"kind": "scale_key", "attention": "decoder.0.self", "key": 0, "factor": -1.0}),
            EditFault::Factor,
        ),
    ] {
        let options = options(vec![edit(json)], 4);
        let refused = checkpoint.decode(TEXT, &options, &device, async |_| true);
        let error = block_on(refused).unwrap_err();
        assert!(
            matches!(error, ModelError::Edit(found) if found == fault),
            "{error}"
        );
    }
}

/// A row whose keys are all masked would be 0/0, in decoding and in a pass alike.
#[test]
fn edits_that_leave_a_query_no_key_are_refused() {
    let device = Device::flex();
    let mask = |attention: &str, head, keys: std::ops::Range<usize>| -> Vec<Edit> {
        let mask = |key| Edit::ScaleKey {
            attention: attention.to_owned().try_into().unwrap(),
            head,
            key,
            factor: 0.0,
        };
        keys.map(mask).collect()
    };
    for (model, attention) in [
        ("llama-gqa", "decoder.1.self"),
        ("marian-tiny", "encoder.0.self"),
        ("marian-tiny", "decoder.0.cross"),
        ("bert-tiny", "encoder.1.self"),
    ] {
        let checkpoint = tiny(model);
        let tokens = checkpoint.encode_input(TEXT).unwrap().len();
        let is_causal = model == "llama-gqa";
        let (all, all_but_one) = match is_causal {
            true => (0..1, 1..tokens),
            false => (0..tokens, 0..tokens - 1),
        };
        let logits = |edits: &[Edit]| {
            let sites = BTreeSet::from([Site::LOGITS]);
            let arrays = block_on(checkpoint.arrays(TEXT, &[], &sites, edits, &device))?;
            Ok::<_, ModelError>(arrays[&Site::LOGITS].clone())
        };
        for head in [None, Some(1)] {
            let edits = mask(attention, head, all.clone());
            let refused = logits(&edits).unwrap_err();
            assert!(
                matches!(refused, ModelError::Edit(EditFault::Keys)),
                "{model}: {refused}"
            );
            let kept = logits(&mask(attention, head, all_but_one.clone())).unwrap();
            assert!(kept.data.iter().all(|logit| logit.is_finite()), "{model}");
            if checkpoint.control().end().is_some() {
                let options = options(edits, 4);
                let decoded = checkpoint.decode(TEXT, &options, &device, async |_| true);
                let refused = block_on(decoded).unwrap_err();
                assert!(
                    matches!(refused, ModelError::Edit(EditFault::Keys)),
                    "{model}"
                );
            }
        }
    }
}

#[test]
fn a_patch_of_tokens_that_the_model_does_not_have_is_refused() {
    let (checkpoint, device) = (tiny("marian-tiny"), Device::flex());
    let patch = Edit::Patch {
        site: "decoder.0.self.z".parse().unwrap(),
        text: TEXT.to_owned(),
        target: vec![5, 999_999],
    };
    let options = options(vec![patch], 4);
    let refused = checkpoint.decode(TEXT, &options, &device, async |_| true);
    let error = block_on(refused).unwrap_err();
    assert!(
        matches!(error, ModelError::ForcedToken { token: 999_999, .. }),
        "{error}"
    );
}
