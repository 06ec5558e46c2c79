//! Little-endian numbers, texts and lists from the beginning of a file.

use super::metadata::{List, Scalar, Scalars, Value};
use crate::error::{GgufError, shown};

/// The deepest nesting of lists; published files have none.
const DEEPEST: usize = 4;
/// The number of the type of texts.
const TEXT: u32 = 8;
/// The number of the type of lists.
const LIST: u32 = 9;

/// A position in the beginning of a file.
#[derive(Clone)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The length of the whole file in bytes.
    length: u64,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8], length: u64) -> Self {
        Reader {
            bytes,
            at: 0,
            length: length.max(bytes.len() as u64),
        }
    }

    /// Returns the bytes up to the position of a later reader.
    pub fn until(&self, later: &Self) -> &'a [u8] {
        self.bytes.get(self.at..later.at).unwrap_or_default()
    }

    pub fn position(&self) -> u64 {
        self.at as u64
    }

    pub fn length(&self) -> u64 {
        self.length
    }

    /// Returns the position behind the next `count` items of at least `least` bytes each.
    fn end(&self, count: u64, least: u64, field: &str) -> Result<usize, GgufError> {
        let end = self.at as u128 + u128::from(count) * u128::from(least);
        match u64::try_from(end) {
            Ok(end) if end <= self.length => match usize::try_from(end) {
                Ok(place) if place <= self.bytes.len() => Ok(place),
                _ => Err(GgufError::NeedsMore(end)),
            },
            _ => Err(GgufError::CutShort {
                field: shown(field),
                end,
                length: self.length,
            }),
        }
    }

    /// Checks that the given bytes have room for `count` items of at least `least` bytes each, before a list of them is
    /// allocated.
    pub fn room(&self, count: u64, least: u64, field: &str) -> Result<usize, GgufError> {
        self.end(count, least, field)?;
        usize::try_from(count).map_err(|_| GgufError::NeedsMore(self.length))
    }

    pub fn take(&mut self, count: u64, field: &str) -> Result<&'a [u8], GgufError> {
        let end = self.end(count, 1, field)?;
        let part = &self.bytes[self.at..end];
        self.at = end;
        Ok(part)
    }

    fn array<const BYTES: usize>(&mut self, field: &str) -> Result<[u8; BYTES], GgufError> {
        let end = self.end(1, BYTES as u64, field)?;
        let mut array = [0; BYTES];
        array.copy_from_slice(&self.bytes[self.at..end]);
        self.at = end;
        Ok(array)
    }

    pub fn u32(&mut self, field: &str) -> Result<u32, GgufError> {
        Ok(u32::from_le_bytes(self.array(field)?))
    }

    pub fn u64(&mut self, field: &str) -> Result<u64, GgufError> {
        Ok(u64::from_le_bytes(self.array(field)?))
    }

    pub fn text(&mut self, field: &str) -> Result<&'a str, GgufError> {
        let length = self.u64(field)?;
        let bytes = self.take(length, field)?;
        str::from_utf8(bytes).map_err(|_| GgufError::Text {
            field: shown(field),
        })
    }

    pub fn value(&mut self, field: &str) -> Result<Value<'a>, GgufError> {
        match self.u32(field)? {
            TEXT => Ok(Value::Text(self.text(field)?)),
            LIST => Ok(Value::List(self.list(field, DEEPEST)?)),
            number => {
                let scalars = self.scalars(number, 1, field)?;
                scalars.iter().next().ok_or(GgufError::ValueType {
                    field: shown(field),
                    number,
                })
            }
        }
    }

    fn list(&mut self, field: &str, deepest: usize) -> Result<List<'a>, GgufError> {
        if deepest == 0 {
            return Err(GgufError::Nested {
                field: shown(field),
                limit: DEEPEST,
            });
        }
        let number = self.u32(field)?;
        let count = self.u64(field)?;
        match number {
            TEXT => {
                let mut texts = Vec::with_capacity(self.room(count, 8, field)?);
                for _ in 0..count {
                    texts.push(self.text(field)?);
                }
                Ok(List::Texts(texts))
            }
            LIST => {
                let mut lists = Vec::with_capacity(self.room(count, 12, field)?);
                for _ in 0..count {
                    lists.push(self.list(field, deepest - 1)?);
                }
                Ok(List::Lists(lists))
            }
            number => Ok(List::Scalars(self.scalars(number, count, field)?)),
        }
    }

    fn scalars(&mut self, number: u32, count: u64, field: &str) -> Result<Scalars<'a>, GgufError> {
        let kind = Scalar::of(number).ok_or_else(|| GgufError::ValueType {
            field: shown(field),
            number,
        })?;
        let end = self.end(count, kind.bytes() as u64, field)?;
        let bytes = &self.bytes[self.at..end];
        self.at = end;
        if kind == Scalar::Boolean && bytes.iter().any(|&byte| byte > 1) {
            return Err(GgufError::Boolean {
                field: shown(field),
            });
        }
        Ok(Scalars::new(kind, bytes))
    }
}
