//! `attn merge`: the result of a corpus from its shards.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use attention_model::evaluation::PairCounts;
use attention_model::roles::RoleSums;
use thiserror::Error;

use crate::batch::Batch;
use crate::corpus::{CorpusError, Header, Identity, Progress, Shard, Sums, read_progress};
use crate::io::{Outcome, replace};
use crate::options::MergeOptions;
use crate::{eval, roles};

/// Adds up the shards of a corpus and writes the result of all of its lines.
pub fn merge(options: &MergeOptions) -> Outcome {
    let command = checked(&options.shards)?.command;
    match command.as_str() {
        "roles" => {
            let progress = merged::<RoleSums>(&options.shards)?;
            let set = roles::role_set(&progress);
            roles::print(&set);
            replace(&options.out, &roles::written(&set)?)?;
            finish(&progress)
        }
        "eval" => {
            let progress = merged::<PairCounts>(&options.shards)?;
            eval::print(&progress.sums.scores());
            replace(&options.out, &eval::written(&progress.sums)?)?;
            finish(&progress)
        }
        _ => Err(MergeError::Command(command).into()),
    }
}

/// Reports the lines that the shards left out.
fn finish<S>(progress: &Progress<S>) -> Outcome {
    let batch = Batch::of("the corpus").with_left_out(progress.left_out);
    batch.finish()
}

/// Files that are not the shards of one corpus.
#[derive(Debug, Error)]
enum MergeError {
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] CorpusError),
    /// The run of a shard was stopped.
    #[error("{0}: this shard is not complete; run its command again")]
    Incomplete(String),
    /// Two shards have other inputs.
    #[error("{path}: this shard is of a run with {difference} as in {first}")]
    Other {
        path: String,
        difference: String,
        first: String,
    },
    /// A shard is given twice.
    #[error("{path}: shard {shard} is in {first} too")]
    Twice {
        path: String,
        shard: Shard,
        first: String,
    },
    /// A shard is not given.
    #[error("shard {0} is missing")]
    Missing(Shard),
    /// The sums of a command are not known.
    #[error("shards of `attn {0}` cannot be merged")]
    Command(String),
}

/// Checks that files are all shards of one corpus; returns the inputs of their runs.
fn checked(files: &[PathBuf]) -> Result<Identity, MergeError> {
    let mut first: Option<(&PathBuf, Header)> = None;
    let mut found: BTreeMap<usize, &PathBuf> = BTreeMap::new();
    for path in files {
        let header: Header = read_progress(path)?;
        if !header.is_complete {
            return Err(MergeError::Incomplete(name(path)));
        }
        if let Some((first, other)) = &first {
            check_same((path, &header), (first, other))?;
        }
        if let Some(twice) = found.insert(header.shard.index, path) {
            return Err(MergeError::Twice {
                path: name(path),
                shard: header.shard,
                first: name(twice),
            });
        }
        first.get_or_insert((path, header));
    }
    let (_, Header { run, shard, .. }) = first.ok_or(MergeError::Missing(Shard::WHOLE))?;
    match (1..=shard.of).find(|index| !found.contains_key(index)) {
        Some(index) => Err(MergeError::Missing(Shard { index, ..shard })),
        None => Ok(run),
    }
}

fn check_same(
    (path, header): (&Path, &Header),
    (first, other): (&Path, &Header),
) -> Result<(), MergeError> {
    let count = |shard: Shard| format!("another number of shards: {}", shard.of);
    let difference = match header.run.difference(&other.run) {
        Some(difference) => difference.to_string(),
        None if header.shard.of != other.shard.of => {
            format!("{}, not {}", count(header.shard), other.shard.of)
        }
        None => return Ok(()),
    };
    Err(MergeError::Other {
        path: name(path),
        difference,
        first: name(first),
    })
}

/// Returns the sums of all shards.
fn merged<S: Sums>(files: &[PathBuf]) -> Result<Progress<S>, MergeError> {
    let mut files = files.iter();
    let first = files.next().ok_or(MergeError::Missing(Shard::WHOLE))?;
    let mut sum: Progress<S> = read_progress(first)?;
    for path in files {
        let shard: Progress<S> = read_progress(path)?;
        sum.left_out += shard.left_out;
        sum.sums.merge(shard.sums);
    }
    Ok(sum)
}

fn name(path: &Path) -> String {
    path.display().to_string()
}
