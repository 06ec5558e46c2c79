//! What chapter "roles" shows beside the chosen head, as plain data.

use attention_trace::roles::Role;

use crate::state::fragment::{Reader, Writer};

/// The two scores that heads are points of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RolesLab {
    /// To the right.
    pub across: Role,
    /// Upwards.
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

impl RolesLab {
    /// Writes what differs from the default.
    pub(super) fn write(&self, fragment: &mut Writer) {
        let standard = RolesLab::default();
        fragment.choice("roles-across", self.across, standard.across);
        fragment.choice("roles-up", self.up, standard.up);
    }

    /// Reads what [`write`](Self::write) wrote; whatever is missing or unknown is at its default.
    pub(super) fn read(fragment: &Reader) -> Self {
        let standard = RolesLab::default();
        RolesLab {
            across: fragment.choice("roles-across").unwrap_or(standard.across),
            up: fragment.choice("roles-up").unwrap_or(standard.up),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::{super::tests::choice, *};

    prop_compose! {
        pub fn roles()(across in choice::<Role>(), up in choice::<Role>()) -> RolesLab {
            RolesLab { across, up }
        }
    }
}
