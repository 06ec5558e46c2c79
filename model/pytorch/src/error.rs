//! The faults of a file, each with the record or the tensor that has it.

use std::io;

use thiserror::Error;

/// A fault of a file.
#[derive(Debug, Error)]
pub enum PytorchError {
    /// The file begins as none that `torch.save` writes.
    #[error(
        "it is not a file of torch.save; perhaps it was cut short, or is a page or a pointer in the file's place"
    )]
    NoTorch,
    /// The file has a form that `torch.save` no longer writes.
    #[error(
        "it is {0}, a form of torch before 1.6: load it with a newer torch and save it with `torch.save`"
    )]
    Old(&'static str),
    /// The archive holds a program, not a state dict.
    #[error("it is a TorchScript program; a state dict is needed")]
    TorchScript,
    /// The values are stored for big-endian machines.
    #[error(
        "byteorder: its values are big-endian; load it with torch and save it on another machine"
    )]
    BigEndian,
    /// The zip archive is broken.
    #[error("its zip archive is broken ({0}); perhaps it was cut short")]
    Zip(#[from] rawzip::Error),
    /// The directory of the archive lists fewer or more records than it announces.
    #[error("its zip archive lists {found} records, and announces {announced}")]
    Records {
        /// The number of records in the list.
        found: u64,
        /// The number of records by the end of the archive.
        announced: u64,
    },
    /// The file cannot be read.
    #[error("{0}")]
    Source(#[from] io::Error),
    /// The archive lacks a record.
    #[error("{record}: there is no such record")]
    Missing {
        /// The name of the record, without the archive's folder.
        record: String,
    },
    /// Two records, or two tensors, have the same name.
    #[error("{field}: it is there twice")]
    Twice {
        /// The name that appears twice.
        field: String,
    },
    /// A record is not stored as torch stores it.
    #[error("{record}: it is {stored}; torch stores records as they are")]
    Stored {
        /// The name of the record.
        record: String,
        /// The compression or encryption, in words.
        stored: String,
    },
    /// A record ends behind the end of the file.
    #[error("{record}: it ends at byte {end}, and the file has {length}; perhaps it was cut short")]
    CutShort {
        /// The name of the record.
        record: String,
        /// The position behind its last byte.
        end: u64,
        /// The length of the file in bytes.
        length: u64,
    },
    /// There is more of something than is read.
    #[error("{field}: there are {count} {unit}, more than the {limit} that are read")]
    TooMany {
        /// The record or tensor that has it.
        field: String,
        /// The number of things found.
        count: u64,
        /// The name of the counted things, in the plural.
        unit: &'static str,
        /// The most that are read.
        limit: u64,
    },
    /// The pickle names a function or class that is not needed for tensors.
    #[error("data.pkl: it asks to call {name}; only tensors are read")]
    Global {
        /// The module and the name in it.
        name: String,
    },
    /// The pickle has an opcode that `torch.save` does not write for tensors.
    #[error("data.pkl: byte {position}: opcode 0x{opcode:02x} is not read")]
    Opcode {
        /// The position in the record.
        position: usize,
        /// The byte of the opcode.
        opcode: u8,
    },
    /// The pickle is broken.
    #[error("data.pkl: byte {position}: {fault}")]
    Pickle {
        /// The position of the opcode in the record.
        position: usize,
        /// The fault of the opcode.
        fault: &'static str,
    },
    /// An entry of the state dict is no tensor, or one that its storage does not hold.
    #[error("`{name}`: {fault}")]
    Tensor {
        /// The name of the entry.
        name: String,
        /// The fault of the entry.
        fault: String,
    },
    /// The tensors whose values are scattered would take more memory than the file.
    #[error(
        "its tensors that are transposed or repeated have {bytes} bytes together, more than the file with {length}"
    )]
    Scattered {
        /// The bytes of these tensors.
        bytes: u64,
        /// The length of the file in bytes.
        length: u64,
    },
    /// The pickle builds something else than a state dict.
    #[error(
        "data.pkl: it holds no state dict: neither it nor its entries `state_dict` and `model` are dictionaries of tensors"
    )]
    NoStateDict,
}

/// The longest text from a file that a message repeats, in characters.
const LONGEST: usize = 80;

/// Returns a text from a file for a message, without its end if it is long.
pub(crate) fn shown(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

impl PytorchError {
    pub(crate) fn tensor(name: &str, fault: impl Into<String>) -> Self {
        PytorchError::Tensor {
            name: shown(name),
            fault: fault.into(),
        }
    }
}
