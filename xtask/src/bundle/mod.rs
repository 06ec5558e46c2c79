//! Makes `dist/`: the page, the engines, the models, compressed copies.

mod bind;
pub mod cache;
mod chapters;
mod compile;
mod compress;
mod dist;
mod fingerprint;
mod kernels;
mod optimise;
mod reference;
mod sizes;
mod split;

use std::{fs, path::Path, thread};

use crate::{error::Error, setup, workspace::Workspace};

pub use self::fingerprint::is_fingerprinted;
pub use self::kernels::{kernel_tests, kernel_tests_directory};
use self::{
    compile::{Machine, Profile, Unit},
    dist::Entry,
    optimise::Optimiser,
};

/// How much work goes into small files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A page that compiles in seconds, for working on it. Engines are compiled as for release,
    /// because they change rarely and are unusably slow otherwise.
    Dev,
    /// As it is published.
    Release,
}

/// The slowest to shrink comes first, so that it is shrunk while the others compile.
const UNITS: [Unit; 5] = [
    Unit {
        name: "engine-webgpu",
        package: "attention-worker",
        features: &["webgpu"],
        // The GPU does the work; this is 20 MB of glue that should download fast.
        optimisation: "-Oz",
        machine: Machine::Plain,
        is_split: false,
    },
    Unit {
        name: "engine-cpu-threads",
        package: "attention-worker",
        features: &["threads"],
        optimisation: "-O3",
        machine: Machine::Threads,
        is_split: false,
    },
    Unit {
        name: "engine-cpu",
        package: "attention-worker",
        features: &[],
        optimisation: "-O3",
        machine: Machine::Vectors,
        is_split: false,
    },
    Unit {
        name: "lessons",
        package: "attention-lessons",
        features: &[],
        // Some hundred numbers at a time; it should be there soon after a chapter asks for it.
        optimisation: "-Oz",
        machine: Machine::Vectors,
        is_split: false,
    },
    Unit {
        name: "page",
        package: "attention-app",
        features: &[],
        optimisation: "-Oz",
        machine: Machine::Plain,
        is_split: true,
    },
];

/// Builds `dist/` and reports the size of what is in it.
///
/// # Errors
/// If something does not compile or cannot be written. A missing wasm-opt is no error: the files
/// are larger without it.
pub fn build(workspace: &Workspace, mode: Mode) -> Result<(), Error> {
    build_from(workspace, mode, &workspace.dist(), Ok)
}

/// Builds into `dist` with the files of the directory `other` in place of those below `prefix`.
///
/// # Errors
/// As [`build`].
pub fn build_with(
    workspace: &Workspace,
    mode: Mode,
    dist: &Path,
    prefix: &str,
    other: &Path,
) -> Result<(), Error> {
    build_from(workspace, mode, dist, |mut entries| {
        entries.retain(|entry| !entry.name.starts_with(prefix));
        entries.extend(dist::tree(other, prefix)?);
        Ok(entries)
    })
}

fn build_from(
    workspace: &Workspace,
    mode: Mode,
    dist: &Path,
    changed: impl FnOnce(Vec<Entry>) -> Result<Vec<Entry>, Error>,
) -> Result<(), Error> {
    setup::wasm_target(workspace)?;
    setup::rust_source(workspace)?;
    setup::npm_packages(&workspace.npm())?;
    // Held until the end, so that two builds do not write the same files.
    let _lock = cache::lock(&workspace.cache())?;
    let optimiser = match mode {
        Mode::Dev => None,
        Mode::Release => Optimiser::find(workspace),
    };
    let mut entries = units(workspace, mode, optimiser.as_ref())?;
    entries.extend(dist::static_files(workspace)?);
    let made = workspace.cache().join("fingerprint");
    let mut entries = fingerprint::fingerprint(&made, &changed(entries)?)?;
    if mode == Mode::Release {
        entries.extend(compress::sidecars(&workspace.cache(), &entries)?);
    }
    fs::create_dir_all(dist).map_err(Error::file("make", dist))?;
    dist::write(dist, &entries)?;
    print!("{}", sizes::table(dist, &entries)?);
    Ok(())
}

/// Compiles the units one after another, each being bound and shrunk while the next compiles.
fn units(
    workspace: &Workspace,
    mode: Mode,
    optimiser: Option<&Optimiser>,
) -> Result<Vec<Entry>, Error> {
    let cache = workspace.cache();
    thread::scope(|scope| {
        let mut workers = Vec::new();
        for unit in &UNITS {
            let module = compile::compile(workspace, unit, profile(unit, mode))?;
            let cache = &cache;
            let worker = scope.spawn(move || finish(cache, unit, module, optimiser));
            workers.push((unit.name, worker));
        }
        let mut entries = Vec::new();
        for (unit, worker) in workers {
            entries.extend(worker.join().map_err(|_| Error::Panicked { unit })??);
        }
        Ok(entries)
    })
}

fn profile(unit: &Unit, mode: Mode) -> Profile {
    match mode {
        Mode::Dev if unit.name == "page" => Profile::Dev,
        Mode::Dev | Mode::Release => Profile::Release,
    }
}

fn finish(
    cache: &Path,
    unit: &Unit,
    module: Vec<u8>,
    optimiser: Option<&Optimiser>,
) -> Result<Vec<Entry>, Error> {
    let bound = bind::bind(cache, unit, module)?;
    let mut entries = dist::tree(&bound, "")?;
    if let Some(optimiser) = optimiser {
        for entry in entries.iter_mut().filter(|entry| entry.is_wasm()) {
            entry.from = optimiser.optimise(cache, unit, &entry.name, &entry.from)?;
        }
    }
    Ok(entries)
}
