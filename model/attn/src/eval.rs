//! `attn eval`: BLEU and perplexity of a model on sentence pairs.

use std::path::Path;
use std::time::Instant;

use attention_model::checkpoint::Checkpoint;
use attention_model::error::ModelError;
use attention_model::evaluation::{Columns, PairCounts, PairFilter, Scores, Scoring};
use attention_model::training::Example;
use attention_trace::Search;
use burn::tensor::Device;
use pollster::block_on;
use serde_json::json;

use crate::batch::{checked_pair, is_of_text};
use crate::corpus::{
    CorpusError, CorpusLine, Identity, IdentityError, Input, Measured, Run, Shard,
};
use crate::io::{Outcome, open};
use crate::lengths;
use crate::options::EvalOptions;

/// The lines that a worker scores at a time.
const CHUNK_LINES: usize = 8;

/// Scores a model on sentence pairs, or on its made-up task at several lengths.
pub fn eval(options: &EvalOptions) -> Outcome {
    let device = options.model.device.device()?;
    let checkpoint = open(&options.model, &device)?;
    match &options.pairs {
        Some(pairs) => eval_pairs(options, &checkpoint, pairs, &device),
        None => {
            let model = options.model.path()?;
            lengths::eval(&checkpoint, &model, &options.lengths, &device)
        }
    }
}

/// Prints the scores and the time that they took.
fn eval_pairs(
    options: &EvalOptions,
    checkpoint: &Checkpoint,
    pairs: &Path,
    device: &Device,
) -> Outcome {
    let reading = Reading::of(options, checkpoint);
    let input = Input::open(pairs)?;
    let identity = identity(options, &reading, &input)?;
    let out = options.lengths.json.as_deref();
    let run = Run::new(
        identity,
        (input, options.corpus.shard),
        (&options.corpus.run, &options.model.device),
        out,
    )?;
    let began = Instant::now();
    let progress = run.measure(PairCounts::default(), CHUNK_LINES, |lines| {
        block_on(score(checkpoint, lines, &reading, device))
    })?;
    if run.shard() == Shard::WHOLE && progress.sums.pairs() == 0 {
        run.forget()?;
        return Err(format!("{}: no pair to read", pairs.display()).into());
    }
    print(&progress.sums.scores());
    println!("seconds     {:.0}", began.elapsed().as_secs_f64());
    run.finish(&progress, |progress| written(&progress.sums))?;
    run.batch(&progress).finish()
}

/// Prints the scores of a corpus.
pub fn print(scores: &Scores) {
    println!("pairs       {}", scores.pairs);
    if let Some(bleu) = scores.bleu {
        println!("BLEU        {bleu:.2}");
    }
    println!("perplexity  {:.3}", scores.perplexity);
}

/// Returns the scores as JSON.
///
/// # Errors
/// If they cannot be written as such.
pub fn written(counts: &PairCounts) -> Result<Vec<u8>, CorpusError> {
    Ok(serde_json::to_vec_pretty(&counts.scores())?)
}

/// The way in which pairs are read and scored.
struct Reading<'a> {
    columns: Columns,
    filter: PairFilter,
    prefix: Option<&'a str>,
    search: Search,
    scoring: Scoring<'a>,
}

impl<'a> Reading<'a> {
    fn of(options: &'a EvalOptions, checkpoint: &Checkpoint) -> Self {
        let search = options.search.search();
        Reading {
            columns: Columns {
                source: checkpoint.spec().reads_source().then_some(options.source),
                target: options.target,
                english: options.english,
            },
            filter: PairFilter::of(options.test_split),
            prefix: options.prefix.as_deref(),
            search,
            scoring: Scoring {
                search,
                tokenizer: options.tokenizer.into(),
                edits: &[],
            },
        }
    }
}

fn identity(
    options: &EvalOptions,
    reading: &Reading<'_>,
    input: &Input,
) -> Result<Identity, IdentityError> {
    let Columns {
        source,
        target,
        english,
    } = reading.columns;
    let identity = Identity::of("eval", &options.model, &input.digest)?;
    Ok(identity
        .with("source", source)
        .with("target", target)
        .with("english", english)
        .with("prefix", reading.prefix)
        .with("tokenizer", options.tokenizer.name())
        .with("test-split", options.test_split)
        .with("search", json!(reading.search)))
}

/// Scores the pairs of some lines.
async fn score(
    checkpoint: &Checkpoint,
    lines: Vec<CorpusLine>,
    reading: &Reading<'_>,
    device: &Device,
) -> Result<Measured<PairCounts>, ModelError> {
    let mut measured = Measured {
        sums: PairCounts::default(),
        left_out: vec![],
    };
    for (number, line) in lines {
        let pair = line.and_then(|line| reading.columns.pair(&line, reading.filter));
        let pair = match pair {
            Ok(Some(pair)) => pair,
            Ok(None) => continue,
            Err(fault) => {
                measured.left_out.push((number, fault.to_string()));
                continue;
            }
        };
        match score_pair(checkpoint, pair, reading, device).await {
            Ok(counts) => measured.sums.merge(counts),
            Err(error) if is_of_text(&error) => measured.left_out.push((number, error.to_string())),
            Err(error) => return Err(error),
        }
    }
    Ok(measured)
}

async fn score_pair(
    checkpoint: &Checkpoint,
    pair: Example,
    reading: &Reading<'_>,
    device: &Device,
) -> Result<PairCounts, ModelError> {
    let pair = checked_pair(checkpoint, pair, reading.prefix)?;
    PairCounts::of(checkpoint, &pair, reading.scoring, device).await
}
