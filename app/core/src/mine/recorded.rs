//! Recorded passes from the visitor's disk: traces, as the page and `attn trace` write them.

use std::sync::Arc;

use attention_protocol::{Answer, FilesFault, Question, ResultQuestion};
use attention_trace::{
    LensAnswer, LensQuestion, Quantity, Token, Trace, TraceError, WordMark, card::sort_tensors,
};
use serde_json::Value;
use web_sys::Blob;

use super::{
    About, Picked,
    chosen::Part,
    weights::{LENGTH_BYTES, Types, header_bytes},
};
use crate::state::MineId;

/// The ending of a trace's name.
const ENDING: &str = ".safetensors";
/// The path to the entry that makes a safetensors file a trace, within its header.
const ENTRY: &str = "/__metadata__/trace";
/// The size in bytes of the largest trace that is read; it is held in memory whole.
const LARGEST_BYTES: u64 = 1 << 30;

/// A pass that was recorded elsewhere or earlier, without the model that made it.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The record of the pass.
    pub trace: Arc<Trace>,
    /// The text that the model read, as it was typed if the file says so.
    pub text: String,
}

impl Recorded {
    /// Returns the answer to a question that the record itself has: what each layer would say, if that was recorded.
    pub fn answer(&self, question: &Question) -> Option<Answer> {
        match question {
            Question::Result {
                question: ResultQuestion::Lens(LensQuestion::Layers { words }),
                ..
            } => {
                let mut lens = self.trace.lens.clone()?;
                for reading in lens.layers.iter_mut().flatten() {
                    reading.words.truncate(*words);
                }
                Some(Answer::Lens(LensAnswer::Layers(lens)))
            }
            _ => None,
        }
    }
}

/// Returns the trace among the chosen files, if they are a single one; `None` if they are something else.
///
/// # Errors
/// If the file is a trace that cannot be read.
pub async fn recorded(picked: &[Picked]) -> Result<Option<(About, Recorded)>, FilesFault> {
    let [Picked { path, file }] = picked else {
        return Ok(None);
    };
    let Some(stem) = stem(path) else {
        return Ok(None);
    };
    let file: Blob = file.clone().into();
    let part = Part {
        name: path,
        file: &file,
    };
    let bytes = part.bytes();
    let first = part.read(0, LENGTH_BYTES.min(bytes)).await?;
    // The fault of a checkpoint would name another file.
    let length = header_bytes(&first, bytes).map_err(|_| FilesFault::Unfit {
        reason: format!("{path} does not begin as a safetensors file does"),
    })?;
    let header = part.read(LENGTH_BYTES, LENGTH_BYTES + length).await?;
    if !is_trace(&header) {
        return Ok(None);
    }
    if bytes > LARGEST_BYTES {
        return Err(FilesFault::TooLarge {
            bytes,
            limit: LARGEST_BYTES,
        });
    }
    let mut types = Types::default();
    let mut tensors = types.add_header(&header)?;
    sort_tensors(&mut tensors);
    let end = part.end().await?;
    let trace = Trace::from_safetensors(&part.read(0, bytes).await?);
    let trace = trace.and_then(checked);
    let trace = trace.map_err(|error| FilesFault::Unfit {
        reason: format!("{path}: {error}"),
    })?;
    let about = About {
        id: MineId::of(&[&header, &end]),
        name: stem.to_owned(),
        model_type: trace.meta.spec.model_type.clone(),
        licence: None,
        bytes,
        loaded_bytes: bytes,
        types,
        tensors: tensors.into(),
        served: None,
    };
    let typed = trace.origin.text.clone();
    let recorded = Recorded {
        text: typed.unwrap_or_else(|| text(&trace)),
        trace: Arc::new(trace),
    };
    Ok(Some((about, recorded)))
}

/// Returns a trace whose weights can be shown: whole maps, or the thumbnails of a text too long for them.
fn checked(trace: Trace) -> Result<Trace, TraceError> {
    let has = |quantity| trace.arrays.keys().any(|site| site.quantity == quantity);
    if has(Quantity::Pattern) || !has(Quantity::Thumbnail) {
        trace.check_weights()?;
    }
    Ok(trace)
}

/// Returns the name of a file without its folder and ending; `None` if the ending is not that of a trace.
fn stem(path: &str) -> Option<&str> {
    path.rsplit('/').next()?.strip_suffix(ENDING)
}

/// True if the header of a safetensors file has the entry of a trace.
fn is_trace(header: &[u8]) -> bool {
    let header = serde_json::from_slice::<Value>(header);
    header.is_ok_and(|header| header.pointer(ENTRY).is_some())
}

/// Returns the text that the model read, made of its tokens: of a decoder's, those before the first that it wrote.
fn text(trace: &Trace) -> String {
    let meta = &trace.meta;
    let read = match (&trace.decoding, meta.source.as_slice()) {
        (Some(decoding), []) => {
            let written_from = decoding.steps.first().map(|step| step.row + 1);
            let end = written_from.unwrap_or(usize::MAX).min(meta.target.len());
            &meta.target[..end]
        }
        (None, []) => &meta.target,
        (_, source) => source,
    };
    let shown = read.iter().filter(|token| !meta.pieces.is_special(token));
    let shown = shown.map(|token| spaced(token, &meta.pieces.words));
    shown.collect::<String>().trim().to_owned()
}

/// Returns a token's text with the space that its mark stands for.
fn spaced(token: &Token, words: &WordMark) -> String {
    match words {
        WordMark::Start => token.text.replace('▁', " "),
        WordMark::Continuation(prefix) => match token.text.strip_prefix(prefix.as_str()) {
            Some(rest) => rest.to_owned(),
            None => format!(" {}", token.text),
        },
        WordMark::End(suffix) => token.text.replace(suffix.as_str(), " "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(text: &str) -> Token {
        Token {
            id: 9,
            text: text.to_owned(),
            unknown: false,
        }
    }

    #[test]
    fn pieces_are_joined_to_words() {
        let joined = |words: WordMark, pieces: &[&str]| -> String {
            let pieces = pieces.iter().map(|piece| spaced(&token(piece), &words));
            pieces.collect::<String>().trim().to_owned()
        };
        assert_eq!(
            joined(WordMark::Start, &["▁Je", "▁étudi", "ant"]),
            "Je étudiant"
        );
        let continued = WordMark::Continuation("##".to_owned());
        assert_eq!(joined(continued, &["un", "##able", "to"]), "unable to");
        let ended = WordMark::End("</w>".to_owned());
        assert_eq!(joined(ended, &["un", "able</w>", "to</w>"]), "unable to");
    }

    #[test]
    fn a_trace_is_known_by_its_metadata() {
        assert!(is_trace(br#"{"__metadata__":{"trace":"{}"},"a":{}}"#));
        assert!(!is_trace(br#"{"__metadata__":{"format":"pt"},"trace":{}}"#));
        assert!(!is_trace(b"{"));
    }

    #[test]
    fn a_file_is_named_without_its_folder() {
        assert_eq!(stem("traces/je-suis.safetensors"), Some("je-suis"));
        assert_eq!(stem("model.gguf"), None);
    }
}
