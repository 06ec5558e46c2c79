//! Makes `dist/`: the page, the engines, the models, compressed copies.

mod assembly;
mod bind;
pub mod cache;
mod chapters;
mod compile;
mod compress;
mod dist;
mod edition;
mod fingerprint;
mod integrity;
mod kernels;
mod making;
mod notices;
mod optimise;
mod reference;
mod sizes;
mod split;
mod styles;
mod unfused;
mod units;

use std::path::Path;

use crate::{error::Error, workspace::Workspace};

use self::{assembly::Order, compress::Effort};
pub use self::{
    assembly::{Script, script},
    fingerprint::is_fingerprinted,
    kernels::{kernel_tests, kernel_tests_directory},
};

/// The work that goes into small files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A page that compiles in seconds, for working on it. All else is as in [`Mode::Local`]: engines change rarely and are
    /// unusably slow when they are not optimised.
    Dev,
    /// Soon there: neither shrunk nor compressed, since on this machine nothing is downloaded, and without the optimisation
    /// of whole modules where a visitor waits.
    Local,
    /// For the journeys: compiled as in [`Mode::Local`], in half the time of what is published, and linted: a warning is an
    /// error. Compressed in a hurry, since only tests download it.
    Tested,
    /// As it is published.
    Release,
}

impl Mode {
    /// True if modules are shrunk.
    fn is_shrunk(self) -> bool {
        self == Self::Release
    }

    /// The effort of compression, if files are compressed.
    fn effort(self) -> Option<Effort> {
        match self {
            Self::Dev | Self::Local => None,
            Self::Release => Some(Effort::Most),
            Self::Tested => Some(Effort::Little),
        }
    }
}

/// Builds `dist/` and reports the size of what is in it.
///
/// # Errors
/// If something does not compile or cannot be written. A missing wasm-opt is no error: the files
/// are larger without it.
pub fn build(workspace: &Workspace, mode: Mode) -> Result<(), Error> {
    assembly::build(&Order::new(workspace, mode), &workspace.dist(), &|| {})
}

/// Builds `dist/`, and writes it each time when more of it is there; `written` hears of that. The first
/// time it can show everything, and the CPU answers.
///
/// # Errors
/// As [`build`].
pub fn build_by_parts(workspace: &Workspace, mode: Mode, written: &dyn Fn()) -> Result<(), Error> {
    let mut order = Order::new(workspace, mode);
    order.in_parts = true;
    assembly::build(&order, &workspace.dist(), written)
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
    let mut order = Order::new(workspace, mode);
    order.replaced = Some((prefix, other));
    assembly::build(&order, dist, &|| {})
}
