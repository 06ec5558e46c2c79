//! Lists as they are changed, and their spelling in the address.

use attention_trace::config::{LlamaConfig, MarianConfig};
use proptest::prelude::*;

use super::*;
use crate::state::{
    View,
    edits::{WeightPlace, tests::edit_lists},
    head::tests::heads,
};

/// The list of an address.
fn list(fragment: &str) -> EditList {
    View::from_fragment(fragment).edits
}

fn off(heads: &str) -> EditList {
    list(&format!("off={heads}"))
}

fn weights(weights: &str) -> EditList {
    list(&format!("weights={weights}"))
}

/// The spelling of a list's edits.
fn spelled(edits: &EditList) -> String {
    let all: Vec<String> = edits.iter().map(ToString::to_string).collect();
    all.join("-")
}

fn address(edits: &EditList) -> String {
    let edits = edits.clone();
    let view = View {
        edits,
        ..View::default()
    };
    view.to_fragment()
}

fn place(edits: &EditList) -> WeightPlace {
    edits.weights()[0].place
}

fn translator() -> ModelSpec {
    MarianConfig {
        encoder_layers: 3,
        decoder_layers: 3,
        encoder_attention_heads: 8,
        decoder_attention_heads: 8,
        ..MarianConfig::default()
    }
    .spec()
}

proptest! {
    #[test]
    fn a_list_survives_the_address(edits in edit_lists()) {
        prop_assert_eq!(list(&address(&edits)), edits);
    }

    #[test]
    fn any_text_is_a_list(
        entry in prop::sample::select(vec!["off", "reweighed", "key-window", "weights"]),
        text in "([a-z._,-]|[0-9]|cross\\.1\\.2|encoder|\\.off|all|uniform\\.|permuted\\.7\\.){0,24}",
    ) {
        let edits = list(&format!("{entry}={text}"));
        prop_assert_eq!(list(&address(&edits)), edits);
    }

    #[test]
    fn switching_heads_twice_changes_nothing(
        before in edit_lists(), more in prop::collection::vec(heads(), 0..8),
    ) {
        let mut switched = before.clone();
        for _ in 0..2 {
            more.iter().for_each(|head| switched.toggle_heads(&[*head]));
        }
        prop_assert_eq!(switched, before);
    }

    #[test]
    fn the_edits_that_are_on_are_a_canonical_list(edits in edit_lists()) {
        let on = edits.on();
        prop_assert_eq!(&on.on(), &on);
        prop_assert_eq!(edits.with_on(&on).on(), on);
    }
}

#[test]
fn heads_that_are_off_are_equal_whatever_their_order() {
    let heads = off("cross.1.3-encoder.0.2-cross.1.3");
    assert_eq!(spelled(&heads), "encoder.0.2-cross.1.3");
    assert_eq!(heads, off("encoder.0.2,cross.1.3"));
    let mut toggled = off("cross.1.3");
    toggled.toggle_heads(&["encoder.0.2".parse().unwrap()]);
    assert_eq!(toggled, heads);
}

#[test]
fn several_heads_are_switched_on_again_only_where_all_are_off() {
    let both = off("cross.1.3-cross.0.2").heads_off();
    let mut edits = off("encoder.0.2-cross.1.3");
    assert!(!edits.are_off(&both));
    edits.toggle_heads(&both);
    assert_eq!(edits, off("encoder.0.2-cross.1.3-cross.0.2"));
    assert!(edits.are_off(&both));
    edits.toggle_heads(&both);
    assert_eq!(edits, off("encoder.0.2"));
    edits.toggle_heads(&[]);
    assert_eq!(edits, off("encoder.0.2"));
    assert!(!edits.are_off(&[]));
    edits.switch_heads_on();
    assert!(edits.is_empty());
}

#[test]
fn junk_is_left_out_edit_by_edit() {
    for junk in [
        "",
        "cross",
        "cross.1",
        "cross.1.2.3",
        "mixed.1.2",
        "cross.x.1",
        "cross.1.2.off",
        "cross.1.2._x",
    ] {
        assert_eq!(off(junk), EditList::default(), "{junk}");
    }
    assert_eq!(off("nope-cross.0.0-"), off("cross.0.0"));
    for junk in [
        "",
        "cross.1.3",
        "cross.1.3.2.0",
        "cross.1.3.2.0.1001",
        "cross.1.3.all.0.500",
        "cross.1.3.2.0.x",
        "mixed.1.3.2.0.500",
        "cross.1.3.2.0.500.name",
        "cross.1.3.2.0.500._x.off",
        "cross.1.3.2.0.500.__ff",
    ] {
        assert_eq!(weights(junk), EditList::default(), "{junk}");
    }
    assert_eq!(
        weights("nope-cross.1.3.2.0.500-"),
        weights("cross.1.3.2.0.500")
    );
}

#[test]
fn names_are_of_any_script_and_no_part_of_the_spelling() {
    for name in ["off", "7", "a-b.c,d_e", "对齐 «x»"] {
        let mut edits = weights("cross.1.3.2.0.750");
        let edit = place(&edits).given(0).into();
        edits.rename(&edit, name);
        let spelled = spelled(&edits);
        assert!(
            spelled
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"._".contains(&b))
        );
        assert_eq!(weights(&spelled).at(&edit).unwrap().name, name, "{spelled}");
    }
}

#[test]
fn a_place_is_given_one_weight() {
    let mut edits = weights("cross.1.3.2.0.750.off._x-cross.1.3.2.0.100");
    assert_eq!(spelled(&edits), "cross.1.3.2.0.750.off._x");
    assert!(edits.on().is_empty());
    let given = place(&weights("cross.1.3.2.0.0")).given(20);
    edits.give(given);
    assert_eq!(spelled(&edits), "cross.1.3.2.0.20._x");
    assert_eq!(edits.weights().len(), 1);
    edits.switch(&given.into());
    assert!(edits.weights().is_empty());
    edits.remove(&given.into());
    assert!(edits.is_empty());
}

#[test]
fn a_list_has_room_for_so_many_of_each_kind() {
    let mut edits = off("cross.1.3");
    let place = place(&weights("cross.1.3.2.0.0"));
    let weight = |key| GivenEdit::from(WeightPlace { key, ..place }.given(500));
    (0..64).for_each(|key| edits.give(weight(key)));
    assert!(edits.has_room_for(&weight(63)) && !edits.has_room_for(&weight(64)));
    edits.give(weight(64));
    assert_eq!(edits.weights().len(), 64);
    let reweighed = |text: &str| text.parse().ok();
    edits.reweigh(reweighed("uniform.all"));
    edits.reweigh(reweighed("permuted.7.cross.1"));
    assert_eq!(edits.reweighed(), reweighed("permuted.7.cross.1"));
    assert_eq!(
        edits.by_kind().map(<[_]>::len).collect::<Vec<_>>(),
        [1, 1, 64]
    );
    edits.reweigh(None);
    assert_eq!(edits.reweighed(), None);
    let window = |text: &str| text.parse::<GivenWindow>().unwrap();
    edits.give(window("4.1.all"));
    edits.give(window("2.0.decoder.1"));
    assert_eq!(edits.window(), Some(window("2.0.decoder.1")));
    edits.remove(&window("9.9.all").into());
    assert_eq!(edits.window(), None);
}

#[test]
fn what_ran_before_is_in_the_list_again() {
    let now = list("off=cross.0.0&weights=cross.1.3.2.0.750-cross.0.0.1.1.500");
    let before = list("off=cross.0.1&weights=cross.0.0.1.1.250-encoder.0.0.all.4.0").on();
    let listed = now.with_on(&before);
    assert_eq!(
        spelled(&listed),
        "cross.0.1-cross.1.3.2.0.750.off-cross.0.0.1.1.250-encoder.0.0.all.4.0"
    );
    assert_eq!(listed.on(), before);
}

#[test]
fn the_replacement_of_heads_stays_where_none_is_off() {
    let chosen = list("off-by=mean");
    assert_eq!(chosen.on(), EditList::default());
    assert_eq!(
        chosen.clone().with_on(&weights("cross.0.0.1.1.0")).by,
        Ablation::Mean
    );
    assert_eq!(chosen.with_on(&off("cross.0.0")).by, Ablation::Zero);
}

#[test]
fn edits_are_those_of_what_the_model_has() {
    let given = list(
        "off=cross.9.0-cross.0.1&reweighed=permuted.7.decoder.2&key-window=4.1.decoder.1\
         &weights=cross.1.3.2.0.750-cross.3.0.0.0.500-encoder.0.7.all.4.0",
    );
    let edits = given.on().fitting(&translator());
    let edits = edits.edits(&translator(), &ReadText::default());
    let json = serde_json::to_value(edits).unwrap();
    let expected = serde_json::json!([
        {"kind": "scale_head", "attention": "decoder.0.cross", "head": 1, "factor": 0.0},
        {"kind": "shuffle", "attention": "decoder.2.self", "head": null, "seed": 7},
        {"kind": "window", "attention": "decoder.1.self", "keys": 4, "first": 1},
        {"kind": "set_weight", "attention": "decoder.1.cross", "head": 3, "query": 2, "key": 0, "weight": 0.75},
        {"kind": "scale_key", "attention": "encoder.0.self", "head": 7, "key": 4, "factor": 0.0},
    ]);
    assert_eq!(json, expected);
}

#[test]
fn heads_that_a_model_lacks_switch_nothing_off() {
    let edits = off("cross.2.7-cross.3.0-cross.0.8-decoder.0.1");
    let fitting = edits.fitting(&translator());
    assert_eq!(fitting, off("cross.2.7-decoder.0.1"));
    assert_eq!(fitting.edits(&translator(), &ReadText::default()).len(), 2);
    let of_llama = edits.fitting(&LlamaConfig::default().spec());
    assert_eq!(of_llama, off("decoder.0.1"));
    assert_eq!(HeadChoice::all(&translator()).len(), 72);
}

#[test]
fn a_head_at_its_mean_names_what_the_mean_is_taken_over() {
    let edits = list("off=cross.0.1&off-by=mean").on();
    let read = ReadText {
        text: "un chat".to_owned(),
        target: vec![5, 9],
    };
    let json = serde_json::to_value(edits.edits(&translator(), &read)).unwrap();
    let expected = serde_json::json!([
        {"kind": "mean_head", "attention": "decoder.0.cross", "head": 1, "text": "un chat", "target": [5, 9]},
    ]);
    assert_eq!(json, expected);
}

#[test]
fn without_heads_that_are_off_it_does_not_matter_what_they_would_give() {
    let lacking = list("off=cross.9.0&off-by=mean").on();
    assert_eq!(lacking.fitting(&translator()), EditList::default());
    assert_eq!(EditList::without([], Ablation::Mean), EditList::default());
}
