//! The errors of all tasks, in words that say what to do.

use std::{
    error::Error as StdError,
    io,
    path::{Path, PathBuf},
    process::ExitStatus,
};

use thiserror::Error;

/// Why a task did not finish.
#[derive(Debug, Error)]
pub enum Error {
    /// A file or directory could not be read or written.
    #[error("cannot {action} {}", path.display())]
    File {
        /// The operation, as a verb.
        action: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// A program could not be started.
    #[error("cannot start `{command}`: is it installed and in PATH?")]
    Start { command: String, source: io::Error },
    /// The output of a program could not be read.
    #[error("cannot read the output of `{command}`")]
    Output { command: String, source: io::Error },
    /// A program ran and reported failure.
    #[error("`{command}` failed ({status})")]
    Failed { command: String, status: ExitStatus },
    /// A program was stopped because another one failed.
    #[error("stopped, because something else failed")]
    Stopped,
    /// Rust is older than what the crates are written for.
    #[error(
        "Rust {found} is too old, {wanted} or newer is needed: run `rustup update stable`, or \
         choose a newer toolchain with RUSTUP_TOOLCHAIN"
    )]
    OldRust {
        /// The version that `rustc` reports.
        found: String,
        /// The oldest version that will do.
        wanted: &'static str,
    },
    /// Node is missing or too old.
    #[error(
        "Node {least} or newer, with npm, is needed, and {found} was found: install it from https://nodejs.org or by your \
         package manager"
    )]
    OldNode {
        /// The version that was found.
        found: String,
        /// The oldest version that will do.
        least: u32,
    },
    /// A part of Rust is missing and could not be added.
    #[error(
        "Rust has no {part}, and rustup could not add it. With rustup, check the network and run \
         `rustup {arguments}`; if Rust comes from elsewhere, install {part} from there"
    )]
    RustPart {
        /// The name of the missing part.
        part: &'static str,
        /// The arguments that rustup got.
        arguments: String,
        source: Box<Error>,
    },
    /// Cargo finished without naming a `.wasm` file.
    #[error("cargo built no .wasm file for the package `{package}`")]
    NoWasm {
        /// The package that was built.
        package: &'static str,
    },
    /// The linker wrapped every function that JavaScript calls.
    #[error(
        "the module of `{package}` would run all constructors at every call from JavaScript; \
         it has to run them once itself, as `attention-gpu` does (src/constructors.rs)"
    )]
    Constructors {
        /// The package that was built.
        package: &'static str,
    },
    /// No engine without fused multiply-add can be made from a compiled module.
    #[error("`{name}` cannot be made from a module with fused multiply-add")]
    Unfused {
        /// The unit that was to be made.
        name: &'static str,
        /// The fault of the module.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// wasm-bindgen refused a compiled module.
    #[error("wasm-bindgen cannot process {}", path.display())]
    Bindgen {
        path: PathBuf,
        source: Box<dyn StdError + Send + Sync>,
    },
    /// A compiled module could not be split into chunks.
    #[error("{} cannot be split into chunks", path.display())]
    Split {
        path: PathBuf,
        source: Box<dyn StdError + Send + Sync>,
    },
    /// wasm-bindgen's script does not import the chunks' loader in the way that is known here.
    #[error("{} does not load its chunks as expected", path.display())]
    Loader { path: PathBuf },
    /// Files refer to each other, so that neither can be named after its contents.
    #[error("served files refer to each other in a circle: {}", files.join(" → "))]
    Circle {
        /// The files, each referring to the next and the last to one before.
        files: Vec<String>,
    },
    /// The page loads a file that is not served under a name of its contents.
    #[error("index.html loads {address}, whose digest is not known: is it served?")]
    NoDigest {
        /// The address in the page.
        address: String,
    },
    /// The manifest of served files could not be written.
    #[error("the manifest cannot be written")]
    Manifest(#[from] serde_json::Error),
    /// A thread of the build died.
    #[error("the build step for `{unit}` panicked")]
    Panicked { unit: &'static str },
    /// `--no-build` without an earlier build.
    #[error("{} is not built yet: run `cargo xtask build` or leave out --no-build", path.display())]
    NotBuilt {
        /// The page that is missing.
        path: PathBuf,
    },
    /// Another program listens on the port.
    #[error(
        "port {port} is taken: stop the program that uses it, or choose another with --port {}",
        port.wrapping_add(1)
    )]
    PortTaken { port: u16 },
    /// The server could not start, or stopped.
    #[error("cannot serve on 127.0.0.1:{port}")]
    Serve { port: u16, source: io::Error },
    /// No browser to test in.
    #[error(
        "no Chromium that starts was found, and none could be installed: install Chromium or \
         Google Chrome, or set CHROMIUM to the path of one"
    )]
    NoChromium,
    /// Another browser to test in is missing.
    #[error("no {name} that starts was found, and none could be installed: {remedy}")]
    NoBrowser {
        name: &'static str,
        /// The ways to install one, in words.
        remedy: &'static str,
    },
    /// No Python to run PyTorch with.
    #[error(
        "no Python 3.11 or newer with `venv` was found, and none could be installed: install Python \
         (Debian: python3, python3-venv), or set PYTHON to the path of one"
    )]
    NoPython,
    /// Packages of Python are not there and could not be installed.
    #[error(
        "the packages in {} could not be installed (up to 5 GB, once): is the network reachable?",
        requirements.display()
    )]
    PythonPackages {
        /// The file that names them.
        requirements: PathBuf,
        source: Box<Error>,
    },
    /// The user has no directory for caches.
    #[error("no directory for caches is known: set XDG_CACHE_HOME to one")]
    NoCache,
    /// The build of a Python package left no wheel.
    #[error("pip left no wheel in {}", .0.display())]
    NoWheel(
        /// The directory that it was to be in.
        PathBuf,
    ),
    /// A JSON file is not what it should be.
    #[error("{} cannot be read or written as JSON", path.display())]
    Json {
        path: PathBuf,
        source: serde_json::Error,
    },
    /// A TOML file is not what it should be.
    #[error("{} cannot be read as TOML", path.display())]
    Toml {
        path: PathBuf,
        source: toml::de::Error,
    },
    /// Dependencies are not as `deny.toml` asks.
    #[error(
        "deny.toml does not allow these dependencies; change them, or say there why they are \
         fine:\n  {}",
        .0.join("\n  ")
    )]
    Dependencies(
        /// The faults, a line each.
        Vec<String>,
    ),
    /// A chapter has a formula that is no LaTeX.
    #[error("{} has a broken formula: {formula}\n{reason}", path.display())]
    Formula {
        path: PathBuf,
        formula: String,
        reason: String,
    },
    /// A document has no place for a table.
    #[error("{} has no `<!-- {name}:begin -->` and `<!-- {name}:end -->`", path.display())]
    NoMarkers { path: PathBuf, name: String },
    /// A plot could not be drawn.
    #[error("a plot cannot be drawn")]
    Plot(#[from] attention_figures::plot::PlotError),
    /// The bench found something that must not be.
    #[error("the measurements are not to be believed:\n  {}", .0.join("\n  "))]
    Bench(
        /// The findings, a line each.
        Vec<String>,
    ),
    /// Places break a rule of prose.
    #[error("against the rules of prose:\n  {}", .0.join("\n  "))]
    Words(
        /// A line for each place.
        Vec<String>,
    ),
    /// Journeys through the page failed.
    #[error("journeys failed:\n  {}", .0.join("\n  "))]
    Journeys(
        /// The journeys and their errors, a line each.
        Vec<String>,
    ),
    /// At least one stage of the tests failed.
    #[error("failed: {}", .0.join(", "))]
    Stages(
        /// The names of the stages.
        Vec<&'static str>,
    ),
}

impl Error {
    /// For `map_err` on operations on files.
    pub fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File {
            action,
            path,
            source,
        }
    }

    /// For `map_err` on JSON.
    pub fn json(path: &Path) -> impl FnOnce(serde_json::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Json { path, source }
    }

    /// Prints the error of what goes on without it.
    pub fn print(&self) {
        println!("{}", self.chain());
    }

    /// The error and everything it came from, one line each.
    pub fn chain(&self) -> String {
        let mut text = format!("error: {self}");
        let mut cause = self.source();
        while let Some(error) = cause {
            text.push_str(&format!("\n  because: {error}"));
            cause = error.source();
        }
        text
    }
}

/// The value of what can be done without; an error is printed.
pub fn printed<T>(result: Result<T, Error>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(error) => {
            error.print();
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chain_names_every_cause() {
        let error = Error::file("read", Path::new("dist"))(io::Error::other("disk on fire"));
        assert_eq!(
            error.chain(),
            "error: cannot read dist\n  because: disk on fire"
        );
    }
}
