//! `attn watch`: the training that the page's chapter shows, with its results.

use std::fs;
use std::path::Path;
use std::time::Instant;

use attention_model::training::watched::{Trained, Trainer};
use attention_trace::training::{Evaluation, TrainingSettings};
use pollster::block_on;

use crate::io::{Outcome, read, write};
use crate::options::WatchOptions;
use crate::terminal::toml_fault;

/// The number of steps between two evaluations.
const EXAMINED_EVERY: usize = 25;

/// The share of right tokens at which a task counts as learned.
const LEARNED: f32 = 0.99;

/// Trains to the last step and prints the time it took.
pub fn watch(options: &WatchOptions) -> Outcome {
    let text = read(&options.settings)?;
    let settings: TrainingSettings =
        toml::from_str(&text).map_err(|error| toml_fault(&options.settings, &text, &error))?;
    let mut trainer = Trainer::new(settings, None)?;
    println!("parameters        {}", trainer.parameters());
    let mut seconds = 0.0;
    let mut learned = None;
    while !trainer.is_finished() {
        let began = Instant::now();
        let report = block_on(trainer.step())?;
        seconds += began.elapsed().as_secs_f64();
        if report.step.is_multiple_of(EXAMINED_EVERY) {
            let examined = block_on(trainer.evaluate())?;
            println!(
                "step {:>6}       loss {:.4}, {}",
                report.step,
                report.loss,
                shares(&examined)
            );
            if learned.is_none() && examined.token_accuracy >= LEARNED {
                learned = Some((report.step, seconds));
            }
        }
    }
    println!("seconds           {seconds:.1}");
    println!(
        "steps a second    {:.1}",
        trainer.steps_made() as f64 / seconds
    );
    match learned {
        Some((step, seconds)) => println!("99 % of tokens    at step {step}, {seconds:.1} s"),
        None => println!("99 % of tokens    not reached"),
    }
    println!(
        "held out          {}",
        shares(&block_on(trainer.evaluate())?)
    );
    match &options.out {
        Some(directory) => publish(directory, &block_on(trainer.trained())?),
        None => Ok(()),
    }
}

fn shares(examined: &Evaluation) -> String {
    format!(
        "{:.1} % of tokens, {:.1} % of {} examples",
        100.0 * examined.token_accuracy,
        100.0 * examined.sequence_accuracy,
        examined.examples
    )
}

fn publish(directory: &Path, trained: &Trained) -> Outcome {
    fs::create_dir_all(directory)?;
    write(&directory.join("config.json"), trained.config.as_bytes())?;
    write(
        &directory.join("tokenizer.json"),
        trained.tokenizer.as_bytes(),
    )?;
    write(&directory.join("model.safetensors"), &trained.weights)?;
    Ok(())
}
