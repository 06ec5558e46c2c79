//! The files on disk that weights of a loaded model may stay in.

#[cfg(feature = "tokenizers")]
use std::sync::Arc;

#[cfg(feature = "tokenizers")]
use super::WeightsFile;
use crate::error::ModelError;
#[cfg(feature = "tokenizers")]
use crate::files::OnDisk;

/// The files that a checkpoint was opened from; none of one that was loaded from memory.
#[derive(Clone, Debug, Default)]
pub struct Backing {
    #[cfg(feature = "tokenizers")]
    files: Vec<Arc<OnDisk>>,
}

impl Backing {
    /// Returns the weights in one file, and that file.
    #[cfg(feature = "tokenizers")]
    pub(super) fn whole(file: OnDisk) -> (WeightsFile, Self) {
        let file = Arc::new(file);
        let backing = Backing {
            files: vec![Arc::clone(&file)],
        };
        (WeightsFile::new(file), backing)
    }

    /// Adds a file of weights.
    #[cfg(feature = "tokenizers")]
    pub(super) fn push(&mut self, file: Arc<OnDisk>) {
        self.files.push(file);
    }

    /// Checks that the files which weights stay in are as they were when they were opened.
    ///
    /// # Errors
    /// If one was written to.
    pub fn check(&self) -> Result<(), ModelError> {
        #[cfg(feature = "tokenizers")]
        self.files.iter().try_for_each(|file| file.check())?;
        Ok(())
    }
}
