//! The table of models beside their files: checkpoints, configurations, tokenizers and READMEs.

use std::{
    fs,
    path::{Path, PathBuf},
};

use attention_trace::{
    ModelSpec, NormPlacement,
    config::{BertConfig, Gpt2Config, GruConfig, LlamaConfig, MarianConfig, UniversalConfig},
    positions::PositionalEncoding,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use toml::Table;

use super::*;

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets")
}

/// All served models with their directories.
fn served() -> Vec<(&'static Served, PathBuf)> {
    let served = Model::served().map(|model| model.as_served().unwrap());
    served
        .map(|served| (served, models().join(served.directory)))
        .collect()
}

/// Reads a file that stands beside a checkpoint, or in the folder above for all variants.
fn beside(directory: &Path, name: &str) -> String {
    let own = fs::read_to_string(directory.join(name));
    own.or_else(|_| fs::read_to_string(directory.join("..").join(name)))
        .unwrap()
}

fn named(address: &str) -> Model {
    address.parse().unwrap()
}

#[test]
fn every_model_is_served_with_the_page() {
    for (served, directory) in served() {
        for file in ["config.json", "tokenizer.json", "model.safetensors"] {
            let path = directory.join(file);
            assert!(path.exists(), "{}: {}", served.address, path.display());
        }
    }
}

#[test]
fn names_in_addresses_are_read_as_they_are_written() {
    for (served, _) in served() {
        assert_eq!(named(served.address).to_string(), served.address);
        for earlier in served.earlier {
            assert_eq!(named(earlier).to_string(), served.address);
        }
    }
    assert_eq!(named("recall-rope"), named("positions-rope"));
    assert_eq!(Model::default().to_string(), "translator");
}

/// The facts of a configuration of one of the served families.
fn spec(config: &Value) -> ModelSpec {
    fn read<T: DeserializeOwned>(config: &Value) -> T {
        serde_json::from_value(config.clone()).unwrap()
    }
    match config["model_type"].as_str().unwrap() {
        "marian" => read::<MarianConfig>(config).spec(),
        "gru_seq2seq" => read::<GruConfig>(config).spec(),
        "universal_transformer" => read::<UniversalConfig>(config).spec(),
        "gpt2" => read::<Gpt2Config>(config).spec(),
        "bert" => read::<BertConfig>(config).spec(),
        _ => read::<LlamaConfig>(config).spec(),
    }
}

#[test]
fn architectures_are_those_of_the_configurations() {
    for (served, directory) in served() {
        let config: Value = serde_json::from_str(&beside(&directory, "config.json")).unwrap();
        let spec = spec(&config);
        let stack = spec.stack(spec.last_stack());
        let norm: Option<NormPlacement> = stack
            .and_then(|stack| stack.norm)
            .map(|norm| norm.placement);
        let card = &served.card;
        let facts = (
            card.positions,
            card.norm,
            card.is_recurrent,
            card.attends,
            card.halts,
            card.shares_keys,
        );
        let of_files = (
            spec.positions.encoding,
            norm,
            spec.recurrence.is_some(),
            !spec.kinds().is_empty(),
            spec.halting().is_some(),
            spec.cached_stack()
                .is_some_and(|stack| stack.key_value_heads < stack.heads),
        );
        assert_eq!(facts, of_files, "{}", served.address);
        let longest = config["task"]["longest"]
            .as_u64()
            .map(|longest| longest as usize);
        assert_eq!(card.longest_trained, longest, "{}", served.address);
    }
}

#[test]
fn sizes_are_those_of_the_files() {
    for (served, directory) in served() {
        let file = fs::read(directory.join("model.safetensors")).unwrap();
        let (length, rest) = file.split_at(8);
        let length = u64::from_le_bytes(length.try_into().unwrap()) as usize;
        let header: Map<String, Value> = serde_json::from_slice(&rest[..length]).unwrap();
        let tensors = header.iter().filter(|(name, _)| *name != "__metadata__");
        let count = |(_, tensor): (&String, &Value)| -> u64 {
            let axes = tensor["shape"].as_array().unwrap().iter();
            axes.map(|axis| axis.as_u64().unwrap()).product()
        };
        assert_eq!(
            served.parameters,
            tensors.map(count).sum::<u64>(),
            "{}",
            served.address
        );
    }
}

#[test]
fn licences_are_those_of_the_readmes() {
    for (served, directory) in served() {
        let line = format!(
            "license: {}",
            served.licence.to_lowercase().replace(' ', "-")
        );
        let readme = beside(&directory, "README.md");
        assert!(
            readme.lines().any(|own| own == line),
            "{}: {line}",
            served.address
        );
    }
}

#[test]
fn scores_are_those_of_the_readmes() {
    let mut compared = 0;
    for folder in fs::read_dir(models().join("models")).unwrap() {
        let folder = folder.unwrap().path();
        let Ok(facts) = fs::read_to_string(folder.join("model.toml")) else {
            continue;
        };
        let facts: Table = facts.parse().unwrap();
        let variants = facts
            .get("variants")
            .and_then(|variants| variants.as_array());
        let tables = variants
            .into_iter()
            .flatten()
            .filter_map(|variant| variant.as_table());
        let readme = beside(&folder, "README.md");
        let readme = readme.split("## Scores").nth(1).unwrap();
        for scores in tables
            .chain([&facts])
            .filter_map(|table| table.get("scores"))
        {
            for score in scores.as_array().unwrap() {
                let text = |key: &str| score[key].as_str().unwrap();
                let cell = score["cell"].as_integer().unwrap() as usize;
                let found = readme.lines().find(|line| {
                    let mut cells = line.trim_matches('|').split('|').map(str::trim);
                    let is_it = |cell: &str| cell.split(' ').next() == Some(text("score"));
                    line.starts_with(&format!("| {} ", text("row")))
                        && cells.nth(cell).is_some_and(is_it)
                });
                assert!(found.is_some(), "{}: {score}", folder.display());
                compared += 1;
            }
        }
    }
    let all: usize = served().iter().map(|(served, _)| served.scores.len()).sum();
    assert_eq!(compared, all);
}

#[test]
fn what_a_model_goes_on_with_has_not_ended() {
    let continues = Model::first(|card| card.task == Task::Continue);
    let first = continues.first_text();
    assert!(first.ends_with(char::is_alphabetic), "{first}");
}

#[test]
fn every_model_of_languages_lets_the_visitor_choose_the_search() {
    for model in Model::served() {
        let is_of_languages = model.card().longest_trained.is_none();
        assert_eq!(model.searches(), is_of_languages, "{model}");
    }
}

#[test]
fn the_six_meet_a_text_of_their_lengths_and_a_longer_one() {
    let letters = |text: &str| text.chars().filter(|c| c.is_ascii_lowercase()).count();
    let card = named("positions-rope").card();
    let [shorter, longer] = card.examples else {
        panic!("two examples")
    };
    let trained = card.longest_trained.unwrap();
    assert!(letters(shorter) < trained && letters(longer) > trained);
}

#[test]
fn the_first_poem_meets_lines_of_the_length_learned_from_and_longer_ones() {
    let poems = Model::with_positions(Task::Verse, PositionalEncoding::Learned);
    let lengths = |text: &str| -> Vec<usize> {
        let lines = poems.sentences(text);
        lines.iter().map(|line| line.chars().count()).collect()
    };
    let [couplets, own] = poems.card().examples else {
        panic!("two examples")
    };
    assert_eq!(lengths(couplets), [5, 5, 7, 7]);
    assert!(lengths(own).iter().all(|&length| length <= 5));
}

#[test]
fn the_models_of_verse_have_a_token_for_every_character_of_their_examples() {
    let poems = Model::with_positions(Task::Verse, PositionalEncoding::Learned);
    let directory = models().join(poems.directory().unwrap());
    let tokenizer: Value = serde_json::from_str(&beside(&directory, "tokenizer.json")).unwrap();
    let vocabulary = tokenizer["model"]["vocab"].as_object().unwrap();
    let examples = poems.card().examples.iter();
    for line in examples.flat_map(|text| poems.sentences(text)) {
        let known = |c: char| vocabulary.contains_key(&c.to_string());
        assert!(line.chars().all(known), "{line}");
    }
}

#[test]
fn every_encoding_has_a_model_of_letters_and_one_of_verse() {
    for task in [Task::Letters, Task::Verse] {
        for encoding in PositionalEncoding::ALL {
            let card = Model::with_positions(task, encoding).card();
            assert_eq!((card.task, card.positions), (task, encoding));
        }
    }
}

#[test]
fn every_language_has_a_translator() {
    for language in [Language::English, Language::French, Language::Chinese] {
        let card = Model::translator_from(language).card();
        assert!(card.task == Task::Translate && card.reads.contains(&language));
    }
}

#[test]
fn languages_are_shared_by_models_that_read_the_same_text() {
    let shares = |one, other| named(one).shares_language(named(other));
    assert!(shares("translator", "universal") && shares("translator", "poems-rope"));
    assert!(shares("to-french", "sentences") && shares("to-french", "recurrent-chinese"));
    assert!(!shares("translator", "sentences") && !shares("recurrent-luong", "recurrent-chinese"));
    assert!(!shares("positions-rope", "positions-rope") && !shares("mine", "translator"));
}

#[test]
fn variants_begin_with_the_leading_one() {
    let names = |address| -> Vec<String> {
        let variants = named(address).variants();
        variants.iter().map(Model::to_string).collect()
    };
    assert_eq!(names("translator"), ["translator"]);
    assert_eq!(names("to-chinese"), ["to-french", "to-chinese"]);
    let recurrent =
        ["bahdanau", "fixed", "luong", "chinese"].map(|name| format!("recurrent-{name}"));
    assert_eq!(names("recurrent-luong"), recurrent);
    assert!(named("mine").variants().is_empty());
}
