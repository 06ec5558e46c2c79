//! `attn trace`: the record of one pass.

use std::error::Error;
use std::path::Path;
use std::time::SystemTime;

use attention_chat::{Date, Role, Turn};
use attention_model::checkpoint::Checkpoint;
use attention_model::inference::RunOptions;
use attention_model::picture;
use attention_trace::{Origin, Quantities, Quantity, Trace};
use pollster::block_on;

use crate::commands::{read_edits, target_tokens};
use crate::io::{Outcome, open, write};
use crate::options::{PassOptions, TraceOptions};
use crate::terminal::escaped;

/// The number of classes of a picture that are printed.
const SHOWN_CLASSES: usize = 5;

/// Decodes the text, or reads the given target, and writes the arrays that the pass recorded.
pub fn trace(options: &TraceOptions) -> Outcome {
    let quantities = match options.weights_only {
        true => Quantities::of(&[Quantity::Pattern]),
        false => Quantities::all(),
    };
    let trace = recorded(&options.pass, quantities)?;
    write(&options.out, &trace.to_safetensors()?)?;
    let is_picture = options.pass.image.is_some();
    if let Some(guess) = trace.guesses.first().filter(|_| is_picture) {
        for candidate in guess.candidates.iter().take(SHOWN_CLASSES) {
            let probability = candidate.log_probability.exp();
            println!("{probability:.4}  {}", escaped(&candidate.token.text));
        }
    }
    let decoding = trace.decoding;
    let text = decoding.and_then(|decoding| decoding.hypotheses.into_iter().next());
    eprintln!(
        "{} arrays of “{}” in {}",
        trace.arrays.len(),
        text.map_or_else(String::new, |hypothesis| escaped(&hypothesis.text)),
        options.out.display()
    );
    Ok(())
}

/// Returns the trace of a pass in which these quantities are recorded, and the lens if it is asked for.
pub fn recorded(options: &PassOptions, quantities: Quantities) -> Result<Trace, Box<dyn Error>> {
    let device = options.model.device.device()?;
    let checkpoint = open(&options.model, &device)?;
    let mut run = RunOptions {
        search: options.search.search(),
        prefix: vec![],
        max_new_tokens: options.max_new_tokens,
        quantities,
        edits: match &options.edits {
            Some(path) => read_edits(path)?,
            None => vec![],
        },
    };
    if let Some(target) = &options.target {
        run.prefix = target_tokens(&checkpoint, target)?;
        run.max_new_tokens = run.prefix.len();
    }
    let text = input(&checkpoint, options)?;
    let mut trace = block_on(async {
        let decoding = checkpoint.decode(&text, &run, &device, async |_| true);
        let sequences = decoding.await?;
        let mut trace = checkpoint.trace(&text, &sequences, &run, &device).await?;
        if let Some(words) = options.lens {
            let lens = checkpoint.lens(&text, &sequences, words.into(), &run.edits, &device);
            trace.lens = Some(lens.await?);
        }
        Ok::<Trace, Box<dyn Error>>(trace)
    })?;
    trace.origin = origin(options);
    Ok(trace)
}

/// Returns the name of this program and what it was given.
fn origin(options: &PassOptions) -> Origin {
    let image = options.image.as_deref().and_then(Path::file_name);
    let image = image.map(|name| name.to_string_lossy().into_owned());
    Origin {
        program: Some("attn".to_owned()),
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        model: options.model.name(),
        text: options.text.clone().or(image),
    }
}

/// Returns the text that a checkpoint reads: the one given, a conversation, or the name of the picture that it is shown.
fn input(checkpoint: &Checkpoint, options: &PassOptions) -> Result<String, Box<dyn Error>> {
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
