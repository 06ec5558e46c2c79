//! The CPU engines' kernels with tests around them, compiled, bound and optimised as the engines are.

use std::{fs, path::PathBuf};

use super::{
    UNITS, cache,
    compile::{self, Profile, Unit},
    dist, finish,
    optimise::Optimiser,
};
use crate::{error::Error, setup, workspace::Workspace};

/// The crate that the tests are.
const PACKAGE: &str = "attention-kernel-tests";

/// Where [`kernel_tests`] puts a directory for each CPU engine, called as the engine.
pub fn kernel_tests_directory(workspace: &Workspace) -> PathBuf {
    workspace.cache().join("kernels/dist")
}

/// Makes the kernels' tests for each CPU engine, with its processor's features: dependencies are those that the
/// engine was compiled with.
///
/// # Errors
/// If something does not compile or cannot be written.
pub fn kernel_tests(workspace: &Workspace) -> Result<(), Error> {
    setup::wasm_target(workspace)?;
    setup::rust_source(workspace)?;
    let _lock = cache::lock(&workspace.cache())?;
    let optimiser = Optimiser::find(workspace);
    let directory = kernel_tests_directory(workspace);
    // One result is kept per name, and the engines have their names in the build's own cache.
    let cache = workspace.cache().join("kernels");
    let mut entries = Vec::new();
    for engine in UNITS.iter().filter(|unit| is_cpu_engine(unit)) {
        let unit = tests_of(engine);
        let module = compile::compile(workspace, &unit, Profile::Release)?;
        for mut entry in finish(&cache, &unit, module, optimiser.as_ref())? {
            entry.to = format!("{}/{}", unit.name, entry.to);
            entries.push(entry);
        }
    }
    fs::create_dir_all(&directory).map_err(Error::file("make", &directory))?;
    dist::write(&directory, &entries)
}

fn is_cpu_engine(unit: &Unit) -> bool {
    unit.package == "attention-worker" && !unit.features.contains(&"webgpu")
}

fn tests_of(engine: &Unit) -> Unit {
    Unit {
        name: engine.name,
        package: PACKAGE,
        features: engine.features,
        optimisation: engine.optimisation,
        machine: engine.machine,
        is_split: engine.is_split,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cpu_engine_has_its_tests() {
        let engines: Vec<&str> = UNITS
            .iter()
            .filter(|unit| is_cpu_engine(unit))
            .map(|unit| unit.name)
            .collect();
        assert!(engines.contains(&"engine-cpu"), "{engines:?}");
        assert!(engines.contains(&"engine-cpu-threads"), "{engines:?}");
        assert!(!engines.contains(&"engine-webgpu"), "{engines:?}");
    }
}
