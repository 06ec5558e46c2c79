//! Tests that every chapter, and every chapter's quiz, has the same contents in every language.
use attention_chapters::PAGES;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

const LANGUAGES: [&str; 2] = ["en", "zh"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn chapters() -> impl Iterator<Item = &'static str> {
    PAGES.iter().map(|page| page.name)
}

/// Reads a text of a chapter, `text` or `kit`.
fn text(language: &str, file: &str, chapter: &str) -> String {
    let folder = root().join("chapters/src").join(chapter).join(language);
    read(&folder.join(file).with_extension("md"))
}

/// Returns the distinct texts between `open` and `close`.
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
        says_the_same("text", chapter, &[("{#", "}"), ("{{", "}}")]);
    }
}

#[test]
fn every_kit_has_the_same_parts_places_and_references_in_every_language() {
    for chapter in chapters() {
        says_the_same("kit", chapter, &[("{#", "}"), ("{{", "}}"), ("](", ")")]);
    }
}

/// Asserts that the texts of all languages have the same contents of brackets and equally many formulas.
fn says_the_same(file: &str, name: &str, brackets: &[(&str, &str)]) {
    let texts = LANGUAGES.map(|language| text(language, file, name));
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
fn a_chapters_title_is_the_one_in_its_strings() {
    for language in LANGUAGES {
        for chapter in chapters() {
            let folder = root().join("chapters/src").join(chapter).join(language);
            let files = fs::read_dir(&folder)
                .unwrap()
                .map(|entry| entry.unwrap().path());
            let strings =
                files.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
            let titles = strings.filter_map(|path| {
                let strings: serde_json::Value = serde_json::from_str(&read(&path)).unwrap();
                Some(strings["title"].as_str()?.to_owned())
            });
            let text = text(language, "text", chapter);
            let title = text.lines().next().unwrap().trim_start_matches("# ");
            assert_eq!(titles.collect::<Vec<_>>(), [title], "{chapter}: {language}");
        }
    }
}

/// Returns the terms marked in a text as `[words](term:key)`, with repetitions.
fn terms(text: &str) -> Vec<&str> {
    let marks = text.split("](term:").skip(1);
    marks
        .filter_map(|rest| rest.split_once(')'))
        .map(|(term, _)| term)
        .collect()
}

#[test]
fn every_chapter_marks_terms_of_the_glossary_each_once_and_the_same_in_every_language() {
    let glossary = read(&root().join("../assets/locales/en/glossary.json"));
    let glossary: serde_json::Value = serde_json::from_str(&glossary).unwrap();
    for chapter in chapters() {
        let texts = LANGUAGES.map(|language| text(language, "text", chapter));
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
