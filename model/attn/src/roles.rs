//! `attn roles`: scores for the roles of every head of a model.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use attention_model::checkpoint::Checkpoint;
use attention_model::error::ModelError;
use attention_model::evaluation::roles_apart;
use attention_model::roles::RoleSums;
use attention_trace::alignment::AlignedPair;
use attention_trace::roles::{AlignedSet, HeadRoles, Role, RoleSet, write_role_set};
use burn::tensor::Device;
use pollster::block_on;
use serde_json::json;

use crate::batch::{Batch, aligned_pairs, role_sentence};
use crate::corpus::{
    ALIGNED, CORPUS, CorpusError, CorpusLine, Identity, Input, Measured, Progress, Run, Shard,
    WEIGHTS,
};
use crate::io::{Outcome, open, progress_bar};
use crate::options::{ReadingOptions, RolesOptions};

/// The number of heads printed for each role.
const PRINTED: usize = 3;
/// The lines that a worker measures at a time.
const CHUNK_LINES: usize = 16;

/// Measures the roles of heads, prints the clearest heads of each role, and writes the scores of all.
pub fn roles(options: &RolesOptions) -> Outcome {
    let device = options.model.device.device()?;
    let checkpoint = open(&options.model, &device)?;
    if checkpoint.spec().kinds().is_empty() {
        return Err("this model has no attention".into());
    }
    let none = || RoleSums::new(&checkpoint.spec());
    let input = Input::open(&options.sentences)?;
    let run = Run::new(
        identity(options, &input)?,
        (input, options.corpus.shard),
        (&options.corpus.run, &options.model.device),
        Some(&options.out),
    )?;
    let began = Instant::now();
    let mut progress = run.measure(none()?, CHUNK_LINES, |lines| {
        block_on(measure(&checkpoint, (none()?, lines), &device))
    })?;
    if run.shard() == Shard::WHOLE && progress.sums.sentences() == 0 {
        run.forget()?;
        return Err(format!("{}: no sentence to read", options.sentences.display()).into());
    }
    let mut batches = vec![run.batch(&progress)];
    // The first shard measures what is no line of the corpus.
    if run.shard().index == 1 {
        let (sums, batch) = apart(&checkpoint, options, &device)?;
        progress.sums.merge(sums);
        batches.push(batch);
    }
    let set = role_set(&progress);
    print(&set);
    println!("seconds     {:.0}", began.elapsed().as_secs_f64());
    run.finish(&progress, |_| written(&set))?;
    Batch::finish_all(batches)
}

fn identity(options: &RolesOptions, input: &Input) -> Result<Identity, Box<dyn Error>> {
    let ReadingOptions { reverse, prefix } = &options.reading;
    let identity = Identity::of("roles", &options.model, &input.digest)?
        .with("seed", options.seed)
        .with("reverse", *reverse)
        .with("prefix", json!(prefix));
    Ok(match &options.pairs {
        Some(path) => identity.with_file(ALIGNED, path)?,
        None => identity,
    })
}

/// Measures the sentences in some lines.
async fn measure(
    checkpoint: &Checkpoint,
    (mut sums, lines): (RoleSums, Vec<CorpusLine>),
    device: &Device,
) -> Result<Measured<RoleSums>, ModelError> {
    let mut left_out = vec![];
    for (number, line) in lines {
        let sentence = match line {
            Ok(line) => role_sentence(checkpoint, (number, &line)),
            Err(fault) => Err(fault.into()),
        };
        match sentence {
            Ok(sentence) => {
                let skipped = sums.read(checkpoint, (&sentence, &[]), device).await?;
                left_out.extend(skipped.map(|skipped| (number, skipped.reason.to_string())));
            }
            Err(why) => left_out.push((number, why.to_string())),
        }
    }
    Ok(Measured { sums, left_out })
}

/// Measures the pairs that a person aligned, if they are given, and the random tokens of induction.
fn apart(
    checkpoint: &Checkpoint,
    options: &RolesOptions,
    device: &Device,
) -> Result<(RoleSums, Batch), Box<dyn Error>> {
    let (pairs, batch) = match &options.pairs {
        Some(path) => aligned(checkpoint, path, &options.reading)?,
        None => (vec![], Batch::of("no pairs")),
    };
    let bar = progress_bar(pairs.len())?;
    let measured = roles_apart(checkpoint, &pairs, options.seed, device, || bar.inc(1));
    let sums = block_on(measured)?;
    bar.finish_and_clear();
    Ok((sums, batch))
}

/// Returns the roles of the heads from the sums of a run.
pub fn role_set(progress: &Progress<RoleSums>) -> RoleSet {
    let Progress { run, sums, .. } = progress;
    let has_pairs = run.files.contains_key(ALIGNED);
    RoleSet {
        weights: run.digest(WEIGHTS),
        sentences: run.digest(CORPUS),
        alignment: has_pairs.then(|| AlignedSet {
            file: run.digest(ALIGNED),
            pairs: sums.aligned_pairs(),
        }),
        ..sums.set()
    }
}

/// Returns the roles as the JSON that the page opens.
///
/// # Errors
/// If they cannot be written as such.
pub fn written(set: &RoleSet) -> Result<Vec<u8>, CorpusError> {
    Ok(write_role_set(set)?.into_bytes())
}

/// A pair, and the text in front of its source.
type Prefixed = (AlignedPair, String);

/// Returns the aligned pairs, each with the text in front of its source.
fn aligned(
    checkpoint: &Checkpoint,
    path: &Path,
    reading: &ReadingOptions,
) -> Result<(Vec<Prefixed>, Batch), Box<dyn Error>> {
    let (pairs, batch) = aligned_pairs(checkpoint, path, reading)?;
    let with_prefix = pairs.into_iter().map(|pair| {
        let prefix = reading.prefix_of(&pair.language).to_owned();
        (pair, prefix)
    });
    Ok((with_prefix.collect(), batch))
}

/// Prints the clearest heads of each role.
pub fn print(set: &RoleSet) {
    println!("sentences   {}", set.sentence_count());
    for &role in Role::ALL {
        let scored = set
            .heads
            .iter()
            .filter_map(|head| Some((head, head.roles.of(role)?)));
        let mut scored: Vec<_> = scored.collect();
        if scored.is_empty() {
            continue;
        }
        scored.sort_by(|one, other| other.1.above_chance().total_cmp(&one.1.above_chance()));
        let clear = scored.iter().filter(|(_, score)| score.is_clear()).count();
        println!("{role}: {clear} of {} heads", scored.len());
        for (head, score) in scored.into_iter().take(PRINTED) {
            let (weight, chance) = (score.weight, score.chance);
            println!(
                "    {}: {weight:.3}, by chance {chance:.3}",
                name(head, role)
            );
        }
    }
}

fn name(head: &HeadRoles, role: Role) -> String {
    let place = String::from(head.attention);
    match head.roles.offset.filter(|_| role == Role::Offset) {
        Some(offset) => format!("{place}, head {}, offset {offset:+}", head.head),
        None => format!("{place}, head {}", head.head),
    }
}
