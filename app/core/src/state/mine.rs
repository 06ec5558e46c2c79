//! Id of a model from the visitor's disk.

use std::{fmt, str::FromStr};

use attention_trace::fnv1a;
use thiserror::Error;

/// The id of a model from the visitor's disk: 48 bits of a hash of its configuration and of the ends of its weights. It
/// distinguishes files, and proves nothing about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MineId(u64);

/// The number of hexadecimal digits of an id.
const DIGITS: usize = 12;

/// A text that is not such an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not {DIGITS} hexadecimal digits")]
pub struct NotAMineId;

impl MineId {
    /// Computes the id of the model with these parts: FNV-1a of each part's length and bytes.
    pub fn of(parts: &[&[u8]]) -> Self {
        let hash = fnv1a(parts.iter().flat_map(|part| {
            let length = (part.len() as u64).to_le_bytes();
            length.into_iter().chain(part.iter().copied())
        }));
        // The upper bits of a product depend on all lower ones.
        MineId(hash >> (64 - 4 * DIGITS))
    }
}

impl FromStr for MineId {
    type Err = NotAMineId;

    fn from_str(text: &str) -> Result<Self, NotAMineId> {
        // A sign would be read as part of a number.
        if text.len() != DIGITS || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(NotAMineId);
        }
        let id = u64::from_str_radix(text, 16).map_err(|_| NotAMineId)?;
        Ok(MineId(id))
    }
}

impl fmt::Display for MineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:0DIGITS$x}", self.0)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::state::Model;

    prop_compose! {
        /// Generates an arbitrary valid id.
        pub fn mine_id()(id in 0u64..1 << (4 * DIGITS)) -> MineId {
            MineId(id)
        }
    }

    proptest! {
        #[test]
        fn a_name_is_read_as_it_is_written(id in mine_id()) {
            prop_assert_eq!(id.to_string().parse(), Ok(id));
        }

        #[test]
        fn other_bytes_have_another_name(bytes in any::<Vec<u8>>(), more in any::<u8>()) {
            let longer = [bytes.as_slice(), &[more]].concat();
            prop_assert_ne!(MineId::of(&[&bytes]), MineId::of(&[&longer]));
            // What belongs to which part counts, too.
            prop_assert_ne!(MineId::of(&[&bytes, &[more]]), MineId::of(&[&longer, &[]]));
        }
    }

    #[test]
    fn the_address_names_a_model_or_any() {
        let any: Model = "mine".parse().unwrap();
        assert_eq!(any, Model::Mine(None));
        let one: Model = "mine-0a1b2c3d4e5f".parse().unwrap();
        assert_eq!(one.to_string(), "mine-0a1b2c3d4e5f");
        for wrong in [
            "mine-",
            "mine-0a1b2c3d4e5",
            "mine-+a1b2c3d4e5f",
            "mine-0a1b2c3d4e5f0",
        ] {
            assert!(wrong.parse::<Model>().is_err(), "{wrong}");
        }
    }
}
