//! The bytes of a file, in memory or elsewhere.

use std::io;

/// A file whose parts can be read in any order.
pub trait Source {
    /// Returns the length of the file in bytes.
    fn length(&self) -> u64;

    /// Fills `buffer` with the bytes from `start` on.
    ///
    /// # Errors
    /// If the file has fewer bytes, or cannot be read.
    fn read(&self, start: u64, buffer: &mut [u8]) -> io::Result<()>;
}

impl Source for [u8] {
    fn length(&self) -> u64 {
        self.len() as u64
    }

    fn read(&self, start: u64, buffer: &mut [u8]) -> io::Result<()> {
        let start = usize::try_from(start).ok();
        let part = start
            .and_then(|start| self.get(start..)?.get(..buffer.len()))
            .ok_or(io::ErrorKind::UnexpectedEof)?;
        buffer.copy_from_slice(part);
        Ok(())
    }
}
