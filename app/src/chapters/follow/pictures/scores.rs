//! From queries and keys to weights.

use attention_figures::matrix::Scale as Colors;
use leptos::prelude::*;

use super::{Sign, symbol};
use crate::{
    chapters::{
        follow::{
            context::{FollowContext, Numbers},
            made::{Made, Of, Products},
            made_view::explained,
        },
        matrix::{Marks, MatrixFigure},
        sight::Sight,
    },
    i18n::{t_string, use_i18n},
};

use super::embed::given;

/// One row: a number for each key.
#[derive(Clone, Copy)]
enum Row {
    Scores,
    Scaled,
    Masked,
    Weights,
}

impl Row {
    fn array(self) -> &'static str {
        match self {
            Row::Scores => "scores",
            Row::Scaled => "scaled_scores",
            Row::Masked => "masked_scores",
            Row::Weights => "weights",
        }
    }

    fn symbol(self) -> String {
        match self {
            Row::Scores => "<math><mi>q</mi><msup><mi>K</mi><mi>⊤</mi></msup></math>".to_owned(),
            Row::Scaled => symbol("s", "", ""),
            Row::Masked => symbol("s", "", "M"),
            Row::Weights => symbol("a", "", ""),
        }
    }
}

/// What is computed of a key's column.
type Made1 = Callback<(usize, usize), AnyView>;

#[component]
fn RowFigure(row: Row, numbers: Numbers, describe: Made1) -> impl IntoView {
    let i18n = use_i18n();
    let sight = Sight::expect();
    let name = Signal::derive(move || {
        match row {
            Row::Scores => t_string!(i18n, chapters.name_scores),
            Row::Scaled => t_string!(i18n, chapters.name_scaled),
            Row::Masked => t_string!(i18n, chapters.name_masked),
            Row::Weights => t_string!(i18n, chapters.name_weights),
        }
        .to_owned()
    });
    let marks = Signal::derive(move || Marks {
        row: None,
        // The same key in the other rows of the stage.
        column: sight.get().map(|seen| seen.column).filter(|_| {
            sight.get().is_some_and(|seen| {
                ["scores", "scaled_scores", "masked_scores", "weights"].contains(&seen.matrix)
            })
        }),
    });
    let scale = match row {
        Row::Weights => Colors::Weights,
        _ => Colors::Signed,
    };
    view! {
        <MatrixFigure
            id=row.array()
            symbol=row.symbol()
            name
            matrix=numbers.over_keys()
            scale
            marks
            describe
        />
    }
}

/// The query against every key.
#[component]
pub fn Scores() -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let sight = Sight::expect();
    let (query, keys) = (context.head("query"), context.head("key"));
    let scores = context.head("scores");
    let made_score = explained(move |_, key| {
        let (query, of_key) = (query.query_row()?, keys.row(key)?);
        Some(Made {
            place: pair(context, key)?,
            value: *scores.query_row()?.get(key)?,
            of: Of::Products(Products::new(("q", &query), ("k", &of_key), None)),
        })
    });
    let made_query = explained(move |_, column| given(context, query.query_row()?, column));
    let made_key = explained(move |row, column| {
        Some(Made {
            place: vec![
                context.key_labels().get(row)?.clone(),
                super::dimension(column),
            ],
            value: *keys.row(row)?.get(column)?,
            of: Of::Given,
        })
    });
    let marks = Signal::derive(move || Marks {
        row: sight.of("scores").map(|(_, key)| key),
        column: None,
    });
    view! {
        <div class="equation">
            <MatrixFigure
                id="query"
                symbol=symbol("q", "", "")
                name=Signal::derive(move || t_string!(i18n, chapters.name_query).to_owned())
                matrix=query.of_query()
                describe=made_query
            />
            <Sign sign="·" />
            <MatrixFigure
                id="key"
                symbol=symbol("K", "", "")
                name=Signal::derive(move || t_string!(i18n, chapters.name_keys).to_owned())
                matrix=keys.by_key()
                marks
                describe=made_key
            />
            <Sign sign="=" />
            <RowFigure row=Row::Scores numbers=scores describe=made_score />
        </div>
    }
}

/// ÷√d_k.
#[component]
pub fn Scale() -> impl IntoView {
    let context = FollowContext::expect();
    let (scores, scaled) = (context.head("scores"), context.head("scaled_scores"));
    let query = context.head("query");
    let made_scaled = explained(move |_, key| {
        let width = query.query_row()?.len();
        Some(Made {
            place: pair(context, key)?,
            value: *scaled.query_row()?.get(key)?,
            of: Of::Quotient {
                above: ("q·k".to_owned(), *scores.query_row()?.get(key)?),
                below: (format!("√{width}"), (width as f32).sqrt()),
            },
        })
    });
    view! {
        <div class="equation">
            <RowFigure row=Row::Scores numbers=scores describe=handed_on(context, scores) />
            <Sign sign="→" />
            <RowFigure row=Row::Scaled numbers=scaled describe=made_scaled />
        </div>
    }
}

/// −∞ where attention is forbidden.
#[component]
pub fn Mask() -> impl IntoView {
    let context = FollowContext::expect();
    let (scaled, masked) = (context.head("scaled_scores"), context.head("masked_scores"));
    let made_masked = explained(move |_, key| {
        let value = *masked.query_row()?.get(key)?;
        Some(Made {
            place: pair(context, key)?,
            value,
            of: Of::Mask {
                score: *scaled.query_row()?.get(key)?,
                forbidden: value == f32::NEG_INFINITY,
            },
        })
    });
    view! {
        <div class="equation">
            <RowFigure row=Row::Scaled numbers=scaled describe=handed_on(context, scaled) />
            <Sign sign="→" />
            <RowFigure row=Row::Masked numbers=masked describe=made_masked />
        </div>
    }
}

/// Scores to weights.
#[component]
pub fn Softmax() -> impl IntoView {
    let context = FollowContext::expect();
    // Without a mask, scaled scores are what softmax takes.
    let masks = untrack(|| context.setting()).is_some_and(|setting| setting.masks);
    let row = if masks { Row::Masked } else { Row::Scaled };
    let (masked, weights) = (context.head(row.array()), context.head("weights"));
    let made_weight = explained(move |_, key| {
        let labels = context.key_labels();
        let scores = labels.iter().cloned().zip(masked.query_row()?).collect();
        Some(Made {
            place: pair(context, key)?,
            value: *weights.query_row()?.get(key)?,
            of: Of::Softmax { scores, index: key },
        })
    });
    view! {
        <div class="equation">
            <RowFigure row numbers=masked describe=handed_on(context, masked) />
            <Sign sign="→" />
            <RowFigure row=Row::Weights numbers=weights describe=made_weight />
        </div>
    }
}

/// The query and the key that a number of a row belongs to.
fn pair(context: FollowContext, key: usize) -> Option<Vec<String>> {
    Some(vec![
        context.query_labels().get(context.query())?.clone(),
        context.key_labels().get(key)?.clone(),
    ])
}

/// Describes a number that an earlier stage made.
fn handed_on(context: FollowContext, numbers: Numbers) -> Made1 {
    explained(move |_, key| {
        Some(Made {
            place: pair(context, key)?,
            value: *numbers.query_row()?.get(key)?,
            of: Of::Given,
        })
    })
}
