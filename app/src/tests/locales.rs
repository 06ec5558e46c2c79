//! Both languages say the same things.
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// A locale file: its strings by key.
type Strings = BTreeMap<String, String>;

fn directory(language: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../assets/locales")
        .join(language)
}

fn files(language: &str) -> BTreeMap<String, Strings> {
    fs::read_dir(directory(language))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_file())
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            let text = fs::read_to_string(entry.path()).unwrap();
            (name, serde_json::from_str(&text).unwrap())
        })
        .collect()
}

/// The names between `{{` and `}}`.
fn variables(text: &str) -> BTreeSet<&str> {
    text.split("{{")
        .skip(1)
        .filter_map(|part| part.split_once("}}"))
        .map(|(name, _)| name.trim())
        .collect()
}

/// The tags `<name>`, which mark terms of the glossary.
fn tags(text: &str) -> BTreeSet<&str> {
    text.split('<')
        .skip(1)
        .filter_map(|part| part.split_once('>'))
        .map(|(name, _)| name)
        .collect()
}

#[test]
fn both_languages_have_the_same_strings_with_the_same_variables() {
    let (english, chinese) = (files("en"), files("zh"));
    assert!(!english.is_empty());
    assert!(english.keys().eq(chinese.keys()));
    for (file, strings) in &english {
        let other = &chinese[file];
        assert!(strings.keys().eq(other.keys()), "{file}");
        for (key, text) in strings {
            assert_eq!(variables(text), variables(&other[key]), "{file}: {key}");
            assert_eq!(tags(text), tags(&other[key]), "{file}: {key}");
            assert!(!text.is_empty() && !other[key].is_empty(), "{file}: {key}");
        }
    }
}

#[test]
fn english_strings_are_not_left_in_chinese_nor_the_other_way_round() {
    let is_chinese = |text: &str| text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    // The button that leads to the other language speaks that one, and the lecture's Chinese words are what a model is given.
    let exempt = ["switch_language", "given_words"];
    for (file, strings) in files("en") {
        for (key, text) in strings {
            assert!(
                exempt.contains(&key.as_str()) || !is_chinese(&text),
                "{file}: {key}"
            );
        }
    }
}

#[test]
fn chinese_sentences_have_chinese_punctuation() {
    for (file, strings) in files("zh") {
        for (key, text) in strings {
            let characters: Vec<char> = text.chars().collect();
            let half = characters.windows(2).find(|pair| {
                ('\u{4e00}'..='\u{9fff}').contains(&pair[0]) && ",;:?!".contains(pair[1])
            });
            assert_eq!(half, None, "{file}: {key}: {text}");
        }
    }
}
