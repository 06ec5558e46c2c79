//! A file of weights on disk: tensors are read from it, or stay in it, mapped into memory.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

use attention_pytorch::Source;
use bytes::Bytes;
use memmap2::Mmap;

use super::{LARGEST_WEIGHTS, failed, regular_size};
use crate::error::ModelError;

/// A file whose parts are read when they are needed, or lent without a copy.
///
/// A lent part is a part of the file, not a copy of it. A file that is replaced by renaming another one over it stays as it was
/// for those who have opened it. One that is written or cut in place changes under the model: [`check`](Self::check) finds
/// that between passes, and a process that reads behind the new end is ended by the system (SIGBUS).
#[derive(Debug)]
pub struct OnDisk {
    path: PathBuf,
    file: File,
    bytes: u64,
    /// The time of the last change, where the file system has it.
    modified: Option<SystemTime>,
    /// The whole file in memory, once a part has been lent; `None` where the system maps no files.
    map: OnceLock<Option<Bytes>>,
}

impl OnDisk {
    /// Opens a regular file of weights.
    ///
    /// # Errors
    /// If it cannot be opened, is not a regular file, or is larger than [`LARGEST_WEIGHTS`].
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        // A pipe is refused before it is opened, which would wait for a writer.
        regular_size(path)?;
        let file = File::open(path).map_err(failed(path))?;
        let metadata = file.metadata().map_err(failed(path))?;
        if metadata.len() > LARGEST_WEIGHTS {
            return Err(ModelError::TooLarge {
                path: path.display().to_string(),
                limit: LARGEST_WEIGHTS,
            });
        }
        Ok(OnDisk {
            path: path.to_owned(),
            file,
            bytes: metadata.len(),
            modified: modified(&metadata),
            map: OnceLock::new(),
        })
    }

    /// Checks that a file of which parts have been lent is as it was when it was opened.
    ///
    /// # Errors
    /// If it was written to, or its state cannot be read.
    pub fn check(&self) -> Result<(), ModelError> {
        if !matches!(self.map.get(), Some(Some(_))) {
            return Ok(());
        }
        let now = self.file.metadata().map_err(failed(&self.path))?;
        match now.len() == self.bytes && modified(&now) == self.modified {
            true => Ok(()),
            false => Err(ModelError::Changed {
                path: self.path.display().to_string(),
            }),
        }
    }

    fn mapped(&self) -> Option<Bytes> {
        // SAFETY: The map is only read. Nothing keeps others from writing to the file: kernels then read other numbers, which
        // are valid floats whatever their bits are, and `check` fails before a result is returned. Where the file has become
        // shorter, the system ends the process.
        #[allow(
            unsafe_code,
            reason = "a map of a file has no safe interface, since others may write to the file"
        )]
        let map = unsafe { Mmap::map(&self.file) };
        // Where the system maps no files, they are read, which takes more memory but loses nothing.
        let map = map.ok()?;
        (map.len() as u64 == self.bytes).then(|| Bytes::from_owner(map))
    }
}

/// Returns the time of a file's last change; `None` where the file system has none.
fn modified(metadata: &Metadata) -> Option<SystemTime> {
    // Without a time, a change is seen by the length alone.
    metadata.modified().ok()
}

impl Source for OnDisk {
    fn length(&self) -> u64 {
        self.bytes
    }

    fn read(&self, start: u64, buffer: &mut [u8]) -> io::Result<()> {
        let mut file = &self.file;
        let read = file
            .seek(SeekFrom::Start(start))
            .and_then(|_| file.read_exact(buffer));
        read.map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => io::Error::new(
                error.kind(),
                format!(
                    "{}: it has become shorter since it was opened",
                    self.path.display()
                ),
            ),
            kind => io::Error::new(kind, format!("{}: {error}", self.path.display())),
        })
    }

    fn lend(&self, start: u64, count: u64) -> Option<Bytes> {
        let map = self.map.get_or_init(|| self.mapped()).as_ref()?;
        let end = start.checked_add(count).filter(|end| *end <= self.bytes)?;
        // The map has the length of the file, so that both are positions in memory.
        Some(map.slice(start as usize..end as usize))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn opened(name: &str) -> (PathBuf, OnDisk) {
        let name = format!("attention-on-disk-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, b"0123456789").unwrap();
        let file = OnDisk::open(&path).unwrap();
        (path, file)
    }

    #[test]
    fn lent_bytes_are_those_that_are_read() {
        let (path, file) = opened("lent");
        for start in 0..=10 {
            for count in 0..=10 - start {
                let lent = file.lend(start, count).unwrap();
                assert_eq!(lent[..], file.part(start, count).unwrap()[..]);
            }
        }
        assert_eq!(file.lend(8, 3), None);
        assert_eq!(file.lend(u64::MAX, 2), None);
        fs::remove_file(path).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_is_replaced_stays_as_it_was() {
        let (path, file) = opened("replaced");
        let lent = file.lend(2, 3).unwrap();
        let other = path.with_extension("other");
        fs::write(&other, b"abc").unwrap();
        fs::rename(&other, &path).unwrap();
        assert_eq!(lent[..], *b"234");
        assert_eq!(file.part(9, 1).unwrap()[..], *b"9");
        file.check().unwrap();
        fs::remove_file(path).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_is_cut_or_written_in_place_is_refused() {
        for (name, bytes) in [("cut", &b"01"[..]), ("written", b"abcdefghij")] {
            let (path, file) = opened(name);
            let unlent = OnDisk::open(&path).unwrap();
            let lent = file.lend(0, 10).unwrap();
            assert_eq!(lent.len(), 10);
            file.check().unwrap();
            // Times of files have steps of some milliseconds.
            std::thread::sleep(std::time::Duration::from_millis(50));
            fs::write(&path, bytes).unwrap();
            let message = file.check().unwrap_err().to_string();
            assert!(message.contains("has changed"), "{message}");
            // A model that was copied is none of the file's concern.
            unlent.check().unwrap();
            fs::remove_file(path).unwrap();
        }
    }
}
