//! Tokens as `config.json` writes them: one, several, or none.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Tokens under one name: a number, a list of them, or `null`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens(Vec<u32>);

impl Tokens {
    /// All of them, in the file's order.
    pub fn as_slice(&self) -> &[u32] {
        &self.0
    }

    /// Returns the first token, for places that take only one.
    pub fn first(&self) -> Option<u32> {
        self.0.first().copied()
    }

    /// True if there are no tokens.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<u32> for Tokens {
    fn from(token: u32) -> Self {
        Tokens(vec![token])
    }
}

impl Serialize for Tokens {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [] => serializer.serialize_none(),
            [token] => token.serialize(serializer),
            tokens => tokens.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Tokens {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(
            untagged,
            expecting = "expected the number of a token, a list of such numbers, or null"
        )]
        enum Written {
            None(()),
            One(u32),
            Several(Vec<u32>),
        }
        match Written::deserialize(deserializer)? {
            Written::None(()) => Ok(Tokens::default()),
            Written::One(token) => Ok(token.into()),
            Written::Several(tokens) if tokens.is_empty() => {
                Err(D::Error::custom("a list of tokens is empty"))
            }
            Written::Several(tokens) => Ok(Tokens(tokens)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn one_several_and_none_are_read_and_written() {
        for (written, tokens) in [
            (json!(5), &[5][..]),
            (json!([5, 1]), &[5, 1]),
            (Value::Null, &[]),
        ] {
            let read: Tokens = serde_json::from_value(written.clone()).unwrap();
            assert_eq!(read.as_slice(), tokens);
            assert_eq!(serde_json::to_value(read).unwrap(), written);
        }
    }

    #[test]
    fn what_is_no_token_is_refused() {
        for written in [
            json!([]),
            json!("</s>"),
            json!(-1),
            json!(1.5),
            json!([[1]]),
        ] {
            assert!(serde_json::from_value::<Tokens>(written).is_err());
        }
    }
}
