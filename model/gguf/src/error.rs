//! The faults of a GGUF file, each with the field of the file that has it.

use thiserror::Error;

/// A fault of a GGUF file. `field` is a key of the metadata, a tensor's name, or a part of the header.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GgufError {
    /// The header goes on beyond the bytes that were given, and the file has more.
    #[error("the header needs at least the first {0} bytes of the file")]
    NeedsMore(u64),
    /// The file begins with something else.
    #[error("it does not begin with the letters GGUF")]
    NoGguf,
    /// The version is not implemented.
    #[error("version: {0} is not implemented; 2 and 3 are")]
    Version(u32),
    /// The file is written for big-endian machines.
    #[error("version: the file is big-endian; convert it with gguf-py's gguf_convert_endian")]
    BigEndian,
    /// The file ends within a part of it.
    #[error("{field}: it ends at byte {end}, and the file has {length}; perhaps it was cut short")]
    CutShort {
        /// The part that is cut.
        field: String,
        /// The position behind it, in bytes.
        end: u128,
        /// The length of the file in bytes.
        length: u64,
    },
    /// A value has a type that the format does not define.
    #[error("{field}: type {number} of values is not defined")]
    ValueType {
        /// The key of the value.
        field: String,
        /// The number of the type.
        number: u32,
    },
    /// A Boolean is neither 0 nor 1.
    #[error("{field}: a Boolean is neither 0 nor 1")]
    Boolean {
        /// The key of the value.
        field: String,
    },
    /// A text is not UTF-8.
    #[error("{field}: a text is not UTF-8")]
    Text {
        /// The key of the text, or the part of the header that it is in.
        field: String,
    },
    /// A key or a tensor's name appears twice.
    #[error("{field}: it is there twice")]
    Twice {
        /// The name that appears twice.
        field: String,
    },
    /// A list contains lists that contain lists, too deep.
    #[error("{field}: its lists are nested deeper than {limit}")]
    Nested {
        /// The key of the list.
        field: String,
        /// The deepest nesting that is read.
        limit: usize,
    },
    /// A tensor has too many dimensions, or a dimension of zero.
    #[error("{field}: the dimensions {dimensions} are not one to four positive numbers")]
    Dimensions {
        /// The name of the tensor.
        field: String,
        /// The dimensions, or their number.
        dimensions: String,
    },
    /// A tensor is larger than any file.
    #[error("{field}: the dimensions {dimensions} multiply to more values than a file has")]
    Size {
        /// The name of the tensor.
        field: String,
        /// The dimensions, fastest first.
        dimensions: String,
    },
    /// A tensor is stored in a way that is not implemented.
    #[error("{field}: it is stored as {stored}; {implemented} can be read")]
    Encoding {
        /// The name of the tensor.
        field: String,
        /// The name or number of its type.
        stored: String,
        /// The types that are implemented.
        implemented: String,
    },
    /// The rows of a tensor are not whole blocks.
    #[error("{field}: rows of {width} values are not whole blocks of {block}")]
    Rows {
        /// The name of the tensor.
        field: String,
        /// The width of a row.
        width: u64,
        /// Values of a block.
        block: usize,
    },
    /// A tensor begins at a place that is not aligned.
    #[error("{field}: the offset {offset} is not a multiple of the alignment {alignment}")]
    Offset {
        /// The name of the tensor.
        field: String,
        /// The offset within the data.
        offset: u64,
        /// The alignment of the file.
        alignment: u64,
    },
    /// Two tensors share bytes of the file.
    #[error("{field}: its bytes overlap those of {other}")]
    Overlap {
        /// The name of the tensor.
        field: String,
        /// The name of the tensor before it.
        other: String,
    },
    /// The metadata lacks a value that is needed.
    #[error("{field}: it is missing")]
    Missing {
        /// The key of the value.
        field: String,
    },
    /// A value is of another type than its key has.
    #[error("{field}: it is not {expected}")]
    Type {
        /// The key of the value.
        field: String,
        /// The type of its values, in words.
        expected: &'static str,
    },
    /// A value asks for something that is not implemented, or that does not fit the rest.
    #[error("{field}: {value} {fault}")]
    Value {
        /// The key of the value.
        field: String,
        /// The value as text.
        value: String,
        /// The end of the sentence that the value begins.
        fault: String,
    },
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

impl GgufError {
    pub(crate) fn value(
        field: impl Into<String>,
        value: impl ToString,
        fault: impl Into<String>,
    ) -> Self {
        GgufError::Value {
            field: field.into(),
            value: shown(&value.to_string()),
            fault: fault.into(),
        }
    }

    pub(crate) fn missing(field: impl Into<String>) -> Self {
        GgufError::Missing {
            field: field.into(),
        }
    }
}
