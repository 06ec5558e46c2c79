//! Every chapter, and every chapter's test, says the same in every language.
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// The folder of every language.
fn languages() -> Vec<PathBuf> {
    entries(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/locales"))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The names of the chapters that have an English text.
fn chapters() -> Vec<String> {
    names("chapters")
}

/// The names of the English texts in a folder.
fn names(folder: &str) -> Vec<String> {
    let english = languages().into_iter().find(|path| path.ends_with("en"));
    let texts = entries(&english.unwrap().join(folder));
    let names = texts.iter().map(|path| path.file_stem().unwrap());
    names
        .map(|name| name.to_str().unwrap().to_owned())
        .collect()
}

fn text(language: &Path, folder: &str, name: &str) -> String {
    read(&language.join(folder).join(format!("{name}.md")))
}

/// What stands between `open` and `close`, each once.
fn between<'a>(text: &'a str, open: &str, close: &str) -> BTreeSet<&'a str> {
    text.split(open)
        .skip(1)
        .filter_map(|rest| rest.split_once(close))
        .map(|(inside, _)| inside.trim())
        .collect()
}

#[test]
fn every_chapter_has_the_same_parts_places_and_formulas_in_every_language() {
    for chapter in chapters() {
        says_the_same("chapters", &chapter, &[("{#", "}"), ("{{", "}}")]);
    }
}

#[test]
fn every_kit_has_the_same_parts_places_and_references_in_every_language() {
    let kits = names("kits");
    assert!(kits.len() >= chapters().len());
    for kit in kits {
        says_the_same("kits", &kit, &[("{#", "}"), ("{{", "}}"), ("](", ")")]);
    }
}

/// Holds the texts of all languages to the same contents of brackets and as many formulas.
fn says_the_same(folder: &str, name: &str, brackets: &[(&str, &str)]) {
    let languages = languages();
    let texts = languages
        .iter()
        .map(|language| text(language, folder, name));
    let texts: Vec<String> = texts.collect();
    for pair in texts.windows(2) {
        for (open, close) in brackets {
            let inside = |text| between(text, open, close);
            assert_eq!(inside(&pair[0]), inside(&pair[1]), "{name}: {open}");
        }
        let displays = |text: &str| text.matches("$$").count();
        assert_eq!(displays(&pair[0]), displays(&pair[1]), "{name}");
    }
}

#[test]
fn a_chapters_title_is_the_one_in_the_index() {
    for language in languages() {
        let names = read(&language.join("chapters.json"));
        let names: serde_json::Value = serde_json::from_str(&names).unwrap();
        for chapter in chapters() {
            let text = text(&language, "chapters", &chapter);
            let title = text.lines().next().unwrap().trim_start_matches("# ");
            assert_eq!(names[&chapter], title, "{chapter}: {}", language.display());
        }
    }
}

/// The terms that a text marks, `[words](term:key)`, as often as it does.
fn terms(text: &str) -> Vec<&str> {
    let marks = text.split("](term:").skip(1);
    marks
        .filter_map(|rest| rest.split_once(')'))
        .map(|(term, _)| term)
        .collect()
}

#[test]
fn every_chapter_marks_terms_of_the_glossary_each_once_and_the_same_in_every_language() {
    let languages = languages();
    let glossary = read(&languages[0].join("glossary.json"));
    let glossary: serde_json::Value = serde_json::from_str(&glossary).unwrap();
    for chapter in chapters() {
        let texts: Vec<String> = languages
            .iter()
            .map(|language| text(language, "chapters", &chapter))
            .collect();
        for text in &texts {
            let (marked, once) = (terms(text), BTreeSet::from_iter(terms(text)));
            assert!(!marked.is_empty(), "{chapter} marks no term");
            assert_eq!(marked.len(), once.len(), "{chapter}: {marked:?}");
            for term in marked {
                assert!(
                    glossary[format!("{term}_text")].is_string(),
                    "{chapter}: {term}"
                );
            }
        }
        for pair in texts.windows(2) {
            let of = |text| BTreeSet::from_iter(terms(text));
            assert_eq!(of(&pair[0]), of(&pair[1]), "{chapter}");
        }
    }
}
