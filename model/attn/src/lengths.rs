//! `attn eval --lengths`: an artificial task at lengths within and beyond those of training.

use std::path::Path;

use attention_model::checkpoint::Checkpoint;
use attention_model::evaluation::{score_length, task_of};
use attention_trace::{LengthScore, LengthScores, PlaceScore, read_length_scores};
use burn::tensor::Device;
use pollster::block_on;

use crate::io::{Outcome, read, write};
use crate::options::LengthOptions;

/// Prints a line for each length: the score over the whole sequence, and over the places beyond the previous length.
pub fn eval(
    checkpoint: &Checkpoint,
    directory: &Path,
    options: &LengthOptions,
    device: &Device,
) -> Outcome {
    let task = task_of(directory)?;
    let mut lengths = options.lengths.clone();
    lengths.sort_unstable();
    println!("length    loss  accuracy   places       loss  accuracy");
    let mut scores = vec![];
    let mut before = 0;
    for length in lengths {
        let (sequences, seed) = (options.sequences as usize, options.seed);
        let score = block_on(score_length(
            checkpoint, &task, length, sequences, seed, device,
        ))?;
        let added = score.from_place(before).map(|added| {
            let places = format!("{}–{length}", before + 1);
            format!("   {places:9} {}", line(added))
        });
        println!(
            "{length:6} {}{}",
            line(score.all),
            added.unwrap_or_default()
        );
        before = length;
        scores.push(score);
    }
    match &options.json {
        Some(path) => keep(path, directory, scores),
        None => Ok(()),
    }
}

fn line(score: PlaceScore) -> String {
    format!("{:7.3} {:7.1} %", score.loss, 100.0 * score.accuracy)
}

/// Puts the scores into the file, under the name of the model's directory.
fn keep(path: &Path, directory: &Path, scores: Vec<LengthScore>) -> Outcome {
    let mut models = match path.exists() {
        true => read_length_scores(&read(path)?)?,
        false => LengthScores::new(),
    };
    let scores = scores.into_iter().map(rounded).collect();
    let name = directory.canonicalize()?;
    let name = name.file_name().unwrap_or_default().to_string_lossy();
    models.insert(name.into_owned(), scores);
    write(path, &serde_json::to_vec(&models)?)?;
    Ok(())
}

/// Rounds to four decimals, for a file that a page draws.
fn rounded(score: LengthScore) -> LengthScore {
    let decimals = |value: f64| (value * 1e4).round() / 1e4;
    let place = |score: PlaceScore| PlaceScore {
        loss: decimals(score.loss),
        accuracy: decimals(score.accuracy),
    };
    LengthScore {
        all: place(score.all),
        by_place: score
            .by_place
            .into_iter()
            .map(|score| score.map(place))
            .collect(),
        ..score
    }
}
