//! The tests of the Python package in `python/`, which records runs of `transformers`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use sha2::{Digest, Sha256};

use crate::{
    error::Error,
    process::{command, run},
    setup::{self, PythonPackages},
    workspace::Workspace,
};

/// Builds the package's wheel, installs it beside pinned packages, checks its style and types, and runs its tests. They compare it
/// with the command `attn`, and write pages for a browser. Returns what was skipped, a line each.
///
/// # Errors
/// If a test fails.
pub fn test(workspace: &Workspace) -> Result<Vec<String>, Error> {
    let packages = packages(workspace)?;
    let python = match setup::python(workspace, &packages) {
        Ok(python) => python,
        Err(error) => return Ok(vec![missing(&error)]),
    };
    let made = workspace.python_made();
    let wheel = wheel(workspace, &python, &made.join("wheel"))?;
    let installed = made.join("installed");
    run(pip(
        workspace,
        &python,
        &["install", "--no-deps", "--upgrade", "--target"],
    )
    .arg(&installed)
    .arg(wheel))?;
    let python = |arguments: &[&str]| {
        let mut python = command(&python.to_string_lossy(), arguments, &workspace.python());
        python
            .env("PYTHONPATH", &installed)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("ATTN", workspace.target().join("debug").join(ATTN))
            .env("OUTPUT", &made);
        python
    };
    for check in ["ruff format --check .", "ruff check .", "mypy", "pytest"] {
        let arguments: Vec<&str> = ["-m"].into_iter().chain(check.split(' ')).collect();
        run(&mut python(&arguments))?;
    }
    Ok(Vec::new())
}

/// The command in cargo's directory.
const ATTN: &str = if cfg!(windows) { "attn.exe" } else { "attn" };

/// The packages of the tests, in the user's cache under the digest of their list, which several clones share.
fn packages(workspace: &Workspace) -> Result<PythonPackages, Error> {
    let requirements = workspace.python().join("tests/requirements.txt");
    let list = fs::read(&requirements).map_err(Error::file("read", &requirements))?;
    let digest = Sha256::digest(list);
    let name: String = digest
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    Ok(PythonPackages {
        environment: setup::user_cache()?.join("python").join(name),
        requirements,
    })
}

/// Returns the line for missing packages. They are no error anywhere: PyTorch takes gigabytes, which not every machine has
/// room for.
fn missing(error: &Error) -> String {
    format!("SKIPPED the tests of the Python package: {}", error.chain())
}

fn pip(workspace: &Workspace, python: &Path, arguments: &[&str]) -> Command {
    let start = ["-m", "pip", "--quiet", "--disable-pip-version-check"];
    let mut pip = command(&python.to_string_lossy(), &start, &workspace.root);
    pip.args(arguments);
    pip
}

/// Builds the wheel with the environment's own hatchling; returns its path.
fn wheel(workspace: &Workspace, python: &Path, into: &Path) -> Result<PathBuf, Error> {
    if into.exists() {
        fs::remove_dir_all(into).map_err(Error::file("remove", into))?;
    }
    let arguments = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir"];
    run(pip(workspace, python, &arguments).arg(into).arg("./python"))?;
    let mut files = fs::read_dir(into).map_err(Error::file("list", into))?;
    let first = files
        .next()
        .ok_or_else(|| Error::NoWheel(into.to_owned()))?;
    Ok(first.map_err(Error::file("list", into))?.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_packages_are_a_loud_line() {
        let line = missing(&Error::NoPython);
        assert!(
            line.starts_with("SKIPPED the tests of the Python package"),
            "{line}"
        );
        assert!(line.contains("python3-venv"), "{line}");
    }

    #[test]
    fn packages_of_the_tests_have_a_place_of_their_own_outside_the_clone() -> Result<(), Error> {
        let workspace = Workspace::new();
        let packages = packages(&workspace)?;
        assert!(!packages.environment.starts_with(&workspace.root));
        assert!(packages.requirements.is_file());
        Ok(())
    }
}
