//! State of chapter "roles" beside the chosen head, as plain data in the address.

use attention_core::state::{Parameters, Reader, Writer};
use attention_trace::roles::Role;

/// The two scores that heads are points of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RolesLab {
    /// The role on the horizontal axis.
    pub across: Role,
    /// The role on the vertical axis.
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

    fn write(&self, fragment: &mut Writer) {
        let standard = RolesLab::default();
        fragment.choice("roles-across", self.across, standard.across);
        fragment.choice("roles-up", self.up, standard.up);
    }

    fn read(fragment: &Reader) -> Self {
        let standard = RolesLab::default();
        RolesLab {
            across: fragment.choice("roles-across").unwrap_or(standard.across),
            up: fragment.choice("roles-up").unwrap_or(standard.up),
        }
    }
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
