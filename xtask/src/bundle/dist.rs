//! The files that are served, and bringing `dist/` to hold exactly those.

use std::{collections::BTreeSet, fs, path::Path};

use super::{
    chapters,
    entry::{Entry, tree},
    snippets, styles,
};
use crate::{error::Error, workspace::Workspace};
use attention_site::policy::EMBED;

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
    entries.push(snippets::programs(workspace)?);
    entries.push(styles::sheet(workspace)?);
    Ok(entries)
}

/// Notes for people who read the repository and hidden files are no part of the page, its translations and the facts of
/// its models are compiled into it, chapters are served as HTML, and licences stand in the notices.
fn is_served(address: &str) -> bool {
    !address.ends_with(".md")
        && !address.ends_with("/model.toml")
        && !address.ends_with("/LICENSE")
        && !address.starts_with("locales/")
        && !address.split('/').any(|part| part.starts_with('.'))
}

/// Makes `dist` hold the entries, and beside them only what `kept` names. A file that has not changed is
/// left alone, so that its date of change, by which browsers revalidate, stays too.
///
/// # Errors
/// If a file cannot be read, written or removed.
pub fn write(dist: &Path, entries: &[Entry], kept: &BTreeSet<String>) -> Result<(), Error> {
    // What names other files comes after them: a visitor may load the page meanwhile.
    let is_page = |entry: &&Entry| ["index.html", EMBED].contains(&entry.to.as_str());
    let (last, first): (Vec<&Entry>, Vec<&Entry>) = entries.iter().partition(is_page);
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
        assert!(!is_served("models/translator/model.toml"));
        assert!(!is_served("models/.cache/x.json"));
        assert!(is_served("fonts/stix-two-math.woff2"));
        assert!(is_served("fonts/arimo/latin.woff2"));
        assert!(!is_served("fonts/LICENSE"));
        assert!(!is_served("fonts/arimo/LICENSE"));
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
