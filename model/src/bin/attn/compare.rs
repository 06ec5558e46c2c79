//! `attn compare`: several models on the same sentence pairs, by the length of the source.

use std::collections::BTreeMap;
use std::path::Path;

use attention_model::checkpoint::Checkpoint;
use attention_model::evaluation::{Bin, Columns, bin, evaluate};
use attention_trace::BleuByLength;
use pollster::block_on;

use crate::batch;
use crate::commands::{Outcome, progress_bar, write};
use crate::options::CompareOptions;

/// Prints a line for each model and bin, and writes all of them as JSON.
pub fn compare(options: &CompareOptions) -> Outcome {
    let columns = Columns {
        source: Some(options.source),
        target: options.target,
        english: options.english,
    };
    let (pairs, batch) = batch::pairs((&options.pairs, columns, options.test_split))?;
    let made = |words: &std::ops::RangeInclusive<usize>, is_joined| {
        bin(&pairs, words.clone(), options.most as usize, is_joined)
    };
    let bins: Vec<Bin> = (options.bins.iter().map(|words| made(words, false)))
        .chain(options.joined.iter().map(|words| made(words, true)))
        .filter(|bin| !bin.pairs.is_empty())
        .collect();
    let mut models = BTreeMap::new();
    for directory in &options.models {
        let name = name(directory)?;
        models.insert(name.clone(), score(directory, &name, &bins, options)?);
    }
    let scores = BleuByLength {
        search: options.search.search(),
        bins: bins.into_iter().map(|bin| bin.about).collect(),
        models,
    };
    write(&options.json, &serde_json::to_vec_pretty(&scores)?)?;
    batch.finish()
}

/// BLEU of each bin, to two decimals.
fn score(
    directory: &Path,
    name: &str,
    bins: &[Bin],
    options: &CompareOptions,
) -> Result<Vec<f64>, Box<dyn std::error::Error>> {
    let device = options.device.device();
    let checkpoint = Checkpoint::open(directory, &device)?;
    let mut scores = vec![];
    for Bin { about, pairs } in bins {
        let bar = progress_bar(pairs.len())?;
        let tokenizer = options.tokenizer.into();
        let search = options.search.search();
        let found = evaluate(&checkpoint, pairs, search, tokenizer, &device, || {
            bar.inc(1)
        });
        let bleu = block_on(found)?.bleu.unwrap_or_default();
        bar.finish_and_clear();
        let joined = if about.is_joined { ", joined" } else { "" };
        println!(
            "{name:16} {:3}–{:<3} words, {:4} pairs{joined}: BLEU {bleu:.2}",
            about.from, about.to, about.pairs
        );
        scores.push((100.0 * bleu).round() / 100.0);
    }
    Ok(scores)
}

/// The name of a model's directory.
fn name(directory: &Path) -> std::io::Result<String> {
    let path = directory.canonicalize()?;
    Ok(path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned())
}
