//! `attn compare`: several models on the same sentence pairs, by the length of the source; or two files of one model.

use std::collections::BTreeMap;
use std::path::Path;

use attention_model::checkpoint::Checkpoint;
use attention_model::error::ModelError;
use attention_model::evaluation::{
    Columns, PairFile, PairFilter, Scoring, evaluate, fill, long_test_of, mean_words,
};
use attention_model::training::Example;
use attention_trace::{BinScore, BleuByLength, LengthBin};
use pollster::block_on;

use crate::batch;
use crate::hub::local;
use crate::io::{Outcome, open_directory, progress_bar, write};
use crate::options::CompareOptions;
use crate::precisions;

/// Compares two files of a model, or several models by the length of the source.
pub fn compare(options: &CompareOptions) -> Outcome {
    match (&options.pairs, &options.precisions.json) {
        (Some(pairs), Some(json)) => by_length(options, pairs, json),
        _ => precisions::compare(&options.precisions, &options.device.device()?),
    }
}

/// Prints a line for each model and bin, and writes all of them as JSON.
fn by_length(options: &CompareOptions, pairs: &Path, json: &Path) -> Outcome {
    let bin = |words: &std::ops::RangeInclusive<usize>, is_joined| LengthBin {
        from: *words.start(),
        to: *words.end(),
        is_joined,
    };
    let bins: Vec<LengthBin> = (options.bins.iter().map(|words| bin(words, false)))
        .chain(options.joined.iter().map(|words| bin(words, true)))
        .collect();
    let file = PairFile::read(pairs, columns(options))?;
    let filter = PairFilter::of(options.test_split);
    let (pairs, batch) = batch::pairs(pairs, &file, filter)?;
    let mut models = BTreeMap::new();
    for directory in &options.models {
        let name = name(directory)?;
        let directory = &*local(directory)?;
        let more = held_out_besides(directory, &file, options)?;
        let checkpoint = open_directory(directory, &options.device.device()?)?;
        let score = |&bin: &LengthBin| {
            let pairs = fill(bin, &pairs, &more, options.most as usize);
            score(&checkpoint, &name, bin, &pairs, options)
        };
        let scores = bins.iter().map(score).collect::<Result<_, _>>()?;
        models.insert(name.clone(), scores);
    }
    let scores = BleuByLength {
        search: options.search.search(),
        bins,
        models,
    };
    write(json, &serde_json::to_vec_pretty(&scores)?)?;
    batch.finish()
}

fn columns(options: &CompareOptions) -> Columns {
    Columns {
        source: Some(options.source),
        target: options.target,
        english: options.english,
    }
}

/// Returns the long pairs outside the test split that this model has not learned from.
fn held_out_besides(
    directory: &Path,
    file: &PairFile,
    options: &CompareOptions,
) -> Result<Vec<Example>, ModelError> {
    let Some(rule) = long_test_of(directory)?.filter(|_| options.test_split) else {
        return Ok(vec![]);
    };
    // Faulty lines have been reported.
    let read = file.pairs(PairFilter::LongTest(rule));
    Ok(read.pairs.into_iter().map(|(_, pair)| pair).collect())
}

/// Returns BLEU of a bin, to two decimals; 0 if there are no pairs.
fn score(
    checkpoint: &Checkpoint,
    name: &str,
    bin: LengthBin,
    pairs: &[Example],
    options: &CompareOptions,
) -> Result<BinScore, Box<dyn std::error::Error>> {
    let device = options.device.device()?;
    let bar = progress_bar(pairs.len())?;
    let scoring = Scoring {
        search: options.search.search(),
        tokenizer: options.tokenizer.into(),
        edits: &[],
    };
    let found = evaluate(checkpoint, pairs, scoring, &device, || bar.inc(1));
    let bleu = block_on(found)?.bleu.unwrap_or_default();
    bar.finish_and_clear();
    let joined = if bin.is_joined { ", joined" } else { "" };
    println!(
        "{name:16} {:3}–{:<3} words, {:4} pairs{joined}: BLEU {bleu:.2}",
        bin.from,
        bin.to,
        pairs.len()
    );
    let hundredths = |number: f64| (100.0 * number).round() / 100.0;
    Ok(BinScore {
        bleu: hundredths(bleu),
        pairs: pairs.len(),
        mean_words: hundredths(mean_words(pairs)),
    })
}

/// Returns the name of a model's directory.
fn name(directory: &Path) -> std::io::Result<String> {
    let path = directory.canonicalize()?;
    Ok(path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned())
}
