//! Running other programs.

use std::{
    path::Path,
    process::{Command, Output, Stdio},
};

use crate::error::Error;

/// npm is a script on Windows, and only found under its full name there.
pub const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };
/// npm's runner of installed programs.
pub const NPX: &str = if cfg!(windows) { "npx.cmd" } else { "npx" };

/// A command that runs in `directory`.
pub fn command(program: &str, arguments: &[&str], directory: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(directory);
    command
}

/// Runs a command with its output on the terminal.
///
/// # Errors
/// If it cannot be started or reports failure.
pub fn run(command: &mut Command) -> Result<(), Error> {
    let status = command.status().map_err(|source| Error::Start {
        command: words(command),
        source,
    })?;
    if status.success() {
        Ok(())
    } else {
        Err(Error::Failed {
            command: words(command),
            status,
        })
    }
}

/// Runs a command and returns what it wrote to standard output; its standard error stays on the
/// terminal.
///
/// # Errors
/// If it cannot be started or reports failure.
pub fn read(command: &mut Command) -> Result<String, Error> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|source| Error::Start {
            command: words(command),
            source,
        })?;
    let Output { status, stdout, .. } = output;
    if status.success() {
        Ok(String::from_utf8_lossy(&stdout).into_owned())
    } else {
        Err(Error::Failed {
            command: words(command),
            status,
        })
    }
}

/// Whether a command starts and reports success, quietly.
pub fn succeeds(program: &str, arguments: &[&str]) -> bool {
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn words(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_command_is_named_in_the_error() {
        let error = run(&mut command("cargo", &["no-such-task"], Path::new(".")))
            .expect_err("cargo knows no such task");
        assert!(error.to_string().contains("cargo no-such-task"), "{error}");
    }

    #[test]
    fn a_missing_program_does_not_succeed() {
        assert!(!succeeds("no-such-program-anywhere", &[]));
        assert!(succeeds("cargo", &["--version"]));
    }
}
