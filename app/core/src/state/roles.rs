//! Choice of the roles of heads that the map shows, as plain data.

use attention_trace::roles::Role;

use serde::{Deserialize, Serialize};

use super::{beside::beside, flat, reader::Reader, values::AddressValue, writer::Writer};

/// The text that the roles of heads are measured on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RolesOf {
    /// The text on screen.
    #[default]
    Text,
    /// The sentences that are published with the model.
    Sentences,
    /// Sentences that the visitor gives. They are not in the address.
    File,
}

impl AddressValue for RolesOf {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

/// The display of the heads' roles on the map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RolesShown {
    /// True if the map shows roles.
    pub on: bool,
    /// The text that the roles are measured on.
    pub of: RolesOf,
    /// The role whose heads alone are shown; `None` if each head shows its clearest one.
    pub role: Option<Role>,
    /// The address of a file that `attn roles` wrote, relative to the page; empty if the visitor opens one.
    pub at: String,
}

impl AddressValue for Role {
    fn values() -> Vec<(Self, &'static str)> {
        vec![
            (Role::Previous, "previous"),
            (Role::Next, "next"),
            (Role::Own, "own"),
            (Role::Same, "same"),
            (Role::First, "first"),
            (Role::End, "end"),
            (Role::Punctuation, "punctuation"),
            (Role::Offset, "offset"),
            (Role::Alignment, "alignment"),
            (Role::Induction, "induction"),
        ]
    }
}

impl RolesShown {
    /// Returns the address of the file of roles that is shown, if there is one.
    pub fn named(&self) -> Option<&str> {
        let is_shown = self.of == RolesOf::File && !self.at.is_empty();
        is_shown.then_some(self.at.as_str())
    }

    /// Writes what differs from the default.
    pub(super) fn write(&self, fragment: &mut Writer) {
        let standard = RolesShown::default();
        fragment.number("roles", u8::from(self.on), 0);
        fragment.choice("roles-of", self.of, standard.of);
        fragment.text("role", self.role.map_or("", Role::address_value), "");
        fragment.text("roles-at", &self.at, "");
    }

    /// Reads entries written by [`write`](Self::write); missing or unknown ones are at their default.
    pub(super) fn read(fragment: &Reader) -> Self {
        RolesShown {
            on: fragment.flag("roles").unwrap_or_default(),
            of: fragment.choice("roles-of").unwrap_or_default(),
            role: fragment.choice("role"),
            at: fragment.parsed("roles-at", beside).unwrap_or_default(),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::state::{beside::tests::BESIDE, chapters::tests::choice};

    prop_compose! {
        pub fn roles()(
            on in any::<bool>(), of in choice::<RolesOf>(), role in proptest::option::of(choice::<Role>()),
            at in BESIDE,
        ) -> RolesShown {
            RolesShown { on, of, role, at }
        }
    }

    #[test]
    fn every_role_has_a_word_of_its_own_in_the_address() {
        assert_eq!(Role::values().len(), Role::ALL.len());
        for role in Role::ALL {
            assert_eq!(role.address_value(), role.to_string());
        }
    }
}
