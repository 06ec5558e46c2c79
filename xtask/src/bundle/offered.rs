//! Published models that a page offers to its visitors. The page serves them in the layout of a hub, so that the browser
//! downloads them as from any other.

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::ValueEnum;
use serde::Deserialize;
use serde_json::{Value, json};

use super::entry::Entry;
use crate::{
    error::Error,
    process::{command, read},
    setup,
    workspace::Workspace,
};

/// The list of the models with what the page says of them.
pub const LIST: &str = "offered.json";

/// The folder of the hub, below the page's address.
const HUB: &str = "hub";
/// The length of the names of commits in digits.
const COMMIT_DIGITS: usize = 40;

/// A model that a page may offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Offered {
    /// SmolLM2-135M-Instruct, a language model of 98 MB
    Smollm2,
}

impl Offered {
    /// Returns the model's name on the command line, which is that of its folder.
    fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Returns the path of the model's file, which is downloaded into the user's cache unless it is there.
    ///
    /// # Errors
    /// If npm's packages of the build cannot be installed, or the file cannot be had.
    pub fn fetched(self, workspace: &Workspace) -> Result<PathBuf, Error> {
        setup::npm_packages(&workspace.npm())?;
        let arguments = ["fetch.mjs", &self.name()];
        let path = read(&mut command("node", &arguments, &workspace.offered()))?;
        Ok(PathBuf::from(path.trim_end()))
    }
}

/// The facts of a model's `model.json`.
#[derive(Debug, Deserialize)]
struct Facts {
    /// Owner and name on a hub.
    model: String,
    title: String,
    /// The `model_type` of its architecture.
    family: String,
    /// The number of weights.
    weights: u64,
    licence: String,
    /// The name of the file with the weights.
    file: String,
    bytes: u64,
    sha256: String,
}

/// The files of the models that a page offers.
#[derive(Debug, Default)]
pub struct OfferedFiles {
    /// The list, whose address changes with its contents.
    pub list: Option<Entry>,
    /// The files of the hub, which keep their addresses.
    pub hub: Vec<Entry>,
}

/// Downloads the models unless they are there, and describes them as a hub does. What is made is written below `made`.
///
/// # Errors
/// If a model cannot be downloaded, or a file cannot be read or written.
pub fn files(
    workspace: &Workspace,
    made: &Path,
    offered: &[Offered],
) -> Result<OfferedFiles, Error> {
    let (mut hub, mut list) = (Vec::new(), Vec::new());
    for model in offered {
        let name = &model.name();
        let folder = workspace.offered().join(name);
        let facts = facts(&folder)?;
        println!("offering {} ({} bytes)", facts.title, facts.bytes);
        let fetched = model.fetched(workspace)?;
        let beside = |file: &str| format!("{}/{file}", facts.directory());
        let licence = workspace.root.join("LICENSE-APACHE");
        hub.extend([
            Entry::new(
                format!("{HUB}/api/models/{}/revision/main", facts.model),
                write(made, &format!("{name}.json"), &facts.listing())?,
            ),
            Entry::new(beside(&facts.file), fetched),
            Entry::new(beside("README.md"), folder.join("README.md")),
            Entry::new(beside("LICENSE"), licence),
        ]);
        list.push(facts.entry());
    }
    let list = match list.is_empty() {
        true => None,
        false => Some(Entry::new(LIST, write(made, LIST, &Value::Array(list))?)),
    };
    Ok(OfferedFiles { list, hub })
}

fn facts(folder: &Path) -> Result<Facts, Error> {
    let path = folder.join("model.json");
    let text = fs::read(&path).map_err(Error::file("read", &path))?;
    Ok(serde_json::from_slice(&text)?)
}

fn write(made: &Path, name: &str, value: &Value) -> Result<PathBuf, Error> {
    let path = made.join(name);
    fs::create_dir_all(made).map_err(Error::file("make", made))?;
    fs::write(&path, value.to_string()).map_err(Error::file("write", &path))?;
    Ok(path)
}

impl Facts {
    /// The name of the commit: that of the contents.
    fn commit(&self) -> &str {
        self.sha256.get(..COMMIT_DIGITS).unwrap_or(&self.sha256)
    }

    /// The folder of the files, below the page's address.
    fn directory(&self) -> String {
        format!("{HUB}/{}/resolve/{}", self.model, self.commit())
    }

    /// The description in the form of Hugging Face's.
    fn listing(&self) -> Value {
        json!({
            "sha": self.commit(),
            "cardData": { "license": self.licence },
            "gguf": { "total": self.weights, "architecture": self.family },
            "siblings": [{
                "rfilename": self.file,
                "size": self.bytes,
                "lfs": { "sha256": self.sha256, "size": self.bytes },
            }],
        })
    }

    /// Returns the facts that the page shows before it asks the hub.
    fn entry(&self) -> Value {
        json!({
            "model": self.model,
            "title": self.title,
            "file": self.file,
            "bytes": self.bytes,
            "weights": self.weights,
            "licence": self.licence,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    #[test]
    fn every_model_is_described() -> Outcome {
        let workspace = Workspace::new();
        for model in Offered::value_variants() {
            let folder = workspace.offered().join(model.name());
            let facts = facts(&folder)?;
            assert_eq!(facts.sha256.len(), 64);
            assert_eq!(facts.licence, "apache-2.0", "its text is not served");
            assert!(facts.directory().ends_with(facts.commit()));
            let readme = fs::read_to_string(folder.join("README.md"))?;
            assert!(readme.contains(facts.model.as_str()));
            assert_eq!(facts.listing()["siblings"][0]["size"], facts.bytes);
        }
        Ok(())
    }

    #[test]
    fn a_page_offers_nothing_unless_it_is_asked_to() -> Outcome {
        let made = tempfile::tempdir()?;
        let files = files(&Workspace::new(), made.path(), &[])?;
        assert!(files.list.is_none() && files.hub.is_empty());
        Ok(())
    }
}
