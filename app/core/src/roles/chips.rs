//! The chips on the map: each shows the role of a head that has a clear one.

use attention_trace::{
    AttentionKind,
    roles::{Role, RoleScore},
};
use leptos::prelude::*;

use super::measured::HeadMeasured;
use crate::state::HeadChoice;

/// A mark of a head's role on the map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chip {
    /// The head that bears the chip.
    pub head: HeadChoice,
    pub role: Role,
    /// The offset, if the role is one.
    pub offset: Option<isize>,
    /// The head's score in this role.
    pub score: RoleScore,
}

impl Chip {
    /// Returns the chip of a head: for the role that is asked for, else for the head's clearest role; `None` if it has
    /// no clear role.
    pub fn of(measured: &HeadMeasured, role: Option<Role>) -> Option<Self> {
        let (role, score) = match role {
            Some(role) => (role, measured.roles.of(role)?),
            None => measured.roles.clearest()?,
        };
        let offset = measured.roles.offset.filter(|_| role == Role::Offset);
        let is_shown = score.is_clear() && !has_own_name(measured.head, offset);
        is_shown.then_some(Chip {
            head: measured.head,
            role,
            offset,
            score,
        })
    }
}

/// True if an offset is a role of its own: the previous token, the same token or the next token.
fn has_own_name(head: HeadChoice, offset: Option<isize>) -> bool {
    let is_own = head.attention.kind != AttentionKind::Cross;
    is_own && offset.is_some_and(|offset| offset.abs() <= 1)
}

/// The chips on the map, and whether they are filtered by role.
#[derive(Clone, Debug, Default, PartialEq)]
struct Shown {
    chips: Vec<Chip>,
    is_filtered: bool,
}

/// The chips on the map; none while roles are hidden. The code that measures roles is in a separate chunk, which sets
/// the chips. A context: take it with [`RoleChips::expect`].
#[derive(Clone, Copy)]
pub struct RoleChips(RwSignal<Shown>);

impl RoleChips {
    /// Provides the context, without chips.
    pub fn provide() {
        provide_context(RoleChips(RwSignal::new(Shown::default())));
    }

    /// Returns the context that a component above provided.
    ///
    /// # Panics
    /// Outside the page's component tree.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Returns the chip of a head, if it has one.
    pub fn of(self, head: HeadChoice) -> Option<Chip> {
        let shown = self.0.read();
        shown.chips.iter().find(|chip| chip.head == head).copied()
    }

    /// True if heads without a chip are dimmed.
    pub fn is_filtered(self) -> bool {
        self.0.read().is_filtered
    }

    /// Shows the chips of all heads, or those of one role alone.
    pub(super) fn show(self, heads: &[HeadMeasured], role: Option<Role>) {
        let chips = heads.iter().filter_map(|head| Chip::of(head, role));
        self.0.try_set(Shown {
            chips: chips.collect(),
            is_filtered: role.is_some() && !heads.is_empty(),
        });
    }

    /// Removes all chips from the map.
    pub(super) fn hide(self) {
        self.0.try_set(Shown::default());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use attention_trace::roles::RoleScores;

    use super::*;

    fn measured() -> HeadMeasured {
        let score = |weight: f32| RoleScore {
            weight,
            chance: 0.1,
            queries: 9,
        };
        HeadMeasured {
            head: "encoder.0.1".parse().unwrap(),
            roles: RoleScores {
                scores: BTreeMap::from([
                    (Role::Previous, score(0.5)),
                    (Role::End, score(0.2)),
                    (Role::Offset, score(0.75)),
                ]),
                offset: Some(-2),
            },
        }
    }

    #[test]
    fn a_head_shows_its_clearest_role_or_the_one_that_is_asked_for() {
        let clearest = Chip::of(&measured(), None).unwrap();
        assert_eq!((clearest.role, clearest.offset), (Role::Offset, Some(-2)));
        let asked = Chip::of(&measured(), Some(Role::Previous)).unwrap();
        assert_eq!((asked.role, asked.offset), (Role::Previous, None));
        assert_eq!(asked.score.weight, 0.5);
    }

    #[test]
    fn an_offset_that_is_a_role_by_itself_goes_by_its_name() {
        let mut near = measured();
        near.roles.offset = Some(-1);
        assert_eq!(Chip::of(&near, Some(Role::Offset)), None);
        near.head = "cross.0.1".parse().unwrap();
        assert_eq!(
            Chip::of(&near, Some(Role::Offset)).unwrap().offset,
            Some(-1)
        );
    }

    #[test]
    fn what_is_hardly_above_chance_or_not_measured_is_no_chip() {
        assert_eq!(Chip::of(&measured(), Some(Role::End)), None);
        assert_eq!(Chip::of(&measured(), Some(Role::Induction)), None);
    }
}
