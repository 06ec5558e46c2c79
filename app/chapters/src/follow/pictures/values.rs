//! From weights and values to the head's output.

use attention_figures::matrix::Scale as Colors;
use attention_trace::Quantity;
use leptos::prelude::*;

use super::{Sign, given_by_key, place, symbol, vectors::Vector};
use crate::follow::{
    axes,
    context::FollowContext,
    derivation::{Derivation, Operation, Products},
    derivation_view::{Describe, explained},
    numbers::Numbers,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    widgets::{
        inspector::Inspector,
        matrix::{Marks, Matrix, MatrixFigure},
    },
};

/// The figures of both stages: weights, values, and their products.
#[derive(Clone, Copy)]
struct Weighted {
    context: FollowContext,
    weights: Numbers,
    values: Numbers,
}

impl Weighted {
    fn of(context: FollowContext) -> Self {
        Weighted {
            context,
            weights: context.head(Quantity::Pattern),
            values: context.head(Quantity::Value),
        }
    }

    /// Each key's value times its weight: products of what the model computed.
    fn products(self) -> Signal<Option<Matrix>> {
        let values = self.values.by_key();
        Signal::derive(move || {
            let (weights, values) = (self.weights.query_row()?, values.get()?);
            let products: Vec<f32> = weights
                .iter()
                .enumerate()
                .flat_map(|(key, weight)| values.row(key).iter().map(move |value| weight * value))
                .collect();
            Some(Matrix {
                values: products.into(),
                ..values
            })
        })
    }

    fn weight_derivation(self) -> Describe {
        explained(move |_, key| {
            Some(Derivation {
                place: vec![self.context.key_label(key)?],
                value: self.weights.query_value(key)?,
                operation: Operation::Given,
            })
        })
    }

    fn made_product(self) -> Describe {
        explained(move |key, column| {
            let weight = self.weights.query_value(key)?;
            let value = self.values.value(key, column)?;
            Some(Derivation {
                place: place(self.context.key_label(key), column)?,
                value: weight * value,
                operation: Operation::Product([("a".to_owned(), weight), ("v".to_owned(), value)]),
            })
        })
    }
}

/// Every value times its weight.
#[component]
pub fn Weigh() -> impl IntoView {
    let i18n = use_i18n();
    let weighted = Weighted::of(FollowContext::expect());
    let inspector = Inspector::expect();
    // The selected key, in whichever of the three.
    let marks = Signal::derive(move || Marks {
        row: inspector.get().map(|seen| match seen.matrix {
            "weights" => seen.column,
            _ => seen.row,
        }),
        column: None,
    });
    view! {
        <div class="equation">
            <MatrixFigure
                id="weights"
                symbol=symbol("a", "", "")
                name=Signal::derive(move || t_string!(i18n, chapters.name_weights).to_owned())
                matrix=weighted.weights.over_keys()
                columns=axes::KEYS
                scale=Colors::Weights
                describe=weighted.weight_derivation()
            />
            <Sign sign="×" />
            <MatrixFigure
                id="value"
                symbol=symbol("V", "", "")
                name=Signal::derive(move || t_string!(i18n, chapters.name_values).to_owned())
                matrix=weighted.values.by_key()
                rows=axes::KEYS
                columns=axes::HEAD
                marks
                describe=given_by_key(weighted.context, weighted.values)
            />
            <Sign sign="=" />
            <WeightedFigure weighted marks />
        </div>
    }
}

#[component]
fn WeightedFigure(weighted: Weighted, marks: Signal<Marks>) -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <MatrixFigure
            id="weighted"
            symbol="<math><msub><mi>a</mi><mi>j</mi></msub><msub><mi>v</mi><mi>j</mi></msub></math>"
            name=Signal::derive(move || t_string!(i18n, chapters.name_weighted_values).to_owned())
            matrix=weighted.products()
            rows=axes::KEYS
            columns=axes::HEAD
            marks
            describe=weighted.made_product()
        />
    }
}

/// The weighted values, summed up.
#[component]
pub fn Sum() -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let weighted = Weighted::of(context);
    let output = context.head(Quantity::Z);
    let inspector = Inspector::expect();
    let made_output = explained(move |_, column| {
        let weights = weighted.weights.query_row()?;
        let values: Option<Vec<f32>> = (0..weights.len())
            .map(|key| weighted.values.value(key, column))
            .collect();
        Some(Derivation {
            place: place(context.query_label(), column)?,
            value: output.query_value(column)?,
            operation: Operation::Products(Products::new(("a", &weights), ("v", &values?), None)),
        })
    });
    let name_output = Signal::derive(move || t_string!(i18n, chapters.name_head_output).to_owned());
    let vector = Vector::new(
        "head_output",
        symbol("z", "", ""),
        name_output,
        output.of_query(),
    )
    .along(axes::HEAD);
    let marks = Signal::derive(move || Marks {
        row: None,
        column: inspector.of("head_output").map(|(_, column)| column),
    });
    view! {
        <div class="equation">
            <WeightedFigure weighted marks />
            <Sign sign="Σ" />
            {vector.figure(made_output)}
        </div>
    }
}
