//! From queries and keys to weights.

use attention_figures::matrix::Scale as Colors;
use attention_trace::Quantity;
use leptos::prelude::*;

use super::{Sign, given_by_key, symbol, vectors::Vector};
use crate::follow::{
    axes,
    context::{FollowContext, Place},
    derivation::{Derivation, Operation, Products},
    derivation_view::{Describe, explained},
    numbers::Numbers,
    stage::Setting,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    widgets::{
        inspector::Inspector,
        matrix::{Marks, MatrixFigure},
        numbers::decimal,
    },
};

/// A row with a number for each key.
#[derive(Clone, Copy, PartialEq)]
pub enum Row {
    Scores,
    Scaled,
    Bias,
    Biased,
    Masked,
    Weights,
}

impl Row {
    const ALL: [Row; 6] = [
        Row::Scores,
        Row::Scaled,
        Row::Bias,
        Row::Biased,
        Row::Masked,
        Row::Weights,
    ];

    /// Returns the row that mask and softmax act on.
    fn before_mask(context: FollowContext) -> Row {
        let setting = context.setting_untracked();
        match setting.is_some_and(Setting::biases) {
            true => Row::Biased,
            false => Row::Scaled,
        }
    }

    fn id(self) -> &'static str {
        match self {
            Row::Scores => "scores",
            Row::Scaled => "scaled_scores",
            Row::Bias => "position_bias",
            Row::Biased => "biased_scores",
            Row::Masked => "masked_scores",
            Row::Weights => "weights",
        }
    }

    /// The numbers of this head: arrays of the attention, but for the sum of two.
    pub fn numbers(self, context: FollowContext) -> Numbers {
        match self {
            Row::Biased => context.biased_scores(),
            Row::Scores => context.head(Quantity::Scores),
            Row::Scaled => context.head(Quantity::ScaledScores),
            Row::Bias => context.head(Quantity::PositionBias),
            Row::Masked => context.head(Quantity::MaskedScores),
            Row::Weights => context.head(Quantity::Pattern),
        }
    }

    fn symbol(self) -> String {
        match self {
            Row::Scores => "<math><mi>q</mi><msup><mi>K</mi><mi>⊤</mi></msup></math>".to_owned(),
            Row::Scaled => symbol("s", "", ""),
            Row::Bias => symbol("B", "", ""),
            Row::Biased => symbol("s", "", "B"),
            Row::Masked => symbol("s", "", "M"),
            Row::Weights => symbol("a", "", ""),
        }
    }
}

/// The row of the token that asks.
#[component]
pub fn RowFigure(row: Row, numbers: Numbers, describe: Describe) -> impl IntoView {
    let i18n = use_i18n();
    let inspector = Inspector::expect();
    let name = Signal::derive(move || {
        match row {
            Row::Scores => t_string!(i18n, chapters.name_scores),
            Row::Scaled => t_string!(i18n, chapters.name_scaled),
            Row::Bias => t_string!(i18n, chapters.name_bias),
            Row::Biased => t_string!(i18n, chapters.name_biased),
            Row::Masked => t_string!(i18n, chapters.name_masked),
            Row::Weights => t_string!(i18n, chapters.name_weights),
        }
        .to_owned()
    });
    let marks = Signal::derive(move || Marks {
        row: None,
        // The same key in the other rows of the stage.
        column: inspector
            .get()
            .filter(|seen| Row::ALL.iter().any(|row| row.id() == seen.matrix))
            .map(|seen| seen.column),
    });
    let scale = match row {
        Row::Weights => Colors::Weights,
        _ => Colors::Signed,
    };
    view! {
        <MatrixFigure
            id=row.id()
            symbol=row.symbol()
            name
            matrix=numbers.over_keys()
            columns=axes::KEYS
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
    let inspector = Inspector::expect();
    let (query, keys) = (context.head(Quantity::Query), context.head(Quantity::Key));
    let scores = context.head(Quantity::Scores);
    let made_score = explained(move |_, key| {
        let (query, of_key) = (query.query_row()?, keys.row(key)?);
        Some(Derivation {
            place: pair(context, key)?,
            value: scores.query_value(key)?,
            operation: Operation::Products(Products::new(("q", &query), ("k", &of_key), None)),
        })
    });
    let name_query = Signal::derive(move || t_string!(i18n, chapters.name_query).to_owned());
    let vector =
        Vector::new("query", symbol("q", "", ""), name_query, query.of_query()).along(axes::HEAD);
    let marks = Signal::derive(move || Marks {
        row: inspector.of("scores").map(|(_, key)| key),
        column: None,
    });
    view! {
        <div class="equation">
            {vector.given()}
            <Sign sign="·" />
            <MatrixFigure
                id="key"
                symbol=symbol("K", "", "")
                name=Signal::derive(move || t_string!(i18n, chapters.name_keys).to_owned())
                matrix=keys.by_key()
                rows=axes::KEYS
                columns=axes::HEAD
                marks
                describe=given_by_key(context, keys)
            />
            <Sign sign="=" />
            <RowFigure row=Row::Scores numbers=scores describe=made_score />
        </div>
    }
}

/// The scores divided by √d_k.
#[component]
pub fn Scale() -> impl IntoView {
    let context = FollowContext::expect();
    let (scores, scaled) = (
        context.head(Quantity::Scores),
        context.head(Quantity::ScaledScores),
    );
    let query = context.head(Quantity::Query);
    let divisor = move || context.with_place(Place::divisor).flatten();
    let made_scaled = explained(move |_, key| {
        let width = query.query_row()?.len();
        let root = || (format!("√{width}"), (width as f32).sqrt());
        Some(Derivation {
            place: pair(context, key)?,
            value: scaled.query_value(key)?,
            operation: Operation::Quotient {
                above: ("q·k".to_owned(), scores.query_value(key)?),
                below: divisor().map_or_else(root, |divisor| (decimal(divisor, 3), divisor)),
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
    let row = Row::before_mask(context);
    let (open, masked) = (row.numbers(context), context.head(Quantity::MaskedScores));
    let made_masked = explained(move |_, key| {
        let value = masked.query_value(key)?;
        let forbidden = value == f32::NEG_INFINITY;
        // A score that is soft-capped is not handed on as it is.
        let is_capped = context.with_place(|place| place.meta.spec.score_cap.is_some())?;
        if is_capped && !forbidden {
            return None;
        }
        Some(Derivation {
            place: pair(context, key)?,
            value,
            operation: Operation::Mask {
                score: open.query_value(key)?,
                forbidden,
            },
        })
    });
    view! {
        <div class="equation">
            <RowFigure row numbers=open describe=handed_on(context, open) />
            <Sign sign="→" />
            <RowFigure row=Row::Masked numbers=masked describe=made_masked />
        </div>
    }
}

/// The softmax, from scores to weights.
#[component]
pub fn Softmax() -> impl IntoView {
    let context = FollowContext::expect();
    let masks = context.setting_untracked().is_some_and(Setting::masks);
    let row = match masks {
        true => Row::Masked,
        false => Row::before_mask(context),
    };
    let (taken, weights) = (row.numbers(context), context.head(Quantity::Pattern));
    let weight_derivation = explained(move |_, key| {
        let labels = context.key_labels();
        let scores = labels.iter().cloned().zip(taken.query_row()?).collect();
        Some(Derivation {
            place: pair(context, key)?,
            value: weights.query_value(key)?,
            operation: Operation::Softmax { scores, index: key },
        })
    });
    view! {
        <div class="equation">
            <RowFigure row numbers=taken describe=handed_on(context, taken) />
            <Sign sign="→" />
            <RowFigure row=Row::Weights numbers=weights describe=weight_derivation />
        </div>
    }
}

/// Returns the names of the query and of the key of a number in a row.
pub fn pair(context: FollowContext, key: usize) -> Option<Vec<String>> {
    Some(vec![context.query_label()?, context.key_label(key)?])
}

/// Describes a number that an earlier stage made.
pub fn handed_on(context: FollowContext, numbers: Numbers) -> Describe {
    explained(move |_, key| {
        Some(Derivation {
            place: pair(context, key)?,
            value: numbers.query_value(key)?,
            operation: Operation::Given,
        })
    })
}
