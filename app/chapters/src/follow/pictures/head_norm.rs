//! Queries and keys, normalised head by head.

use attention_trace::Weight;
use leptos::prelude::*;

use super::{
    project::Role,
    query_and_keys::{Change, QueryAndKeys},
    symbol,
};
use crate::follow::{
    context::FollowContext,
    derivation::{Normalised, Operation},
};
use attention_core::i18n::{t_string, use_i18n};

/// The query and the keys, each divided by its root mean square and multiplied by a gain.
#[component]
pub fn HeadNorm() -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let setting = context.setting_untracked();
    let [query, key] = [Role::Query, Role::Key].map(|role| {
        let [before, after] = match setting {
            Some(setting) => [role.projected(setting), role.before_rope(setting)],
            None => [role.quantity(); 2],
        };
        Change {
            role,
            before: context.head(before),
            after: context.head(after),
        }
    });
    let gain = |weight| context.whole(move |sites| sites.attention().parameter(weight));
    let query_gain = gain(Weight::QueryNormGain);
    let key_gain = gain(Weight::KeyNormGain);
    let normalised = move |change: Change, position, column| {
        let gain = match change.role {
            Role::Query => query_gain,
            Role::Key | Role::Value => key_gain,
        };
        let (row, gain) = (change.before.row(position)?, gain.value(0, column)?);
        Some(Operation::Normalised(Normalised::rms_norm(
            &row, column, gain,
        )))
    };
    let name = Signal::derive(move || t_string!(i18n, chapters.name_unnormed).to_owned());
    view! {
        <QueryAndKeys
            query
            key
            ids_before=["unnormed-query", "unnormed-key"]
            name_before=name
            letters=["q̂", "K̂"].map(|letter| symbol(letter, "", ""))
            made=normalised
        />
    }
}
