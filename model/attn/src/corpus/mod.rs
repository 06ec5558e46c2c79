//! Runs over a corpus: its lines are read one after the other and measured by several threads, the sums are saved, a
//! run that was killed goes on after the last save, and shards add up.

mod identity;
mod input;
mod progress;
mod workers;

use std::path::{Path, PathBuf};
use std::time::Duration;

use attention_model::error::ModelError;
use attention_model::evaluation::{HeadCounts, PairCounts};
use attention_model::roles::RoleSums;
use indicatif::ProgressBar;
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use self::input::Chunk;
use self::progress::Part;
use self::workers::{WorkerDied, in_order};
use crate::batch::Batch;
use crate::io::{lines_bar, replace};
pub use crate::options::Shard;
use crate::options::{DeviceOption, RunOptions};
use crate::terminal::escaped;

pub use self::identity::{ALIGNED, CORPUS, Identity, IdentityError, WEIGHTS, weights_file};
pub use self::input::{CorpusLine, Input, Position};
pub use self::progress::{Header, Progress, read_progress};

/// The most bytes of text that a worker is given at a time.
const CHUNK_BYTES: u64 = 1 << 20;

/// Sums over some lines of a corpus.
pub trait Sums: Serialize + DeserializeOwned + Send {
    /// Adds the sums over other lines. The order of additions does not matter.
    fn merge(&mut self, other: Self);
}

impl Sums for RoleSums {
    fn merge(&mut self, other: Self) {
        RoleSums::merge(self, other);
    }
}

impl Sums for PairCounts {
    fn merge(&mut self, other: Self) {
        PairCounts::merge(self, other);
    }
}

impl Sums for HeadCounts {
    fn merge(&mut self, other: Self) {
        HeadCounts::merge(self, other);
    }
}

/// The sums over the lines of a chunk.
pub struct Measured<S> {
    /// The sums over the lines that were measured.
    pub sums: S,
    /// The lines that were left out, each with the reason.
    pub left_out: Vec<(usize, String)>,
}

/// The error of a run over a corpus.
#[derive(Debug, Error)]
pub enum CorpusError {
    /// A file cannot be read or written, or the model fails.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The sums cannot be written as JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// A worker thread panicked.
    #[error(transparent)]
    Worker(#[from] WorkerDied),
    /// The bar of the progress cannot be made.
    #[error(transparent)]
    Bar(#[from] indicatif::style::TemplateError),
    /// A shard's sums have nowhere to go.
    #[error("a shard needs a file for its sums")]
    NoOut,
    /// A file is not the progress of a run.
    #[error("{path}: it is not the progress of a run over a corpus, or a shard: {source}")]
    NoProgress {
        /// The path of the file.
        path: String,
        /// The fault of the file.
        source: serde_json::Error,
    },
    /// The progress is that of another run.
    #[error(
        "{path}: this is the progress of a run with {difference}; delete the file to begin anew, or write to another one"
    )]
    OtherProgress {
        /// The path of the progress.
        path: String,
        /// The input that differs, with both values.
        difference: String,
    },
}

/// A run over a corpus.
pub struct Run<'a> {
    identity: Identity,
    input: Input,
    shard: Option<Shard>,
    options: &'a RunOptions,
    workers: usize,
    /// The file of the result, if it is written.
    out: Option<PathBuf>,
}

impl<'a> Run<'a> {
    /// Creates a run over `input`, or a shard of it, with a model on a device.
    ///
    /// # Errors
    /// If the sums of a shard have no file.
    pub fn new(
        identity: Identity,
        (input, shard): (Input, Option<Shard>),
        (options, device): (&'a RunOptions, &DeviceOption),
        out: Option<&Path>,
    ) -> Result<Self, CorpusError> {
        if shard.is_some() && out.is_none() {
            return Err(CorpusError::NoOut);
        }
        Ok(Run {
            identity,
            input,
            shard,
            options,
            workers: options.worker_count(device),
            out: out.map(Path::to_owned),
        })
    }

    /// Returns the shard that is measured.
    pub fn shard(&self) -> Shard {
        self.shard.unwrap_or(Shard::WHOLE)
    }

    /// Measures the lines of the shard in chunks of at most `chunk_lines` lines, from where a run with the same inputs
    /// stopped, or from the beginning with `none`, the sums over no lines.
    ///
    /// # Errors
    /// If a file cannot be read or written, `measure` fails, or another run's progress is in the way.
    pub fn measure<S: Sums>(
        &self,
        none: S,
        chunk_lines: usize,
        measure: impl Fn(Vec<CorpusLine>) -> Result<Measured<S>, ModelError> + Sync,
    ) -> Result<Progress<S>, CorpusError> {
        let mut progress = self.begin(none)?;
        self.pass(&mut progress, 0, chunk_lines, measure)?;
        progress.is_complete = true;
        Ok(progress)
    }

    /// Reads the lines of the shard once more, for a measurement that the sums of all lines decide: from where the
    /// `pass`, counted from 0, stopped, or not at all if it is done.
    ///
    /// # Errors
    /// If a file cannot be read or written, or `measure` fails.
    pub fn pass<S: Sums>(
        &self,
        progress: &mut Progress<S>,
        pass: usize,
        chunk_lines: usize,
        measure: impl Fn(Vec<CorpusLine>) -> Result<Measured<S>, ModelError> + Sync,
    ) -> Result<(), CorpusError> {
        if progress.pass != pass {
            return Ok(());
        }
        let mut part = self.part();
        let bar = lines_bar(self.input.end.lines)?;
        bar.set_position(progress.position.lines as u64);
        let mut lines = self.input.lines(progress.position, self.shard())?;
        if let Some(part) = &mut part {
            // A result that could not be written is known before the work.
            part.save_in_time(progress)?;
        }
        in_order(
            self.workers,
            || Ok(lines.chunk(chunk_lines, CHUNK_BYTES)?),
            |Chunk { lines, end }| (end, measure(lines)),
            |(end, measured)| {
                self.add(progress, (end, measured?), &bar);
                part.as_mut()
                    .map_or(Ok(()), |part| part.save_in_time(progress))
            },
        )?;
        bar.finish_and_clear();
        (progress.pass, progress.position) = (pass + 1, Position::default());
        Ok(())
    }

    /// Adds the sums of a chunk, and reports the lines that it left out.
    fn add<S: Sums>(
        &self,
        progress: &mut Progress<S>,
        (end, measured): (Position, Measured<S>),
        bar: &ProgressBar,
    ) {
        progress.sums.merge(measured.sums);
        progress.position = end;
        bar.set_position(end.lines as u64);
        // Later passes leave out the same lines.
        if !measured.left_out.is_empty() && progress.pass == 0 {
            let mut batch = self.batch(progress);
            bar.suspend(|| {
                for (line, why) in &measured.left_out {
                    batch.leave_out(*line, why);
                }
            });
            progress.left_out += measured.left_out.len();
        }
    }

    /// Returns the saved progress of a run with the same inputs, or that of a run that begins with `none`.
    ///
    /// # Errors
    /// If another run's progress is in the way.
    pub fn begin<S: Sums>(&self, none: S) -> Result<Progress<S>, CorpusError> {
        let shard = self.shard();
        let saved = self.part().map(|part| part.read(&self.identity, shard));
        Ok(match saved.transpose()?.flatten() {
            Some(progress) => {
                let Position { lines, .. } = progress.position;
                let told = format!("{}: going on after line {lines}", self.input.name());
                eprintln!("attn: {}", escaped(&told));
                progress
            }
            None => Progress {
                run: self.identity.clone(),
                shard,
                is_complete: false,
                pass: 0,
                position: Position::default(),
                left_out: 0,
                sums: none,
            },
        })
    }

    /// Returns the file of the progress; `None` if the result is printed, or goes to a device or a pipe.
    fn part(&self) -> Option<Part> {
        let out = self.out.as_deref()?;
        let is_special = out.exists() && !out.is_file();
        let interval = Duration::from_secs(self.options.save_seconds);
        (!is_special).then(|| Part::beside(out, interval))
    }

    /// Returns the lines of the corpus as a batch, with those that were left out.
    pub fn batch<S>(&self, progress: &Progress<S>) -> Batch {
        Batch::of(self.input.name()).with_left_out(progress.left_out)
    }

    /// Writes a complete run's sums as a shard, if it measured one, otherwise the result that `result` makes of them.
    /// Removes the progress.
    ///
    /// # Errors
    /// If the file cannot be written; the progress stays.
    pub fn finish<S: Sums>(
        &self,
        progress: &Progress<S>,
        result: impl FnOnce(&Progress<S>) -> Result<Vec<u8>, CorpusError>,
    ) -> Result<(), CorpusError> {
        let Some(out) = &self.out else {
            return Ok(());
        };
        let bytes = match self.shard {
            Some(_) => serde_json::to_vec(progress)?,
            None => result(progress)?,
        };
        replace(out, &bytes)?;
        self.forget()
    }

    /// Removes the progress, of which nothing is kept.
    ///
    /// # Errors
    /// If the system refuses to.
    pub fn forget(&self) -> Result<(), CorpusError> {
        self.part().map_or(Ok(()), |part| part.remove())
    }
}
