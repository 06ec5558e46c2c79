//! The normalizer of a `tokenizer.json`, with a limit on the length of its output: Unicode replaces a character by a
//! few at most, and a million indicates a faulty file or an attack.

use std::cell::RefCell;

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::Value;
use thiserror::Error;
use tokenizers::normalizers::NormalizerWrapper;
use tokenizers::utils::SysRegex;
use tokenizers::{NormalizedString, Normalizer};

/// The factor by which a text may grow: U+FDFA alone is eleven times longer when it is written out.
const MOST_GROWTH: usize = 64;
/// The number of bytes that a text may always grow by, however short it is.
const ALWAYS_BYTES: usize = 1024;
/// The length in bytes beyond which a text may become at most four times longer.
const LONG_BYTES: usize = 16 << 20;
/// The length in bytes up to which replacements need not be counted in advance.
const SHORT_BYTES: usize = 4;

/// The error for a text that a normalizer makes too long.
#[derive(Debug, Error)]
#[error("the normalizer expands a text of {given} bytes to more than {limit} bytes")]
struct TooLong {
    limit: usize,
    given: usize,
}

/// The steps of a normalizer, one after the other.
#[derive(Debug)]
pub struct Bounded(Vec<Step>);

/// A step, and the pattern of a replacement.
#[derive(Debug)]
struct Step {
    normalizer: NormalizerWrapper,
    pattern: Option<Pattern>,
}

/// The pattern of a replacement, as the file writes it.
#[derive(Debug)]
enum Pattern {
    Text(String),
    Regex(SysRegex),
}

impl Pattern {
    fn count(&self, text: &str) -> usize {
        match self {
            Pattern::Text(pattern) => text.matches(pattern.as_str()).count(),
            Pattern::Regex(pattern) => pattern.find_iter(text).count(),
        }
    }
}

impl<'de> Deserialize<'de> for Bounded {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut steps = vec![];
        add_steps(Value::deserialize(deserializer)?, &mut steps).map_err(D::Error::custom)?;
        Ok(Bounded(steps))
    }
}

fn add_steps(mut value: Value, steps: &mut Vec<Step>) -> tokenizers::Result<()> {
    if let Some(Value::Array(inner)) = value.get_mut("normalizers").map(Value::take) {
        return inner
            .into_iter()
            .try_for_each(|value| add_steps(value, steps));
    }
    let pattern = match (&value["pattern"]["String"], &value["pattern"]["Regex"]) {
        (Value::String(text), _) => Some(Pattern::Text(text.clone())),
        (_, Value::String(regex)) => Some(Pattern::Regex(SysRegex::new(regex)?)),
        _ => None,
    };
    steps.push(Step {
        normalizer: serde_json::from_value(value)?,
        pattern,
    });
    Ok(())
}

thread_local! {
    /// The fault in the last text of this thread: the crate continues with a text that could not be normalised.
    static FAULT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Takes the reason why a text of this thread could not be normalised.
pub fn take_fault() -> Option<String> {
    FAULT.take()
}

impl Normalizer for Bounded {
    fn normalize(&self, text: &mut NormalizedString) -> tokenizers::Result<()> {
        let done = self.steps(text);
        if let Err(fault) = &done {
            FAULT.set(Some(fault.to_string()));
        }
        done
    }
}

impl Bounded {
    fn steps(&self, text: &mut NormalizedString) -> tokenizers::Result<()> {
        let given = text.len_original();
        let limit = (MOST_GROWTH * given + ALWAYS_BYTES).min(LONG_BYTES.max(4 * given));
        let check = |bytes: usize| match bytes <= limit {
            true => Ok(()),
            false => Err(TooLong { limit, given }),
        };
        for step in &self.0 {
            check(step.foreseen(text.get()))?;
            step.normalizer.normalize(text)?;
            check(text.len())?;
        }
        Ok(())
    }
}

impl Step {
    /// Returns the number of bytes of the normalised text, or more, if a character can become many; otherwise the
    /// number of bytes of the text.
    fn foreseen(&self, text: &str) -> usize {
        match &self.normalizer {
            NormalizerWrapper::Prepend(prepend) => text.len() + prepend.prepend.len(),
            NormalizerWrapper::Replace(replace) if replace.content.len() > SHORT_BYTES => {
                let found = self.pattern.as_ref();
                let found = found.map_or(0, |pattern| pattern.count(text));
                text.len() + found.saturating_mul(replace.content.len())
            }
            NormalizerWrapper::Precompiled(map) => {
                let written = |(at, character): (usize, char)| {
                    let written = map.transform(&text[at..]);
                    written.map_or(character.len_utf8(), str::len)
                };
                text.char_indices().map(written).sum()
            }
            _ => text.len(),
        }
    }
}
