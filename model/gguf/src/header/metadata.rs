//! The metadata of a file: values by key.

use std::collections::BTreeMap;
use std::fmt;

use crate::error::{GgufError, shown};

/// A value of the metadata.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// A whole number from 0 on, of any width.
    Natural(u64),
    /// A negative whole number, of any width.
    Negative(i64),
    /// A floating-point number of 32 or 64 bits.
    Real(f64),
    /// A Boolean, true or false.
    Boolean(bool),
    /// A text in UTF-8.
    Text(&'a str),
    /// A list of values of one type.
    List(List<'a>),
}

/// The value for a message.
impl fmt::Display for Value<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Natural(number) => number.fmt(formatter),
            Value::Negative(number) => number.fmt(formatter),
            Value::Real(number) => number.fmt(formatter),
            Value::Boolean(value) => value.fmt(formatter),
            Value::Text(text) => text.fmt(formatter),
            Value::List(_) => formatter.write_str("a list"),
        }
    }
}

/// A list of values of one type.
#[derive(Clone, Debug, PartialEq)]
pub enum List<'a> {
    /// Numbers or Booleans, as stored.
    Scalars(Scalars<'a>),
    /// Texts in UTF-8, in order.
    Texts(Vec<&'a str>),
    /// Lists, which may differ in type.
    Lists(Vec<List<'a>>),
}

/// The types of numbers and Booleans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    F32,
    Boolean,
    U64,
    I64,
    F64,
}

impl Scalar {
    /// Returns the type with that number in the format.
    pub fn of(number: u32) -> Option<Self> {
        Some(match number {
            0 => Scalar::U8,
            1 => Scalar::I8,
            2 => Scalar::U16,
            3 => Scalar::I16,
            4 => Scalar::U32,
            5 => Scalar::I32,
            6 => Scalar::F32,
            7 => Scalar::Boolean,
            10 => Scalar::U64,
            11 => Scalar::I64,
            12 => Scalar::F64,
            _ => return None,
        })
    }

    /// The bytes of one value.
    pub fn bytes(self) -> usize {
        match self {
            Scalar::U8 | Scalar::I8 | Scalar::Boolean => 1,
            Scalar::U16 | Scalar::I16 => 2,
            Scalar::U32 | Scalar::I32 | Scalar::F32 => 4,
            Scalar::U64 | Scalar::I64 | Scalar::F64 => 8,
        }
    }

    /// Returns the value with these bytes, the lowest first; `bytes` are as many as the type has.
    fn value(self, bytes: &[u8]) -> Value<'static> {
        let mut low = [0; 8];
        low[..bytes.len()].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(low);
        // Shifting to the top and back extends the sign.
        let unused = 64 - 8 * self.bytes() as u32;
        let signed = (bits << unused) as i64 >> unused;
        match self {
            Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => Value::Natural(bits),
            Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => {
                u64::try_from(signed).map_or(Value::Negative(signed), Value::Natural)
            }
            Scalar::F32 => Value::Real(f32::from_bits(bits as u32).into()),
            Scalar::F64 => Value::Real(f64::from_bits(bits)),
            Scalar::Boolean => Value::Boolean(bits != 0),
        }
    }
}

/// Numbers or Booleans of one type, which are decoded as they are read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scalars<'a> {
    kind: Scalar,
    bytes: &'a [u8],
}

impl<'a> Scalars<'a> {
    pub(super) fn new(kind: Scalar, bytes: &'a [u8]) -> Self {
        Scalars { kind, bytes }
    }

    /// Returns the values in order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = Value<'static>> + 'a {
        let parts = self.bytes.chunks_exact(self.kind.bytes());
        parts.map(move |bytes| self.kind.value(bytes))
    }
}

/// The values of a file by key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata<'a>(BTreeMap<&'a str, Value<'a>>);

impl<'a> Metadata<'a> {
    /// Inserts a value, or refuses a key that is there already.
    ///
    /// # Errors
    /// If the key has one already.
    pub(super) fn insert(&mut self, key: &'a str, value: Value<'a>) -> Result<(), GgufError> {
        match self.0.insert(key, value) {
            Some(_) => Err(GgufError::Twice { field: shown(key) }),
            None => Ok(()),
        }
    }

    /// Returns the value with that key.
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        self.0.get(key)
    }

    /// Returns the keys in order, with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, &Value<'a>)> {
        self.0.iter().map(|(key, value)| (*key, value))
    }

    fn typed<'m, T>(
        &'m self,
        key: &str,
        expected: &'static str,
        read: impl FnOnce(&'m Value<'a>) -> Option<T>,
    ) -> Result<Option<T>, GgufError> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let read = read(value).ok_or_else(|| GgufError::Type {
            field: shown(key),
            expected,
        })?;
        Ok(Some(read))
    }

    /// Returns a whole number from 0 on.
    ///
    /// # Errors
    /// If the value is of another type.
    pub fn natural(&self, key: &str) -> Result<Option<u64>, GgufError> {
        self.typed(key, "a whole number from 0 on", |value| match value {
            Value::Natural(number) => Some(*number),
            _ => None,
        })
    }

    /// Returns a finite floating-point number.
    ///
    /// # Errors
    /// If the value is of another type or not finite.
    pub fn real(&self, key: &str) -> Result<Option<f64>, GgufError> {
        self.typed(key, "a finite floating-point number", |value| match value {
            Value::Real(number) => Some(*number).filter(|number| number.is_finite()),
            _ => None,
        })
    }

    /// Returns a Boolean, true or false.
    ///
    /// # Errors
    /// If the value is of another type.
    pub fn boolean(&self, key: &str) -> Result<Option<bool>, GgufError> {
        self.typed(key, "a Boolean", |value| match value {
            Value::Boolean(value) => Some(*value),
            _ => None,
        })
    }

    /// Returns a text in UTF-8.
    ///
    /// # Errors
    /// If the value is of another type.
    pub fn text(&self, key: &str) -> Result<Option<&'a str>, GgufError> {
        self.typed(key, "a text", |value| match value {
            Value::Text(text) => Some(*text),
            _ => None,
        })
    }

    /// Returns a list of texts.
    ///
    /// # Errors
    /// If the value is of another type.
    pub fn texts(&self, key: &str) -> Result<Option<&[&'a str]>, GgufError> {
        self.typed(key, "a list of texts", |value| match value {
            Value::List(List::Texts(texts)) => Some(texts.as_slice()),
            _ => None,
        })
    }

    /// Returns a list of numbers.
    ///
    /// # Errors
    /// If the value is of another type.
    pub fn scalars(&self, key: &str) -> Result<Option<Scalars<'a>>, GgufError> {
        self.typed(key, "a list of numbers", |value| match value {
            Value::List(List::Scalars(scalars)) => Some(*scalars),
            _ => None,
        })
    }
}
