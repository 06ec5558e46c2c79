//! `attn importance`: the scores of a translator without each of its heads.

use std::time::Instant;

use attention_model::checkpoint::Checkpoint;
use attention_model::error::ModelError;
use attention_model::evaluation::{Columns, HeadCounts, PairFilter, choose};
use attention_model::training::Example;
use attention_trace::{Generates, HeadScore, HeadScores, SetScore};
use pollster::block_on;
use serde_json::json;

use crate::batch::{checked_pair, is_of_text};
use crate::corpus::{CorpusLine, Identity, Input, Measured, Run, WEIGHTS};
use crate::io::{Outcome, open, read, write};
use crate::options::ImportanceOptions;

/// The lines that a worker scores at a time, each with every head off.
const CHUNK_LINES: usize = 1;

/// Chooses sentences, if files to choose from are named, prints the heads that matter most, and writes all scores.
pub fn importance(options: &ImportanceOptions) -> Outcome {
    if !options.pairs.is_empty() {
        choose_sentences(options)?;
    }
    let device = options.model.device.device()?;
    let checkpoint = open(&options.model, &device)?;
    if checkpoint.spec().generates != Generates::TextFromText {
        return Err("this model does not make one text out of another".into());
    }
    let search = options.search.search();
    let input = Input::open(&options.sentences)?;
    let identity = Identity::of("importance", &options.model, &input.digest)?;
    let run = Run::new(
        identity.with("search", json!(search)),
        (input, None),
        (&options.run, &options.model.device),
        Some(&options.out),
    )?;
    let began = Instant::now();
    let mut progress = run.begin(HeadCounts::default())?;
    run.pass(&mut progress, 0, CHUNK_LINES, |lines| {
        let alone =
            |pair: Example| block_on(HeadCounts::alone(&checkpoint, &pair, search, &device));
        measure(&checkpoint, lines, alone)
    })?;
    if progress.sums.pairs() == 0 {
        run.forget()?;
        return Err(format!("{}: no pair to read", options.sentences.display()).into());
    }
    // The order in which heads go is that of the losses on all lines, so the lines are read twice.
    let whole = progress.sums.clone();
    run.pass(&mut progress, 1, CHUNK_LINES, |lines| {
        let given = (search, &whole);
        let pruned =
            |pair: Example| block_on(HeadCounts::pruned(&checkpoint, &pair, given, &device));
        measure(&checkpoint, lines, pruned)
    })?;
    let scores = HeadScores {
        weights: Some(progress.run.digest(WEIGHTS)),
        ..rounded(progress.sums.scores(&checkpoint, search))
    };
    print(&scores);
    println!("seconds     {:.0}", began.elapsed().as_secs_f64());
    run.finish(&progress, |_| Ok(serde_json::to_vec(&scores)?))?;
    run.batch(&progress).finish()
}

/// Adds up the counts of the pairs in some lines.
fn measure(
    checkpoint: &Checkpoint,
    lines: Vec<CorpusLine>,
    count: impl Fn(Example) -> Result<HeadCounts, ModelError>,
) -> Result<Measured<HeadCounts>, ModelError> {
    let columns = Columns {
        source: Some(1),
        target: 0,
        english: 0,
    };
    let mut measured = Measured {
        sums: HeadCounts::default(),
        left_out: vec![],
    };
    for (number, line) in lines {
        let pair = match line.and_then(|line| columns.pair(&line, PairFilter::All)) {
            Ok(Some(pair)) => pair,
            Ok(None) => continue,
            Err(fault) => {
                measured.left_out.push((number, fault.to_string()));
                continue;
            }
        };
        match checked_pair(checkpoint, pair, None).and_then(&count) {
            Ok(counts) => measured.sums.merge(counts),
            Err(error) if is_of_text(&error) => measured.left_out.push((number, error.to_string())),
            Err(error) => return Err(error),
        }
    }
    Ok(measured)
}

/// Writes the sentences that the seed chooses, as many of each file.
fn choose_sentences(options: &ImportanceOptions) -> Outcome {
    let count = options.count as usize / options.pairs.len();
    let mut chosen = String::new();
    for path in &options.pairs {
        for line in choose(&read(path)?, count, options.seed) {
            chosen.push_str(line);
            chosen.push('\n');
        }
    }
    write(&options.sentences, chosen.as_bytes())?;
    Ok(())
}

fn print(scores: &HeadScores) {
    let line = |score: SetScore| format!("BLEU {:6.2}  loss {:.4}", score.bleu, score.loss);
    println!("pairs       {}", scores.pairs);
    println!("all heads   {}", line(scores.whole));
    let mut by_loss: Vec<&HeadScore> = scores.alone.iter().collect();
    by_loss.sort_by(|one, other| other.score.loss.total_cmp(&one.score.loss));
    for HeadScore {
        attention,
        head,
        score,
    } in by_loss.into_iter().take(8)
    {
        let place = String::from(*attention);
        println!("without {place}, head {head}: {}", line(*score));
    }
    for (out, HeadScore { score, .. }) in scores.pruned.iter().enumerate() {
        println!("{:3} heads out: {}", out + 1, line(*score));
    }
}

/// Rounds BLEU to two decimals and losses to four, for a file that a page draws.
fn rounded(scores: HeadScores) -> HeadScores {
    let decimals = |value: f64, factor: f64| (value * factor).round() / factor;
    let score = |score: SetScore| SetScore {
        bleu: decimals(score.bleu, 1e2),
        loss: decimals(score.loss, 1e4),
    };
    let all = |heads: Vec<HeadScore>| {
        let heads = heads.into_iter();
        let rounded = heads.map(|head| HeadScore {
            score: score(head.score),
            ..head
        });
        rounded.collect()
    };
    HeadScores {
        whole: score(scores.whole),
        alone: all(scores.alone),
        pruned: all(scores.pruned),
        ..scores
    }
}
