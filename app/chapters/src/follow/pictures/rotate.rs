//! RoPE: queries and keys, turned by their positions.

use attention_trace::positions::rotations;
use leptos::prelude::*;

use super::{
    project::Role,
    query_and_keys::{Change, QueryAndKeys},
    symbol,
};
use crate::follow::{context::FollowContext, derivation::Operation};
use attention_core::i18n::{t_string, use_i18n};

/// The query and the keys, turned by their positions.
#[component]
pub fn Rotate() -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let setting = context.setting_untracked();
    let [query, key] = [Role::Query, Role::Key].map(|role| Change {
        role,
        before: context.head(match setting {
            Some(setting) => role.before_rope(setting),
            None => role.quantity(),
        }),
        after: context.head(role.quantity()),
    });
    let name = Signal::derive(move || t_string!(i18n, chapters.name_unturned).to_owned());
    view! {
        <QueryAndKeys
            query
            key
            ids_before=["unrotated-query", "unrotated-key"]
            name_before=name
            letters=["q", "K"].map(|letter| symbol(letter, "", "R"))
            made=move |change, position, column| turned(context, change, position, column)
        />
    }
}

/// A number of a turned vector: dimensions `i` and `i + d_k/2` are a pair.
fn turned(
    context: FollowContext,
    change: Change,
    position: usize,
    column: usize,
) -> Option<Operation> {
    let theta = context.with_place(|place| place.meta.spec.positions.rope_theta)??;
    let row = change.before.row(position)?;
    let half = row.len() / 2;
    // The table that the model turns by.
    let (cosines, sines) = rotations(position..position + 1, row.len(), theta);
    let (partner, sign) = if column < half {
        (column + half, -1.0)
    } else {
        (column - half, 1.0)
    };
    Some(Operation::Rotated {
        own: *row.get(column)?,
        partner: *row.get(partner)?,
        cosine: *cosines.get(column)?,
        sine: sign * sines.get(column)?,
    })
}
