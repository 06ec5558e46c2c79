//! State of chapter "roles" beside the chosen head, as plain data in the address.

use attention_core::state::{Parameters, flat};
use attention_trace::roles::Role;
use serde::{Deserialize, Serialize};

/// The two scores that heads are points of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct RolesLab {
    /// The role on the horizontal axis.
    #[serde(rename = "roles-across", with = "flat::choice")]
    pub across: Role,
    /// The role on the vertical axis.
    #[serde(rename = "roles-up", with = "flat::choice")]
    pub up: Role,
}

impl Default for RolesLab {
    fn default() -> Self {
        RolesLab {
            across: Role::Own,
            up: Role::Punctuation,
        }
    }
}

impl Parameters for RolesLab {
    const CHAPTER: &'static str = "roles";
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;

    prop_compose! {
        pub fn roles()(across in choice::<Role>(), up in choice::<Role>()) -> RolesLab {
            RolesLab { across, up }
        }
    }
}
