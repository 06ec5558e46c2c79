//! The zip archive: its records, and their places in the file.

use std::collections::BTreeMap;
use std::io;

use rawzip::{
    CompressionMethod, RECOMMENDED_BUFFER_SIZE, ReaderAt, ZipArchive, ZipArchiveEntryWayfinder,
    ZipLocator,
};

use crate::error::{PytorchError, shown};
use crate::source::Source;

/// The bytes that a file begins with: the header of its first record.
pub const MAGIC: &[u8; 4] = b"PK\x03\x04";

/// The record that builds the state dict.
pub const PICKLE: &str = "data.pkl";
/// The record that names the order of bytes; files before torch 2.1 lack it and are little-endian.
const BYTE_ORDER: &str = "byteorder";
/// A record that programs have and state dicts lack.
const CONSTANTS: &str = "constants.pkl";
/// The most records: a storage is one.
const MOST_RECORDS: u64 = 1 << 20;
/// The mark of a tar archive, and its position.
const TAR: (u64, &[u8; 5]) = (257, b"ustar");
/// The opcode that pickles begin with.
const PROTOCOL: u8 = 0x80;

/// An archive whose directory has been read.
pub struct Archive<'a, S: ?Sized> {
    zip: ZipArchive<Bytes<'a, S>>,
    /// The records by their names in the archive's folder.
    records: BTreeMap<String, Record>,
}

/// A record as the directory lists it.
struct Record {
    entry: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
    is_encrypted: bool,
}

/// The place of a record's bytes in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The position of the first byte.
    pub start: u64,
    /// The number of bytes.
    pub bytes: u64,
}

/// A source as the reader of zip archives takes it.
struct Bytes<'a, S: ?Sized>(&'a S);

impl<S: Source + ?Sized> ReaderAt for Bytes<'_, S> {
    fn read_at(&self, buffer: &mut [u8], start: u64) -> io::Result<usize> {
        let left = self.0.length().saturating_sub(start);
        let count = usize::try_from(left).map_or(buffer.len(), |left| left.min(buffer.len()));
        self.0.read(start, &mut buffer[..count])?;
        Ok(count)
    }
}

impl<'a, S: Source + ?Sized> Archive<'a, S> {
    /// Reads the directory of the zip archive.
    ///
    /// # Errors
    /// If the file is no archive, or not one of a state dict.
    pub fn open(source: &'a S) -> Result<Self, PytorchError> {
        check_beginning(source)?;
        let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
        let zip = ZipLocator::new()
            .locate_in_reader(Bytes(source), &mut buffer, source.length())
            .map_err(|(_, error)| error)?;
        let records = in_folder(records(&zip, &mut buffer)?)?;
        let archive = Archive { zip, records };
        if archive.records.contains_key(CONSTANTS) {
            return Err(PytorchError::TorchScript);
        }
        archive.check_byte_order()?;
        Ok(archive)
    }

    /// Returns the place of a record's bytes.
    ///
    /// # Errors
    /// If there is no such record, it is compressed or encrypted, or ends behind the file.
    pub fn place(&self, name: &str) -> Result<Place, PytorchError> {
        let record = || shown(name);
        let found = self.records.get(name);
        let found = found.ok_or_else(|| PytorchError::Missing { record: record() })?;
        let stored = match (found.is_encrypted, found.method) {
            (true, _) => Some("encrypted".to_owned()),
            (false, CompressionMethod::STORE) => None,
            (false, method) => Some(format!("compressed by method {method}")),
        };
        if let Some(stored) = stored {
            return Err(PytorchError::Stored {
                record: record(),
                stored,
            });
        }
        let (start, end) = self.zip.get_entry(found.entry)?.compressed_data_range();
        let length = self.zip.get_ref().0.length();
        match end.checked_sub(start) {
            Some(bytes) if end <= length => Ok(Place { start, bytes }),
            _ => Err(PytorchError::CutShort {
                record: record(),
                end,
                length,
            }),
        }
    }

    /// Reads a record of at most `limit` bytes.
    ///
    /// # Errors
    /// As [`place`](Self::place), and if it is longer or cannot be read.
    pub fn contents(&self, name: &str, limit: u64) -> Result<Vec<u8>, PytorchError> {
        let place = self.place(name)?;
        let too_many = || PytorchError::TooMany {
            field: shown(name),
            count: place.bytes,
            unit: "bytes",
            limit,
        };
        let count = usize::try_from(place.bytes).map_err(|_| too_many())?;
        if place.bytes > limit {
            return Err(too_many());
        }
        let mut bytes = vec![0; count];
        self.zip.get_ref().0.read(place.start, &mut bytes)?;
        Ok(bytes)
    }

    fn check_byte_order(&self) -> Result<(), PytorchError> {
        if !self.records.contains_key(BYTE_ORDER) {
            return Ok(());
        }
        match self.contents(BYTE_ORDER, 8)?.as_slice() {
            b"little" => Ok(()),
            _ => Err(PytorchError::BigEndian),
        }
    }
}

/// Refuses files of another form by their first bytes.
fn check_beginning<S: Source + ?Sized>(source: &S) -> Result<(), PytorchError> {
    let is_at = |position: u64, expected: &[u8]| {
        let mut found = vec![0; expected.len()];
        let end = position + expected.len() as u64;
        match source.length() < end {
            true => Ok(false),
            false => source
                .read(position, &mut found)
                .map(|()| found == expected),
        }
    };
    if is_at(0, MAGIC)? {
        Ok(())
    } else if is_at(0, &[PROTOCOL])? {
        Err(PytorchError::Old("a bare pickle"))
    } else if is_at(TAR.0, TAR.1)? {
        Err(PytorchError::Old("a tar archive"))
    } else {
        Err(PytorchError::NoTorch)
    }
}

/// Reads the directory's list of records.
fn records<S: Source + ?Sized>(
    zip: &ZipArchive<Bytes<'_, S>>,
    buffer: &mut [u8],
) -> Result<BTreeMap<String, Record>, PytorchError> {
    let announced = zip.entries_hint();
    if announced > MOST_RECORDS {
        return Err(PytorchError::TooMany {
            field: "its zip archive".to_owned(),
            count: announced,
            unit: "records",
            limit: MOST_RECORDS,
        });
    }
    let mut records = BTreeMap::new();
    let mut entries = zip.entries(buffer);
    let mut found = 0;
    while let Some(entry) = entries.next_entry()? {
        found += 1;
        if found > announced {
            break;
        }
        let name = String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned();
        let record = Record {
            entry: entry.wayfinder(),
            method: entry.compression_method(),
            is_encrypted: entry.flags().is_encrypted(),
        };
        if records.insert(name.clone(), record).is_some() {
            let field = shown(&name);
            return Err(PytorchError::Twice { field });
        }
    }
    match found == announced {
        true => Ok(records),
        false => Err(PytorchError::Records { found, announced }),
    }
}

/// Returns the records of the folder that has the pickle, by their names in it.
fn in_folder(records: BTreeMap<String, Record>) -> Result<BTreeMap<String, Record>, PytorchError> {
    let folder = records.keys().find_map(|name| match name.split_once('/') {
        Some((folder, PICKLE)) => Some(format!("{folder}/")),
        _ => None,
    });
    let folder = folder.ok_or_else(|| PytorchError::Missing {
        record: PICKLE.to_owned(),
    })?;
    let records = records.into_iter();
    let inside = records.filter_map(|(name, record)| {
        let name = name.strip_prefix(&folder)?.to_owned();
        Some((name, record))
    });
    Ok(inside.collect())
}
