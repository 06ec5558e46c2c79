//! A share of the lines of a corpus, so that several processes can divide it.

use std::fmt::{Display, Formatter, Result as FmtResult};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The lines `index`, `index + of`, `index + 2 of`, … of a file, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    /// The number of the shard, from 1 to `of`.
    pub index: usize,
    /// The number of shards.
    pub of: usize,
}

impl Shard {
    /// All lines of a file.
    pub const WHOLE: Shard = Shard { index: 1, of: 1 };

    /// Returns true if a line, counted from 1, belongs to the shard.
    pub fn has(self, line: usize) -> bool {
        line % self.of == self.index % self.of
    }
}

/// The error for text that is not a shard.
#[derive(Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no shard such as 2/8, the second of eight")]
pub struct NoShard(String);

impl FromStr for Shard {
    type Err = NoShard;

    fn from_str(text: &str) -> Result<Self, NoShard> {
        let shard = text.split_once('/').and_then(|(index, of)| {
            let (index, of) = (index.parse().ok()?, of.parse().ok()?);
            (1..=of).contains(&index).then_some(Shard { index, of })
        });
        shard.ok_or_else(|| NoShard(text.to_owned()))
    }
}

impl TryFrom<String> for Shard {
    type Error = NoShard;

    fn try_from(text: String) -> Result<Self, NoShard> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}

impl Display for Shard {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> FmtResult {
        write!(formatter, "{}/{}", self.index, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_belongs_to_one_shard() {
        for of in 1..6 {
            for line in 1..40 {
                let having = (1..=of).filter(|&index| Shard { index, of }.has(line));
                assert_eq!(having.count(), 1, "line {line} of {of} shards");
            }
        }
        assert!(Shard { index: 3, of: 3 }.has(6));
    }

    #[test]
    fn a_shard_is_written_as_it_is_given() {
        let shard: Shard = "2/8".parse().unwrap();
        assert_eq!(shard, Shard { index: 2, of: 8 });
        assert_eq!(serde_json::to_string(&shard).unwrap(), "\"2/8\"");
        for wrong in ["0/3", "4/3", "1", "1/0", "a/b", "-1/3", "1/3/3"] {
            assert_eq!(wrong.parse::<Shard>(), Err(NoShard(wrong.to_owned())));
            let json = format!("\"{wrong}\"");
            assert!(serde_json::from_str::<Shard>(&json).is_err());
        }
    }
}
