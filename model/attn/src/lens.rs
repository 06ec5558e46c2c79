//! `attn lens`: the predictions of each layer for the next word, and the contribution of each part of the model to a
//! word's logit.

use std::error::Error;

use attention_model::checkpoint::Checkpoint;
use attention_model::decoding::Sequence;
use attention_model::error::ModelError;
use attention_model::inference::RunOptions;
use attention_trace::{Attribution, Edit, Lens, Part, Quantities, Reading, Stack, Token, Wanted};
use burn::tensor::Device;
use pollster::block_on;

use crate::commands::{read_edits, target_tokens};
use crate::io::{Outcome, open};
use crate::options::LensOptions;
use crate::terminal::escaped;

/// Columns of a word in the table of layers.
const WORD_COLUMNS: usize = 14;

/// Prints the table of layers and positions, and the parts of a logit.
pub fn lens(options: &LensOptions) -> Outcome {
    let device = options.model.device.device()?;
    let checkpoint = open(&options.model, &device)?;
    let edits = match &options.edits {
        Some(path) => read_edits(path)?,
        None => vec![],
    };
    let sequences = decoded(&checkpoint, options, &edits, &device)?;
    let text = &options.text;
    let lens = block_on(checkpoint.lens(text, &sequences, 1, &edits, &device))?;
    let read = tokens_read(&checkpoint, text, &sequences, &edits, &device)?;
    print_lens(&lens, &read);
    if !checkpoint.spec().has_attribution() {
        println!(
            "\nA non-linear layer stands before the logits: they are no sum over the model's parts."
        );
        return Ok(());
    }
    let written = sequences.first().map_or(0, |first| first.tokens.len());
    let row = options
        .position
        .unwrap_or(read.len().saturating_sub(written.max(1)));
    let answer = lens.answers.get(row).ok_or("there is no such position")?;
    let token = token(&checkpoint, options.token.as_deref())?;
    let wanted = Wanted {
        row,
        token: token.unwrap_or(answer.id),
        against: self::token(&checkpoint, options.against.as_deref())?,
    };
    let found = block_on(checkpoint.attribute(text, &sequences, wanted, &edits, &device))?;
    print_parts(&checkpoint, wanted, &found);
    Ok(())
}

/// Returns the given target, or the one that the model writes.
fn decoded(
    checkpoint: &Checkpoint,
    options: &LensOptions,
    edits: &[Edit],
    device: &Device,
) -> Result<Vec<Sequence>, ModelError> {
    let prefix = match &options.target {
        Some(target) => target_tokens(checkpoint, target)?,
        None => vec![],
    };
    let run = RunOptions {
        search: options.search.search(),
        max_new_tokens: match &options.target {
            Some(_) => prefix.len(),
            None => options.max_new_tokens,
        },
        prefix,
        quantities: Quantities::NONE,
        edits: edits.to_vec(),
    };
    block_on(checkpoint.decode(&options.text, &run, device, async |_| true))
}

/// Returns the tokens that are read by the stack whose states become logits.
fn tokens_read(
    checkpoint: &Checkpoint,
    text: &str,
    sequences: &[Sequence],
    edits: &[Edit],
    device: &Device,
) -> Result<Vec<Token>, ModelError> {
    let run = RunOptions {
        search: attention_trace::Search::Greedy,
        prefix: vec![],
        max_new_tokens: 0,
        quantities: Quantities::NONE,
        edits: edits.to_vec(),
    };
    let meta = block_on(checkpoint.trace(text, sequences, &run, device))?.meta;
    let stack: Stack = meta.spec.last_stack();
    Ok(meta.tokens(stack).to_vec())
}

/// Parses a token by its spelling, or by its number after a `#`: `7` is the piece, `#7` the row of the table.
pub fn token(checkpoint: &Checkpoint, name: Option<&str>) -> Result<Option<u32>, Box<dyn Error>> {
    let Some(name) = name else { return Ok(None) };
    let is_number =
        |digits: &&str| !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
    if let Some(digits) = name.strip_prefix('#').filter(is_number) {
        let rows = checkpoint.spec().vocabulary;
        let id = digits.parse().ok().filter(|&id: &u32| (id as usize) < rows);
        let id =
            id.ok_or_else(|| format!("there is no token {name}: the model has {rows}, from #0"))?;
        return Ok(Some(id));
    }
    let id = checkpoint.tokenizer.id(name);
    let id = id.ok_or_else(|| no_token(checkpoint, name))?;
    Ok(Some(id))
}

/// Returns the message for a piece that the tokenizer lacks, with pieces of similar spelling.
fn no_token(checkpoint: &Checkpoint, name: &str) -> String {
    let word = format!("▁{name}");
    let hint = match checkpoint.tokenizer.id(&word) {
        Some(_) => format!("; at the beginning of a word it is “{word}”"),
        None if name.chars().all(|c| c.is_ascii_digit()) => {
            format!("; token number {name} is #{name}")
        }
        None => String::new(),
    };
    format!("the tokenizer has no token “{name}”{hint}")
}

/// Prints a row for each position and a column for each layer: the most probable word, and the rank and probability of
/// the token that follows.
fn print_lens(lens: &Lens, read: &[Token]) {
    println!(
        "position, token, what follows, then after each layer: most probable word, rank and probability of what follows"
    );
    for (row, answer) in lens.answers.iter().enumerate() {
        let own = read
            .get(row)
            .map_or_else(String::new, |token| escaped(&token.text));
        print!(
            "{row:>3} {own:<WORD_COLUMNS$} {:<WORD_COLUMNS$}",
            escaped(&answer.text)
        );
        for reading in lens.layers.iter().filter_map(|layer| layer.get(row)) {
            print!(" | {}", cell(reading));
        }
        println!();
    }
}

fn cell(reading: &Reading) -> String {
    let word = reading
        .words
        .first()
        .map_or_else(String::new, |word| escaped(&word.token.text));
    let (rank, share) = (reading.rank, 100.0 * reading.probability);
    format!("{word:<WORD_COLUMNS$} {rank:>5} {share:>5.1} %")
}

/// Prints the parts of a logit, one per line, and their sum.
fn print_parts(checkpoint: &Checkpoint, wanted: Wanted, found: &Attribution) {
    let name = |id: u32| escaped(&checkpoint.tokenizer.token(id).text);
    let of = match wanted.against {
        Some(other) => format!(
            "logit of “{}” less that of “{}”",
            name(wanted.token),
            name(other)
        ),
        None => format!("logit of “{}”", name(wanted.token)),
    };
    println!("\nposition {}, {of}: {:+.4}", wanted.row, found.logit);
    for share in &found.shares {
        println!("{:>+9.4}  {}", share.value, share.part);
    }
    let biases = found.shares.iter().filter(|share| share.part.is_bias());
    let heads = found
        .shares
        .iter()
        .filter(|share| matches!(share.part, Part::Head { .. }));
    println!(
        "{:>+9.4}  all heads",
        heads.map(|share| share.value).sum::<f32>()
    );
    println!(
        "{:>+9.4}  all biases",
        biases.map(|share| share.value).sum::<f32>()
    );
    println!("{:>+9.4}  sum of all parts", found.sum());
}
