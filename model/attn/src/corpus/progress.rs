//! The progress of a run over a corpus: what has been measured of it, in a file beside the result.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use attention_model::files::{LARGEST_DATA, failed, read_regular};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{CorpusError, Identity, Position, Shard};
use crate::io::replace;

/// The sums over some lines of a corpus, and which run they belong to.
#[derive(Debug, Serialize, Deserialize)]
pub struct Progress<S> {
    /// The inputs of the run.
    pub run: Identity,
    /// The share of the lines that the run measures.
    pub shard: Shard,
    /// True if all lines of the shard have been measured.
    pub is_complete: bool,
    /// The passes over the lines that are done; some measurements take several.
    pub pass: usize,
    /// The position after the lines that were measured.
    pub position: Position,
    /// The number of lines that were left out.
    pub left_out: usize,
    /// The sums over the lines.
    pub sums: S,
}

/// A [`Progress`] without its sums, whose form depends on the run.
#[derive(Debug, Deserialize)]
pub struct Header {
    /// The inputs of the run.
    pub run: Identity,
    /// The share of the lines that the run measures.
    pub shard: Shard,
    /// True if all lines of the shard have been measured.
    pub is_complete: bool,
}

/// Reads a file of progress, or its header.
///
/// # Errors
/// If it cannot be read, or was not written by a run over a corpus.
pub fn read_progress<P: DeserializeOwned>(path: &Path) -> Result<P, CorpusError> {
    let bytes = read_regular(path, LARGEST_DATA)?;
    serde_json::from_slice(&bytes).map_err(|source| CorpusError::NoProgress {
        path: path.display().to_string(),
        source,
    })
}

/// The file that a run's progress is saved to, `FILE.part` beside its result.
pub struct Part {
    path: PathBuf,
    interval: Duration,
    saved: Option<Instant>,
    /// The time that the last save took.
    cost: Duration,
}

/// Saving takes at most about one part in so many of a run's time.
const COST_PART: u32 = 20;

impl Part {
    /// Returns the file for the result at `out`.
    pub fn beside(out: &Path, interval: Duration) -> Self {
        let mut path = out.as_os_str().to_owned();
        path.push(".part");
        Part {
            path: path.into(),
            interval,
            saved: None,
            cost: Duration::ZERO,
        }
    }

    /// Reads the progress of the same run; `None` if none was saved.
    ///
    /// # Errors
    /// If the file cannot be read, or is the progress of another run, by what differs.
    pub fn read<S: DeserializeOwned>(
        &self,
        run: &Identity,
        shard: Shard,
    ) -> Result<Option<Progress<S>>, CorpusError> {
        if !self.path.exists() {
            return Ok(None);
        }
        let header: Header = read_progress(&self.path)?;
        let other = |difference: String| CorpusError::OtherProgress {
            path: self.path.display().to_string(),
            difference,
        };
        if let Some(difference) = header.run.difference(run) {
            return Err(other(difference.to_string()));
        }
        if header.shard != shard {
            return Err(other(format!(
                "another shard: {}, not {shard}",
                header.shard
            )));
        }
        read_progress(&self.path).map(Some)
    }

    /// Saves the progress, if the last save is long enough ago.
    ///
    /// # Errors
    /// If the file cannot be written. What was saved before stays.
    pub fn save_in_time<S: Serialize>(
        &mut self,
        progress: &Progress<S>,
    ) -> Result<(), CorpusError> {
        let interval = self.interval.max(self.cost * COST_PART);
        match self.saved.is_some_and(|saved| saved.elapsed() < interval) {
            true => Ok(()),
            false => self.save(progress),
        }
    }

    fn save<S: Serialize>(&mut self, progress: &Progress<S>) -> Result<(), CorpusError> {
        let began = Instant::now();
        replace(&self.path, &serde_json::to_vec(progress)?)?;
        self.cost = began.elapsed();
        self.saved = Some(Instant::now());
        Ok(())
    }

    /// Removes the file, once the result is written.
    ///
    /// # Errors
    /// If the system refuses to.
    pub fn remove(&self) -> Result<(), CorpusError> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(failed(&self.path)(error).into())
            }
            _ => Ok(()),
        }
    }
}
