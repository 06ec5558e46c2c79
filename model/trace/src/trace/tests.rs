use super::*;
use crate::{AttentionLayer, Candidate, Quantity, ReadWord, Reading, Step};

fn token(id: u32, text: &str) -> Token {
    Token {
        id,
        text: text.into(),
        unknown: false,
    }
}

fn candidate(text: &str) -> Candidate {
    Candidate {
        token: token(7, text),
        logit: 2.5,
        log_probability: -0.25,
    }
}

fn lens(positions: usize) -> Lens {
    let reading = Reading {
        words: vec![ReadWord {
            token: token(7, "▁dog"),
            probability: 0.75,
        }],
        rank: 1,
        probability: 0.75,
    };
    Lens {
        answers: vec![token(7, "▁dog"); positions],
        layers: vec![vec![reading; positions]; 4],
    }
}

fn cross(layer: usize) -> Site {
    let kind = AttentionKind::Cross;
    AttentionLayer { kind, layer }.at(Quantity::Pattern)
}

/// A trace with every entry; cross-attention of all three layers, of two heads.
fn example() -> Trace {
    let meta = TraceMeta {
        spec: crate::spec::tests::encoder_decoder(),
        source: vec![token(4, "▁Je"), token(2, "</s>")],
        target: vec![token(0, "<pad>")],
        pieces: crate::Pieces::default(),
    };
    let weights = Array {
        shape: vec![2, 1, 2],
        data: vec![0.25, 0.75, 1.0, 0.0],
    };
    let logits = Array {
        shape: vec![2, 1, 3],
        data: vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0],
    };
    let arrays = (0..3).map(|layer| (cross(layer), weights.clone()));
    Trace {
        guesses: vec![Guess {
            place: 1,
            candidates: vec![candidate("▁chien")],
        }],
        edits: vec![Edit::WithoutPositions],
        lens: Some(lens(1)),
        origin: Origin {
            program: Some("attn".into()),
            text: Some("Je".into()),
            ..Origin::default()
        },
        arrays: arrays.chain([(Site::LOGITS, logits)]).collect(),
        ..Trace::new(meta)
    }
}

/// Returns the error for the file that has other bytes in the place of these.
fn refused(trace: &Trace, own: &str, other: &str) -> String {
    assert_eq!(own.len(), other.len());
    let mut bytes = trace.to_safetensors().unwrap();
    let at = bytes
        .windows(own.len())
        .position(|part| part == own.as_bytes());
    let at = at.unwrap_or_else(|| panic!("{own} is not in the file"));
    bytes[at..at + own.len()].copy_from_slice(other.as_bytes());
    Trace::from_safetensors(&bytes).unwrap_err().to_string()
}

#[test]
fn a_trace_survives_the_round_trip() {
    let trace = example();
    let bytes = trace.to_safetensors().unwrap();
    assert_eq!(Trace::from_safetensors(&bytes).unwrap(), trace);
    let plain = Trace::new(trace.meta);
    let bytes = plain.to_safetensors().unwrap();
    assert_eq!(Trace::from_safetensors(&bytes).unwrap(), plain);
}

#[test]
fn a_file_without_a_version_is_read_and_a_newer_one_refused() {
    let trace = example();
    let bytes = trace.to_safetensors().unwrap();
    let at = bytes.windows(8).position(|part| part == br#""format""#);
    let mut before = bytes.clone();
    // An entry of another name, which is not known.
    before[at.unwrap()..][..8].copy_from_slice(br#""formed""#);
    assert_eq!(Trace::from_safetensors(&before).unwrap(), trace);
    assert_eq!(
        refused(&trace, r#""format":"1""#, r#""format":"2""#),
        "the trace has format version 2, and this program reads versions up to 1"
    );
    for other in ["0", "x", "-", " "] {
        let other = format!(r#""format":"{other}""#);
        assert!(refused(&trace, r#""format":"1""#, &other).contains("format version"));
    }
}

#[test]
fn sizes_out_of_reason_are_refused_before_anything_counts_through_them() {
    let refused = |change: fn(&mut ModelSpec)| {
        let mut trace = example();
        change(&mut trace.meta.spec);
        trace.arrays.clear();
        let bytes = trace.to_safetensors().unwrap();
        Trace::from_safetensors(&bytes).unwrap_err().to_string()
    };
    fn decoder(spec: &mut ModelSpec) -> &mut crate::StackSpec {
        spec.decoder.as_mut().unwrap()
    }
    assert_eq!(
        refused(|spec| decoder(spec).layers = 1 << 40),
        "the trace's entry `trace` says that decoder.layers is 1099511627776; it must be between 1 and 256"
    );
    assert!(refused(|spec| decoder(spec).heads = 1 << 11).contains("decoder.heads is 2048"));
    assert!(refused(|spec| decoder(spec).key_value_heads = 0).contains("key_value_heads is 0"));
    assert!(refused(|spec| decoder(spec).head_width = 1 << 20).contains("head_width is 1048576"));
    assert!(refused(|spec| spec.encoder.as_mut().unwrap().layers = 0).contains("encoder.layers"));
    assert!(refused(|spec| spec.width = 1 << 17).contains("width is 131072"));
    assert!(refused(|spec| spec.vocabulary = usize::MAX).contains("between 0 and 1048576"));
}

#[test]
fn a_truncated_trace_is_an_error() {
    let bytes = example().to_safetensors().unwrap();
    for length in [0, 7, bytes.len() - 1] {
        assert!(Trace::from_safetensors(&bytes[..length]).is_err());
    }
}

#[test]
fn lengths_are_checked_before_memory_is_taken() {
    let never = |_: usize, _: &mut [u8]| panic!("nothing is read");
    let error = Trace::read_safetensors(2_147_483_648, never).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the trace has 2147483648 bytes, and at most 2147483647 are read"
    );
    // The header claims nearly all of a file that is said to be this long.
    let claims = |_: usize, into: &mut [u8]| into.copy_from_slice(&2_000_000_000_u64.to_le_bytes());
    let error = Trace::read_safetensors(LARGEST_TRACE_BYTES, claims).unwrap_err();
    assert!(error.to_string().contains("header too large"), "{error}");
}

#[test]
fn a_trace_whose_arrays_lie_elsewhere_than_in_it_is_an_error() {
    let written = example().to_safetensors().unwrap();
    let own = b"[48,72]";
    let at = written.windows(own.len()).position(|part| part == own);
    let at = at.unwrap();
    for other in [
        b"[56,72]", b"[48,76]", b"[52,76]", b"[72,48]", b"[-1,48]", b"[9,999]",
    ] {
        let mut bytes = written.clone();
        bytes[at..at + own.len()].copy_from_slice(other);
        assert!(Trace::from_safetensors(&bytes).is_err(), "{other:?}");
    }
    let longer = [&written[..], &[0]].concat();
    assert!(Trace::from_safetensors(&longer).is_err());
}

#[test]
fn shapes_that_do_not_fit_heads_and_tokens_are_refused_by_name() {
    let with = |site: Site, shape: &[usize]| {
        let mut trace = example();
        let data = vec![0.0; shape.iter().product()];
        let shape = shape.to_vec();
        trace.arrays.insert(site, Array { shape, data });
        let bytes = trace.to_safetensors().unwrap();
        Trace::from_safetensors(&bytes).map_err(|error| error.to_string())
    };
    assert_eq!(
        with(cross(1), &[2, 2, 1]).unwrap_err(),
        "array `decoder.1.cross.pattern` has the shape [2, 2, 1], and heads and tokens make [2, 1, 2]"
    );
    for shape in [&[2, 1][..], &[1, 1, 2], &[2, 1, 2, 1], &[2, 1, 3]] {
        assert!(with(cross(0), shape).unwrap_err().contains("has the shape"));
    }
    assert_eq!(
        with(cross(3), &[2, 1, 2]).unwrap_err(),
        "array `decoder.3.cross.pattern` is of a layer that the model does not have"
    );
    let thumbnail = |name: &str| name.parse().unwrap();
    assert!(with(thumbnail("encoder.0.self.thumbnail"), &[2, 2, 2]).is_ok());
    assert!(with(thumbnail("encoder.0.self.thumbnail"), &[2, 2, 3]).is_err());
    assert!(with(thumbnail("encoder.0.mlp.pattern"), &[2, 2, 2]).is_err());
    assert!(with(thumbnail("encoder.0.self.position_bias"), &[2, 1, 2]).is_ok());
}

#[test]
fn places_beyond_the_tokens_are_refused_by_their_entry() {
    let read = |change: fn(&mut Trace)| {
        let mut trace = example();
        change(&mut trace);
        let bytes = trace.to_safetensors().unwrap();
        Trace::from_safetensors(&bytes).map_err(|error| error.to_string())
    };
    assert_eq!(
        read(|trace| trace.guesses[0].place = 2).unwrap_err(),
        "the trace's entry `guesses` names place 2, beyond the tokens (2)"
    );
    let at_row = |trace: &mut Trace, row| {
        let step = Step {
            row,
            chosen: candidate("▁dog"),
            forced: false,
            candidates: vec![],
        };
        trace.decoding = Some(Decoding {
            search: crate::Search::Greedy,
            hypotheses: vec![],
            steps: vec![step],
            considered: vec![],
            draws: vec![],
        });
    };
    let mut trace = example();
    at_row(&mut trace, 0);
    assert!(Trace::from_safetensors(&trace.to_safetensors().unwrap()).is_ok());
    at_row(&mut trace, 1);
    let error = Trace::from_safetensors(&trace.to_safetensors().unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the trace's entry `decoding` names place 1, beyond the tokens (1)"
    );
    assert_eq!(
        read(|trace| trace.lens = Some(lens(2))).unwrap_err(),
        "the trace's entry `lens` has 2 readings of a layer, not one for each token (1)"
    );
}

#[test]
fn entries_that_cannot_be_read_are_named() {
    let trace = example();
    let error = refused(&trace, "without_positions", "without_positionz");
    assert!(
        error.starts_with("the trace's entry `edits` cannot be read: "),
        "{error}"
    );
    let error = refused(&trace, r#"\"program\":"#, r#"\"program\"?"#);
    assert!(
        error.starts_with("the trace's entry `origin` cannot be read: "),
        "{error}"
    );
    let error = refused(&trace, r#""trace":"#, r#""tracy":"#);
    assert!(error.contains("no `trace` entry"), "{error}");
}

#[test]
fn weights_that_cannot_be_shown_are_named() {
    let checked = |change: fn(&mut Trace)| {
        let mut trace = example();
        change(&mut trace);
        trace.check_weights().map_err(|error| error.to_string())
    };
    assert!(checked(|_| {}).is_ok());
    assert_eq!(
        checked(|trace| drop(trace.arrays.remove(&cross(1)))).unwrap_err(),
        "array `decoder.1.cross.pattern` is missing, although other layers have theirs"
    );
    assert_eq!(
        checked(|trace| trace.arrays.retain(|&site, _| site == Site::LOGITS)).unwrap_err(),
        "the trace has no attention weights (`pattern`)"
    );
    assert_eq!(
        checked(|trace| trace.arrays.get_mut(&cross(2)).unwrap().data[1] = f32::NAN).unwrap_err(),
        "array `decoder.2.cross.pattern` has a weight that is not a finite number"
    );
}

#[test]
fn rows_and_matrices_are_found_by_index() {
    let trace = example();
    let array = trace.array(Site::LOGITS).unwrap();
    assert_eq!(array.matrix(1), Some([3.0, 4.0, 5.0].as_slice()));
    assert_eq!(array.matrix(2), None);
    assert_eq!(array.row(&[1, 0]), Some([3.0, 4.0, 5.0].as_slice()));
    assert_eq!(array.row(&[0, 1]), None);
}
