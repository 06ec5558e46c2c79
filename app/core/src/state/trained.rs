//! Id of a model that was trained on this page.

use std::{fmt, str::FromStr};

use thiserror::Error;

/// The id of a model that was trained on this page: the beginning of its weights' SHA-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TrainedId(u64);

/// The number of hexadecimal digits of an id.
const DIGITS: usize = 12;

/// A text that is not such an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("neither the name of a served model nor {DIGITS} hexadecimal digits of another")]
pub struct NotAnId;

impl FromStr for TrainedId {
    type Err = NotAnId;

    /// Parses the first digits of an id or of a whole SHA-256 in hexadecimal.
    fn from_str(text: &str) -> Result<Self, NotAnId> {
        let digits = text.get(..DIGITS).ok_or(NotAnId)?;
        // A sign would be read as part of a number.
        if !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(NotAnId);
        }
        let id = u64::from_str_radix(digits, 16).map_err(|_| NotAnId)?;
        Ok(TrainedId(id))
    }
}

impl fmt::Display for TrainedId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:0DIGITS$x}", self.0)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    prop_compose! {
        /// Generates an arbitrary valid id.
        pub fn trained_id()(id in 0u64..1 << (4 * DIGITS)) -> TrainedId {
            TrainedId(id)
        }
    }

    proptest! {
        #[test]
        fn a_name_is_read_as_it_is_written(id in trained_id()) {
            prop_assert_eq!(id.to_string().parse(), Ok(id));
        }
    }

    #[test]
    fn a_name_is_the_beginning_of_a_digest() {
        let digest = "0a1b2c3d4e5f60718293a4b5c6d7e8f9";
        let id: TrainedId = digest.parse().unwrap();
        assert_eq!(id.to_string(), "0a1b2c3d4e5f");
        for wrong in [
            "",
            "0a1b2c3d4e5",
            "+a1b2c3d4e5f",
            "0a1b2c3d4e5ä",
            "0a1b2c3d4e5fg",
        ] {
            assert_eq!(wrong.parse::<TrainedId>(), Err(NotAnId), "{wrong}");
        }
    }
}
