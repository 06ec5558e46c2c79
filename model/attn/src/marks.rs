//! `attn marks`: the small model that predicts a sentence's final mark, trained, scored and written.

use std::fs;
use std::time::Instant;

use attention_model::embedding::{self, EmbedderRun};
use indicatif::{ProgressBar, ProgressStyle};

use crate::io::{Outcome, read, write};
use crate::options::MarksOptions;

/// Trains to the last epoch, writes the model and prints its scores.
pub fn marks(options: &MarksOptions) -> Outcome {
    let texts = options.data.iter().map(|path| read(path));
    let texts = texts.collect::<Result<Vec<String>, _>>()?;
    let data = embedding::marked_sentences(texts.iter().map(String::as_str));
    let run = EmbedderRun {
        seed: options.seed,
        epochs: options.epochs.into(),
        penalty: options.penalty,
    };
    let style = ProgressStyle::with_template("step {pos}/{len} {bar:30} {msg}, {eta} left")?;
    let bar = ProgressBar::no_length().with_style(style);
    let began = Instant::now();
    let learned = embedding::learn(&data, run, |step, steps, loss| {
        bar.set_length(steps as u64);
        bar.set_position(step as u64);
        bar.set_message(format!("loss {loss:.4}"));
    })?;
    bar.finish_and_clear();
    let scores = &learned.scores;
    println!("learned from    {} sentences", data.train.len());
    println!("test sentences  {}", scores.sentences);
    println!("accuracy        {:.2} %", 100.0 * scores.accuracy);
    println!("always the same {:.2} %", 100.0 * scores.majority);
    println!("by first word   {:.2} %", 100.0 * scores.first_word);
    for mark in &scores.marks {
        println!(
            "{}               {} sentences, {} predicted, {} right",
            mark.mark, mark.sentences, mark.predicted, mark.right
        );
    }
    println!("mean penalty    {:.3}", scores.penalty);
    println!("mean overlap    {:.3}", scores.overlap);
    println!("largest weight  {:.3}", scores.largest_weight);
    println!("seconds         {:.0}", began.elapsed().as_secs_f64());
    fs::create_dir_all(&options.out)?;
    write(&options.out.join("config.json"), learned.config.as_bytes())?;
    write(&options.out.join("model.safetensors"), &learned.weights)?;
    Ok(())
}
