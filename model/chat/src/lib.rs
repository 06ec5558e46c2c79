//! Chat templates: a conversation as the one text that an instruct model reads.
//!
//! A checkpoint has its template in `tokenizer_config.json` or `chat_template.jinja`. It is a program in Jinja, which
//! [`Template::render`] runs as `apply_chat_template` of `transformers` does. A template can reach nothing but the
//! conversation, the special tokens and the date, and its work is limited.

#![warn(missing_docs)]

mod date;
mod environment;
mod files;
mod json;

pub use attention_trace::{Role, TemplateFault, Turn};

pub use self::date::Date;
use self::environment::{environment, fault};
pub use self::files::ChatFiles;

use std::collections::BTreeMap;

use minijinja::{Value, context};

/// The name of the template in the engine.
const NAME: &str = "chat";

/// A checkpoint's chat template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// The program, or the reason why the files have none that can be run.
    source: Result<String, TemplateFault>,
    /// The special tokens that templates name, as `bos_token`.
    tokens: BTreeMap<String, String>,
}

impl Template {
    /// Creates a template from its program, with the special tokens by the names that templates have for them.
    pub fn new(source: &str, tokens: BTreeMap<String, String>) -> Self {
        Template {
            source: Ok(environment::without_generation_tags(source)),
            tokens,
        }
    }

    /// Returns the text of a conversation that the model is to answer, with all special tokens spelled out.
    ///
    /// # Errors
    /// If the template is none, refuses the conversation, or does not end.
    pub fn render(&self, turns: &[Turn], date: Date) -> Result<String, TemplateFault> {
        let source = self.source.as_ref().map_err(Clone::clone)?;
        let mut engine = environment(date);
        engine.add_template(NAME, source).map_err(|it| fault(&it))?;
        let template = engine.get_template(NAME).map_err(|it| fault(&it))?;
        let messages = turns.iter().map(|turn| {
            context! { role => turn.role.name(), content => turn.content.as_str() }
        });
        let mut context: BTreeMap<&str, Value> = self
            .tokens
            .iter()
            .map(|(name, token)| (name.as_str(), Value::from(token.as_str())))
            .collect();
        context.insert("messages", messages.collect());
        context.insert("add_generation_prompt", Value::from(true));
        for absent in ["tools", "documents"] {
            context.insert(absent, Value::from(()));
        }
        template
            .render(Value::from(context))
            .map_err(|it| fault(&it))
    }

    /// Returns the beginning that all conversations have, on all days, by which their texts are recognised.
    ///
    /// # Errors
    /// If the template writes no conversation at all.
    pub fn opening(&self) -> Result<String, TemplateFault> {
        let [date, another] = [0, 1_709_211_900].map(Date::of_unix_seconds);
        let first = self.render(&[Turn::new(Role::User, "a")], date)?;
        let others = [
            vec![Turn::new(Role::User, "b")],
            vec![Turn::new(Role::System, "c"), Turn::new(Role::User, "b")],
        ];
        let mut common = first.as_str();
        for turns in others {
            // Some templates have no place for a system message.
            if let Ok(other) = self.render(&turns, another) {
                common = common_beginning(common, &other);
            }
        }
        Ok(common.to_owned())
    }
}

/// Returns the characters that both texts begin with.
fn common_beginning<'a>(text: &'a str, other: &str) -> &'a str {
    let mut pairs = text.char_indices().zip(other.chars());
    let end = pairs.find(|((_, own), other)| own != other);
    let end = end.map_or(text.len().min(other.len()), |((at, _), _)| at);
    text.get(..end).unwrap_or(text)
}
