//! Models of Hugging Face's hub by their names, from the cache that its programs keep on this machine. Nothing is
//! downloaded.

use std::borrow::Cow;
use std::env;
use std::fs;
use std::path::{Component, Path, PathBuf};

use attention_model::error::ModelError;
use attention_model::files::read_text;
use thiserror::Error;

/// The revision of a name that gives none.
const USUAL_REVISION: &str = "main";
/// The digits of a commit's number.
const COMMIT_DIGITS: usize = 40;
/// The most bytes of a file that names a commit.
const LARGEST_REF: u64 = 1 << 10;

/// An error of finding a model by its name.
#[derive(Debug, Error)]
pub enum HubError {
    /// The cache has not this model, or not this revision.
    #[error(
        "there is no file or directory {name}, and {place} has no such {what}: `{command}` gets it"
    )]
    Absent {
        name: String,
        place: String,
        /// A model or a revision.
        what: &'static str,
        /// The command that downloads it.
        command: String,
    },
    /// The file of a revision does not name a commit.
    #[error("{path}: it does not name a commit by {COMMIT_DIGITS} digits")]
    NoCommit { path: String },
    /// The file of a revision cannot be read.
    #[error(transparent)]
    File(#[from] ModelError),
}

/// Returns the path of a model: as given if something is there or it is no name of a model; otherwise that of the model with
/// the name `owner/name` or `owner/name@revision` in the cache.
///
/// # Errors
/// If the cache has not this model or revision, or its file of the revision is broken.
pub fn local(given: &Path) -> Result<Cow<'_, Path>, HubError> {
    let name = given.to_str().and_then(Name::of);
    match name.filter(|_| !given.exists()) {
        Some(name) => Ok(Cow::Owned(name.snapshot(&cache())?)),
        None => Ok(Cow::Borrowed(given)),
    }
}

/// Returns the directory of the cache, as `huggingface_hub` finds it.
fn cache() -> PathBuf {
    let named = |name| env::var_os(name).filter(|value| !value.is_empty());
    let path = |name| named(name).map(PathBuf::from);
    let home = || env::home_dir().unwrap_or_default();
    path("HF_HUB_CACHE")
        .or_else(|| path("HUGGINGFACE_HUB_CACHE"))
        .or_else(|| Some(path("HF_HOME")?.join("hub")))
        .unwrap_or_else(|| {
            let caches = path("XDG_CACHE_HOME").unwrap_or_else(|| home().join(".cache"));
            caches.join("huggingface").join("hub")
        })
}

/// The name of a model and of one of its revisions.
struct Name<'a> {
    owner: &'a str,
    model: &'a str,
    revision: Option<&'a str>,
}

impl<'a> Name<'a> {
    /// Reads a name; `None` if it is a path of another form.
    fn of(given: &'a str) -> Option<Self> {
        let (name, revision) = match given.split_once('@') {
            Some((name, revision)) => (name, Some(revision)),
            None => (given, None),
        };
        let (owner, model) = name.split_once('/')?;
        let is_name = |part: &str| {
            let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
            !part.is_empty() && !part.starts_with('.') && part.chars().all(is_letter)
        };
        let is_right = is_name(owner) && is_name(model) && revision.is_none_or(is_inside);
        is_right.then_some(Name {
            owner,
            model,
            revision,
        })
    }

    /// Returns the directory of the revision's files in a cache; if they are one GGUF file, that file.
    fn snapshot(&self, cache: &Path) -> Result<PathBuf, HubError> {
        let folder = cache.join(format!("models--{}--{}", self.owner, self.model));
        if !folder.is_dir() {
            return Err(self.absent(cache, "model"));
        }
        let revision = self.revision.unwrap_or(USUAL_REVISION);
        let path = folder.join("refs").join(revision);
        let commit = match path.is_file() {
            true => {
                let commit = read_text(&path, LARGEST_REF)?.trim().to_owned();
                if !is_commit(&commit) {
                    let path = path.display().to_string();
                    return Err(HubError::NoCommit { path });
                }
                commit
            }
            false => revision.to_owned(),
        };
        let snapshot = folder.join("snapshots").join(commit);
        match snapshot.is_dir() {
            true => Ok(only_gguf(&snapshot).unwrap_or(snapshot)),
            false => Err(self.absent(&folder, "revision")),
        }
    }

    fn absent(&self, place: &Path, what: &'static str) -> HubError {
        let Name {
            owner,
            model,
            revision,
        } = self;
        let (at, option) = match revision {
            Some(revision) => (format!("@{revision}"), format!(" --revision {revision}")),
            None => (String::new(), String::new()),
        };
        HubError::Absent {
            name: format!("{owner}/{model}{at}"),
            place: place.display().to_string(),
            what,
            command: format!("hf download {owner}/{model}{option}"),
        }
    }
}

/// True for a path that leads to no other directory than those within.
fn is_inside(path: &str) -> bool {
    let mut components = Path::new(path).components();
    !path.is_empty() && components.all(|part| matches!(part, Component::Normal(_)))
}

fn is_commit(text: &str) -> bool {
    text.len() == COMMIT_DIGITS && text.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// Returns the GGUF file of a directory that has one of them and no `config.json`.
fn only_gguf(directory: &Path) -> Option<PathBuf> {
    if directory.join("config.json").exists() {
        return None;
    }
    // Without a list, opening the directory says what is missing.
    let entries = fs::read_dir(directory).ok()?;
    // As above for an entry.
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files = paths.filter(|path| path.extension().is_some_and(|end| end == "gguf"));
    files.next().filter(|_| files.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_paths() {
        for given in ["HuggingFaceTB/SmolLM2-135M", "a/b@main", "a/b@refs/pr/1"] {
            assert!(Name::of(given).is_some(), "{given}");
        }
        for given in [
            "models", "./a/b", "../b", "/a/b", "a/b/c", "a/", "a/b@", "a/b@../c", "a/b@/c", "a b/c",
        ] {
            assert!(Name::of(given).is_none(), "{given}");
        }
    }
}
