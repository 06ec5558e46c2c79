//! The template among a checkpoint's files.

use std::collections::BTreeMap;

use attention_trace::TemplateFault;
use serde_json::{Map, Value};

use crate::Template;

/// The special tokens that `transformers` gives to templates.
const TOKENS: [&str; 7] = [
    "bos_token",
    "eos_token",
    "unk_token",
    "sep_token",
    "pad_token",
    "cls_token",
    "mask_token",
];
/// The name of the template that is used where several are named.
const DEFAULT: &str = "default";

/// The files of a checkpoint that may hold its chat template.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChatFiles {
    /// The contents of `tokenizer_config.json`, if it is there.
    pub tokenizer_config: Option<Vec<u8>>,
    /// The contents of `chat_template.jinja`, if it is there. It takes precedence.
    pub template: Option<Vec<u8>>,
}

impl ChatFiles {
    /// Returns the chat template; `None` if the files have none. One that cannot be read is a template that refuses every
    /// conversation and says why.
    pub fn template(&self) -> Option<Template> {
        let config = self.tokenizer_config.as_deref().map(read);
        let (config, unreadable) = match config {
            None => (Map::new(), None),
            Some(Ok(config)) => (config, None),
            Some(Err(reason)) => (Map::new(), Some(reason)),
        };
        let tokens = tokens(&config);
        let source = match (&self.template, config.get("chat_template"), unreadable) {
            (_, _, Some(reason)) => Err(fault(reason)),
            (Some(file), ..) => String::from_utf8(file.clone())
                .map_err(|error| fault(format!("chat_template.jinja is not UTF-8: {error}"))),
            (None, None | Some(Value::Null), _) => return None,
            (None, Some(given), _) => given_source(given).map(str::to_owned),
        };
        Some(match source {
            Ok(source) => Template::new(&source, tokens),
            Err(fault) => Template {
                source: Err(fault),
                tokens,
            },
        })
    }
}

fn fault(reason: impl Into<String>) -> TemplateFault {
    TemplateFault {
        line: None,
        reason: reason.into(),
    }
}

fn read(config: &[u8]) -> Result<Map<String, Value>, String> {
    serde_json::from_slice(config)
        .map_err(|error| format!("tokenizer_config.json cannot be read: {error}"))
}

/// Returns the template of an entry `chat_template`: a text, or the default of a list of named texts.
fn given_source(given: &Value) -> Result<&str, TemplateFault> {
    match given {
        Value::String(source) => Ok(source),
        Value::Array(named) => {
            let is_default =
                |one: &&Value| one.get("name").and_then(Value::as_str) == Some(DEFAULT);
            let found = named.iter().find(is_default);
            let source = found.and_then(|one| one.get("template")?.as_str());
            source.ok_or_else(|| {
                fault("tokenizer_config.json: `chat_template` names several, and none of them is the default")
            })
        }
        _ => Err(fault(
            "tokenizer_config.json: `chat_template` is neither a text nor a list of named texts",
        )),
    }
}

/// Returns the special tokens, which are texts or described by an entry `content`.
fn tokens(config: &Map<String, Value>) -> BTreeMap<String, String> {
    let token = |name: &str| {
        let entry = config.get(name)?;
        let text = entry.as_str().or_else(|| entry.get("content")?.as_str())?;
        Some((name.to_owned(), text.to_owned()))
    };
    TOKENS.into_iter().filter_map(token).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Date, Role, Turn};

    fn files(config: &str, template: Option<&str>) -> ChatFiles {
        ChatFiles {
            tokenizer_config: Some(config.as_bytes().to_vec()),
            template: template.map(|text| text.as_bytes().to_vec()),
        }
    }

    fn rendered(files: &ChatFiles) -> Result<String, String> {
        let template = files.template().unwrap();
        let turns = [Turn::new(Role::User, "hi")];
        let text = template.render(&turns, Date::of_unix_seconds(0));
        text.map_err(|fault| fault.to_string())
    }

    #[test]
    fn the_template_is_found_in_each_of_its_places() {
        let text = r#"{"bos_token": {"content": "<s>"}, "chat_template": "{{ bos_token }}{{ messages[0].content }}"}"#;
        assert_eq!(rendered(&files(text, None)), Ok("<s>hi".to_owned()));
        assert_eq!(
            rendered(&files(text, Some("{{ bos_token }}!\n"))),
            Ok("<s>!".to_owned())
        );
        let named = r#"{"chat_template": [{"name": "tool_use", "template": "1"}, {"name": "default", "template": "2"}]}"#;
        assert_eq!(rendered(&files(named, None)), Ok("2".to_owned()));
        for none in ["{}", r#"{"chat_template": null}"#] {
            assert_eq!(files(none, None).template(), None);
        }
        assert_eq!(ChatFiles::default().template(), None);
    }

    #[test]
    fn a_template_that_cannot_be_read_says_why() {
        for (config, words) in [
            ("{", "tokenizer_config.json cannot be read"),
            (r#"{"chat_template": 3}"#, "neither a text nor a list"),
            (
                r#"{"chat_template": [{"name": "rag", "template": ""}]}"#,
                "none of them is the default",
            ),
        ] {
            let refused = rendered(&files(config, None)).unwrap_err();
            assert!(refused.contains(words), "{refused}");
        }
    }

    proptest! {
        #[test]
        fn any_template_is_run_or_refused(source in "(\\{\\{|\\{%|%\\}|\\}\\}|[a-z (){}|'\\[\\]~+.-]|for |in |if |endfor|messages){0,24}") {
            let template = Template::new(&source, BTreeMap::new());
            // Either is an answer; a panic is none.
            drop(template.render(&[Turn::new(Role::User, "hi")], Date::of_unix_seconds(0)));
        }
    }
}
