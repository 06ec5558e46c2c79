//! A row times a matrix of the checkpoint.

use attention_trace::{Block, Weight};
use leptos::prelude::*;

use super::{Sign, place, symbol, vectors::Vector};
use crate::follow::{
    context::FollowContext,
    derivation::{Derivation, Operation, Products},
    derivation_view::{Describe, explained},
    numbers::Numbers,
    sites::Sites,
};
use attention_core::widgets::{
    inspector::Inspector,
    matrix::{Marks, Matrix, MatrixFigure},
};

/// Rows of a weight matrix that are shown at once.
pub const WEIGHT_ROWS: usize = 4;

/// `· W = y`: the weights and the result.
#[component]
pub fn Times(
    /// The id of the weights' figure.
    id: &'static str,
    /// The subscript and the superscript of the weights' letter.
    index: (&'static str, &'static str),
    /// The name of the weights.
    name: Signal<String>,
    /// Returns the block that has the weights.
    block: fn(&Sites) -> Block,
    /// The matrix and its bias.
    weights: [Weight; 2],
    /// The vector that is multiplied.
    input: Vector,
    /// The product of input and weights.
    output: Vector,
) -> impl IntoView {
    let context = FollowContext::expect();
    let inspector = Inspector::expect();
    let [weights, bias] =
        weights.map(|weight| context.whole(move |sites| block(sites).parameter(weight)));
    let shown = transposed(weights);
    let result = output.id();
    let marks = Signal::derive(move || Marks {
        row: None,
        column: inspector.of(result).map(|(_, column)| column),
    });
    let (below, above) = index;
    let made = {
        let output = output.clone();
        explained(move |_, column| {
            let (input, of_column) = (input.row()?, weights.row(column)?);
            let bias = bias.value(0, column);
            let products = Products::new(("x", &input), (&letter(below, above), &of_column), bias);
            Some(Derivation {
                place: place(context.query_label(), column)?,
                value: output.value(column)?,
                operation: Operation::Products(products),
            })
        })
    };
    view! {
        <Sign sign="·" />
        <MatrixFigure
            id
            symbol=symbol("W", below, above)
            name
            matrix=shown
            rows_shown=WEIGHT_ROWS
            columns=output.axis()
            marks
            describe=weight_derivation(shown)
        />
        <Sign sign="=" />
        {output.figure(made)}
    }
}

/// The weights' name in plain text.
fn letter(below: &str, above: &str) -> String {
    let sign = |sign: &str, text: &str| match text {
        "" => String::new(),
        text => format!("{sign}{text}"),
    };
    format!("W{}{}", sign("_", below), sign("^", above))
}

/// A checkpoint's weights `[out, in]` as they stand in the formula, `[in, out]`.
fn transposed(weights: Numbers) -> Signal<Option<Matrix>> {
    let matrix = Memo::new(move |_| {
        weights.with(|array| {
            let &[outputs, inputs] = array.shape.as_slice() else {
                return None;
            };
            let values: Vec<f32> = (0..inputs)
                .flat_map(|input| {
                    (0..outputs).map(move |output| array.data[output * inputs + input])
                })
                .collect();
            Some(Matrix::new(values, outputs))
        })?
    });
    matrix.into()
}

/// Describes a weight by the dimensions it connects.
pub fn weight_derivation(weights: Signal<Option<Matrix>>) -> Describe {
    explained(move |row, column| {
        Some(Derivation {
            place: vec![format!("{} → {}", row + 1, column + 1)],
            value: weights.read().as_ref()?.value(row, column)?,
            operation: Operation::Given,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::letter;

    #[test]
    fn weights_are_named_as_in_the_formulas() {
        assert_eq!(letter("", "O"), "W^O");
        assert_eq!(letter("1", ""), "W_1");
    }
}
