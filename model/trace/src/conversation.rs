//! Conversations with a model, and faults of the template that writes them as one text.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The side that says a turn of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The instructions in front of the conversation.
    System,
    /// The visitor who asks.
    User,
    /// The model that answers.
    Assistant,
}

impl Role {
    /// Returns the name of the role in templates.
    pub fn name(self) -> &'static str {
        match self {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
        }
    }
}

/// A turn of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// The side that says it.
    pub role: Role,
    /// The text of the turn.
    pub content: String,
}

impl Turn {
    /// Creates a turn of that side.
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Turn {
            role,
            content: content.into(),
        }
    }
}

/// The reason why a chat template writes no text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateFault {
    /// The line of the template, from 1; `None` if the fault is none of a line.
    pub line: Option<usize>,
    /// The reason, in the words of the template engine or of the template.
    pub reason: String,
}

impl fmt::Display for TemplateFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "the chat template, line {line}: {}", self.reason),
            None => write!(f, "the chat template: {}", self.reason),
        }
    }
}

impl std::error::Error for TemplateFault {}
