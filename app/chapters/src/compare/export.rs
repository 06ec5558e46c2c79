//! The three maps as they are exported.

use crate::compare::parameters::Compared;
use attention_core::{
    i18n::{Locale, t_string, use_i18n},
    names::{head_name, token_name},
    widgets::{FigureButton, Taken, map_side},
};
use attention_figures::{
    difference,
    export::{Cells, Content, Map, Scale as Ends},
    heatmap::Scale,
};
use attention_trace::python::Number;
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::{
    axes::{Axis, Maps, Side},
    context::Comparison,
    map::Shows,
    words::place_name,
};

/// The button of a map's menu.
#[component]
pub fn MapButton(
    shows: Shows,
    scale: Signal<Scale>,
    /// The heading of the map.
    #[prop(into)]
    name: Signal<String>,
    /// The headings of both sides.
    sides: [Signal<String>; 2],
) -> impl IntoView {
    let i18n = use_i18n();
    let (comparison, token_name) = (Comparison::expect(), token_name());
    let head_name = head_name();
    // Where two heads are compared, both sides are of one pass, and the head says all.
    let is_named = comparison.of != Compared::Heads;
    let side_words = move |side: Side| {
        let [left, right] = sides;
        let heading = match side {
            Side::Left => left.get(),
            Side::Right => right.get(),
        };
        let head = comparison.head(side);
        let head = head.map(|it| head_name(it.attention, it.head));
        let words = is_named.then_some(heading).into_iter().chain(head);
        words.collect::<Vec<_>>().join(" · ")
    };
    let take = move || {
        let (axes, maps) = (comparison.axes.get()?, comparison.maps.get()?);
        let labels = |axis: &Axis| {
            let label = |at: usize| match shows {
                Shows::Weights(side) => axis
                    .token(side, at)
                    .map_or_else(|| "–".to_owned(), token_name),
                Shows::Difference => place_name(i18n, axis, at),
            };
            (0..axis.places.len()).map(label).collect::<Vec<_>>()
        };
        let (rows, columns) = (labels(&axes.queries), labels(&axes.keys));
        let content = Content::Map(Map {
            values: values(&maps, shows),
            words: Vec::new(),
            rows: map_side(t_string!(i18n, heads.query), &rows, &(0..rows.len())),
            columns: map_side(t_string!(i18n, heads.key), &columns, &(0..columns.len())),
            value: value_name(i18n, shows).to_owned(),
            masked: t_string!(i18n, export.not_compared).to_owned(),
            scale: ends(&maps, shows, scale.get()),
            cells: Cells::Colors,
        });
        let (title, sentences) = match shows {
            Shows::Weights(side) => (side_words(side), Vec::new()),
            Shows::Difference => {
                let [left, right] = [Side::Left, Side::Right].map(side_words);
                let sides = t_string!(i18n, export.sides, left = left, right = right);
                let colors = t_string!(i18n, compare.difference_hint).to_owned();
                (name.get(), vec![sides, colors])
            }
        };
        Some(Taken {
            sentences,
            number: number(comparison, shows),
            ..Taken::new(title, content)
        })
    };
    view! { <FigureButton name take /> }
}

fn values(maps: &Maps, shows: Shows) -> Vec<f32> {
    match shows {
        Shows::Weights(side) => maps.side(side).to_vec(),
        Shows::Difference => maps.between.to_vec(),
    }
}

fn value_name(i18n: I18nContext<Locale>, shows: Shows) -> &'static str {
    match shows {
        Shows::Weights(_) => t_string!(i18n, heads.weight),
        Shows::Difference => t_string!(i18n, compare.difference),
    }
}

/// Returns the values at the ends of the colour scale, those of the page.
fn ends(maps: &Maps, shows: Shows, scale: Scale) -> Ends {
    match shows {
        Shows::Weights(_) => Ends::Sequential {
            low: 0.0,
            high: 1.0,
        },
        Shows::Difference => Ends::Diverging {
            limit: difference::limit(&maps.between, scale),
        },
    }
}

/// Returns the number that the pass on screen computes: of one side, or of both where two of its heads are compared.
fn number(comparison: Comparison, shows: Shows) -> Option<Number> {
    let head = |side: Side| {
        let head = comparison.head(side)?;
        Some((head.attention, head.head))
    };
    let is_on_screen = |side: Side| match comparison.of {
        Compared::Heads => true,
        Compared::Texts | Compared::Models | Compared::Precisions => side == Side::Left,
        Compared::Edits => side == Side::Right,
    };
    match shows {
        Shows::Weights(side) if is_on_screen(side) => {
            let (attention, head) = head(side)?;
            Some(Number::Pattern {
                attention,
                heads: vec![head],
            })
        }
        Shows::Difference if comparison.of == Compared::Heads => Some(Number::Difference {
            left: head(Side::Left)?,
            right: head(Side::Right)?,
        }),
        Shows::Weights(_) | Shows::Difference => None,
    }
}
