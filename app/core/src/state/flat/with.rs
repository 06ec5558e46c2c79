//! Spellings of fields whose types serde spells otherwise, for `#[serde(with = "…")]`.

/// A choice by its value in the address.
pub mod choice {
    use serde::{Deserializer, Serializer};

    use super::super::read::parsed;
    use crate::state::AddressValue;

    pub fn serialize<T: AddressValue, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(value.address_value())
    }

    pub fn deserialize<'de, T: AddressValue, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
        parsed(from, T::from_address_value)
    }
}

/// A value by `Display` and `FromStr`; without one there is no entry.
pub mod optional_text {
    use std::{fmt::Display, str::FromStr};

    use serde::{Deserializer, Serializer};

    use super::super::read::parsed;

    pub fn serialize<T: Display, S: Serializer>(
        value: &Option<T>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => to.collect_str(value),
            None => to.serialize_none(),
        }
    }

    pub fn deserialize<'de, T: FromStr, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<T>, D::Error> {
        parsed(from, |text| text.parse().ok().map(Some))
    }
}

/// An index; `last` stands for the last item, whatever its number: then `usize::MAX`.
pub mod or_last {
    use serde::{Deserializer, Serializer};

    use super::super::read::parsed;
    use crate::state::reader::LAST;

    pub fn serialize<S: Serializer>(index: &usize, to: S) -> Result<S::Ok, S::Error> {
        match *index {
            usize::MAX => to.serialize_str(LAST),
            index => to.serialize_u64(index as u64),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
        parsed(from, |text| match text {
            LAST => Some(usize::MAX),
            digits => digits.parse().ok(),
        })
    }
}

/// A flag that is set while the field is false.
pub mod negated {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(value: &bool, to: S) -> Result<S::Ok, S::Error> {
        (!value).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
        bool::deserialize(from).map(|flag| !flag)
    }
}
