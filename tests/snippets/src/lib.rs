//! The programs in burn that chapters show for their formulas: compiled and run as they are shown, and their numbers compared
//! with those that NumPy printed (`numbers.json`, written by `reference.py`).
#![cfg(test)]
#![allow(clippy::unwrap_used, reason = "a panic is a failed test")]

mod sizes;

use std::cell::RefCell;

thread_local! {
    /// The last line that a program printed.
    static PRINTED: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Stands in for the macro of the standard library in the programs, so that a test reads what they print.
macro_rules! println {
    ($($words:tt)*) => {
        crate::PRINTED.with_borrow_mut(|printed| *printed = format!($($words)*))
    };
}

/// The programs, with their sizes as numbers in them.
#[allow(
    clippy::single_range_in_vec_init,
    clippy::unnecessary_cast,
    reason = "burn slices by arrays of ranges, and a size of any pass is cast"
)]
mod programs {
    include!(concat!(env!("OUT_DIR"), "/programs.rs"));
}

use std::{collections::BTreeMap, fs, path::Path};

use attention_trace::snippets::{Library, Templates, read};
use programs::PROGRAMS;
use serde::Deserialize;
use sha2::{Digest, Sha256};

/// The largest accepted difference of a number, relative if it is above one.
const TOLERANCE: f64 = 1e-5;

#[derive(Deserialize)]
struct Numbers {
    sizes: Vec<[usize; 4]>,
    programs: BTreeMap<String, Program>,
}

#[derive(Deserialize)]
struct Program {
    digests: BTreeMap<Library, String>,
    printed: Vec<Vec<f64>>,
}

fn numbers() -> Numbers {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("numbers.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn templates() -> Templates {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../app/chapters/snippets")).unwrap()
}

#[test]
fn programs_in_burn_print_numpys_numbers() {
    let numbers = numbers();
    for (sizes, given) in sizes::SIZES.iter().zip(&numbers.sizes) {
        let ours = [sizes.tokens, sizes.width, sizes.heads, sizes.head_width];
        assert_eq!(ours, *given);
    }
    let mut faults = Vec::new();
    for (name, place, run) in PROGRAMS {
        run();
        let printed = PRINTED.take();
        let ours: Vec<f64> = printed
            .split(' ')
            .map(|word| word.parse().unwrap())
            .collect();
        let theirs = &numbers.programs[*name].printed[*place];
        let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= TOLERANCE * b.abs().max(1.0);
        if ours.len() != theirs.len() || !ours.iter().zip(theirs).all(is_near) {
            faults.push(format!("{name} {place}: {ours:?}, not {theirs:?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(PROGRAMS.len(), numbers.programs.len() * sizes::SIZES.len());
}

#[test]
fn the_page_puts_together_what_python_ran() {
    let numbers = numbers();
    let templates = templates();
    assert_eq!(templates.len(), numbers.programs.len());
    for (name, programs) in templates {
        assert_eq!(programs.len(), Library::ALL.len(), "{name}");
        for (library, digest) in &numbers.programs[&name].digests {
            let found = Sha256::digest(&programs[library]);
            let found: String = found.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(found, *digest, "{name} in {library:?}: run reference.py");
        }
    }
}

#[test]
fn the_first_line_names_the_version_and_the_features_of_this_crate() {
    let manifest =
        |path: &str| fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let workspace = manifest("../../Cargo.toml");
    let pinned = workspace.lines().find(|line| line.starts_with("burn = "));
    let own = manifest("Cargo.toml");
    let own = own
        .lines()
        .find(|line| line.starts_with("burn = "))
        .unwrap();
    let features = own.split_once("features").unwrap().1;
    let expected = pinned.unwrap().trim_end_matches(" }");
    for (name, programs) in templates() {
        let first = programs[&Library::Burn].lines().next().unwrap();
        assert_eq!(
            first,
            format!("// Cargo.toml: {expected}, features{features}"),
            "{name}"
        );
    }
}
