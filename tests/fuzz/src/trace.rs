//! The reader of traces, and queries of a trace that was read.

use std::path::PathBuf;

use attention_trace::{Array, Excerpt, Site, Slice, Trace};
use bolero::TypeGenerator;

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

#[test]
fn traces_and_their_parts() {
    let example = "../../assets/examples/je-suis-etudiant.safetensors";
    let seed = std::fs::read(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(example)).unwrap();
    // Its arrays are what a page shows; a few are enough here.
    let mut small = Trace::from_safetensors(&seed).unwrap();
    let sites: Vec<Site> = small.arrays.keys().step_by(12).copied().collect();
    small.arrays.retain(|site, _| sites.contains(site));
    let seed = small.to_safetensors().unwrap();
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
            trace.light();
            trace.bytes();
            trace.to_safetensors().unwrap();
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
