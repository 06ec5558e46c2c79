//! `attn export`: one HTML file that replays a trace.

use std::error::Error;
use std::io::Write;
use std::path::Path;

use attention_model::files::read_any;
use attention_replay::{Options, html, shown};
use attention_trace::{LARGEST_TRACE_BYTES, Quantities, Quantity, Trace};
use flate2::{Compression, write::GzEncoder};

use crate::io::{Outcome, write};
use crate::options::ExportOptions;
use crate::trace::recorded;

/// The most characters of the text in a title that nobody gave.
const TITLE_CHARACTERS: usize = 60;

/// Writes the replay of a trace, or of the pass of a model.
pub fn export(options: &ExportOptions) -> Outcome {
    let (trace, name) = match (&options.trace, &options.pass) {
        (Some(path), _) => (read(path)?, path.display().to_string()),
        (None, Some(pass)) => {
            let patterns = Quantities::of(&[Quantity::Pattern]);
            (recorded(pass, patterns)?, "the pass".to_owned())
        }
        (None, None) => return Err("name a trace by --trace, or a model and a text".into()),
    };
    let trace = shown(&trace).map_err(|error| format!("{name}: {error}"))?;
    let mut encoder = GzEncoder::new(vec![], Compression::best());
    encoder.write_all(&trace.to_safetensors()?)?;
    let title = options.title.clone().unwrap_or_else(|| title(&trace));
    let settings = Options {
        language: options.language.clone(),
        caption: options.caption.clone(),
        ..Options::default()
    };
    let page = html(&title, &settings, &encoder.finish()?)?;
    write(&options.html, page.as_bytes())?;
    eprintln!("{} bytes in {}", page.len(), options.html.display());
    Ok(())
}

fn read(path: &Path) -> Result<Trace, Box<dyn Error>> {
    let bytes = read_any(path, LARGEST_TRACE_BYTES as u64)?;
    let trace = Trace::from_safetensors(&bytes);
    trace.map_err(|error| format!("{}: {error}", path.display()).into())
}

/// Returns the text and the model in few words.
fn title(trace: &Trace) -> String {
    let text = trace.origin.text.as_deref().map(|text| {
        let mut characters = text.chars();
        let start: String = characters.by_ref().take(TITLE_CHARACTERS).collect();
        match characters.next() {
            Some(_) => start + "…",
            None => start,
        }
    });
    let parts = [text, trace.origin.model.clone()];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match parts.is_empty() {
        true => "Attention Scope".to_owned(),
        false => parts.join(" · "),
    }
}
