//! Vectors of the token that asks, as rows of an equation.

use leptos::prelude::*;

use super::{Sign, place, symbol};
use crate::follow::{
    axes,
    context::FollowContext,
    derivation::{Derivation, Normalised, Operation},
    derivation_view::{Describe, explained},
    numbers::Numbers,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    widgets::matrix::{Matrix, MatrixFigure},
};

/// A vector of the token that asks, and what its figure is called.
#[derive(Clone)]
pub struct Vector {
    id: &'static str,
    symbol: String,
    name: Signal<String>,
    matrix: Signal<Option<Matrix>>,
    axis: &'static str,
}

impl Vector {
    /// The only row of `matrix`, as wide as the residual stream; `symbol` is trusted HTML.
    pub fn new(
        id: &'static str,
        symbol: impl Into<String>,
        name: Signal<String>,
        matrix: Signal<Option<Matrix>>,
    ) -> Self {
        Vector {
            id,
            symbol: symbol.into(),
            name,
            matrix,
            axis: axes::WIDTH,
        }
    }

    /// Returns the same vector with another axis than the residual stream's.
    pub fn along(self, axis: &'static str) -> Self {
        Vector { axis, ..self }
    }

    pub fn axis(&self) -> &'static str {
        self.axis
    }

    /// Returns the id of the vector's figure.
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// Returns the numbers of the vector; `None` until they are loaded.
    pub fn row(&self) -> Option<Vec<f32>> {
        self.matrix
            .with(|matrix| Some(matrix.as_ref()?.values.to_vec()))
    }

    /// Returns a number of the vector.
    pub fn value(&self, column: usize) -> Option<f32> {
        self.matrix.with(|matrix| matrix.as_ref()?.value(0, column))
    }

    /// Returns the figure of the vector, with cells described by `describe`.
    pub fn figure(&self, describe: Describe) -> impl IntoView + use<> {
        view! {
            <MatrixFigure
                id=self.id
                symbol=self.symbol.clone()
                name=self.name
                matrix=self.matrix
                columns=self.axis
                describe
            />
        }
    }

    /// Returns the figure of the vector for numbers that were computed elsewhere.
    pub fn given(&self) -> impl IntoView + use<> {
        let context = FollowContext::expect();
        let vector = self.clone();
        self.figure(explained(move |_, column| {
            Some(Derivation {
                place: place(context.query_label(), column)?,
                value: vector.value(column)?,
                operation: Operation::Given,
            })
        }))
    }
}

/// Vectors and their sum.
#[component]
pub fn Added(#[prop(into)] terms: Vec<Vector>, sum: Vector) -> impl IntoView {
    let context = FollowContext::expect();
    let given = terms
        .iter()
        .enumerate()
        .map(|(index, term)| {
            view! {
                {(index > 0).then(|| view! { <Sign sign="+" /> })}
                {term.given()}
            }
        })
        .collect_view();
    let made = {
        let sum = sum.clone();
        explained(move |_, column| {
            let term = |term: &Vector| Some((term.name.get(), term.value(column)?));
            Some(Derivation {
                place: place(context.query_label(), column)?,
                value: sum.value(column)?,
                operation: Operation::Sum(terms.iter().map(term).collect::<Option<_>>()?),
            })
        })
    };
    view! {
        {given}
        <Sign sign="=" />
        {sum.figure(made)}
    }
}

/// A normalised row, after an arrow.
#[component]
pub fn Normed(
    /// The row after the norm.
    output: Numbers,
    /// Returns the computation of the number in a column.
    normalised: impl Fn(usize) -> Option<Normalised> + Send + Sync + 'static,
    /// The letter of the normalised row.
    #[prop(default = "x̂")]
    letter: &'static str,
) -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let name = Signal::derive(move || t_string!(i18n, chapters.name_normed).to_owned());
    let vector = Vector::new("normed", symbol(letter, "", ""), name, output.of_query());
    let made = explained(move |_, column| {
        Some(Derivation {
            place: place(context.query_label(), column)?,
            value: output.query_value(column)?,
            operation: Operation::Normalised(normalised(column)?),
        })
    });
    view! {
        <Sign sign="→" />
        {vector.figure(made)}
    }
}
