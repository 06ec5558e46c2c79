//! `attn digits`: the small model of pictures, trained, scored and written with some of its test pictures.

use std::fs;
use std::time::Instant;

use attention_model::image::{self, DigitRun};
use attention_trace::lessons::LabelledPicture;
use indicatif::{ProgressBar, ProgressStyle};

use crate::io::{Outcome, read, write};
use crate::options::DigitsOptions;

/// The number of test pictures of each digit that are written beside the weights: the first ones, right or wrong.
const SHOWN: usize = 2;

/// Trains to the last epoch, writes the model and prints its scores.
pub fn digits(options: &DigitsOptions) -> Outcome {
    let data = image::digits(&read(&options.data)?)?;
    let run = DigitRun {
        seed: options.seed,
        epochs: options.epochs.into(),
        attends: !options.without_attention,
    };
    let style = ProgressStyle::with_template("epoch {pos}/{len} {bar:30} {msg}, {eta} left")?;
    let bar = ProgressBar::new(run.epochs as u64).with_style(style);
    let began = Instant::now();
    let learned = image::learn(&data, run, |_, loss| {
        bar.set_message(format!("loss {loss:.4}"));
        bar.inc(1);
    })?;
    bar.finish_and_clear();
    println!("test pictures   {}", learned.tested.len());
    println!("accuracy        {:.2} %", 100.0 * learned.accuracy);
    println!("with γ = 0      {:.2} %", 100.0 * learned.accuracy_without);
    println!("seconds         {:.0}", began.elapsed().as_secs_f64());
    fs::create_dir_all(&options.out)?;
    write(&options.out.join("config.json"), learned.config.as_bytes())?;
    write(&options.out.join("model.safetensors"), &learned.weights)?;
    let pictures = serde_json::to_string(&shown(&learned.tested))?;
    write(&options.out.join("pictures.json"), pictures.as_bytes())?;
    Ok(())
}

/// Returns the first [`SHOWN`] pictures of each digit, by digit.
fn shown(tested: &[LabelledPicture]) -> Vec<&LabelledPicture> {
    let of = |digit| {
        tested
            .iter()
            .filter(move |one| one.digit == digit)
            .take(SHOWN)
    };
    (0..10).flat_map(of).collect()
}
