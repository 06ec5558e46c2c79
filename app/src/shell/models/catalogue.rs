//! Facts of the served models that are known before loading: their groups, sizes, licences and scores. The tests
//! compare them with the models' files and READMEs.

use attention_core::state::{Model, Recurrent, Target};
use attention_trace::positions::PositionalEncoding;

/// A part of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The transformers that translate.
    Translators,
    /// The transformers that continue a text.
    LanguageModels,
    /// Small transformers that differ in their encoding of positions.
    PositionsAndVerse,
    /// The recurrent models that translate.
    Before,
}

/// Models that differ in one respect, as one entry of the list.
pub type Variants = &'static [Model];

/// The list: each group with its entries.
pub const GROUPS: [(Group, &[Variants]); 4] = [
    (
        Group::Translators,
        &[
            &[Model::Translator],
            &[
                Model::FromEnglish(Target::French),
                Model::FromEnglish(Target::Chinese),
            ],
            &[Model::Universal],
        ],
    ),
    (Group::LanguageModels, &[&[Model::Sentences]]),
    (
        Group::PositionsAndVerse,
        &[
            &[
                Model::Positions(PositionalEncoding::Rope),
                Model::Positions(PositionalEncoding::None),
                Model::Positions(PositionalEncoding::Learned),
                Model::Positions(PositionalEncoding::Sinusoidal),
                Model::Positions(PositionalEncoding::T5),
                Model::Positions(PositionalEncoding::Alibi),
            ],
            &[
                Model::Poems(PositionalEncoding::Learned),
                Model::Poems(PositionalEncoding::None),
                Model::Poems(PositionalEncoding::Sinusoidal),
                Model::Poems(PositionalEncoding::T5),
                Model::Poems(PositionalEncoding::Rope),
                Model::Poems(PositionalEncoding::Alibi),
            ],
        ],
    ),
    (
        Group::Before,
        &[&[
            Model::Recurrent(Recurrent::Bahdanau),
            Model::Recurrent(Recurrent::Fixed),
            Model::Recurrent(Recurrent::Luong),
            Model::Recurrent(Recurrent::Chinese),
        ]],
    ),
];

/// The quantity measured by a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// BLEU from French to English.
    FrenchEnglish,
    /// BLEU from Chinese to English.
    ChineseEnglish,
    /// BLEU from English to French.
    EnglishFrench,
    /// BLEU from English to Chinese.
    EnglishChinese,
    /// Perplexity per token of English sentences.
    Perplexity,
    /// Percent of the letters 65 to 128 named correctly: training ended at the 32nd.
    LettersBeyond,
    /// Percent of the sixth characters named correctly: training ended at the fifth.
    SixthCharacter,
}

/// The facts of a served model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// The number of weights.
    pub parameters: u64,
    /// The licence, by its usual name.
    pub licence: &'static str,
    /// Each measured quantity, and the score as written in the README.
    pub scores: &'static [(Measure, &'static str)],
}

const TATOEBA: &str = "CC BY 2.0";
const OURS: &str = "MIT";

/// Returns the facts of a model; `None` if it is not served.
pub fn facts(model: Model) -> Option<Facts> {
    use Measure::*;
    let (parameters, licence, scores): (u64, _, &[_]) = match model {
        Model::Translator => (
            7_585_600,
            TATOEBA,
            &[(FrenchEnglish, "49.2"), (ChineseEnglish, "29.1")],
        ),
        Model::FromEnglish(Target::French) => (7_585_600, TATOEBA, &[(EnglishFrench, "38.0")]),
        Model::FromEnglish(Target::Chinese) => (7_585_600, TATOEBA, &[(EnglishChinese, "30.5")]),
        Model::Universal => (2_385_602, TATOEBA, &[(FrenchEnglish, "34.9")]),
        Model::Sentences => (2_539_200, TATOEBA, &[(Perplexity, "20.1")]),
        Model::Recurrent(Recurrent::Fixed) => (2_252_032, TATOEBA, &[(FrenchEnglish, "27.7")]),
        Model::Recurrent(Recurrent::Bahdanau) => (2_596_352, TATOEBA, &[(FrenchEnglish, "47.0")]),
        Model::Recurrent(Recurrent::Luong) => (2_333_952, TATOEBA, &[(FrenchEnglish, "37.6")]),
        Model::Recurrent(Recurrent::Chinese) => (2_596_352, TATOEBA, &[(EnglishChinese, "28.0")]),
        Model::Positions(encoding) => {
            let (parameters, scores) = positions(encoding);
            (parameters, OURS, scores)
        }
        Model::Poems(encoding) => {
            let (parameters, scores) = poems(encoding);
            (parameters, OURS, scores)
        }
        Model::Trained(_) | Model::Mine(_) => return None,
    };
    Some(Facts {
        parameters,
        licence,
        scores,
    })
}

type Scores = &'static [(Measure, &'static str)];

fn positions(encoding: PositionalEncoding) -> (u64, Scores) {
    use Measure::LettersBeyond;
    match encoding {
        PositionalEncoding::None => (84_096, &[(LettersBeyond, "0.0")]),
        PositionalEncoding::Learned => (100_480, &[(LettersBeyond, "4.8")]),
        PositionalEncoding::Sinusoidal => (84_096, &[(LettersBeyond, "11.7")]),
        PositionalEncoding::T5 => (84_224, &[(LettersBeyond, "77.9")]),
        PositionalEncoding::Rope => (84_096, &[(LettersBeyond, "90.7")]),
        PositionalEncoding::Alibi => (84_096, &[(LettersBeyond, "3.8")]),
    }
}

fn poems(encoding: PositionalEncoding) -> (u64, Scores) {
    use Measure::SixthCharacter;
    match encoding {
        PositionalEncoding::None => (21_568, &[(SixthCharacter, "22.3")]),
        PositionalEncoding::Learned => (22_080, &[(SixthCharacter, "3.9")]),
        PositionalEncoding::Sinusoidal => (21_568, &[(SixthCharacter, "2.3")]),
        PositionalEncoding::T5 => (21_632, &[(SixthCharacter, "100.0")]),
        PositionalEncoding::Rope => (21_568, &[(SixthCharacter, "100.0")]),
        PositionalEncoding::Alibi => (21_568, &[(SixthCharacter, "23.8")]),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::PathBuf};

    use attention_core::state::AddressValue;
    use serde_json::{Map, Value};

    use super::*;

    fn directory(model: Model) -> PathBuf {
        let assets = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../assets");
        assets.join(model.directory().unwrap())
    }

    fn readme(model: Model) -> String {
        let directory = directory(model);
        let own = directory.join("README.md");
        let above = directory.join("../README.md");
        fs::read_to_string(own)
            .or_else(|_| fs::read_to_string(above))
            .unwrap()
    }

    /// Returns the number of weights in a model's file.
    fn numbers(model: Model) -> u64 {
        let file = fs::read(directory(model).join("model.safetensors")).unwrap();
        let (length, rest) = file.split_at(8);
        let length = u64::from_le_bytes(length.try_into().unwrap()) as usize;
        let header: Map<String, Value> = serde_json::from_slice(&rest[..length]).unwrap();
        let tensors = header.iter().filter(|(name, _)| *name != "__metadata__");
        let count = |(_, tensor): (&String, &Value)| -> u64 {
            let axes = tensor["shape"].as_array().unwrap().iter();
            axes.map(|axis| axis.as_u64().unwrap()).product()
        };
        tensors.map(count).sum()
    }

    /// Returns the beginning of the row of a README's table that has a score, and the score's cell in the row, from 0.
    fn place(model: Model, measure: Measure) -> (&'static str, usize) {
        let way = |encoding| match encoding {
            PositionalEncoding::None => "none",
            PositionalEncoding::Learned => "learned",
            PositionalEncoding::Sinusoidal => "sinusoidal",
            PositionalEncoding::T5 => "T5's bias",
            PositionalEncoding::Rope => "RoPE",
            PositionalEncoding::Alibi => "ALiBi",
        };
        match (model, measure) {
            (Model::Positions(encoding), _) => (way(encoding), 4),
            (Model::Poems(encoding), _) => (way(encoding), 3),
            (Model::Translator, Measure::FrenchEnglish) => ("French → English", 2),
            (Model::Translator, _) => ("Chinese → English", 2),
            (Model::FromEnglish(Target::French), _) => ("English → French", 2),
            (Model::FromEnglish(Target::Chinese), _) => ("English → Chinese", 2),
            (Model::Universal, _) => ("`universal`", 2),
            (Model::Sentences, _) => ("English side of the French pairs", 2),
            (Model::Recurrent(Recurrent::Fixed), _) => ("`fixed`", 1),
            (Model::Recurrent(Recurrent::Bahdanau), _) => ("`bahdanau`", 1),
            (Model::Recurrent(Recurrent::Luong), _) => ("`luong`", 1),
            (Model::Recurrent(Recurrent::Chinese), _) => ("`bahdanau-chinese`", 1),
            (Model::Trained(_) | Model::Mine(_), _) => panic!("not served"),
        }
    }

    #[test]
    fn every_served_model_is_listed_once() {
        let listed = GROUPS.iter().flat_map(|(_, entries)| entries.iter());
        let listed: Vec<Model> = listed
            .flat_map(|variants| variants.iter())
            .copied()
            .collect();
        for (model, word) in Model::VALUES {
            let times = listed.iter().filter(|listed| *listed == model).count();
            assert_eq!(times, 1, "{word}");
        }
        assert_eq!(listed.len(), Model::VALUES.len());
    }

    #[test]
    fn sizes_are_those_of_the_files() {
        for &(model, word) in Model::VALUES {
            assert_eq!(facts(model).unwrap().parameters, numbers(model), "{word}");
        }
    }

    #[test]
    fn licences_are_those_of_the_readmes() {
        for &(model, word) in Model::VALUES {
            let licence = facts(model).unwrap().licence;
            let named = licence.to_lowercase().replace(' ', "-");
            let line = format!("license: {named}");
            assert!(
                readme(model).lines().any(|own| own == line),
                "{word}: {line}"
            );
        }
    }

    #[test]
    fn scores_are_those_of_the_readmes() {
        for &(model, word) in Model::VALUES {
            let readme = readme(model);
            let scores = readme.split("## Scores").nth(1).unwrap();
            for &(measure, score) in facts(model).unwrap().scores {
                let (row, cell) = place(model, measure);
                let row = format!("| {row} ");
                let found = scores.lines().find(|line| {
                    let mut cells = line.trim_matches('|').split('|').map(str::trim);
                    let is_it = |cell: &str| cell.split(' ').next() == Some(score);
                    line.starts_with(&row) && cells.nth(cell).is_some_and(is_it)
                });
                assert!(found.is_some(), "{word}: {score} in {row}");
            }
        }
    }
}
