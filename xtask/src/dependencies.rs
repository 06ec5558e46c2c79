//! The dependencies of the crates, held to `deny.toml`: licences, and crates in two versions.
//!
//! `cargo deny` reads the same file and checks more; to install it takes longer than everything else that
//! is installed here, so it runs where it is found, and what is checked here is checked everywhere.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use serde::Deserialize;
use spdx::{Expression, ParseMode};

use crate::{
    error::Error,
    process::{command, read, run, succeeds},
    workspace::Workspace,
};

/// The parts of `deny.toml` that are checked here.
#[derive(Debug, Deserialize)]
struct Rules {
    licenses: Licences,
    bans: Bans,
}

#[derive(Debug, Deserialize)]
struct Licences {
    allow: BTreeSet<String>,
    exceptions: Vec<Exception>,
    clarify: Vec<Clarification>,
}

#[derive(Debug, Deserialize)]
struct Exception {
    #[serde(rename = "crate")]
    name: String,
    allow: BTreeSet<String>,
}

#[derive(Debug, Deserialize)]
struct Clarification {
    #[serde(rename = "crate")]
    name: String,
    expression: String,
}

#[derive(Debug, Deserialize)]
struct Bans {
    skip: BTreeSet<String>,
}

/// The output of `cargo metadata`.
#[derive(Debug, Deserialize)]
pub struct Metadata {
    /// Every crate, the workspace's own too.
    pub packages: Vec<Package>,
}

/// A crate of the lock file.
#[derive(Clone, Debug, Deserialize)]
pub struct Package {
    pub name: String,
    pub version: String,
    /// Its licence as an SPDX expression.
    pub license: Option<String>,
    /// The address of its source.
    pub repository: Option<String>,
    /// The path of its `Cargo.toml`.
    pub manifest_path: std::path::PathBuf,
    /// The registry it comes from; `None` if it lies in the workspace.
    pub source: Option<String>,
}

impl Package {
    /// True for a crate from a registry, false for one of this workspace.
    pub fn is_foreign(&self) -> bool {
        self.source.is_some()
    }
}

/// All crates that `Cargo.lock` names, whatever they are needed for.
///
/// # Errors
/// If cargo cannot say.
pub fn metadata(workspace: &Workspace) -> Result<Metadata, Error> {
    let arguments = ["metadata", "--locked", "--format-version", "1"];
    let text = read(&mut command("cargo", &arguments, &workspace.root))?;
    serde_json::from_str(&text).map_err(Error::json(&workspace.root.join("Cargo.toml")))
}

/// Holds all dependencies to `deny.toml`.
///
/// # Errors
/// If a licence is not allowed there, or a crate that is not named there comes in two versions.
pub fn check(workspace: &Workspace) -> Result<(), Error> {
    let path = workspace.root.join("deny.toml");
    let text = fs::read_to_string(&path).map_err(Error::file("read", &path))?;
    let rules: Rules = toml::from_str(&text).map_err(|source| Error::Toml { path, source })?;
    let metadata = metadata(workspace)?;
    let mut wrong = wrong_licences(&rules.licenses, &metadata.packages);
    wrong.extend(duplicates(&rules.bans, &metadata.packages));
    if !wrong.is_empty() {
        return Err(Error::Dependencies(wrong));
    }
    println!("{} crates are as deny.toml asks", metadata.packages.len());
    if !succeeds("cargo", &["deny", "--version"]) {
        return Ok(());
    }
    let arguments = ["deny", "--locked", "check", "bans", "licenses", "sources"];
    run(&mut command("cargo", &arguments, &workspace.root))
}

fn wrong_licences(rules: &Licences, packages: &[Package]) -> Vec<String> {
    let foreign = packages.iter().filter(|package| package.is_foreign());
    foreign
        .filter_map(|package| {
            let Package { name, version, .. } = package;
            let clarified = rules.clarify.iter().find(|one| one.name == *name);
            let said = clarified
                .map(|one| &one.expression)
                .or(package.license.as_ref());
            let Some(said) = said else {
                return Some(format!("{name} {version} names no licence"));
            };
            let Ok(expression) = Expression::parse_mode(said, ParseMode::LAX) else {
                return Some(format!(
                    "{name} {version} has a licence nobody knows: {said}"
                ));
            };
            let own = rules.exceptions.iter().filter(|one| one.name == *name);
            let allowed: BTreeSet<&String> = own.flat_map(|one| &one.allow).collect();
            let is_allowed = expression.evaluate(|licence| {
                let licence = licence.to_string();
                rules.allow.contains(&licence) || allowed.contains(&licence)
            });
            (!is_allowed).then(|| format!("{name} {version} is under {said}"))
        })
        .collect()
}

fn duplicates(rules: &Bans, packages: &[Package]) -> Vec<String> {
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in packages {
        let known = versions.entry(&package.name).or_default();
        known.push(&package.version);
    }
    versions
        .into_iter()
        .filter(|(name, versions)| versions.len() > 1 && !rules.skip.contains(*name))
        .map(|(name, versions)| format!("{name} comes in versions {}", versions.join(", ")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = r#"
        [licenses]
        allow = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception"]
        exceptions = [{ crate = "weak", allow = ["MPL-2.0"] }]
        [[licenses.clarify]]
        crate = "silent"
        expression = "MIT"
        [bans]
        skip = ["syn"]
    "#;

    fn package(name: &str, version: &str, licence: Option<&str>) -> Package {
        Package {
            name: name.to_owned(),
            version: version.to_owned(),
            license: licence.map(str::to_owned),
            repository: None,
            manifest_path: "Cargo.toml".into(),
            source: Some("registry".to_owned()),
        }
    }

    #[test]
    fn a_licence_has_to_be_allowed() -> Result<(), Box<dyn std::error::Error>> {
        let rules: Rules = toml::from_str(RULES)?;
        let wrong = |name, licence| {
            let package = package(name, "1.0.0", licence);
            wrong_licences(&rules.licenses, &[package]).join("")
        };
        for allowed in [
            "MIT",
            "GPL-3.0-only OR MIT",
            "MIT/Apache-2.0",
            "Apache-2.0 WITH LLVM-exception",
        ] {
            assert_eq!(wrong("one", Some(allowed)), "");
        }
        assert_eq!(wrong("weak", Some("MPL-2.0")), "");
        assert_eq!(wrong("silent", None), "");
        assert!(wrong("one", Some("MPL-2.0")).contains("one 1.0.0 is under MPL-2.0"));
        assert!(wrong("one", Some("MIT AND GPL-3.0-only")).contains("GPL"));
        assert!(wrong("one", None).contains("no licence"));
        assert!(wrong("one", Some("ask me")).contains("nobody knows"));
        Ok(())
    }

    #[test]
    fn a_crate_in_two_versions_has_to_be_named() -> Result<(), Box<dyn std::error::Error>> {
        let rules: Rules = toml::from_str(RULES)?;
        let packages = [("syn", "2.0.0"), ("syn", "3.0.0"), ("rand", "0.9.0")];
        let mut packages = packages
            .map(|(name, version)| package(name, version, None))
            .to_vec();
        assert!(duplicates(&rules.bans, &packages).is_empty());
        packages.push(package("rand", "0.10.0", None));
        let wrong = duplicates(&rules.bans, &packages);
        assert_eq!(wrong, ["rand comes in versions 0.9.0, 0.10.0"]);
        Ok(())
    }

    #[test]
    fn the_rules_of_the_repository_can_be_read() -> Result<(), Box<dyn std::error::Error>> {
        let text = fs::read_to_string(Workspace::new().root.join("deny.toml"))?;
        let rules: Rules = toml::from_str(&text)?;
        assert!(rules.licenses.allow.contains("MIT"));
        Ok(())
    }
}
