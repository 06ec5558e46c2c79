//! The values of enums in the address: the names that serde gives to their variants.

use std::cell::Cell;

use serde::{
    Deserializer,
    de::{DeserializeOwned, Visitor},
    forward_to_deserialize_any,
};

use super::{Refused, read::Value};

/// The variants of an enum without data, each with its name.
pub fn values<T: DeserializeOwned>() -> Vec<(T, &'static str)> {
    let value = |name: &&'static str| {
        // Every name of a variant is read.
        let value = T::deserialize(Value(name)).ok()?;
        Some((value, *name))
    };
    names::<T>().iter().filter_map(value).collect()
}

/// The names of an enum's variants.
fn names<T: DeserializeOwned>() -> &'static [&'static str] {
    let names = Cell::new([].as_slice());
    match T::deserialize(Names(&names)) {
        // Refused after the names are known.
        Ok(_) | Err(Refused) => names.get(),
    }
}

/// Takes the names of an enum's variants, and has no value.
struct Names<'a>(&'a Cell<&'static [&'static str]>);

impl<'de> Deserializer<'de> for Names<'_> {
    type Error = Refused;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Refused> {
        Err(Refused)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Refused> {
        self.0.set(variants);
        Err(Refused)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
