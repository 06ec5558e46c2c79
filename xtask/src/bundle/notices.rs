//! The licences of everything that is served, as one text: crates, the standard library, npm packages, the font.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    cache::{Key, cached},
    compile::shipped_crates,
    entry::Entry,
};
use crate::{
    dependencies::{self, Package},
    error::Error,
    workspace::Workspace,
};

/// The beginnings of the names of licence files, which go with the code they are about.
const BEGINNINGS: [&str; 5] = ["licen", "copying", "copyright", "notice", "unlicense"];

/// The npm packages that are served.
const NPM: [&str; 1] = ["node_modules/@huggingface/tokenizers"];

/// The fonts of formulas and of exported figures, by their folders, in which their licences lie.
const FONTS: [(&str, &str); 2] = [
    (
        "assets/fonts",
        "STIX Two Math 2.12 (a part of it) | OFL-1.1 | https://github.com/stipub/stixfonts",
    ),
    (
        "assets/fonts/arimo",
        "Arimo 1.341 (parts of it) | OFL-1.1 | https://github.com/googlefonts/arimo",
    ),
];

/// Something that is served and was made by others.
#[derive(Debug)]
struct Part {
    /// Name, version, licence, and where it comes from.
    title: String,
    /// Its licences and notices.
    texts: Vec<String>,
}

/// The text, made anew when the dependencies change.
///
/// # Errors
/// If cargo cannot say what is shipped, or a licence cannot be read.
pub fn notices(workspace: &Workspace) -> Result<Entry, Error> {
    let mut key = Key::default().with(include_str!("notices.rs"));
    let licences = FONTS.map(|(directory, _)| workspace.root.join(directory).join("LICENSE"));
    let listed = [
        workspace.root.join("Cargo.lock"),
        workspace.npm().join("package-lock.json"),
    ];
    for file in listed.into_iter().chain(licences) {
        key = key.with(fs::read(&file).map_err(Error::file("read", &file))?);
    }
    let directory = cached(
        &workspace.cache(),
        "notices",
        "notices",
        &key,
        |directory| {
            let mut parts = vec![standard_library(workspace)?];
            parts.extend(crates(workspace)?);
            for package in NPM {
                parts.push(npm_package(&workspace.npm().join(package))?);
            }
            for (directory, title) in FONTS {
                parts.push(Part {
                    title: title.into(),
                    texts: licence_texts(&workspace.root.join(directory))?,
                });
            }
            let path = directory.join("notices.txt");
            fs::write(&path, text(&parts)).map_err(Error::file("write", &path))
        },
    )?;
    Ok(Entry::new("notices.txt", directory.join("notices.txt")))
}

fn standard_library(workspace: &Workspace) -> Result<Part, Error> {
    // The standard library is under the same two licences, in the same words.
    let text = |name: &str| {
        let path = workspace.root.join(name);
        fs::read_to_string(&path).map_err(Error::file("read", &path))
    };
    let mit = text("LICENSE-MIT")?;
    let mit = mit.replace(
        "The Attention Scope developers",
        "The Rust Project contributors",
    );
    Ok(Part {
        title: "Rust's standard library | MIT OR Apache-2.0 | https://github.com/rust-lang/rust"
            .into(),
        texts: vec![mit, text("LICENSE-APACHE")?],
    })
}

fn crates(workspace: &Workspace) -> Result<Vec<Part>, Error> {
    let shipped = shipped_crates(workspace)?;
    let metadata = dependencies::metadata(workspace)?;
    let packages = metadata.packages.into_iter().filter(|package| {
        let id = (package.name.clone(), package.version.clone());
        package.is_foreign() && shipped.contains(&id)
    });
    packages.map(|package| crate_part(&package)).collect()
}

fn crate_part(package: &Package) -> Result<Part, Error> {
    let Package { name, version, .. } = package;
    let licence = package.license.as_deref().unwrap_or("see below");
    let place = package.repository.as_deref().unwrap_or_default();
    let directory = package.manifest_path.parent();
    Ok(Part {
        title: format!("{name} {version} | {licence} | {place}"),
        texts: directory.map_or(Ok(Vec::new()), licence_texts)?,
    })
}

fn npm_package(directory: &Path) -> Result<Part, Error> {
    let path = directory.join("package.json");
    let text = fs::read(&path).map_err(Error::file("read", &path))?;
    let package: serde_json::Value = serde_json::from_slice(&text).map_err(Error::json(&path))?;
    let field = |name: &str| package[name].as_str().unwrap_or_default().to_owned();
    Ok(Part {
        title: format!(
            "{} {} | {} | {}",
            field("name"),
            field("version"),
            field("license"),
            field("homepage")
        ),
        texts: licence_texts(directory)?,
    })
}

/// Licences and notices that lie beside a package's manifest.
fn licence_texts(directory: &Path) -> Result<Vec<String>, Error> {
    let listed = fs::read_dir(directory).map_err(Error::file("list", directory))?;
    let paths = listed.map(|item| item.map(|item| item.path()));
    let paths: io::Result<Vec<PathBuf>> = paths.collect();
    let mut paths = paths.map_err(Error::file("list", directory))?;
    paths.retain(|path| path.is_file() && is_licence(path));
    paths.sort();
    paths
        .iter()
        .map(|path| {
            let bytes = fs::read(path).map_err(Error::file("read", path))?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        })
        .collect()
}

fn is_licence(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.to_lowercase();
    BEGINNINGS
        .iter()
        .any(|beginning| name.starts_with(beginning))
}

/// All parts, then every text once with the parts that it goes with.
fn text(parts: &[Part]) -> String {
    let mut holders: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    let mut text = String::from(
        "Attention Scope is under MIT or Apache-2.0. What it is made of, and under which licences:\n\n",
    );
    for part in parts {
        text.push_str(&part.title);
        text.push('\n');
        let name = part.title.split(" | ").next().unwrap_or_default();
        for words in &part.texts {
            let lines: Vec<&str> = words.lines().map(str::trim_end).collect();
            let words = lines.join("\n").trim_matches('\n').to_owned();
            holders.entry(words).or_default().insert(name);
        }
    }
    for (words, names) in holders {
        let names: Vec<&str> = names.into_iter().collect();
        let written = write!(
            text,
            "\n{}\n{}\n\n{words}\n",
            "-".repeat(100),
            names.join(", ")
        );
        debug_assert!(written.is_ok(), "a string takes all that is written to it");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_many_have_is_written_once() {
        let part = |title: &str, text: &str| Part {
            title: title.to_owned(),
            texts: vec![text.to_owned()],
        };
        let all = text(&[
            part(
                "serde 1.0 | MIT | https://one",
                "Permission is granted  \nto all\n\n",
            ),
            part(
                "burn 0.22 | MIT | https://two",
                "\nPermission is granted\nto all",
            ),
            part("wgpu 30 | MIT | https://three", "Copyright gfx-rs"),
        ]);
        assert_eq!(all.matches("Permission is granted\nto all").count(), 1);
        assert!(all.contains("\nburn 0.22, serde 1.0\n"), "{all}");
        assert!(all.contains("wgpu 30 | MIT | https://three\n"), "{all}");
        assert!(all.contains("\nCopyright gfx-rs\n"), "{all}");
    }

    #[test]
    fn licences_are_told_from_other_files() {
        for name in [
            "LICENSE-MIT",
            "license.txt",
            "COPYING",
            "NOTICE",
            "UNLICENSE",
        ] {
            assert!(is_licence(Path::new(name)), "{name}");
        }
        assert!(!is_licence(Path::new("README.md")));
    }
}
