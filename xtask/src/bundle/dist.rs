//! The files that are served, and bringing `dist/` to hold exactly those.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use super::{chapters, styles};
use crate::{error::Error, workspace::Workspace};

/// A file that is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its path in the repository or its name in the step that made it, with `/` between the parts.
    pub name: String,
    /// Its address below the page's.
    pub to: String,
    /// The file it is copied from.
    pub from: PathBuf,
}

impl Entry {
    /// A file that is served under its own name.
    pub fn new(name: impl Into<String>, from: PathBuf) -> Self {
        let name = name.into();
        Self {
            to: name.clone(),
            name,
            from,
        }
    }

    /// True for a WebAssembly module.
    pub fn is_wasm(&self) -> bool {
        self.to.ends_with(".wasm")
    }
}

/// The files that are served as they lie in the repository, the chapters' texts and the style sheet.
///
/// # Errors
/// If a directory cannot be listed or a text is broken.
pub fn static_files(workspace: &Workspace) -> Result<Vec<Entry>, Error> {
    let mut entries = vec![Entry::new("index.html", workspace.root.join("index.html"))];
    let citation = "CITATION.cff";
    entries.push(Entry::new(citation, workspace.root.join(citation)));
    entries.extend(tree(&workspace.root.join("assets"), "")?);
    entries.extend(tree(&workspace.root.join("app/worker/js"), "")?);
    entries.retain(|entry| is_served(&entry.to));
    // What `segmenter.js` reads `tokenizer.json` with; `tests/tokenizer` takes the same file.
    let tokenizers = "node_modules/@huggingface/tokenizers/dist/tokenizers.min.mjs";
    entries.push(Entry::new(
        "tokenizers.js",
        workspace.npm().join(tokenizers),
    ));
    entries.extend(chapters::texts(workspace)?);
    entries.push(styles::sheet(workspace)?);
    Ok(entries)
}

/// Notes for people who read the repository and hidden files are no part of the page, its
/// translations are compiled into it, chapters are served as HTML, and licences stand in the notices.
fn is_served(address: &str) -> bool {
    !address.ends_with(".md")
        && !address.ends_with("/LICENSE")
        && !address.starts_with("locales/")
        && !address.split('/').any(|part| part.starts_with('.'))
}

/// Every file below `directory`, in order of address; addresses begin with `prefix`.
///
/// # Errors
/// If a directory cannot be listed.
pub fn tree(directory: &Path, prefix: &str) -> Result<Vec<Entry>, Error> {
    let listed = |source| Error::file("list", directory)(source);
    let mut entries = Vec::new();
    for item in fs::read_dir(directory).map_err(listed)? {
        let path = item.map_err(Error::file("list", directory))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let address = format!("{prefix}{name}");
        if path.is_dir() {
            entries.extend(tree(&path, &format!("{address}/"))?);
        } else {
            entries.push(Entry::new(address, path));
        }
    }
    entries.sort_by(|one, other| one.to.cmp(&other.to));
    Ok(entries)
}

/// Makes `dist` hold the entries, and beside them only what `kept` names. A file that has not changed is
/// left alone, so that its date of change, by which browsers revalidate, stays too.
///
/// # Errors
/// If a file cannot be read, written or removed.
pub fn write(dist: &Path, entries: &[Entry], kept: &BTreeSet<String>) -> Result<(), Error> {
    // What names other files comes after them: a visitor may load the page meanwhile.
    let (last, first): (Vec<&Entry>, Vec<&Entry>) =
        entries.iter().partition(|entry| entry.to == "index.html");
    for entry in first.into_iter().chain(last) {
        let path = dist.join(&entry.to);
        let contents = fs::read(&entry.from).map_err(Error::file("read", &entry.from))?;
        if fs::read(&path).is_ok_and(|present| present == contents) {
            continue;
        }
        let directory = path.parent().unwrap_or(dist);
        fs::create_dir_all(directory).map_err(Error::file("make", directory))?;
        fs::write(&path, contents).map_err(Error::file("write", &path))?;
    }
    let wanted: BTreeSet<&str> = entries.iter().map(|entry| entry.to.as_str()).collect();
    for present in tree(dist, "")? {
        if !wanted.contains(present.to.as_str()) && !kept.contains(&present.to) {
            fs::remove_file(&present.from).map_err(Error::file("remove", &present.from))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_translations_and_hidden_files_are_not_served() {
        assert!(is_served("models/translator/config.json"));
        assert!(!is_served("models/translator/README.md"));
        assert!(!is_served("models/.cache/x.json"));
        assert!(is_served("fonts/stix-two-math.woff2"));
        assert!(!is_served("fonts/LICENSE"));
        assert!(!is_served("locales/en/shell.json"));
    }

    #[test]
    fn writes_what_is_new_and_removes_what_is_gone() -> Result<(), Box<dyn std::error::Error>> {
        let directory = tempfile::tempdir()?;
        let (source, dist) = (
            directory.path().join("source"),
            directory.path().join("dist"),
        );
        fs::create_dir_all(source.join("models"))?;
        fs::write(source.join("models/config.json"), "{}")?;
        fs::write(source.join("page.js"), "1")?;
        let none = BTreeSet::new();
        write(&dist, &tree(&source, "")?, &none)?;
        assert_eq!(fs::read_to_string(dist.join("models/config.json"))?, "{}");
        let dated = fs::metadata(dist.join("models/config.json"))?.modified()?;

        fs::remove_file(source.join("page.js"))?;
        fs::write(source.join("boot.js"), "2")?;
        let kept = BTreeSet::from(["page.js".to_owned()]);
        write(&dist, &tree(&source, "")?, &kept)?;
        assert!(dist.join("page.js").is_file());
        write(&dist, &tree(&source, "")?, &none)?;
        let present: Vec<String> = tree(&dist, "")?.into_iter().map(|entry| entry.to).collect();
        assert_eq!(present, ["boot.js", "models/config.json"]);
        let unchanged = fs::metadata(dist.join("models/config.json"))?.modified()?;
        assert_eq!(dated, unchanged);
        Ok(())
    }
}
