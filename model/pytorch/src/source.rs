//! The bytes of a file, in memory or elsewhere.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use bytes::Bytes;

/// A file whose parts can be read in any order.
pub trait Source {
    /// Returns the length of the file in bytes.
    fn length(&self) -> u64;

    /// Fills `buffer` with the bytes from `start` on.
    ///
    /// # Errors
    /// If the file has fewer bytes, or cannot be read.
    fn read(&self, start: u64, buffer: &mut [u8]) -> io::Result<()>;

    /// Returns `count` bytes from `start` on, without a copy if the file is in memory.
    ///
    /// # Errors
    /// If the file has fewer bytes or cannot be read, or memory has no room for them.
    fn part(&self, start: u64, count: u64) -> io::Result<Cow<'_, [u8]>> {
        let end = start.checked_add(count);
        if end.is_none_or(|end| end > self.length()) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let count = usize::try_from(count).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let mut bytes = vec![];
        bytes
            .try_reserve_exact(count)
            .map_err(|error| io::Error::new(io::ErrorKind::OutOfMemory, error))?;
        bytes.resize(count, 0);
        self.read(start, &mut bytes)?;
        Ok(bytes.into())
    }

    /// Returns `count` bytes from `start` on that stay in the file, which is mapped into memory; `None` if the file is not
    /// mapped, or has fewer bytes.
    fn lend(&self, _start: u64, _count: u64) -> Option<Bytes> {
        None
    }
}

impl Source for [u8] {
    fn length(&self) -> u64 {
        self.len() as u64
    }

    fn read(&self, start: u64, buffer: &mut [u8]) -> io::Result<()> {
        buffer.copy_from_slice(&self.part(start, buffer.len() as u64)?);
        Ok(())
    }

    fn part(&self, start: u64, count: u64) -> io::Result<Cow<'_, [u8]>> {
        let place = usize::try_from(start).ok().zip(usize::try_from(count).ok());
        let part = place.and_then(|(start, count)| self.get(start..)?.get(..count));
        Ok(part.ok_or(io::ErrorKind::UnexpectedEof)?.into())
    }
}

impl Source for Vec<u8> {
    fn length(&self) -> u64 {
        self.as_slice().length()
    }

    fn read(&self, start: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.as_slice().read(start, buffer)
    }

    fn part(&self, start: u64, count: u64) -> io::Result<Cow<'_, [u8]>> {
        self.as_slice().part(start, count)
    }
}

impl<S: Source + ?Sized> Source for &S {
    fn length(&self) -> u64 {
        (**self).length()
    }

    fn read(&self, start: u64, buffer: &mut [u8]) -> io::Result<()> {
        (**self).read(start, buffer)
    }

    fn part(&self, start: u64, count: u64) -> io::Result<Cow<'_, [u8]>> {
        (**self).part(start, count)
    }

    fn lend(&self, start: u64, count: u64) -> Option<Bytes> {
        (**self).lend(start, count)
    }
}

impl<S: Source + ?Sized> Source for Arc<S> {
    fn length(&self) -> u64 {
        (**self).length()
    }

    fn read(&self, start: u64, buffer: &mut [u8]) -> io::Result<()> {
        (**self).read(start, buffer)
    }

    fn part(&self, start: u64, count: u64) -> io::Result<Cow<'_, [u8]>> {
        (**self).part(start, count)
    }

    fn lend(&self, start: u64, count: u64) -> Option<Bytes> {
        (**self).lend(start, count)
    }
}
