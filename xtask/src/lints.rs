//! Lints of the crates while they are compiled.

use std::process::Command;

/// `--deny warnings`, as `cargo clippy` tells it to clippy.
const DENY_WARNINGS: &str = "--deny__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__";

/// Makes clippy the compiler of a command of cargo, for the crates of this workspace: they are linted while they are compiled.
/// `cargo clippy` would look at everything they depend on once more, which takes as long as all of theirs.
pub fn by_clippy(cargo: &mut Command) -> &mut Command {
    cargo
        .env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver")
        .env("CLIPPY_ARGS", DENY_WARNINGS)
}
