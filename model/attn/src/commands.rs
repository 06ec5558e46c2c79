//! The implementations of the subcommands.

use std::borrow::Cow;
use std::error::Error;
use std::io::{self, BufRead, IsTerminal, StdinLock, Write};
use std::path::Path;
use std::time::Duration;

use attention_model::checkpoint::Checkpoint;
use attention_model::error::ModelError;
use attention_model::evaluation::{LineFault, line_of, translate as translate_text};
use attention_model::training::{self, Recipe};
use attention_model::weights::round_to_grid;
use attention_trace::{Edit, Generates};
use pollster::block_on;

use crate::batch::{Batch, is_of_text};
use crate::hub::local;
use crate::io::{Outcome, open, read, read_bytes, write};
use crate::options::{RoundOptions, TrainOptions, TranslateOptions};
use crate::terminal::{escaped, toml_fault};

/// Trains to the recipe's end, or to the time limit.
pub fn train(options: TrainOptions) -> Outcome {
    let text = read(&options.recipe)?;
    let recipe: Recipe =
        toml::from_str(&text).map_err(|error| toml_fault(&options.recipe, &text, &error))?;
    let from = options.from.as_deref().map(local).transpose()?;
    let from = from.map(Cow::into_owned);
    training::train(
        &recipe,
        &training::TrainOptions {
            data: options.data,
            from,
            out: options.out,
            device: options.device.device()?,
            workers: options.workers.into(),
            time_limit: options
                .minutes
                .map(|minutes| Duration::from_secs(60 * minutes)),
        },
    )?;
    Ok(())
}

/// Prints one translation per line; a line that is empty or cannot be read gives an empty line.
pub fn translate(options: TranslateOptions) -> Outcome {
    let device = options.model.device.device()?;
    let checkpoint = open(&options.model, &device)?;
    if checkpoint.spec().generates != Generates::TextFromText {
        return Err("this model does not make one text out of another".into());
    }
    let edits = match &options.edits {
        Some(path) => read_edits(path)?,
        None => vec![],
    };
    let search = options.search.search();
    let translated =
        |line: &str| block_on(translate_text(&checkpoint, line, search, &edits, &device));
    let mut output = std::io::stdout().lock();
    let mut input = std::io::stdin().lock();
    let mut batch = Batch::of("standard input");
    let mut number = 0;
    while let Some(line) = next_line(&mut input)? {
        number += 1;
        let translation = match line.map(|line| translated(&line)) {
            Ok(Ok(translation)) => translation,
            Ok(Err(ModelError::EmptyInput)) => String::new(),
            Ok(Err(error)) if is_of_text(&error) => {
                batch.leave_out(number, &error);
                String::new()
            }
            Ok(Err(error)) => return Err(format!("line {number}: {error}").into()),
            Err(fault) => {
                batch.leave_out(number, &fault);
                String::new()
            }
        };
        let shown = match output.is_terminal() {
            true => escaped(&translation),
            // A line for each line, whatever a model writes.
            false => translation.replace(['\n', '\r'], " "),
        };
        writeln!(output, "{shown}")?;
    }
    batch.finish()
}

/// Returns the next line of standard input; `None` at the end.
fn next_line(input: &mut StdinLock<'_>) -> io::Result<Option<Result<String, LineFault>>> {
    let mut bytes = vec![];
    match input.read_until(b'\n', &mut bytes)? {
        0 => Ok(None),
        _ => Ok(Some(line_of(&bytes).map(str::to_owned))),
    }
}

pub fn read_edits(path: &Path) -> Result<Vec<Edit>, Box<dyn Error>> {
    let edits = serde_json::from_str(&read(path)?);
    edits.map_err(|error| format!("{}: {error}", path.display()).into())
}

/// Returns the tokens of a target; a translator's end with the end of the sentence.
pub fn target_tokens(checkpoint: &Checkpoint, target: &str) -> Result<Vec<u32>, ModelError> {
    let target = checkpoint.encode_target(target)?;
    Ok(target.tokens.iter().map(|token| token.id).collect())
}

/// Rounds the weights of a checkpoint.
pub fn round(options: &RoundOptions) -> Outcome {
    let weights = read_bytes(&options.weights)?;
    write(&options.out, &round_to_grid(&weights, options.bits)?)?;
    Ok(())
}
