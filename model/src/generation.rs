//! Settings of generation in the files beside a model's weights. `generation_config.json` replaces the settings of
//! generation in `config.json`, as in `transformers`; a note names those that would change a text and are ignored.

mod fields;

use attention_trace::config::Tokens;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use self::fields::{FIELDS, Use};
use crate::decoding::Rules;
use crate::error::ModelError;
use crate::sequence::{Control, SequenceModel};

/// The file that contains only such settings.
pub const GENERATION_FILE: &str = "generation_config.json";
/// The file that contains the settings of older models.
const CONFIG_FILE: &str = "config.json";

/// The longest value of a setting that a note repeats, in characters.
const LONGEST_VALUE: usize = 60;

/// The settings of a checkpoint's generation.
#[derive(Clone, Debug)]
pub struct Generation {
    /// The tokens and rules.
    pub control: Control,
    /// The settings that are ignored or set by the caller, a sentence for each file and reason.
    pub notes: Vec<String>,
}

impl Generation {
    /// Returns the settings for a model with these files.
    ///
    /// # Errors
    /// If a setting is of a wrong type or names a token that the model does not have, or a decoder has nothing to start
    /// from.
    pub fn of(
        model: &dyn SequenceModel,
        config: &[u8],
        generation: Option<&[u8]>,
    ) -> Result<Self, ModelError> {
        let spec = model.spec();
        let own = model.control();
        if spec.decoder.is_none() {
            return Ok(Generation {
                control: own,
                notes: vec![],
            });
        }
        let config = Settings {
            file: CONFIG_FILE,
            values: serde_json::from_slice(config)?,
            rows: spec.vocabulary,
        };
        let (settings, notes) = match generation {
            None => {
                let notes = config.notes();
                (config, notes)
            }
            Some(bytes) => {
                let settings = Settings {
                    file: GENERATION_FILE,
                    values: serde_json::from_slice(bytes).map_err(|error| {
                        ModelError::Generation(format!("it is no JSON object: {error}"))
                    })?,
                    rows: spec.vocabulary,
                };
                let mut notes = settings.notes();
                notes.extend(config.overridden_by(&settings));
                (settings, notes)
            }
        };
        let mut rules = settings.rules()?;
        if generation.is_none() {
            rules.suppressed.extend(&own.rules.suppressed);
        }
        let start = match spec.reads_source() {
            true => Some(settings.start(&own)?),
            false => own.start,
        };
        let control = Control {
            start,
            rules,
            ..own
        };
        Ok(Generation { control, notes })
    }
}

/// The settings in one file.
struct Settings {
    file: &'static str,
    values: Map<String, Value>,
    /// The number of tokens of the model.
    rows: usize,
}

impl Settings {
    fn rules(&self) -> Result<Rules, ModelError> {
        let first = match self.read::<bool>("force_bos_token_to_be_generated")? {
            Some(true) if self.file == CONFIG_FILE => self.one("bos_token_id")?,
            _ => None,
        };
        Ok(Rules {
            end_tokens: self.tokens("eos_token_id")?.as_slice().to_vec(),
            bad_words: self.words("bad_words_ids")?,
            suppressed: self.list("suppress_tokens")?,
            suppressed_first: self.list("begin_suppress_tokens")?,
            forced_first: self.one("forced_bos_token_id")?.or(first),
            forced_last: self.tokens("forced_eos_token_id")?.as_slice().to_vec(),
            min_new_tokens: self.read("min_new_tokens")?,
            min_length: self.read("min_length")?.unwrap_or_default(),
            no_repeat_ngram: self.read("no_repeat_ngram_size")?.unwrap_or_default(),
        })
    }

    /// Returns the token that a decoder starts from.
    fn start(&self, own: &Control) -> Result<u32, ModelError> {
        let named = match self.one("decoder_start_token_id")? {
            Some(token) => Some(token),
            None => self.one("bos_token_id")?,
        };
        named.or(own.start).ok_or_else(|| ModelError::Field {
            file: self.file,
            field: "decoder_start_token_id".to_owned(),
            fault: "it is missing, and `bos_token_id` too: decoding needs a token to start from"
                .to_owned(),
        })
    }

    fn one(&self, name: &str) -> Result<Option<u32>, ModelError> {
        let token: Option<u32> = self.read(name)?;
        self.check(name, token.as_slice())?;
        Ok(token)
    }

    fn tokens(&self, name: &str) -> Result<Tokens, ModelError> {
        let tokens: Tokens = self.read(name)?.unwrap_or_default();
        self.check(name, tokens.as_slice())?;
        Ok(tokens)
    }

    fn list(&self, name: &str) -> Result<Vec<u32>, ModelError> {
        let tokens: Vec<u32> = self.read(name)?.unwrap_or_default();
        self.check(name, &tokens)?;
        Ok(tokens)
    }

    fn words(&self, name: &str) -> Result<Vec<Vec<u32>>, ModelError> {
        let words: Vec<Vec<u32>> = self.read(name)?.unwrap_or_default();
        if words.iter().any(Vec::is_empty) {
            return Err(self.fault(name, "a word of it has no tokens"));
        }
        self.check(name, &words.concat())?;
        Ok(words)
    }

    /// Returns the value of a setting; `None` if it is `null` or missing.
    fn read<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, ModelError> {
        match self.values.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => serde_json::from_value(value.clone())
                .map(Some)
                .map_err(|error| self.fault(name, error)),
        }
    }

    /// Refuses tokens that the model does not have.
    fn check(&self, name: &str, tokens: &[u32]) -> Result<(), ModelError> {
        match tokens.iter().find(|&&token| token as usize >= self.rows) {
            Some(token) => Err(self.fault(
                name,
                format!("token {token} is none of the model's {}", self.rows),
            )),
            None => Ok(()),
        }
    }

    fn fault(&self, name: &str, fault: impl ToString) -> ModelError {
        ModelError::Field {
            file: self.file,
            field: name.to_owned(),
            fault: fault.to_string(),
        }
    }

    /// Returns a sentence about the ignored settings and one about those that the caller sets.
    fn notes(&self) -> Vec<String> {
        let of = |becomes: Use| {
            let fields = FIELDS.iter().filter(move |field| field.becomes == becomes);
            let set = fields.filter_map(|field| {
                let value = self.values.get(field.name)?;
                (!field.is_neutral(value)).then(|| assignment(field.name, value))
            });
            set.collect::<Vec<_>>()
        };
        let mut ignored = of(Use::Ignored);
        if self.file == GENERATION_FILE {
            let unknown = self.values.iter();
            let unknown = unknown.filter(|(name, _)| fields::find(name).is_none());
            ignored.extend(unknown.map(|(name, value)| assignment(name, value)));
        }
        let sentences = [
            ("ignored", ignored),
            ("set by the caller", of(Use::FromCaller)),
        ];
        let sentences = sentences.into_iter().filter(|(_, set)| !set.is_empty());
        sentences
            .map(|(what, set)| format!("{}: {what}: {}", self.file, set.join(", ")))
            .collect()
    }

    /// Returns a sentence that names this file's settings that differ in the file that replaces it.
    fn overridden_by(&self, other: &Settings) -> Option<String> {
        let special = [
            "bos_token_id",
            "eos_token_id",
            "decoder_start_token_id",
            "pad_token_id",
        ];
        let fields = FIELDS.iter().filter(|field| {
            matches!(field.becomes, Use::Applied | Use::Ignored) && !special.contains(&field.name)
        });
        let set: Vec<String> = fields
            .filter_map(|field| {
                let value = self.values.get(field.name)?;
                let stands = other.values.get(field.name);
                let is_said = stands.is_some_and(|stands| fields::equal(stands, value));
                (!field.is_neutral(value) && !is_said).then(|| assignment(field.name, value))
            })
            .collect();
        (!set.is_empty()).then(|| {
            format!(
                "{}: ignored, since {} replaces it: {}",
                self.file,
                other.file,
                set.join(", ")
            )
        })
    }
}

/// Formats a setting for a note.
fn assignment(name: &str, value: &Value) -> String {
    let value = value.to_string();
    match value.char_indices().nth(LONGEST_VALUE) {
        Some((end, _)) => format!("{name} = {}…", &value[..end]),
        None => format!("{name} = {value}"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    fn settings(file: &'static str, values: Value) -> Settings {
        let Value::Object(values) = values else {
            panic!("{values} is no object")
        };
        Settings {
            file,
            values,
            rows: 10,
        }
    }

    /// The contents of the file that `settings.py` wrote.
    #[derive(Deserialize)]
    struct Installed {
        transformers: String,
        generation: BTreeMap<String, Value>,
    }

    #[test]
    fn every_setting_of_transformers_is_known_and_its_default_is_never_named() {
        let path =
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/settings.json");
        let installed: Installed =
            serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        assert!(
            installed.generation.len() > 40,
            "{}",
            installed.transformers
        );
        for (name, default) in &installed.generation {
            let field = fields::find(name).unwrap_or_else(|| panic!("`{name}` is not known"));
            assert!(
                field.is_neutral(default) || field.becomes == Use::NoEffect,
                "{name}"
            );
        }
        let defaults = settings(
            GENERATION_FILE,
            serde_json::to_value(&installed.generation).unwrap(),
        );
        assert_eq!(defaults.notes(), Vec::<String>::new());
    }

    #[test]
    fn ignored_settings_are_named() {
        let notes = settings(
            GENERATION_FILE,
            json!({
                "num_beams": 4, "repetition_penalty": 1.2, "typical_p": 1.0, "temperature": null,
                "min_length": 3, "spells": [1, 2], "use_cache": false
            }),
        )
        .notes();
        assert_eq!(
            notes,
            [
                "generation_config.json: ignored: repetition_penalty = 1.2, spells = [1,2]",
                "generation_config.json: set by the caller: num_beams = 4"
            ]
        );
        // Of a model's configuration, what is no setting of generation is another matter.
        let notes = settings(CONFIG_FILE, json!({"d_model": 4, "early_stopping": true})).notes();
        assert_eq!(notes, ["config.json: ignored: early_stopping = true"]);
    }

    #[test]
    fn every_ignored_setting_is_named_whatever_it_is_set_to() {
        for field in FIELDS {
            let set = json!({ field.name: {"set": 7} });
            let notes = settings(GENERATION_FILE, set).notes();
            let is_named = matches!(field.becomes, Use::Ignored | Use::FromCaller);
            assert_eq!(notes.len(), usize::from(is_named), "{}", field.name);
        }
    }

    #[test]
    fn settings_that_another_file_replaces_are_named() {
        let config = settings(
            CONFIG_FILE,
            json!({"bad_words_ids": [[3]], "eos_token_id": 1, "min_length": 2, "d_model": 8}),
        );
        let same = json!({"bad_words_ids": [[3]], "min_length": 2.0});
        assert_eq!(config.overridden_by(&settings(GENERATION_FILE, same)), None);
        let other = config.overridden_by(&settings(GENERATION_FILE, json!({"min_length": 2})));
        assert_eq!(
            other.unwrap(),
            "config.json: ignored, since generation_config.json replaces it: \
             bad_words_ids = [[3]]"
        );
    }

    #[test]
    fn a_setting_of_a_wrong_type_or_with_an_unknown_token_is_named() {
        for (set, words) in [
            (
                json!({"eos_token_id": "x"}),
                ["eos_token_id", "number of a token"],
            ),
            (
                json!({"eos_token_id": [1, 10]}),
                ["eos_token_id", "token 10"],
            ),
            (
                json!({"bad_words_ids": [[1], [2, 11]]}),
                ["bad_words_ids", "token 11"],
            ),
            (
                json!({"bad_words_ids": [[]]}),
                ["bad_words_ids", "no tokens"],
            ),
            (json!({"bad_words_ids": [1]}), ["bad_words_ids", "sequence"]),
            (
                json!({"suppress_tokens": 4}),
                ["suppress_tokens", "sequence"],
            ),
            (json!({"min_length": -1}), ["min_length", "-1"]),
            (
                json!({"forced_bos_token_id": [1]}),
                ["forced_bos_token_id", "u32"],
            ),
            (
                json!({"no_repeat_ngram_size": 2.5}),
                ["no_repeat_ngram_size", "2.5"],
            ),
        ] {
            let message = settings(GENERATION_FILE, set.clone())
                .rules()
                .unwrap_err()
                .to_string();
            assert!(message.starts_with(GENERATION_FILE), "{message}");
            for word in words {
                assert!(message.contains(word), "`{word}` is not in: {message}");
            }
        }
    }
}
