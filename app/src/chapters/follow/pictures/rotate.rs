//! RoPE: queries and keys, turned by their positions.

use attention_trace::positions::rotations;
use leptos::prelude::*;

use super::{
    Sign, given_by_key, place,
    project::{Role, result},
    symbol,
    vectors::Vector,
};
use crate::{
    chapters::follow::{
        axes,
        context::FollowContext,
        derivation::{Derivation, Operation},
        derivation_view::explained,
        numbers::Numbers,
    },
    i18n::{t_string, use_i18n},
    widgets::matrix::MatrixFigure,
};

/// The query and the keys, turned by their positions.
#[component]
pub fn Rotate() -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let [query, key] = [Role::Query, Role::Key].map(|role| Turn {
        context,
        role,
        before: result(context, role),
        after: context.head(role.quantity()),
    });
    let name_before = Signal::derive(move || t_string!(i18n, chapters.name_unturned).to_owned());
    let name_query = Signal::derive(move || t_string!(i18n, chapters.name_query).to_owned());
    let before = query.before.of_query();
    let before =
        Vector::new("unrotated-query", symbol("q", "", ""), name_before, before).along(axes::HEAD);
    let after = query.after.of_query();
    let after = Vector::new("query", symbol("q", "", "R"), name_query, after).along(axes::HEAD);
    let made_query = explained(move |_, column| query.made(context.query(), column));
    view! {
        <div class="equation">
            {before.given()}
            <Sign sign="→" />
            {after.figure(made_query)}
        </div>
        <div class="equation">
            <MatrixFigure
                id="unrotated-key"
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
                symbol=symbol("K", "", "R")
                name=Signal::derive(move || t_string!(i18n, chapters.name_keys).to_owned())
                matrix=key.after.by_key()
                rows=axes::KEYS
                columns=axes::HEAD
                describe=explained(move |row, column| key.made(row, column))
            />
        </div>
    }
}

/// Queries or keys before and after they are turned.
#[derive(Clone, Copy)]
struct Turn {
    context: FollowContext,
    role: Role,
    before: Numbers,
    after: Numbers,
}

impl Turn {
    /// A number of a turned vector: dimensions `i` and `i + d_k/2` are a pair.
    fn made(self, position: usize, column: usize) -> Option<Derivation> {
        let theta = self
            .context
            .with_place(|place| place.meta.spec.positions.rope_theta)??;
        let row = self.before.row(position)?;
        let half = row.len() / 2;
        // The table that the model turns by.
        let (cosines, sines) = rotations(position..position + 1, row.len(), theta);
        let (partner, sign) = if column < half {
            (column + half, -1.0)
        } else {
            (column - half, 1.0)
        };
        Some(Derivation {
            place: place(self.role.label(self.context, position), column)?,
            value: self.after.value(position, column)?,
            operation: Operation::Rotated {
                own: *row.get(column)?,
                partner: *row.get(partner)?,
                cosine: *cosines.get(column)?,
                sine: sign * sines.get(column)?,
            },
        })
    }
}
