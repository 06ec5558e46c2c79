//! Prints the attention weights of one head on a text, a row for each query and a column for each key.
//!
//! ```sh
//! cargo run --release -p attention-model --example trace -- \
//!     assets/models/positions/rope abcdefgh decoder.1.self 0
//! ```
//!
//! The arguments are the folder of a checkpoint (`config.json`, `model.safetensors`, `tokenizer.json`), a text, an attention
//! layer and a head; layers and heads count from 0. Every family of `attention_model` can be read. A model that translates
//! first writes at most 16 tokens greedily, so that its decoder has rows.
//!
//! The table is made for short texts: a terminal wraps the lines of more than some 20 keys. Weights are rounded to two decimals.
//! The example makes no edits, has no other search and runs on the CPU alone; `attn trace` writes every array of a pass.

use std::env;
use std::error::Error;
use std::path::Path;

use attention_model::checkpoint::Checkpoint;
use attention_model::device;
use attention_model::inference::RunOptions;
use attention_trace::{AttentionLayer, Generates, Quantities, Quantity, Search, Trace};
use pollster::block_on;

/// The most tokens that a translator writes.
const TRANSLATION: usize = 16;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [folder, text, attention, head] = arguments.as_slice() else {
        return Err("the arguments are FOLDER TEXT LAYER HEAD".into());
    };
    let attention = AttentionLayer::try_from(attention.clone())?;
    let trace = record(Path::new(folder), text)?;
    let table = table(&trace, attention, head.parse()?);
    print!("{}", table.ok_or("the model has no such head")?);
    Ok(())
}

/// Opens a checkpoint and records the attention weights of one pass.
fn record(folder: &Path, text: &str) -> Result<Trace, Box<dyn Error>> {
    let device = device::cpu();
    let checkpoint = Checkpoint::open(folder, &device)?;
    let translates = checkpoint.spec().generates == Generates::TextFromText;
    let options = RunOptions {
        search: Search::Greedy,
        prefix: vec![],
        max_new_tokens: if translates { TRANSLATION } else { 0 },
        quantities: Quantities::of(&[Quantity::Pattern]),
        edits: vec![],
    };
    let written = block_on(checkpoint.decode(text, &options, &device, async |_| true))?;
    let trace = block_on(checkpoint.trace(text, &written, &options, &device))?;
    Ok(trace)
}

/// Formats the weights of a head; `None` if the trace has no such head.
fn table(trace: &Trace, attention: AttentionLayer, head: usize) -> Option<String> {
    let weights = trace.array(attention.at(Quantity::Pattern))?.matrix(head)?;
    let (queries, keys) = trace.meta.axes(attention.kind);
    let mut table = cell("");
    table.extend(keys.iter().map(|key| cell(&key.text)));
    for (query, row) in queries.iter().zip(weights.chunks(keys.len())) {
        table.push('\n');
        table.push_str(&cell(&query.text));
        table.extend(row.iter().map(|weight| cell(&format!("{weight:.2}"))));
    }
    table.push('\n');
    Some(table)
}

/// Returns the text at the right of a cell; of a long token, its first characters.
fn cell(text: &str) -> String {
    format!("{text:>7.6}")
}
