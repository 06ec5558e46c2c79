//! `attn align`: error rates of each head of cross-attention on words that a person aligned.

use attention_model::evaluation;
use attention_trace::alignment::{
    AlignedPair, AlignmentScores, AlignmentSet, BestHeads, EndToken, HeadErrors, RowErrors,
};
use attention_trace::{AttentionKind, AttentionLayer};
use pollster::block_on;

use crate::batch::aligned_pairs;
use crate::io::{Outcome, open, progress_bar, write};
use crate::options::AlignOptions;
use crate::terminal::escaped;

/// Prints the error rates of all heads, language by language, and writes them.
pub fn align(options: &AlignOptions) -> Outcome {
    let device = options.model.device.device()?;
    let checkpoint = open(&options.model, &device)?;
    if checkpoint.spec().attention(AttentionKind::Cross).is_none() {
        return Err(
            "this model has no cross-attention: nothing aligns its output with its input".into(),
        );
    }
    let (pairs, batch) = aligned_pairs(&checkpoint, &options.pairs, &options.reading)?;
    let end = match options.keep_end {
        true => EndToken::Kept,
        false => EndToken::TakenOut,
    };
    let bar = progress_bar(pairs.len())?;
    let mut sets = vec![];
    for (language, pairs) in by_language(pairs) {
        let given = (pairs.as_slice(), options.reading.prefix_of(&language));
        let set = evaluation::align(&checkpoint, given, end, &device, || bar.inc(1));
        sets.push(rounded(block_on(set)?));
    }
    bar.finish_and_clear();
    sets.iter().for_each(print);
    if let Some(out) = &options.out {
        write(out, &serde_json::to_vec(&AlignmentScores { sets })?)?;
    }
    batch.finish()
}

/// Returns the pairs of each language, in the order in which languages appear.
fn by_language(pairs: Vec<AlignedPair>) -> Vec<(String, Vec<AlignedPair>)> {
    let mut sets: Vec<(String, Vec<AlignedPair>)> = vec![];
    for pair in pairs {
        let mut known = sets.iter_mut();
        match known.find(|(language, _)| *language == pair.language) {
            Some((_, pairs)) => pairs.push(pair),
            None => sets.push((pair.language.clone(), vec![pair])),
        }
    }
    sets
}

fn print(set: &AlignmentSet) {
    println!(
        "{}: {} pairs; alignment error rate by the row that writes, and the row that reads a word",
        escaped(&set.language),
        set.pairs
    );
    let line = |name: &str, errors: RowErrors| {
        println!("{name:24} {:.3}  {:.3}", errors.writing, errors.reading);
    };
    for HeadErrors {
        attention,
        head,
        errors,
    } in &set.heads
    {
        line(&named(*attention, *head), *errors);
    }
    line("mean of all heads", set.all);
    let BestHeads { heads, row, error } = &set.best;
    let heads: Vec<String> = heads
        .iter()
        .map(|&(attention, head)| named(attention, head))
        .collect();
    println!(
        "best mean found          {error:.3}  {row:?}: {}\n",
        heads.join(" + ")
    );
}

fn named(attention: AttentionLayer, head: usize) -> String {
    format!("{}, head {head}", String::from(attention))
}

/// Rounds to four decimals, for a file that a page shows.
fn rounded(set: AlignmentSet) -> AlignmentSet {
    let decimals = |value: f64| (value * 1e4).round() / 1e4;
    let both = |errors: RowErrors| RowErrors {
        writing: decimals(errors.writing),
        reading: decimals(errors.reading),
    };
    AlignmentSet {
        heads: set
            .heads
            .into_iter()
            .map(|head| HeadErrors {
                errors: both(head.errors),
                ..head
            })
            .collect(),
        all: both(set.all),
        best: BestHeads {
            error: decimals(set.best.error),
            ..set.best
        },
        ..set
    }
}
