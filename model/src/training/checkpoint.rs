//! Checkpoints of a run: one directory each, written completely or not at all.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

use super::TrainError;
use super::files::{create_directory, file_error};

/// The prefix of a checkpoint's directory, followed by its step.
const PREFIX: &str = "step-";
/// The directory of a checkpoint that is being written.
const PARTIAL: &str = "partial";

/// The directory of a run's checkpoints. After a killed run, it may contain two, and one that is half written or half
/// removed: the one with the highest step is always complete.
pub struct Checkpoints(PathBuf);

impl Checkpoints {
    /// Opens the checkpoints in `directory`, which is created if there is none.
    ///
    /// # Errors
    /// If the directory cannot be made, or holds a run of the version before this one, whose three files were written
    /// one after another and may be of different steps.
    pub fn open(directory: PathBuf) -> Result<Self, TrainError> {
        create_directory(&directory)?;
        if directory.join("progress.json").exists() {
            return Err(TrainError::OldRun {
                path: directory.display().to_string(),
            });
        }
        Ok(Checkpoints(directory))
    }

    /// Returns the directory of the newest checkpoint; `None` if there is none.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn newest(&self) -> Result<Option<PathBuf>, TrainError> {
        let newest = self.steps()?.into_iter().max();
        Ok(newest.map(|step| self.directory(step)))
    }

    /// Writes the checkpoint of `step` by `fill`, which receives an empty directory, and removes the others once it is
    /// complete.
    ///
    /// # Errors
    /// If a file cannot be written, or `fill` fails.
    pub fn write(
        &self,
        step: usize,
        fill: impl FnOnce(&Path) -> Result<(), TrainError>,
    ) -> Result<(), TrainError> {
        let partial = self.0.join(PARTIAL);
        remove(&partial)?;
        create_directory(&partial)?;
        fill(&partial)?;
        sync(&partial).map_err(|error| file_error(&partial, error))?;
        let directory = self.directory(step);
        fs::rename(&partial, &directory).map_err(|error| file_error(&directory, error))?;
        sync_entries(&self.0).map_err(|error| file_error(&self.0, error))?;
        for other in self.steps()?.into_iter().filter(|&other| other != step) {
            remove(&self.directory(other))?;
        }
        Ok(())
    }

    fn directory(&self, step: usize) -> PathBuf {
        self.0.join(format!("{PREFIX}{step}"))
    }

    fn steps(&self) -> Result<Vec<usize>, TrainError> {
        let failed = |error| file_error(&self.0, error);
        let mut steps = vec![];
        for entry in fs::read_dir(&self.0).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let step = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
            steps.extend(step.and_then(|step| step.parse::<usize>().ok()));
        }
        Ok(steps)
    }
}

fn remove(directory: &Path) -> Result<(), TrainError> {
    if !directory.exists() {
        return Ok(());
    }
    fs::remove_dir_all(directory).map_err(|error| file_error(directory, error))
}

/// Flushes a directory's files to disk before anything refers to them, in case the power fails.
fn sync(directory: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(directory)? {
        OpenOptions::new()
            .write(true)
            .open(entry?.path())?
            .sync_all()?;
    }
    sync_entries(directory)
}

/// Flushes the names in a directory to disk.
fn sync_entries(directory: &Path) -> std::io::Result<()> {
    // Elsewhere directories cannot be opened.
    if cfg!(unix) {
        File::open(directory)?.sync_all()?;
    }
    Ok(())
}
