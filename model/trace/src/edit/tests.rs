use super::*;
use crate::LayerAttention;
use crate::config::{LlamaConfig, UniversalConfig};
use crate::spec::tests::encoder_decoder;

fn cross(layer: usize) -> AttentionLayer {
    AttentionLayer {
        kind: AttentionKind::Cross,
        layer,
    }
}

#[test]
fn an_edit_reads_as_it_is_written_in_the_fixtures() {
    let edit = Edit::ScaleHead {
        attention: cross(0),
        head: 1,
        factor: 0.0,
    };
    let json = r#"{"kind":"scale_head","attention":"decoder.0.cross","head":1,"factor":0.0}"#;
    assert_eq!(serde_json::to_string(&edit).unwrap(), json);
    assert_eq!(serde_json::from_str::<Edit>(json).unwrap(), edit);
}

#[test]
fn edits_that_change_nothing_are_told_from_those_that_do() {
    let spec = encoder_decoder();
    let scaled = |factor| Edit::ScaleHead {
        attention: cross(0),
        head: 0,
        factor,
    };
    assert!(scaled(1.0).changes_nothing(&spec));
    assert!(!scaled(0.0).changes_nothing(&spec));
    assert!(Edit::Permute { order: vec![0, 1] }.changes_nothing(&spec));
    assert!(!Edit::Permute { order: vec![1, 0] }.changes_nothing(&spec));
    assert!(!Edit::WithoutPositions.changes_nothing(&spec));
}

#[test]
fn what_a_model_does_not_have_cannot_be_edited() {
    let spec = encoder_decoder();
    let fault = |layer, head, factor| {
        Edit::ScaleHead {
            attention: cross(layer),
            head,
            factor,
        }
        .fault(&spec)
    };
    assert_eq!(fault(2, 1, 0.5), None);
    assert_eq!(fault(3, 0, 0.5), Some(EditFault::Layer));
    assert_eq!(fault(0, 2, 0.5), Some(EditFault::Head));
    assert_eq!(fault(0, 0, f32::NAN), Some(EditFault::Factor));
    let masked = Edit::ScaleKey {
        attention: cross(0),
        head: None,
        key: 0,
        factor: -1.0,
    };
    assert_eq!(masked.fault(&spec), Some(EditFault::Factor));
    for (weight, fault) in [
        (0.0, None),
        (1.0, None),
        (1.5, Some(EditFault::Factor)),
        (-0.5, Some(EditFault::Factor)),
        (f32::NAN, Some(EditFault::Factor)),
    ] {
        let set = Edit::SetWeight {
            attention: cross(0),
            head: 0,
            query: 0,
            key: 0,
            weight,
        };
        assert_eq!(set.fault(&spec), fault, "{weight}");
    }
    for (name, fault) in [
        ("encoder.0.cross.z", Some(EditFault::Layer)),
        ("encoder.9.self.z", Some(EditFault::Layer)),
        ("decoder.0.self.query_before_rope", Some(EditFault::Layer)),
        ("logits", Some(EditFault::Layer)),
        ("decoder.0.cross.z", None),
    ] {
        let patch = Edit::Patch {
            site: name.parse().unwrap(),
            text: String::new(),
            target: vec![],
        };
        assert_eq!(patch.fault(&spec), fault, "{name}");
    }
}

#[test]
fn rows_are_taken_over_of_all_heads_or_of_one_where_there_are_heads() {
    let spec = encoder_decoder();
    let rows = |name: &str, head, rows: &[[usize; 2]]| Edit::PatchRows {
        site: name.parse().unwrap(),
        head,
        rows: rows.to_vec(),
        text: String::new(),
        target: vec![],
    };
    for (name, head, fault) in [
        ("encoder.0.mlp.norm", None, None),
        ("decoder.0.cross.z", Some(1), None),
        ("decoder.0.cross.z", Some(2), Some(EditFault::Head)),
        ("decoder.0.cross.out", Some(0), Some(EditFault::Head)),
        ("decoder.0.mlp.norm", Some(0), Some(EditFault::Head)),
        ("encoder.9.self.z", Some(0), Some(EditFault::Layer)),
        ("logits", None, Some(EditFault::Layer)),
    ] {
        let edit = rows(name, head, &[[0, 1]]);
        assert_eq!(edit.fault(&spec), fault, "{name}");
        assert!(!edit.changes_nothing(&spec));
    }
    assert!(rows("encoder.0.mlp.norm", None, &[]).changes_nothing(&spec));
}

#[test]
fn an_output_is_as_wide_as_its_head() {
    let spec = encoder_decoder();
    let width = spec.attention(AttentionKind::Cross).unwrap().head_width;
    let fault = |z: Vec<f32>| {
        let (attention, head) = (cross(0), 1);
        Edit::SetHead { attention, head, z }.fault(&spec)
    };
    assert_eq!(fault(vec![0.5; width]), None);
    assert_eq!(fault(vec![0.5; width + 1]), Some(EditFault::Width));
    assert_eq!(fault(vec![]), Some(EditFault::Width));
    assert_eq!(fault(vec![f32::NAN; width]), Some(EditFault::Factor));
}

#[test]
fn groups_divide_the_heads_that_have_keys() {
    let spec = encoder_decoder();
    let heads = spec
        .attention(AttentionKind::Cross)
        .unwrap()
        .key_value_heads;
    let grouped = |layer, groups| Edit::GroupKeyValues {
        attention: cross(layer),
        groups,
    };
    for (edit, fault) in [
        (grouped(0, 1), None),
        (grouped(0, heads), None),
        (grouped(0, 0), Some(EditFault::Groups)),
        (grouped(0, heads + 1), Some(EditFault::Groups)),
        (grouped(9, 1), Some(EditFault::Layer)),
    ] {
        assert_eq!(edit.fault(&spec), fault, "{edit:?}");
    }
    assert!(grouped(0, heads).changes_nothing(&spec));
    assert!(!grouped(0, 1).changes_nothing(&spec));
    let json = r#"{"kind":"group_key_values","attention":"decoder.0.cross","groups":1}"#;
    assert_eq!(serde_json::to_string(&grouped(0, 1)).unwrap(), json);
}

#[test]
fn all_heads_of_a_layer_need_the_layer_alone() {
    let spec = encoder_decoder();
    let fault = |layer, head| {
        let attention = cross(layer);
        let seed = 7;
        let both = [
            Edit::Uniform { attention, head }.fault(&spec),
            Edit::Shuffle {
                attention,
                head,
                seed,
            }
            .fault(&spec),
        ];
        assert_eq!(both[0], both[1]);
        both[0]
    };
    assert_eq!(fault(2, None), None);
    assert_eq!(fault(3, None), Some(EditFault::Layer));
    assert_eq!(fault(2, Some(2)), Some(EditFault::Head));
    let json = r#"{"kind":"shuffle","attention":"decoder.0.cross","head":null,"seed":7}"#;
    let shuffle = Edit::Shuffle {
        attention: cross(0),
        head: None,
        seed: 7,
    };
    assert_eq!(serde_json::to_string(&shuffle).unwrap(), json);
}

#[test]
fn only_what_halts_can_halt_elsewhere() {
    let halt = |epsilon, depths| Edit::Halt { epsilon, depths };
    let universal = UniversalConfig::default().spec();
    let own = universal.halting().unwrap().epsilon;
    for (edit, fault) in [
        (halt(0.5, 4), None),
        (halt(0.01, 1), None),
        (halt(0.01, 0), Some(EditFault::Layer)),
        (halt(0.0, 4), Some(EditFault::Factor)),
        (halt(1.0, 4), Some(EditFault::Factor)),
        (halt(f32::NAN, 4), Some(EditFault::Factor)),
    ] {
        assert_eq!(edit.fault(&universal), fault, "{edit:?}");
    }
    assert_eq!(
        halt(0.5, 2).fault(&encoder_decoder()),
        Some(EditFault::Layer)
    );
    assert!(halt(own, 4).changes_nothing(&universal));
    assert!(halt(own, usize::MAX).changes_nothing(&universal));
    assert!(!halt(own, 3).changes_nothing(&universal));
    assert!(!halt(0.5, 4).changes_nothing(&universal));
}

#[test]
fn windows_are_of_self_attention_and_leave_a_query_its_own_key() {
    let spec = encoder_decoder();
    let window = |attention: &str, keys| Edit::Window {
        attention: attention.to_owned().try_into().unwrap(),
        window: Window { keys, first: 1 },
    };
    let fault = |attention, keys| window(attention, keys).fault(&spec);
    assert_eq!(fault("decoder.0.self", 1), None);
    assert_eq!(fault("encoder.0.self", 3), None);
    assert_eq!(fault("decoder.0.self", 0), Some(EditFault::Keys));
    assert_eq!(fault("decoder.9.self", 2), Some(EditFault::Layer));
    assert_eq!(fault("decoder.0.cross", 2), Some(EditFault::Layer));
    let json = r#"{"kind":"window","attention":"decoder.0.self","keys":2,"first":1}"#;
    let edit = window("decoder.0.self", 2);
    assert_eq!(serde_json::to_string(&edit).unwrap(), json);
    assert_eq!(serde_json::from_str::<Edit>(json).unwrap(), edit);
    // With a window of its own key alone, a masked key leaves a query none.
    let both = |keys| {
        let edits = [
            window("decoder.0.self", keys),
            masked("decoder.0.self", None, 4),
        ];
        Edit::masks_all(&edits, &spec, [5, 5])
    };
    assert!(!both(2) && !both(1));
    let alone = Edit::Window {
        attention: "decoder.0.self".to_owned().try_into().unwrap(),
        window: Window { keys: 1, first: 0 },
    };
    let edits = [alone, masked("decoder.0.self", None, 4)];
    assert!(Edit::masks_all(&edits, &spec, [5, 5]));
}

#[test]
fn only_rope_can_be_stretched_and_never_shortened() {
    let stretch = |scaling, factor, trained| Edit::StretchRope {
        scaling,
        factor,
        trained,
    };
    let llama = LlamaConfig::default().spec();
    for (factor, trained, fault) in [
        (1.0, 1, None),
        (4.0, 32, None),
        (0.5, 32, Some(EditFault::Factor)),
        (f32::NAN, 32, Some(EditFault::Factor)),
        (f32::INFINITY, 32, Some(EditFault::Factor)),
        (4.0, 0, Some(EditFault::Factor)),
    ] {
        let edit = stretch(RopeScaling::Yarn, factor, trained);
        assert_eq!(edit.fault(&llama), fault, "{factor}, {trained}");
    }
    let edit = stretch(RopeScaling::Linear, 4.0, 32);
    assert_eq!(edit.fault(&encoder_decoder()), Some(EditFault::Rope));
    assert!(!edit.changes_nothing(&llama));
    assert!(stretch(RopeScaling::Linear, 1.0, 32).changes_nothing(&llama));
    assert!(stretch(RopeScaling::None, 4.0, 32).changes_nothing(&llama));
}

fn masked(attention: &str, head: Option<usize>, key: usize) -> Edit {
    Edit::ScaleKey {
        attention: attention.to_owned().try_into().unwrap(),
        head,
        key,
        factor: 0.0,
    }
}

#[test]
fn a_query_is_left_a_key() {
    let spec = encoder_decoder();
    let masks_all = |edits: &[Edit], tokens| Edit::masks_all(edits, &spec, tokens);
    let all = |attention: &str, head, keys: std::ops::Range<usize>| {
        keys.map(|key| masked(attention, head, key))
            .collect::<Vec<_>>()
    };
    let cross = |keys| all("decoder.0.cross", Some(1), keys);
    assert!(!masks_all(&cross(0..4), [5, 3]));
    assert!(masks_all(&cross(0..5), [5, 3]));
    // One key for all heads, the others for the one.
    let together = [all("decoder.0.cross", None, 4..5), cross(0..4)].concat();
    assert!(masks_all(&together, [5, 3]));
    let apart = [all("decoder.1.cross", None, 4..5), cross(0..4)].concat();
    assert!(!masks_all(&apart, [5, 3]));
    // The first query of a causal stack sees the first key alone.
    let own = |keys| all("decoder.0.self", None, keys);
    assert!(masks_all(&own(0..1), [0, 3]));
    assert!(!masks_all(&own(1..9), [0, 3]));
    let open = |keys| [own(keys), vec![Edit::WithoutCausality]].concat();
    assert!(!masks_all(&open(0..2), [0, 3]));
    assert!(masks_all(&open(0..3), [0, 3]));
    assert!(!masks_all(&[], [5, 3]));
}

#[test]
fn a_window_leaves_a_query_fewer_keys() {
    let mut spec = encoder_decoder();
    if let Some(decoder) = &mut spec.decoder {
        decoder.layer_attention = [Some(2), None, None]
            .map(|window| LayerAttention {
                window,
                ..LayerAttention::default()
            })
            .to_vec();
    }
    let masks_all = |layer: usize, keys: std::ops::Range<usize>| {
        let edits: Vec<Edit> = keys
            .map(|key| masked(&format!("decoder.{layer}.self"), None, key))
            .collect();
        Edit::masks_all(&edits, &spec, [5, 3])
    };
    assert!(!masks_all(0, 2..3));
    assert!(masks_all(0, 1..3) && masks_all(0, 7..9));
    assert!(!masks_all(1, 1..9));
}

#[test]
fn an_order_has_every_token_once() {
    assert!(is_permutation(&[2, 0, 1], 3));
    assert!(is_permutation(&[], 0));
    for order in [&[0, 1][..], &[0, 1, 1], &[1, 2, 3], &[0, 1, 2, 3]] {
        assert!(!is_permutation(order, 3), "{order:?}");
    }
}
