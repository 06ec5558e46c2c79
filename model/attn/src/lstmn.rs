//! `attn lstmn`: the small LSTMN that reads English sentences, or a plain LSTM, trained, scored and written.

use std::fs;
use std::path::Path;
use std::time::Instant;

use attention_model::embedding;
use attention_model::lstmn::{LearnedTapes, LstmnRun};
use indicatif::{ProgressBar, ProgressStyle};

use crate::io::{Outcome, read, write};
use crate::options::LstmnOptions;

/// Trains to the last epoch, writes the model after each, and prints its scores.
pub fn lstmn(options: &LstmnOptions) -> Outcome {
    let texts = options.data.iter().map(|path| read(path));
    let texts = texts.collect::<Result<Vec<String>, _>>()?;
    let data = embedding::marked_sentences(texts.iter().map(String::as_str));
    let run = LstmnRun {
        seed: options.seed,
        epochs: options.epochs.into(),
        has_attention: !options.plain,
    };
    fs::create_dir_all(&options.out)?;
    let style = ProgressStyle::with_template("step {pos}/{len} {bar:30} {msg}, {eta} left")?;
    let bar = ProgressBar::no_length().with_style(style);
    let began = Instant::now();
    let mut failed = None;
    let learned = attention_model::lstmn::learn(
        &data,
        run,
        |step, steps, loss| {
            bar.set_length(steps as u64);
            bar.set_position(step as u64);
            bar.set_message(format!("loss {loss:.4}"));
        },
        |kept| {
            bar.println(format!("perplexity {:.2}", kept.scores.perplexity));
            failed = keep(&options.out, &kept).err().or(failed.take());
        },
    )?;
    bar.finish_and_clear();
    if let Some(error) = failed {
        return Err(error);
    }
    keep(&options.out, &learned)?;
    let scores = &learned.scores;
    println!("learned from    {} sentences", data.train.len());
    println!("weights         {}", learned.parameters);
    println!("test sentences  {}", scores.sentences);
    println!("test words      {}", scores.words);
    println!("perplexity      {:.2}", scores.perplexity);
    println!("weight of last  {:.3}", scores.weight_of_last);
    println!("seconds         {:.0}", began.elapsed().as_secs_f64());
    Ok(())
}

fn keep(out: &Path, learned: &LearnedTapes) -> Outcome {
    write(&out.join("config.json"), learned.config.as_bytes())?;
    write(&out.join("model.safetensors"), &learned.weights)?;
    Ok(())
}
