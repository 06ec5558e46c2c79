//! wasm-opt: the same module, smaller or faster.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    cache::{Key, cached},
    mode::Mode,
    unit::Unit,
};
use crate::{
    error::{Error, printed},
    process::{Group, command, read},
    setup,
    workspace::Workspace,
};

/// The features that rustc and the libraries' SIMD code use. Naming more would let wasm-opt write instructions
/// that some browsers do not have.
const FEATURES: [&str; 10] = [
    "--enable-bulk-memory",
    "--enable-bulk-memory-opt",
    "--enable-call-indirect-overlong",
    "--enable-extended-const",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
    "--enable-simd",
];

/// A wasm-opt that is installed.
#[derive(Debug)]
pub struct Optimiser {
    program: PathBuf,
    version: String,
}

impl Optimiser {
    /// For modes that shrink modules.
    pub fn of(workspace: &Workspace, mode: Mode) -> Option<Self> {
        mode.is_shrunk().then(|| Self::find(workspace)).flatten()
    }

    /// Installs wasm-opt unless it is there. Says so and returns `None` if that fails.
    fn find(workspace: &Workspace) -> Option<Self> {
        let installed = Self::install(workspace);
        if installed.is_err() {
            println!("Going on without wasm-opt, downloads will be larger.");
        }
        printed(installed)
    }

    fn install(workspace: &Workspace) -> Result<Self, Error> {
        let directory = workspace.npm();
        setup::npm_packages(&directory)?;
        let program = directory.join("node_modules/binaryen/bin/wasm-opt");
        let version = read(&mut command(
            "node",
            &[&program.to_string_lossy(), "--version"],
            &directory,
        ))?;
        Ok(Self { program, version })
    }

    /// The address of an optimised copy of a unit's module or chunk, which lies at `path` and is
    /// called `name`.
    ///
    /// # Errors
    /// If wasm-opt fails.
    pub fn optimise(
        &self,
        cache: &Path,
        programs: &Group,
        unit: &Unit,
        name: &str,
        path: &Path,
    ) -> Result<PathBuf, Error> {
        let module = fs::read(path).map_err(Error::file("read", path))?;
        let key = Key::default()
            .with(&self.version)
            .with(unit.optimisation)
            .with(FEATURES)
            .with(module);
        let directory = cached(cache, "optimise", name, &key, |directory| {
            println!("{name}: wasm-opt {}", unit.optimisation);
            let program = self.program.to_string_lossy();
            let (from, to) = (path.to_string_lossy(), directory.join("module.wasm"));
            let mut node = command("node", &[&program, unit.optimisation], directory);
            node.args(FEATURES)
                .args([&*from, "-o", &to.to_string_lossy()]);
            programs.run_lines(&mut node, |line| {
                println!("{line}");
                Ok(())
            })
        })?;
        Ok(directory.join("module.wasm"))
    }
}
