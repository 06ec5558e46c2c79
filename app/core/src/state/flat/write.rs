//! Writing a struct as entries.

use attention_protocol::OrLogged;
use serde::{
    Serialize, Serializer,
    ser::{Impossible, SerializeSeq, SerializeStruct, SerializeTuple},
};

use super::{BETWEEN, Refused};
use crate::state::Writer;

type Entries = Vec<(&'static str, String)>;

/// Writes the fields that differ from the default.
pub fn write<T: Serialize>(value: &T, standard: &T, fragment: &mut Writer) {
    write_entries(entries(value), &entries(standard), fragment);
}

fn write_entries(entries: Entries, unsaid: &Entries, fragment: &mut Writer) {
    for (name, value) in entries {
        match unsaid.iter().find(|(other, _)| *other == name) {
            Some((_, standard)) => fragment.text(name, &value, standard),
            None => fragment.append(name, &value),
        }
    }
}

/// Returns the entries of all fields.
fn entries<T: Serialize>(value: &T) -> Entries {
    let mut entries = Vec::new();
    let field = Field {
        name: "",
        entries: &mut entries,
    };
    value.serialize(field).or_logged("spelling parameters");
    entries
}

/// A field: its entry, if it has a value, or the entries of its own fields, if it is a struct.
struct Field<'a> {
    name: &'static str,
    entries: &'a mut Entries,
}

impl Field<'_> {
    fn set(self, value: String) -> Result<(), Refused> {
        self.entries.push((self.name, value));
        Ok(())
    }
}

impl SerializeStruct for Field<'_> {
    type Ok = ();
    type Error = Refused;

    fn serialize_field<T: ?Sized + Serialize>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Refused> {
        let entries = &mut *self.entries;
        value.serialize(Field { name, entries })
    }

    fn end(self) -> Result<(), Refused> {
        Ok(())
    }
}

/// A list: its field, and the values so far.
struct List<'a> {
    field: Field<'a>,
    values: Entries,
}

impl SerializeSeq for List<'_> {
    type Ok = ();
    type Error = Refused;

    fn serialize_element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Refused> {
        let entries = &mut self.values;
        value.serialize(Field { name: "", entries })
    }

    fn end(self) -> Result<(), Refused> {
        let values: Vec<String> = self.values.into_iter().map(|(_, value)| value).collect();
        self.field.set(values.join(&BETWEEN.to_string()))
    }
}

impl SerializeTuple for List<'_> {
    type Ok = ();
    type Error = Refused;

    fn serialize_element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Refused> {
        SerializeSeq::serialize_element(self, value)
    }

    fn end(self) -> Result<(), Refused> {
        SerializeSeq::end(self)
    }
}

/// Writes values by `Display`.
macro_rules! display {
    ($($method:ident($type:ty);)*) => {
        $(fn $method(self, value: $type) -> Result<(), Refused> { self.set(value.to_string()) })*
    };
}

/// Refuses values that no entry spells.
macro_rules! refuse {
    ($($method:ident($($type:ty),*) -> $ok:ty;)*) => {
        $(fn $method(self, $(_: $type),*) -> Result<$ok, Refused> { Err(Refused) })*
    };
}

impl<'a> Serializer for Field<'a> {
    type Ok = ();
    type Error = Refused;
    type SerializeSeq = List<'a>;
    type SerializeTuple = List<'a>;
    type SerializeTupleStruct = Impossible<(), Refused>;
    type SerializeTupleVariant = Impossible<(), Refused>;
    type SerializeMap = Impossible<(), Refused>;
    type SerializeStruct = Self;
    type SerializeStructVariant = Impossible<(), Refused>;

    display! {
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
        serialize_f32(f32);
        serialize_f64(f64);
        serialize_char(char);
        serialize_str(&str);
    }

    refuse! {
        serialize_bytes(&[u8]) -> ();
        serialize_unit() -> ();
        serialize_unit_struct(&'static str) -> ();
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_map(Option<usize>) -> Self::SerializeMap;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }

    fn serialize_bool(self, value: bool) -> Result<(), Refused> {
        self.serialize_u8(value.into())
    }

    fn serialize_none(self) -> Result<(), Refused> {
        Ok(())
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<(), Refused> {
        value.serialize(self)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), Refused> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Refused> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), Refused> {
        Err(Refused)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<List<'a>, Refused> {
        let values = Vec::new();
        Ok(List {
            field: self,
            values,
        })
    }

    fn serialize_tuple(self, _: usize) -> Result<List<'a>, Refused> {
        self.serialize_seq(None)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Refused> {
        Ok(self)
    }
}
