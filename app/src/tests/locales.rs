//! Tests that both languages have the same strings.
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// A locale file: its strings by key.
type Strings = BTreeMap<String, String>;

/// Returns the folders with files of a language: the page's, and one in each chapter.
fn directories(language: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let chapters = fs::read_dir(root.join("chapters/src")).unwrap();
    let chapters = chapters.map(|entry| entry.unwrap().path().join(language));
    chapters
        .chain([root.join("../assets/locales").join(language)])
        .filter(|directory| directory.is_dir())
        .collect()
}

fn files(language: &str) -> BTreeMap<String, Strings> {
    let directories = directories(language).into_iter();
    directories
        .flat_map(|directory| fs::read_dir(directory).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let text = fs::read_to_string(path).unwrap();
            (name, serde_json::from_str(&text).unwrap())
        })
        .collect()
}

/// Returns the names between `{{` and `}}`.
fn variables(text: &str) -> BTreeSet<&str> {
    text.split("{{")
        .skip(1)
        .filter_map(|part| part.split_once("}}"))
        .map(|(name, _)| name.trim())
        .collect()
}

/// Returns the tags `<name>`, which mark terms of the glossary.
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

/// The plural nouns that are counted in strings.
const COUNTED: &str = "bins cells characters connections dimensions draws examples heads hops inputs keys layers letters \
    links models pairs places points positions queries rows runs samples sentences sequences sites steps texts tokens weights words";

/// The strings whose number is never one: the singular has a string of its own, or does not occur.
const NEVER_ONE: [&str; 48] = [
    // One has a string of its own.
    "edits.many_off",
    "edits.many_weights",
    "edits.many_mean",
    "heads.together",
    "heads.together_spread",
    "heads.words_mean",
    "heads.words_sum",
    "heads.words_together",
    "heads.words_together_spread",
    "heads.title_mean",
    "heads.tokens_mean",
    "heads.tokens_sum",
    // Limits, and what exceeds them.
    "derived.too_long",
    "embedding.too_long",
    "engine.input_too_long",
    "heads.most_heads",
    "judging.too_long",
    "masks.too_long",
    "search.refused",
    "shell.text_too_long",
    "training.input_too_long",
    "training.too_long",
    "training.too_many_characters",
    "training.too_many_examples",
    // What was measured beforehand: pairs and sentences in hundreds.
    "alignment.best_head",
    "alignment.measured",
    "edits.set_says",
    "heads.finds_read",
    "heads.finds_written",
    "recurrent.bin",
    "recurrent.bin_joined",
    "recurrent.bleu_of",
    // Sizes of models and of the figures' own examples.
    "encodings.turns_text",
    "engine.few_parameters",
    "engine.forced_token",
    "engine.parameters",
    "layers.local",
    "long.with_letters",
    "positions.period_longer",
    "positions.period_marked",
    "recurrent.vector_words",
    "scale.random_text",
    "search.count_all",
    "search.count_ended",
    "search.looked_at",
    // Into one head any width can be split.
    "sizes.uneven_heads",
    // All heads of a model, and a difference, which counts nothing.
    "edits.importance_found",
    "order.found",
];

/// Returns true if a number that may be one precedes a plural. A number out of several, as in "1 of 72 heads" and "1 /
/// 72 sites", is correct.
fn counts_one_as_many(text: &str) -> bool {
    let counted: Vec<&str> = COUNTED.split_whitespace().collect();
    let parts: Vec<&str> = text.split("{{").collect();
    parts.windows(2).any(|pair| {
        let before = pair[0].trim_end();
        let Some((_, after)) = pair[1].split_once("}}") else {
            return false;
        };
        // A number in per cent is "of" what follows it.
        let words = after
            .split(|c: char| !c.is_alphabetic() && c != '-' && c != ' ')
            .next();
        let mut words = words.unwrap_or_default().split_whitespace().take(2);
        let is_part = before.ends_with(" of") || before.ends_with('/') || before.ends_with("Of");
        !is_part
            && words.next().is_some_and(|first| {
                counted.contains(&first)
                    || first != "of" && words.next().is_some_and(|second| counted.contains(&second))
            })
    })
}

#[test]
fn one_is_not_counted_in_the_plural() {
    assert!(counts_one_as_many("{{ free }} heads go"));
    assert!(counts_one_as_many("the {{ count }} other tokens"));
    assert!(!counts_one_as_many("{{ clear }} of {{ heads }} heads"));
    for (file, strings) in files("en") {
        let file = file.trim_end_matches(".json");
        for (key, text) in strings {
            let name = format!("{file}.{key}");
            assert!(
                NEVER_ONE.contains(&name.as_str()) || !counts_one_as_many(&text),
                "{name}: {text}"
            );
        }
    }
}
