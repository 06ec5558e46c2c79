//! Every chapter says the same in both languages.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{collections::BTreeSet, fs, path::Path};

use attention_app::state::{AddressValue, Chapter};

fn asset(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets");
    fs::read_to_string(path.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn text(chapter: Chapter, language: &str) -> String {
    asset(&format!(
        "chapters/{}.{language}.md",
        chapter.address_value()
    ))
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
fn every_chapter_has_the_same_parts_places_and_formulas_in_both_languages() {
    for &(chapter, word) in Chapter::VALUES {
        let (english, chinese) = (text(chapter, "en"), text(chapter, "zh"));
        let same = |open, close| {
            let (english, chinese) = (
                between(&english, open, close),
                between(&chinese, open, close),
            );
            assert_eq!(english, chinese, "{word}: {open}");
        };
        same("{#", "}");
        same("{{", "}}");
        let displays = |text: &str| text.matches("$$").count();
        assert_eq!(displays(&english), displays(&chinese), "{word}");
    }
}

#[test]
fn a_chapters_title_is_the_one_in_the_index() {
    for language in ["en", "zh"] {
        let json = asset(&format!("locales/{language}/chapters.json"));
        let names: serde_json::Value = serde_json::from_str(&json).unwrap();
        for &(chapter, word) in Chapter::VALUES {
            let text = text(chapter, language);
            let title = text.lines().next().unwrap().trim_start_matches("# ");
            assert_eq!(names[word], title, "{word}.{language}");
        }
    }
}
