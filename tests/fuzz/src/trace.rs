//! The reader of traces, and queries of a trace that was read.

use std::path::PathBuf;

use attention_trace::{
    Array, AttentionLayer, Edit, Excerpt, Lens, Origin, ReadWord, Reading, Site, Slice, Trace,
};
use bolero::TypeGenerator;
use serde_json::Value;

use crate::damage::Input;

/// A trace and the queries on it.
#[derive(Clone, Debug, TypeGenerator)]
struct Asked {
    input: Input,
    array: u8,
    slice: Part,
}

#[derive(Clone, Copy, Debug, TypeGenerator)]
enum Part {
    Head(usize),
    Row(u8),
    Rows(u8, usize),
    Whole,
}

impl From<Part> for Slice {
    fn from(part: Part) -> Self {
        match part {
            Part::Head(head) => Slice::Head(head),
            Part::Row(row) => Slice::Row(row.into()),
            Part::Rows(from, to) => Slice::Rows(from.into(), to),
            Part::Whole => Slice::Whole,
        }
    }
}

/// A small trace with every entry.
fn seed() -> Vec<u8> {
    let example = "../../assets/examples/je-suis-etudiant.safetensors";
    let example = std::fs::read(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(example)).unwrap();
    // Its arrays are what a page shows; a few are enough here.
    let mut small = Trace::from_safetensors(&example).unwrap();
    let sites: Vec<Site> = small.arrays.keys().step_by(12).copied().collect();
    small.arrays.retain(|site, _| sites.contains(site));
    let attention = AttentionLayer::try_from("decoder.1.cross".to_owned()).unwrap();
    small.edits = vec![
        Edit::ScaleHead {
            attention,
            head: 3,
            factor: 0.0,
        },
        Edit::Uniform {
            attention,
            head: None,
        },
        Edit::GroupKeyValues {
            attention,
            groups: 2,
        },
    ];
    let answers = small.meta.target.clone();
    let reading = |token: &_| Reading {
        words: vec![ReadWord {
            token: Clone::clone(token),
            probability: 0.5,
        }],
        rank: 1,
        probability: 0.5,
    };
    small.lens = Some(Lens {
        layers: vec![answers.iter().map(reading).collect(); 2],
        answers,
    });
    small.origin = Origin {
        program: Some("attn".into()),
        version: Some("0.2.0".into()),
        model: Some("translator".into()),
        text: Some("Je suis étudiant".into()),
    };
    small.to_safetensors().unwrap()
}

/// Returns the file with the JSON of an entry of its metadata changed.
fn with_entry(seed: &[u8], entry: u8, input: &Input) -> Vec<u8> {
    let (length, rest) = seed.split_first_chunk::<8>().unwrap();
    let (header, data) = rest.split_at(u64::from_le_bytes(*length) as usize);
    let mut header: Value = serde_json::from_slice(header).unwrap();
    let entries = header["__metadata__"].as_object_mut().unwrap();
    let place = usize::from(entry) % entries.len();
    let (_, value) = entries.iter_mut().nth(place).unwrap();
    let changed = input.json(value.as_str().unwrap().as_bytes());
    *value = String::from_utf8_lossy(&changed).into_owned().into();
    let header = serde_json::to_vec(&header).unwrap();
    let length = (header.len() as u64).to_le_bytes();
    [&length, header.as_slice(), data].concat()
}

/// Uses everything of a trace that was read.
fn use_all(trace: &Trace) {
    if let Err(error) = trace.check_weights() {
        assert!(!error.to_string().is_empty());
    }
    trace.light();
    trace.bytes();
    trace.to_safetensors().unwrap();
}

#[test]
fn traces_and_their_parts() {
    let seed = seed();
    bolero::check!()
        .with_type::<Asked>()
        .with_iterations(10_000)
        .for_each(|asked| {
            let Ok(trace) = Trace::from_safetensors(&asked.input.safetensors(&seed)) else {
                return;
            };
            let arrays = trace.arrays.len().max(1);
            if let Some(&site) = trace.arrays.keys().nth(usize::from(asked.array) % arrays) {
                trace.excerpt(&Excerpt::new(site, asked.slice.into()));
            }
            use_all(&trace);
        });
}

#[test]
fn entries_of_traces() {
    let seed = seed();
    bolero::check!()
        .with_type::<(u8, Input)>()
        .with_iterations(10_000)
        .for_each(|(entry, input)| {
            if let Ok(trace) = Trace::from_safetensors(&with_entry(&seed, *entry, input)) {
                use_all(&trace);
            }
        });
}

#[test]
fn arrays_of_bytes() {
    bolero::check!()
        .with_type::<(Vec<usize>, Vec<u8>)>()
        .with_iterations(10_000)
        .for_each(|(shape, bytes)| {
            if let Some(array) = Array::from_bytes(shape.clone(), bytes) {
                assert_eq!(array.data.len(), shape.iter().product::<usize>());
                array.matrix(0);
                array.thumbnails(3);
            }
        });
}
