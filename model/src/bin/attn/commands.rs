//! The implementations of the subcommands.

use std::borrow::Cow;
use std::error::Error;
use std::io::{self, BufRead, IsTerminal, StdinLock, Write};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use attention_chat::{Date, Role, Turn};
use attention_model::checkpoint::Checkpoint;
use attention_model::decoding::Sequence;
use attention_model::error::ModelError;
use attention_model::evaluation::{
    Columns, LineFault, PairFilter, evaluate, line_of, translate as translate_text,
};
use attention_model::inference::RunOptions;
use attention_model::picture;
use attention_model::training::{self, Recipe};
use attention_model::weights::round_to_grid;
use attention_trace::{Edit, Generates, Quantities, Quantity};
use pollster::block_on;

use crate::batch::{Batch, pairs_for};
use crate::hub::local;
use crate::io::{Outcome, open, progress_bar, read, read_bytes, write};
use crate::lengths;
use crate::options::{EvalOptions, RoundOptions, TraceOptions, TrainOptions, TranslateOptions};
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
            device: options.device.device(),
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
    let device = options.model.device.device();
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

/// The number of classes of a picture that are printed.
const SHOWN_CLASSES: usize = 5;

/// Returns the next line of standard input; `None` at the end.
fn next_line(input: &mut StdinLock<'_>) -> io::Result<Option<Result<String, LineFault>>> {
    let mut bytes = vec![];
    match input.read_until(b'\n', &mut bytes)? {
        0 => Ok(None),
        _ => Ok(Some(line_of(&bytes).map(str::to_owned))),
    }
}

/// Returns true if the error concerns a single text, so that the next one may succeed.
fn is_of_text(error: &ModelError) -> bool {
    matches!(
        error,
        ModelError::InputTooLong { .. } | ModelError::UnknownToken(_) | ModelError::Tokenizer(_)
    )
}

pub fn read_edits(path: &Path) -> Result<Vec<Edit>, Box<dyn Error>> {
    let edits = serde_json::from_str(&read(path)?);
    edits.map_err(|error| format!("{}: {error}", path.display()).into())
}

/// Decodes the text, or reads the given target, and writes the arrays that the pass recorded.
pub fn trace(options: TraceOptions) -> Outcome {
    let device = options.model.device.device();
    let checkpoint = open(&options.model, &device)?;
    let quantities = if options.weights_only {
        Quantities::of(&[Quantity::Pattern])
    } else {
        Quantities::all()
    };
    let mut run = RunOptions {
        search: options.search.search(),
        prefix: vec![],
        max_new_tokens: options.max_new_tokens,
        quantities,
        edits: vec![],
    };
    if let Some(target) = &options.target {
        run.prefix = target_tokens(&checkpoint, target)?;
        run.max_new_tokens = run.prefix.len();
    }
    let text = input(&checkpoint, &options)?;
    let trace = block_on(async {
        let sequences: Vec<Sequence> = checkpoint
            .decode(&text, &run, &device, async |_| true)
            .await?;
        checkpoint.trace(&text, &sequences, &run, &device).await
    })?;
    write(&options.out, &trace.to_safetensors()?)?;
    let text = trace
        .decoding
        .and_then(|decoding| decoding.hypotheses.into_iter().next());
    if let Some(guess) = trace.guesses.first().filter(|_| options.image.is_some()) {
        for candidate in guess.candidates.iter().take(SHOWN_CLASSES) {
            let probability = candidate.log_probability.exp();
            println!("{probability:.4}  {}", escaped(&candidate.token.text));
        }
    }
    eprintln!(
        "{} arrays of “{}” in {}",
        trace.arrays.len(),
        text.map_or_else(String::new, |hypothesis| escaped(&hypothesis.text)),
        options.out.display()
    );
    Ok(())
}

/// Returns the text that a checkpoint reads: the one given, a conversation, or the name of the picture that it is shown.
fn input(checkpoint: &Checkpoint, options: &TraceOptions) -> Result<String, Box<dyn Error>> {
    if let Some(path) = &options.image {
        let name = path.display().to_string();
        checkpoint.show(&name, &picture::open(path)?)?;
        return Ok(name);
    }
    if checkpoint.spec().reads_pictures() {
        return Err("this model reads a picture: name it by --image".into());
    }
    let text = options.text.clone().unwrap_or_default();
    match options.chat {
        true => conversation(checkpoint, options.system.as_deref(), &text),
        false => Ok(text),
    }
}

/// Returns the text of a conversation, by the chat template of the model. Its date is today's in coordinated universal time.
fn conversation(
    checkpoint: &Checkpoint,
    system: Option<&str>,
    question: &str,
) -> Result<String, Box<dyn Error>> {
    let template = checkpoint.chat.as_ref();
    let template = template.ok_or("the model has no chat template: leave out --chat")?;
    let system = system.map(|system| Turn::new(Role::System, system));
    let turns: Vec<Turn> = system
        .into_iter()
        .chain([Turn::new(Role::User, question)])
        .collect();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
    Ok(template.render(&turns, Date::of_unix_seconds(now.as_secs()))?)
}

/// Returns the tokens of a target; a translator's end with the end of the sentence.
pub fn target_tokens(checkpoint: &Checkpoint, target: &str) -> Result<Vec<u32>, ModelError> {
    let target = checkpoint.encode_target(target)?;
    Ok(target.tokens.iter().map(|token| token.id).collect())
}

/// Prints the scores and the time that they took.
pub fn eval(options: EvalOptions) -> Outcome {
    let device = options.model.device.device();
    let checkpoint = open(&options.model, &device)?;
    let Some(path) = &options.pairs else {
        return lengths::eval(
            &checkpoint,
            &options.model.path()?,
            &options.lengths,
            &device,
        );
    };
    let columns = Columns {
        source: checkpoint.spec().reads_source().then_some(options.source),
        target: options.target,
        english: options.english,
    };
    let file = (path.as_path(), columns, PairFilter::of(options.test_split));
    let (pairs, batch) = pairs_for(&checkpoint, file, options.prefix.as_deref())?;
    let bar = progress_bar(pairs.len())?;
    let began = Instant::now();
    let search = options.search.search();
    let tokenizer = options.tokenizer.into();
    let scored = evaluate(&checkpoint, &pairs, search, tokenizer, &device, || {
        bar.inc(1);
    });
    let scores = block_on(scored)?;
    bar.finish_and_clear();
    println!("pairs       {}", scores.pairs);
    if let Some(bleu) = scores.bleu {
        println!("BLEU        {bleu:.2}");
    }
    println!("perplexity  {:.3}", scores.perplexity);
    println!("seconds     {:.0}", began.elapsed().as_secs_f64());
    if let Some(path) = &options.lengths.json {
        write(path, &serde_json::to_vec_pretty(&scores)?)?;
    }
    batch.finish()
}

/// Rounds the weights of a checkpoint.
pub fn round(options: &RoundOptions) -> Outcome {
    let weights = read_bytes(&options.weights)?;
    write(&options.out, &round_to_grid(&weights, options.bits)?)?;
    Ok(())
}
