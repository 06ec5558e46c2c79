//! Makes `dist/`: the page, the engines, the models, compressed copies.

mod assembly;
mod bind;
pub mod cache;
mod chapters;
mod compile;
mod compress;
mod dist;
mod edition;
mod entry;
mod fingerprint;
mod integrity;
mod kernels;
mod making;
mod mode;
mod notices;
mod offered;
mod optimise;
mod reference;
mod sizes;
mod snippets;
mod split;
mod styles;
mod unfused;
mod unit;
mod units;

use std::path::Path;

use crate::{error::Error, workspace::Workspace};

use self::assembly::Order;
pub use self::{
    assembly::{Script, script},
    kernels::{kernel_tests, kernel_tests_directory},
    mode::Mode,
    offered::Offered,
};

/// Builds `dist/` and reports the size of what is in it. The page offers these published models.
///
/// # Errors
/// If something does not compile or cannot be written. A missing wasm-opt is no error: the files
/// are larger without it.
pub fn build(workspace: &Workspace, mode: Mode, offered: &[Offered]) -> Result<(), Error> {
    let mut order = Order::new(workspace, mode);
    order.offered = offered;
    assembly::build(&order, &workspace.dist(), &|| {})
}

/// Builds `dist/`, and writes it each time when more of it is there; `written` hears of that. The first
/// time it can show everything, and the CPU answers.
///
/// # Errors
/// As [`build`].
pub fn build_by_parts(
    workspace: &Workspace,
    mode: Mode,
    offered: &[Offered],
    written: &dyn Fn(),
) -> Result<(), Error> {
    let mut order = Order::new(workspace, mode);
    order.offered = offered;
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
