//! Reading a struct from entries. A refused entry is noted, and the field is at its default.

use std::{cell::Cell, fmt, str::FromStr};

use attention_protocol::OrLogged;
use serde::{
    Deserializer,
    de::{
        DeserializeOwned, DeserializeSeed, Error as _, IntoDeserializer, MapAccess, Visitor,
        value::{SeqDeserializer, StrDeserializer},
    },
    forward_to_deserialize_any,
};

use super::{BETWEEN, NESTED, Refused};
use crate::state::{Entry, Reader, faults::FaultKind, sentences::Excess};

/// Reads a struct; fields whose entries are missing or refused are at their default. `described` has the bounds of
/// entries.
pub fn read<T: DeserializeOwned + Default>(reader: &Reader, described: &[Entry]) -> T {
    let mut refused = Vec::new();
    loop {
        let fault = Cell::new(None);
        let entries = Entries {
            reader,
            described,
            refused: &refused,
            fault: &fault,
        };
        match (T::deserialize(entries), fault.get()) {
            (Ok(read), _) => return read,
            (Err(Refused), Some((place, kind))) => {
                reader.refuse_entry(place, kind);
                refused.push(place);
            }
            (refused @ Err(_), None) => {
                return refused.or_logged("reading parameters").unwrap_or_default();
            }
        }
    }
}

/// Reads a value from its text, for `#[serde(deserialize_with = "…")]`.
///
/// # Errors
/// If `parse` finds no value.
pub fn parsed<'de, T, D: Deserializer<'de>>(
    from: D,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<T, D::Error> {
    let text = from.deserialize_str(Text)?;
    parse(&text).ok_or_else(|| D::Error::custom(Refused))
}

struct Text;

impl Visitor<'_> for Text {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }
}

/// The refused entry by its place, and the reason.
type Fault = Cell<Option<(usize, FaultKind)>>;

/// The entries of an address, without those that are refused.
#[derive(Clone, Copy)]
struct Entries<'a> {
    reader: &'a Reader,
    described: &'a [Entry],
    refused: &'a [usize],
    fault: &'a Fault,
}

impl<'a> Entries<'a> {
    /// The entry of this name.
    fn find(self, name: &str) -> Option<(usize, &'a str)> {
        let found = self.reader.find(name);
        found.filter(|(place, _)| !self.refused.contains(place))
    }
}

impl<'de> Deserializer<'de> for Entries<'de> {
    type Error = Refused;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Refused> {
        Err(Refused)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        visitor.visit_map(Fields {
            entries: self,
            names: fields.iter(),
            current: "",
        })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The fields that have an entry.
struct Fields<'a> {
    entries: Entries<'a>,
    names: std::slice::Iter<'static, &'static str>,
    current: &'static str,
}

/// The part that does not depend on the type of a field, so that it is compiled once.
impl<'a> Fields<'a> {
    fn next_name(&mut self) -> Option<&'static str> {
        let entries = self.entries;
        let is_there = |name: &&&str| name.starts_with(NESTED) || entries.find(name).is_some();
        self.current = self.names.find(is_there)?;
        Some(self.current)
    }

    /// The text of the current entry, if its numbers are within their bounds.
    fn text(&self) -> Result<Value<'a>, Refused> {
        let (_, text) = self.entries.find(self.current).ok_or(Refused)?;
        let mut described = self.entries.described.iter();
        match described.all(|entry| entry.name != self.current || entry.accepts(text)) {
            true => Ok(Value(text)),
            false => Err(Refused),
        }
    }

    fn note_refused(&self) {
        if let Some((place, text)) = self.entries.find(self.current) {
            let excess = Excess::of(text).map(FaultKind::TooMuch);
            let kind = excess.unwrap_or(FaultKind::UnknownValue);
            self.entries.fault.set(Some((place, kind)));
        }
    }
}

impl<'de> MapAccess<'de> for Fields<'de> {
    type Error = Refused;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Refused> {
        let Some(name) = self.next_name() else {
            return Ok(None);
        };
        let name: StrDeserializer<Refused> = name.into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Refused> {
        if self.current.starts_with(NESTED) {
            return seed.deserialize(self.entries);
        }
        let read = self.text().and_then(|text| seed.deserialize(text));
        if read.is_err() {
            self.note_refused();
        }
        read
    }
}

/// The text of an entry, or of a value in a list.
#[derive(Clone, Copy)]
pub(super) struct Value<'a>(pub &'a str);

impl<'de> IntoDeserializer<'de, Refused> for Value<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl Value<'_> {
    fn parse<T: FromStr>(self) -> Result<T, Refused> {
        self.0.parse().map_err(|_| Refused)
    }
}

/// Reads numbers by `FromStr`.
macro_rules! numbers {
    ($($method:ident, $visit:ident;)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
            visitor.$visit(self.parse()?)
        })*
    };
}

impl<'de> Deserializer<'de> for Value<'de> {
    type Error = Refused;

    numbers! {
        deserialize_i8, visit_i8;
        deserialize_i16, visit_i16;
        deserialize_i32, visit_i32;
        deserialize_i64, visit_i64;
        deserialize_u8, visit_u8;
        deserialize_u16, visit_u16;
        deserialize_u32, visit_u32;
        deserialize_u64, visit_u64;
        deserialize_f32, visit_f32;
        deserialize_f64, visit_f64;
        deserialize_char, visit_char;
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_str(self.0)
    }

    /// Reads a text that is not too long for a model or a lesson.
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match Excess::of(self.0) {
            None => visitor.visit_str(self.0),
            Some(_) => Err(Refused),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self.0 {
            "0" => visitor.visit_bool(false),
            "1" => visitor.visit_bool(true),
            _ => Err(Refused),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        let name: StrDeserializer<Refused> = self.0.into_deserializer();
        visitor.visit_enum(name)
    }

    /// Reads a list with dots between its values; an empty text has none.
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        let texts = self.0.split(BETWEEN).filter(|_| !self.0.is_empty());
        let mut values = SeqDeserializer::new(texts.map(Value));
        let read = visitor.visit_seq(&mut values)?;
        // Fails if the list is longer than what is read.
        values.end()?;
        Ok(read)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Refused> {
        self.deserialize_seq(visitor)
    }

    forward_to_deserialize_any! {
        i128 u128 str bytes byte_buf unit unit_struct tuple_struct map struct identifier ignored_any
    }
}
