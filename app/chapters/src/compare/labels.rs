//! The tokens along a map: those of its side, or of both.

use attention_core::{
    i18n::{t_string, use_i18n},
    names::{token_name, token_title},
};
use leptos::prelude::*;

use super::{
    align::Fit,
    axes::{Axis, Side},
    context::Comparison,
    map::Shows,
    words::place_name,
};

/// A token at a map's edge.
#[derive(Clone, Debug, PartialEq)]
struct Label {
    text: String,
    title: String,
    fit: Fit,
    is_unknown: bool,
}

/// The tokens of an axis, and the one at the cursor above the others.
#[component]
pub fn Labels(shows: Shows, is_keys: bool) -> impl IntoView {
    let labels = labels(shows, is_keys);
    let comparison = Comparison::expect();
    let at = Memo::new(move |_| {
        let cell = comparison.cell()?;
        Some(if is_keys { cell.key } else { cell.query })
    });
    let label = |(at, label): (usize, Label)| {
        view! {
            <span
                class="compare-label"
                class:is-replaced=label.fit == Fit::Replaced
                class:is-alone=label.fit == Fit::Alone
                style=format!("--at: {at}")
                title=label.title
            >
                <span class="token" class:unknown=label.is_unknown>{label.text}</span>
            </span>
        }
    };
    let chosen = Memo::new(move |_| {
        Some((
            at.get()?,
            labels.with(|labels| labels.get(at.get()?).cloned())?,
        ))
    });
    let class = if is_keys {
        "compare-keys"
    } else {
        "compare-queries"
    };
    view! {
        <div class=class aria-hidden="true">
            {move || labels.get().into_iter().enumerate().map(label).collect_view()}
            {move || chosen.get().map(|(at, label)| view! {
                <span class="compare-label in-sight" style=format!("--at: {at}")>
                    <span class="token">{label.text}</span>
                </span>
            })}
        </div>
    }
}

fn labels(shows: Shows, is_keys: bool) -> Memo<Vec<Label>> {
    let i18n = use_i18n();
    let comparison = Comparison::expect();
    let (name, token_title) = (token_name(), token_title());
    let of_side = move |axis: &Axis, side: Side, at: usize| {
        let fit = axis.places[at].fit;
        let token = axis.token(side, at);
        let partner = axis.token(side.other(), at).map(name);
        let title = match (token, fit) {
            (Some(_), Fit::Alone) => t_string!(i18n, compare.no_partner).to_owned(),
            (Some(_), Fit::Replaced) => {
                t_string!(
                    i18n,
                    compare.in_place_of,
                    token = partner.unwrap_or_default()
                )
            }
            (Some(token), Fit::Same) => token_title(token),
            (None, _) => t_string!(i18n, compare.not_here).to_owned(),
        };
        Label {
            text: token.map_or_else(|| "–".to_owned(), name),
            title,
            fit,
            is_unknown: token.is_some_and(|token| token.unknown),
        }
    };
    let of_both = move |axis: &Axis, at: usize| {
        let side = match axis.places[at].left {
            Some(_) => Side::Left,
            None => Side::Right,
        };
        Label {
            text: place_name(i18n, axis, at),
            ..of_side(axis, side, at)
        }
    };
    Memo::new(move |_| {
        comparison.axes.with(|axes| {
            let Some(axes) = axes else { return Vec::new() };
            let axis = if is_keys { &axes.keys } else { &axes.queries };
            let places = 0..axis.places.len();
            let label = |at| match shows {
                Shows::Weights(side) => of_side(axis, side, at),
                Shows::Difference => of_both(axis, at),
            };
            places.map(label).collect()
        })
    })
}
