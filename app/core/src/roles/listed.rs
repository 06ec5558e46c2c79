//! A list of all heads, sorted by the score of a role, or of each head's clearest role.

use attention_trace::roles::{Role, RoleScore};
use leptos::prelude::*;

use super::{
    measured::{HeadMeasured, Measured},
    names::role_name,
};
use crate::{
    i18n::{t, t_string, use_i18n},
    names::head_name,
    state::{HeadChoice, ViewState},
    widgets::{
        ScrollRegion,
        glossary::{Term, TermButton},
        numbers::share_of_one,
    },
};

#[derive(Clone, Debug, PartialEq)]
struct Row {
    head: HeadChoice,
    /// The role, its offset, and the score; `None` without a clear role.
    role: Option<(Role, Option<isize>, RoleScore)>,
}

/// Returns the heads with a score for a role, the highest above chance first; without a role, all heads by their
/// clearest role, those without one last.
fn rows(heads: &[HeadMeasured], role: Option<Role>) -> Vec<Row> {
    let row = |of: &HeadMeasured| {
        let found = match role {
            Some(role) => Some((role, of.roles.of(role)?)),
            None => of.roles.clearest(),
        };
        let offset = |role| of.roles.offset.filter(|_| role == Role::Offset);
        Some(Row {
            head: of.head,
            role: found.map(|(role, score)| (role, offset(role), score)),
        })
    };
    let mut rows: Vec<Row> = heads.iter().filter_map(row).collect();
    let height = |row: &Row| {
        row.role
            .map_or(f32::NEG_INFINITY, |(.., score)| score.above_chance())
    };
    rows.sort_by(|one, other| height(other).total_cmp(&height(one)));
    rows
}

/// The list of heads, unfolded on demand.
#[component]
pub fn Listed(measured: Memo<Measured>, role: Memo<Option<Role>>) -> impl IntoView {
    let i18n = use_i18n();
    let listed = Memo::new(move |_| measured.with(|measured| rows(measured.heads(), role.get())));
    let views = move || {
        let listed = listed.get().into_iter();
        listed.map(|row| view! { <RowView row /> }).collect_view()
    };
    view! {
        <details class="roles-listed" data-testid="roles-listed">
            <summary>{t!(i18n, roles.listed)}</summary>
            <p class="hint">{t!(i18n, roles.rule)}</p>
            <ScrollRegion
                class="lesson-table roles-table"
                name=Signal::derive(move || t_string!(i18n, roles.listed).to_owned())
            >
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{t!(i18n, roles.head)}</th>
                            <th scope="col">{t!(i18n, roles.role)}</th>
                            <th scope="col">{t!(i18n, roles.weight)}</th>
                            <th scope="col">
                            <TermButton term=Term::Chance>{t!(i18n, roles.chance)}</TermButton>
                        </th>
                        </tr>
                    </thead>
                    <tbody>{views}</tbody>
                </table>
            </ScrollRegion>
        </details>
    }
}

#[component]
fn RowView(row: Row) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let name = head_name();
    let head = row.head;
    let choose = move |_| state.update(|view| view.use_head(head));
    let words = move || match row.role {
        Some((role, offset, _)) => role_name(i18n, role, offset),
        None => t_string!(i18n, roles.none).to_owned(),
    };
    let number =
        move |of: fn(RoleScore) -> f32| row.role.map(|(.., score)| share_of_one(of(score), 2));
    view! {
        <tr data-testid="roles-row" data-head=head.to_string()>
            <th scope="row">
                <button type="button" class="chip" on:click=choose>
                    {move || name(head.attention, head.head)}
                </button>
            </th>
            <td>{words}</td>
            <td class="number">{number(|score| score.weight)}</td>
            <td class="number">{number(|score| score.chance)}</td>
        </tr>
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use attention_trace::roles::RoleScores;

    use super::*;

    fn head(name: &str, scores: &[(Role, f32, f32)]) -> HeadMeasured {
        let score = |&(role, weight, chance): &(Role, f32, f32)| {
            let score = RoleScore {
                weight,
                chance,
                queries: 9,
            };
            (role, score)
        };
        HeadMeasured {
            head: name.parse().unwrap(),
            roles: RoleScores {
                scores: scores.iter().map(score).collect::<BTreeMap<_, _>>(),
                offset: Some(-2),
            },
        }
    }

    #[test]
    fn the_highest_above_chance_comes_first() {
        let heads = [
            head("encoder.0.0", &[(Role::Previous, 0.1, 0.1)]),
            head(
                "encoder.0.1",
                &[(Role::Previous, 0.6, 0.5), (Role::End, 0.9, 0.1)],
            ),
            head(
                "encoder.0.2",
                &[(Role::Previous, 0.5, 0.1), (Role::Offset, 0.95, 0.1)],
            ),
            head("cross.0.0", &[(Role::End, 0.5, 0.1)]),
        ];
        let order = |role| {
            let rows = rows(&heads, role).into_iter();
            rows.map(|row| row.head.to_string()).collect::<Vec<_>>()
        };
        // Cross-attention has no previous token.
        let by_previous = ["encoder.0.2", "encoder.0.1", "encoder.0.0"];
        assert_eq!(order(Some(Role::Previous)), by_previous);
        let by_clearest = ["encoder.0.2", "encoder.0.1", "cross.0.0", "encoder.0.0"];
        assert_eq!(order(None), by_clearest);
        let last = &rows(&heads, None)[3];
        assert_eq!(last.role, None);
        let first = rows(&heads, None)[0].role.unwrap();
        assert_eq!((first.0, first.1), (Role::Offset, Some(-2)));
    }
}
