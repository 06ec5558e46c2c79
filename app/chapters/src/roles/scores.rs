//! The scores of the chosen head, role by role.

use attention_core::{
    i18n::{t, t_string, use_i18n},
    names::head_name,
    roles::{Measured, role_name, role_term},
    widgets::{
        ScrollRegion,
        glossary::{Term, TermButton},
        numbers::{percent, share_of_one},
    },
};
use attention_trace::roles::{Role, RoleScore, RoleScores};
use leptos::prelude::*;

use super::context::RolesContext;

/// A role's scores on the text and on the sentences.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Row {
    role: Role,
    text: Option<Scored>,
    set: Option<Scored>,
}

/// A score, and of an offset which one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scored {
    score: RoleScore,
    offset: Option<isize>,
}

fn scored(scores: Option<&RoleScores>, role: Role) -> Option<Scored> {
    let scores = scores?;
    Some(Scored {
        score: scores.of(role)?,
        offset: scores.offset.filter(|_| role == Role::Offset),
    })
}

/// The roles that were measured on either.
fn rows(text: Option<&RoleScores>, set: Option<&RoleScores>) -> Vec<Row> {
    let row = |&role: &Role| Row {
        role,
        text: scored(text, role),
        set: scored(set, role),
    };
    let rows = Role::ALL.iter().map(row);
    rows.filter(|row| row.text.is_some() || row.set.is_some())
        .collect()
}

/// The head's clearest role in words, and the table of scores.
#[component]
pub fn Scores() -> impl IntoView {
    let i18n = use_i18n();
    let context = RolesContext::expect();
    let listed = Memo::new(move |_| {
        let Some(head) = context.head() else {
            return Vec::new();
        };
        let (text, set) = (context.text.read(), context.set.read());
        let of = |measured: &Measured| measured.of(head).map(|found| found.roles.clone());
        rows(of(&text).as_ref(), of(&set).as_ref())
    });
    let count = move || {
        let fetched = context.fetched.read();
        // `Said` shows why they are missing.
        let published = fetched.as_ref()?.as_ref().ok()?;
        Some(published.0.sentence_count())
    };
    let views = move || {
        let rows = listed.get().into_iter();
        rows.map(|row| view! { <RowView row /> }).collect_view()
    };
    view! {
        <Said />
        <ScrollRegion
            class="lesson-table"
            test_id="role-scores"
            name=Signal::derive(move || t_string!(i18n, roles.scores).to_owned())
        >
            <table>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, roles.role)}</th>
                        <th scope="col">{t!(i18n, roles.on_text)}</th>
                        <th scope="col">
                            <TermButton term=Term::Chance>{t!(i18n, roles.chance)}</TermButton>
                        </th>
                        <th scope="col">
                            {move || count().map(|count| t_string!(i18n, roles.on_set, count = count))}
                        </th>
                        <th scope="col">
                            {move || count().map(|_| t_string!(i18n, roles.chance))}
                        </th>
                    </tr>
                </thead>
                <tbody>{views}</tbody>
            </table>
        </ScrollRegion>
        <p class="hint">{t!(i18n, roles.bold)}</p>
    }
}

/// The role that the head plays most clearly on the sentences.
#[component]
fn Said() -> impl IntoView {
    let i18n = use_i18n();
    let context = RolesContext::expect();
    let name = head_name();
    let words = move || {
        let head = context.head()?;
        let head = name(head.attention, head.head);
        let fetched = context.fetched.get();
        let count = match &fetched {
            Some(Ok(published)) => published.0.sentence_count(),
            Some(Err(reason)) => {
                let reason = reason.clone();
                return Some(
                    t_string!(i18n, encodings.missing_scores, reason = reason).to_string(),
                );
            }
            None => return Some(t_string!(i18n, roles.clearest_unknown, head = head).to_string()),
        };
        let roles = context.card()?.roles;
        Some(match roles.clearest() {
            Some((role, score)) => t_string!(
                i18n,
                roles.clearest_is,
                head = head,
                count = count,
                role = role_name(i18n, role, roles.offset),
                weight = percent(score.weight, 0),
                chance = percent(score.chance, 0)
            )
            .to_string(),
            None => t_string!(i18n, roles.clearest_none, head = head, count = count).to_string(),
        })
    };
    view! { <p class="lesson-reading" role="status" data-testid="head-said">{words}</p> }
}

#[component]
fn RowView(row: Row) -> impl IntoView {
    let i18n = use_i18n();
    let role = row.role;
    let weight = move |scored: Option<Scored>| {
        let text = move || {
            let Scored { score, offset } = scored?;
            let weight = share_of_one(score.weight, 2);
            Some(match offset {
                Some(_) => format!("{}: {weight}", role_name(i18n, role, offset)),
                None => weight,
            })
        };
        let is_clear = scored.is_some_and(|scored| scored.score.is_clear());
        view! { <td class="number" class:is-clear=is_clear>{text}</td> }
    };
    let chance = |scored: Option<Scored>| {
        let chance = scored.map(|scored| share_of_one(scored.score.chance, 2));
        view! { <td class="number">{chance}</td> }
    };
    view! {
        <tr data-testid="role-score" data-role=role.to_string()>
            <th scope="row">
                <TermButton term=role_term(role)>{move || role_name(i18n, role, None)}</TermButton>
            </th>
            {weight(row.text)}
            {chance(row.text)}
            {weight(row.set)}
            {chance(row.set)}
        </tr>
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn roles_of_either_are_listed_in_their_order() {
        let score = RoleScore {
            weight: 0.5,
            chance: 0.1,
            queries: 9,
        };
        let of = |roles: &[Role]| RoleScores {
            scores: roles
                .iter()
                .map(|role| (*role, score))
                .collect::<BTreeMap<_, _>>(),
            offset: Some(2),
        };
        let (text, set) = (
            of(&[Role::First, Role::Offset]),
            of(&[Role::Induction, Role::First]),
        );
        let rows = rows(Some(&text), Some(&set));
        let listed: Vec<Role> = rows.iter().map(|row| row.role).collect();
        assert_eq!(listed, [Role::First, Role::Offset, Role::Induction]);
        assert_eq!(rows[0].text.unwrap().offset, None);
        assert_eq!(rows[1].text.unwrap().offset, Some(2));
        assert_eq!((rows[1].set, rows[2].text), (None, None));
    }
}
