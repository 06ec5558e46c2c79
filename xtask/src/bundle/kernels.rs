//! The CPU engines' kernels with tests around them, compiled, bound and optimised as the engines are.

use std::{collections::BTreeSet, fs, path::PathBuf};

use super::{cache, compile, dist, making, mode::Mode, optimise::Optimiser, units};
use crate::{error::Error, process::Group, setup, workspace::Workspace};

/// The place where [`kernel_tests`] puts a directory for each CPU engine, called as the engine.
pub fn kernel_tests_directory(workspace: &Workspace) -> PathBuf {
    workspace.cache().join("kernels/dist")
}

/// Makes the kernels' tests for each CPU engine, with its processor's features: dependencies are those that the
/// engine was compiled with.
///
/// # Errors
/// If something does not compile or cannot be written.
pub fn kernel_tests(workspace: &Workspace, mode: Mode) -> Result<(), Error> {
    let _lock = cache::lock(&workspace.cache())?;
    setup::for_builds(workspace)?;
    let (programs, optimiser) = (Group::default(), Optimiser::of(workspace, mode));
    // One result is kept per name, and the engines have their names in the build's own cache.
    let cache = workspace.cache().join("kernels");
    let mut entries = Vec::new();
    for step in units::kernel_tests(mode) {
        compile::compile(workspace, &programs, &step, mode, |unit, module| {
            let made = making::bound(&cache, &programs, optimiser.as_ref(), unit, module)?;
            entries.extend(made.into_iter().map(|mut entry| {
                entry.to = format!("{}/{}", unit.name, entry.to);
                entry
            }));
            Ok(())
        })?;
    }
    let directory = kernel_tests_directory(workspace);
    fs::create_dir_all(&directory).map_err(Error::file("make", &directory))?;
    dist::write(&directory, &entries, &BTreeSet::new())
}
