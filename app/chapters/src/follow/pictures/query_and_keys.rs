//! Operations on queries and keys between their projection and the scores.

use leptos::prelude::*;

use super::{Sign, given_by_key, place, project::Role, symbol, vectors::Vector};
use crate::follow::{
    axes,
    context::FollowContext,
    derivation::{Derivation, Operation},
    derivation_view::explained,
    numbers::Numbers,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    widgets::matrix::MatrixFigure,
};

/// Queries or keys before and after a step.
#[derive(Clone, Copy)]
pub struct Change {
    /// The query or the keys.
    pub role: Role,
    /// The numbers before the step.
    pub before: Numbers,
    /// The numbers after the step.
    pub after: Numbers,
}

/// The query, and below it the keys, before and after a step.
#[component]
pub fn QueryAndKeys(
    query: Change,
    key: Change,
    /// The ids of the figures before the step, of the query and of the keys.
    ids_before: [&'static str; 2],
    /// The name of the numbers before the step.
    name_before: Signal<String>,
    /// The letters of query and keys after it, as MathML.
    letters: [String; 2],
    /// Returns the operation that computes the number at a position and a column after the step.
    made: impl Fn(Change, usize, usize) -> Option<Operation> + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let derivation = move |change: Change, position, column| {
        Some(Derivation {
            place: place(change.role.label(context, position), column)?,
            value: change.after.value(position, column)?,
            operation: made(change, position, column)?,
        })
    };
    let name_query = Signal::derive(move || t_string!(i18n, chapters.name_query).to_owned());
    let [id_query, id_key] = ids_before;
    let [letter_query, letter_key] = letters;
    let before = query.before.of_query();
    let before = Vector::new(id_query, symbol("q", "", ""), name_before, before).along(axes::HEAD);
    let after = query.after.of_query();
    let after = Vector::new("query", letter_query, name_query, after).along(axes::HEAD);
    let made_query = explained(move |_, column| derivation(query, context.query(), column));
    view! {
        <div class="equation">
            {before.given()}
            <Sign sign="→" />
            {after.figure(made_query)}
        </div>
        <div class="equation">
            <MatrixFigure
                id=id_key
                symbol=symbol("K", "", "")
                name=name_before
                matrix=key.before.by_key()
                rows=axes::KEYS
                columns=axes::HEAD
                describe=given_by_key(context, key.before)
            />
            <Sign sign="→" />
            <MatrixFigure
                id="key"
                symbol=letter_key
                name=Signal::derive(move || t_string!(i18n, chapters.name_keys).to_owned())
                matrix=key.after.by_key()
                rows=axes::KEYS
                columns=axes::HEAD
                describe=explained(move |row, column| derivation(key, row, column))
            />
        </div>
    }
}
