//! The replay of a trace as one HTML file (`assets/replay`), as `attn export` writes it. The caller compresses the trace.

#![warn(missing_docs)]

mod files;

use attention_trace::{AttentionKind, Quantity, Trace, TraceError};
use base64::{Engine, prelude::BASE64_STANDARD};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The most bytes of attention weights that a replay holds, before compression.
pub const LARGEST_WEIGHTS_BYTES: usize = 1 << 28;

const MIB: f64 = (1 << 20) as f64;

/// A reason why a trace has no replay.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// The weights are missing or are no numbers, or the trace cannot be written.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// There are more weights than a replay holds.
    #[error(
        "the attention weights take {:.0} MiB, and a replay holds at most {:.0}: trace a shorter text",
        *.0 as f64 / MIB,
        LARGEST_WEIGHTS_BYTES as f64 / MIB
    )]
    TooLarge(usize),
    /// The options cannot be written as JSON.
    #[error("the options of the replay cannot be written: {0}")]
    Options(#[from] serde_json::Error),
    /// The shell names a file that is not among those of the replay.
    #[error("the replay has no file `{0}`")]
    File(String),
}

/// The first state of a replay; absent fields are chosen by it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// The language, `en` or `zh`; else the browser's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The theme, `light` or `dark`; else the system's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theme: Option<String>,
    /// The text under the figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
    /// The selection that is shown first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
}

/// A selection of heads and queries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// The kind of attention.
    pub kind: AttentionKind,
    /// The layer, from 0.
    pub layer: usize,
    /// The heads, from 0; of several, the mean is shown.
    pub heads: Vec<usize>,
    /// The queries, from 0; of several, the mean of the rows is shown.
    pub tokens: Vec<usize>,
}

/// The part of a trace that a replay shows: everything but the arrays that are no attention weights.
///
/// # Errors
/// If weights are missing, are not finite, or are too many.
pub fn shown(trace: &Trace) -> Result<Trace, ReplayError> {
    let mut shown = Trace {
        decoding: trace.decoding.clone(),
        guesses: trace.guesses.clone(),
        edits: trace.edits.clone(),
        lens: trace.lens.clone(),
        origin: trace.origin.clone(),
        ..Trace::new(trace.meta.clone())
    };
    let patterns = trace.arrays.iter();
    let patterns = patterns.filter(|(site, _)| site.quantity == Quantity::Pattern);
    let bytes = patterns.clone().map(|(_, array)| array.bytes().len()).sum();
    if bytes > LARGEST_WEIGHTS_BYTES {
        return Err(ReplayError::TooLarge(bytes));
    }
    shown.arrays = patterns
        .map(|(&site, array)| (site, array.clone()))
        .collect();
    shown.check_weights()?;
    Ok(shown)
}

/// Returns the HTML file that replays a trace: `gzip` is the gzip of [`shown`] as safetensors.
///
/// # Errors
/// If the options cannot be written.
pub fn html(title: &str, options: &Options, gzip: &[u8]) -> Result<String, ReplayError> {
    let mut rest = files::SHELL;
    let mut html = String::with_capacity(files::bytes() + gzip.len() / 3 * 4 + 4);
    // One pass over the shell, so that nothing that is put in is read as a mark.
    while let Some((before, (name, after))) = next_mark(rest) {
        html.push_str(before);
        match name {
            "title" => {
                html_escape::encode_double_quoted_attribute_to_string(title, &mut html);
            }
            // No tag begins within a script without this character.
            "options" => html.push_str(&serde_json::to_string(options)?.replace('<', "\\u003c")),
            "data" => BASE64_STANDARD.encode_string(gzip, &mut html),
            name => push_file(&mut html, name)?,
        }
        rest = after;
    }
    html.push_str(rest);
    Ok(html)
}

/// The text before the next mark, its name, and the text after it.
fn next_mark(text: &str) -> Option<(&str, (&str, &str))> {
    let (before, rest) = text.split_once("{{")?;
    Some((before, rest.split_once("}}")?))
}

/// Appends a file without its lines of imports: all scripts of the shell are one module.
fn push_file(html: &mut String, name: &str) -> Result<(), ReplayError> {
    let contents = files::find(name).ok_or_else(|| ReplayError::File(name.to_owned()))?;
    for line in contents.lines().filter(|line| !line.starts_with("import ")) {
        html.push_str(line);
        html.push('\n');
    }
    Ok(())
}

#[cfg(test)]
mod tests;
