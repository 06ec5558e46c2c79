//! From the heads' outputs back into the residual stream.

use attention_trace::{Excerpt, Family, Slice};
use leptos::prelude::*;

use super::{Sign, dimension, embed::given, symbol};
use crate::{
    chapters::{
        follow::{
            context::{FollowContext, Numbers},
            made::{Made, Normalised, Of, Products},
            made_view::explained,
            names::Names,
        },
        matrix::{Marks, Matrix, MatrixFigure},
        sight::Sight,
    },
    i18n::{t_string, use_i18n},
};

/// Rows of a weight matrix that are shown at once.
const WEIGHT_ROWS: usize = 6;

/// The outputs of all heads for the token that asks, `[h, d_k]`.
fn heads(context: FollowContext) -> Memo<Option<Matrix>> {
    let part = context.part(|place| {
        let array = place.names().attention("head_outputs");
        Excerpt::new(array, Slice::Row(place.query))
    });
    Memo::new(move |_| {
        part.with(|part| {
            let array = &part.as_ref()?.0;
            let &[count, columns] = array.shape.as_slice() else {
                return None;
            };
            let labels: Vec<String> = (1..=count)
                .map(|head| format!("z{}", subscript(head)))
                .collect();
            Some(Matrix::new(array.data.as_slice(), columns).with_rows(labels))
        })
    })
}

fn subscript(number: usize) -> String {
    let digits = number.to_string();
    digits
        .chars()
        .filter_map(|digit| char::from_u32(0x2080 + digit.to_digit(10)?))
        .collect()
}

/// All heads' outputs as one row.
fn side_by_side(heads: Memo<Option<Matrix>>) -> Signal<Option<Matrix>> {
    Signal::derive(move || {
        let heads = heads.get()?;
        let columns = heads.values.len();
        Some(Matrix::new(heads.values, columns))
    })
}

/// Describes a number of the concatenation by the head it comes from.
fn made_concatenated(heads: Memo<Option<Matrix>>) -> Callback<(usize, usize), AnyView> {
    explained(move |_, column| {
        let heads = heads.get()?;
        let (head, own) = (column / heads.columns, column % heads.columns);
        Some(Made {
            place: vec![heads.row_labels.get(head)?.clone(), dimension(own)],
            value: heads.value(head, own)?,
            of: Of::Given,
        })
    })
}

/// The heads' outputs, put side by side.
#[component]
pub fn Concatenate() -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let heads = heads(context);
    let marks = Signal::derive(move || Marks {
        row: context.with_place(|place| place.choice.head),
        column: None,
    });
    let made_head = explained(move |head, column| {
        let heads = heads.get()?;
        Some(Made {
            place: vec![heads.row_labels.get(head)?.clone(), dimension(column)],
            value: heads.value(head, column)?,
            of: Of::Given,
        })
    });
    view! {
        <div class="equation">
            <MatrixFigure
                id="head_outputs"
                symbol=symbol("z", "i", "")
                name=Signal::derive(move || t_string!(i18n, chapters.name_head_outputs).to_owned())
                matrix=Signal::derive(move || heads.get())
                marks
                describe=made_head
            />
            <Sign sign="→" />
            <Concatenated heads />
        </div>
    }
}

#[component]
fn Concatenated(heads: Memo<Option<Matrix>>) -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <MatrixFigure
            id="concatenated"
            symbol="<math><mo>[</mo><msub><mi>z</mi><mn>1</mn></msub><mo>;</mo><mo>…</mo><mo>]</mo></math>"
            name=Signal::derive(move || t_string!(i18n, chapters.name_concatenated).to_owned())
            matrix=side_by_side(heads)
            describe=made_concatenated(heads)
        />
    }
}

/// A checkpoint's weights `[out, in]` as they stand in the formula, `[in, out]`.
pub fn transposed(weights: Numbers) -> Signal<Option<Matrix>> {
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
    Signal::derive(move || matrix.get())
}

/// Describes a weight by the dimensions it connects.
pub fn made_weight(weights: Signal<Option<Matrix>>) -> Callback<(usize, usize), AnyView> {
    explained(move |row, column| {
        Some(Made {
            place: vec![format!("{} → {}", row + 1, column + 1)],
            value: weights.read().as_ref()?.value(row, column)?,
            of: Of::Given,
        })
    })
}

/// Describes a number of a row times weights `[out, in]`, with the bias where there is one.
pub fn made_product(
    context: FollowContext,
    input: Signal<Option<Vec<f32>>>,
    weights: (&'static str, Numbers),
    bias: Numbers,
    output: Numbers,
) -> Callback<(usize, usize), AnyView> {
    let (name, weights) = weights;
    explained(move |_, column| {
        let (input, of_column) = (input.get()?, weights.row(column)?);
        let bias = bias.row(0).and_then(|row| row.get(column).copied());
        Some(Made {
            place: vec![
                context.query_labels().get(context.query())?.clone(),
                dimension(column),
            ],
            value: *output.query_row()?.get(column)?,
            of: Of::Products(Products::new(("x", &input), (name, &of_column), bias)),
        })
    })
}

/// Times `W^O`.
#[component]
pub fn Output() -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let sight = Sight::expect();
    let heads = heads(context);
    let weights = context.whole(|names| format!("{}.weight", names.output_projection()));
    let bias = context.whole(|names| format!("{}.bias", names.output_projection()));
    let output = context.whole(|names| names.attention("output"));
    let row = Signal::derive(move || Some(heads.get()?.values.to_vec()));
    let shown = transposed(weights);
    let marks = Signal::derive(move || Marks {
        row: None,
        column: sight.of("output").map(|(_, column)| column),
    });
    view! {
        <div class="equation">
            <Concatenated heads />
            <Sign sign="·" />
            <MatrixFigure
                id="output-weights"
                symbol=symbol("W", "", "O")
                name=Signal::derive(move || t_string!(i18n, chapters.name_output_weights).to_owned())
                matrix=shown
                rows_shown=WEIGHT_ROWS
                marks
                describe=made_weight(shown)
            />
            <Sign sign="=" />
            <MatrixFigure
                id="output"
                symbol=symbol("o", "", "")
                name=Signal::derive(move || t_string!(i18n, chapters.name_attended).to_owned())
                matrix=output.of_query()
                describe=made_product(context, row, ("W^O", weights), bias, output)
            />
        </div>
    }
}

/// Attention's output added to the residual stream, and normalised where that comes next.
#[component]
pub fn Add() -> impl IntoView {
    let llama = FollowContext::expect().is_of(Family::Llama);
    let norm: Option<fn(&Names) -> String> = if llama {
        None
    } else {
        Some(Names::attention_norm)
    };
    view! {
        <Addition
            stream=Names::attention_residual_input
            added=|names| names.attention("output")
            sum=Names::attention_sum
            norm
        />
    }
}

/// `x + f(x)`, then the layer norm of that where there is one.
#[component]
pub fn Addition(
    /// Name of the array that is added to.
    stream: fn(&Names) -> String,
    /// Name of what is added.
    added: fn(&Names) -> String,
    /// Name of the sum.
    sum: fn(&Names) -> String,
    /// The module of the norm that follows.
    norm: Option<fn(&Names) -> String>,
) -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let (stream, added) = (context.whole(stream), context.whole(added));
    let sum = context.whole(sum);
    let made_sum = explained(move |_, column| {
        let of = |numbers: Numbers| Some(*numbers.query_row()?.get(column)?);
        Some(Made {
            place: vec![
                context.query_labels().get(context.query())?.clone(),
                dimension(column),
            ],
            value: of(sum)?,
            of: Of::Sum(vec![
                ("x".to_owned(), of(stream)?),
                ("o".to_owned(), of(added)?),
            ]),
        })
    });
    let made_stream = explained(move |_, column| given(context, stream.query_row()?, column));
    let made_added = explained(move |_, column| given(context, added.query_row()?, column));
    view! {
        <div class="equation">
            <MatrixFigure
                id="stream"
                symbol=symbol("x", "", "")
                name=Signal::derive(move || t_string!(i18n, chapters.name_stream).to_owned())
                matrix=stream.of_query()
                describe=made_stream
            />
            <Sign sign="+" />
            <MatrixFigure
                id="added"
                symbol=symbol("o", "", "")
                name=Signal::derive(move || t_string!(i18n, chapters.name_added).to_owned())
                matrix=added.of_query()
                describe=made_added
            />
            <Sign sign="=" />
            <MatrixFigure
                id="sum"
                symbol="<math><mi>x</mi><mo>+</mo><mi>o</mi></math>"
                name=Signal::derive(move || t_string!(i18n, chapters.name_sum).to_owned())
                matrix=sum.of_query()
                describe=made_sum
            />
            {norm.map(|module| view! { <LayerNormed input=sum module /> })}
        </div>
    }
}

/// The layer norm of a row.
#[component]
fn LayerNormed(input: Numbers, module: fn(&Names) -> String) -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let part =
        |array: &'static str| context.whole(move |names| format!("{}.{array}", module(names)));
    let (gain, bias, output) = (part("weight"), part("bias"), part("output"));
    let made = explained(move |_, column| {
        let row = input.query_row()?;
        let (gain, bias) = (*gain.row(0)?.get(column)?, *bias.row(0)?.get(column)?);
        Some(Made {
            place: vec![
                context.query_labels().get(context.query())?.clone(),
                dimension(column),
            ],
            value: *output.query_row()?.get(column)?,
            of: Of::Normalised(Normalised::layer_norm(&row, column, gain, bias)),
        })
    });
    view! {
        <Sign sign="→" />
        <MatrixFigure
            id="normed"
            symbol=symbol("x̂", "", "")
            name=Signal::derive(move || t_string!(i18n, chapters.name_normed).to_owned())
            matrix=output.of_query()
            describe=made
        />
    }
}
