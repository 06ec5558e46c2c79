//! Files that know what one table or one type should know alone.

use crate::sources::{Source, lines::Line};

/// The folder with a folder for each served model, which has its `config.json`.
const MODELS: &str = "assets/models/";

/// The variants of `Model` that are served.
const SERVED: [&str; 7] = [
    "Translator",
    "FromEnglish",
    "Sentences",
    "Recurrent",
    "Universal",
    "Positions",
    "Poems",
];

/// Addresses of served models that are not their folders' names.
const ADDRESSES: [&str; 3] = ["to-french", "to-chinese", "recurrent-chinese"];

/// The folder of the engine's state machine.
const MACHINE: &str = "app/core/src/engine/machine";

/// The addresses of served models: `recurrent-bahdanau` for `assets/models/recurrent/bahdanau/config.json`.
pub fn served_addresses(files: &[String]) -> Vec<String> {
    let folders = files.iter().filter_map(|path| {
        path.strip_prefix(MODELS)?
            .strip_suffix("/config.json")
            .map(|folder| folder.replace('/', "-"))
    });
    folders.chain(ADDRESSES.map(str::to_owned)).collect()
}

/// True if code of a file outside tests names a served model: by a variant of `Model`, by an address that is parsed, or
/// by a folder.
pub fn names_served_model(lines: &[Line], addresses: &[String]) -> bool {
    lines.iter().filter(|line| !line.is_test).any(|line| {
        let is_parsed = line.code.contains("parse");
        let is_named =
            |literal: &String| (is_parsed && addresses.contains(literal)) || names_folder(literal);
        names_variant(&line.code) || line.strings.iter().any(is_named)
    })
}

/// True for `models/digits/`, but not for `models/`.
fn names_folder(literal: &str) -> bool {
    let mut places = literal.match_indices("models/");
    places.any(|(at, folder)| literal[at + folder.len()..].starts_with(char::is_alphabetic))
}

fn names_variant(code: &str) -> bool {
    code.match_indices("Model::").any(|(at, prefix)| {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let ahead = &code[at + prefix.len()..];
        let name = ahead.split(|c| !is_word(c)).next();
        !code[..at].ends_with(is_word) && name.is_some_and(|name| SERVED.contains(&name))
    })
}

/// True if a file of the engine's state machine has a queue of questions of its own: a struct with the requests on their
/// way, in a field `asked`.
pub fn is_question_queue(source: &Source) -> bool {
    let mut lines = source.lines.iter().filter(|line| !line.is_test);
    source.path.starts_with(MACHINE) && lines.any(|line| field(&line.code) == Some("asked"))
}

/// The name of the field that a line declares or sets.
fn field(code: &str) -> Option<&str> {
    let (before, _) = code.split_once(": ")?;
    before.split_whitespace().last()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::lines::lines;

    #[test]
    fn addresses_follow_from_folders() {
        let files = ["assets/models/recurrent/luong/config.json", "assets/a.json"];
        let addresses = served_addresses(&files.map(str::to_owned));
        assert_eq!(addresses[0], "recurrent-luong");
        assert_eq!(addresses.len(), 1 + ADDRESSES.len());
    }

    #[test]
    fn a_model_is_named_by_variant_address_or_folder() {
        let addresses = ["translator".to_owned()];
        let names = |text: &str| names_served_model(&lines(text), &addresses);
        for text in [
            "let a = Model::Positions(b);",
            "let a: Model = \"translator\".parse()?;",
            "let a = \"models/digits/\";",
        ] {
            assert!(names(text), "{text}");
        }
        for text in [
            "let a = Model::Mine(None);",
            "let a = SequenceModel::Translator;",
            "let a = Model::PositionsOfTokens;",
            "let a = \"the translator\"; // \"translator\"",
            "let a = \"translator\";",
            "name.starts_with(\"models/\")",
            "#[cfg(test)]\nmod tests { fn a() { Model::Poems; } }",
        ] {
            assert!(!names(text), "{text}");
        }
    }

    #[test]
    fn a_field_is_named_before_its_type() {
        for code in ["    pub(super) on_screen: Vec<A>,", "on_screen: Vec<A>,"] {
            assert_eq!(field(code), Some("on_screen"));
        }
        assert_eq!(field("A { on_screen, b }"), None);
    }

    #[test]
    fn a_queue_of_questions_has_the_requests_on_their_way() {
        let source = |path: &str, text: &str| Source {
            path: path.to_owned(),
            room: String::new(),
            lines: lines(text),
        };
        let field = "struct A {\n    asked: Vec<B>,\n}\n";
        assert!(is_question_queue(&source(
            &format!("{MACHINE}/lenses.rs"),
            field
        )));
        assert!(!is_question_queue(&source(
            "app/core/src/engine/live.rs",
            field
        )));
        let local = "let asked = 1;\nA { asked, b }\n";
        assert!(!is_question_queue(&source(
            &format!("{MACHINE}/lenses.rs"),
            local
        )));
    }
}
