//! `attn importance`: the scores of a translator without each of its heads.

use std::time::Instant;

use attention_model::evaluation::{Columns, PairFilter, choose, head_scores};
use attention_trace::{Generates, HeadScore, HeadScores, SetScore};
use pollster::block_on;

use crate::batch::pairs_for;
use crate::io::{Outcome, open, progress_bar, read, write};
use crate::options::ImportanceOptions;

/// Chooses sentences, if files to choose from are named, prints the heads that matter most, and writes all scores.
pub fn importance(options: &ImportanceOptions) -> Outcome {
    if !options.pairs.is_empty() {
        choose_sentences(options)?;
    }
    let device = options.model.device.device();
    let checkpoint = open(&options.model, &device)?;
    if checkpoint.spec().generates != Generates::TextFromText {
        return Err("this model does not make one text out of another".into());
    }
    let columns = Columns {
        source: Some(1),
        target: 0,
        english: 0,
    };
    let file = (options.sentences.as_path(), columns, PairFilter::All);
    let (pairs, batch) = pairs_for(&checkpoint, file, None)?;
    let spec = checkpoint.spec();
    let kinds = spec.kinds().into_iter();
    let heads: usize = kinds.map(|kind| spec.layers(kind) * spec.heads(kind)).sum();
    let bar = progress_bar(1 + 2 * heads)?;
    let began = Instant::now();
    let search = options.search.search();
    let scores = head_scores(&checkpoint, &pairs, search, &device, || bar.inc(1));
    let scores = rounded(block_on(scores)?);
    bar.finish_and_clear();
    print(&scores);
    println!("seconds     {:.0}", began.elapsed().as_secs_f64());
    write(&options.out, &serde_json::to_vec(&scores)?)?;
    batch.finish()
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
