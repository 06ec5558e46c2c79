//! From the heads' outputs back into the residual stream.

use attention_trace::{Block, Excerpt, Quantity, Slice, Weight};
use leptos::prelude::*;

use super::{
    Sign, place, symbol,
    times::Times,
    vectors::{Added, Normed, Vector},
};
use crate::follow::{
    axes,
    context::FollowContext,
    derivation::{Derivation, Normalised, Operation},
    derivation_view::{Describe, explained},
    numbers::Numbers,
    sites::Sites,
    stage::Setting,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    widgets::matrix::{Marks, Matrix, MatrixFigure},
};

/// The outputs of all heads for the token that asks, `[h, d_k]`.
fn heads(context: FollowContext) -> Memo<Option<Matrix>> {
    let part = context.part(|place| {
        let z = place.sites().attention().at(Quantity::Z);
        Excerpt::new(z, Slice::Row(place.query))
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
fn side_by_side(heads: Memo<Option<Matrix>>) -> Vector {
    let i18n = use_i18n();
    let row = Signal::derive(move || {
        let heads = heads.get()?;
        let columns = heads.values.len();
        Some(Matrix::new(heads.values, columns))
    });
    Vector::new(
        "concatenated",
        "<math><mo>[</mo><msub><mi>z</mi><mn>1</mn></msub><mo>;</mo><mo>…</mo><mo>]</mo></math>",
        Signal::derive(move || t_string!(i18n, chapters.name_concatenated).to_owned()),
        row,
    )
    .along(axes::HEADS)
}

/// Describes a number by the head it comes from, be it in the head's own row or in the row of all.
fn made_by_head(heads: Memo<Option<Matrix>>) -> Describe {
    explained(move |row, column| {
        let heads = heads.get()?;
        let index = row * heads.columns + column;
        let (head, column) = (index / heads.columns, index % heads.columns);
        Some(Derivation {
            place: place(heads.row_labels.get(head).cloned(), column)?,
            value: heads.value(head, column)?,
            operation: Operation::Given,
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
    view! {
        <div class="equation">
            <MatrixFigure
                id="head_outputs"
                symbol=symbol("z", "i", "")
                name=Signal::derive(move || t_string!(i18n, chapters.name_head_outputs).to_owned())
                matrix=Signal::derive(move || heads.get())
                columns=axes::HEAD
                marks
                describe=made_by_head(heads)
            />
            <Sign sign="→" />
            {side_by_side(heads).figure(made_by_head(heads))}
        </div>
    }
}

/// The heads' concatenated outputs times `W^O`.
#[component]
pub fn Output() -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let heads = heads(context);
    let input = side_by_side(heads);
    let output = context.whole(|sites| sites.attention().at(Quantity::Out));
    let name_weights =
        Signal::derive(move || t_string!(i18n, chapters.name_output_weights).to_owned());
    let name_output = Signal::derive(move || t_string!(i18n, chapters.name_attended).to_owned());
    let output = Vector::new(
        "output",
        symbol("o", "", ""),
        name_output,
        output.of_query(),
    );
    view! {
        <div class="equation">
            {input.figure(made_by_head(heads))}
            <Times
                id="output-weights"
                index=("", "O")
                name=name_weights
                block=Sites::attention
                weights=[Weight::WO, Weight::BO]
                input
                output
            />
        </div>
    }
}

/// Attention's output added to the residual stream, and normalised where that comes next.
#[component]
pub fn Add() -> impl IntoView {
    view! {
        <Addition block=Sites::attention />
    }
}

/// `x + f(x)`, then the layer norm of that in models that normalise after adding.
#[component]
pub fn Addition(
    /// The sub-layer whose output is added.
    block: fn(&Sites) -> Block,
) -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let setting = context.setting_untracked();
    let normalises = setting.is_some_and(Setting::is_post_norm);
    let stream = context.whole(move |sites| sites.added_to(block(sites)));
    let added = context.whole(move |sites| sites.added(block(sites)));
    let sum = context.whole(move |sites| block(sites).at(Quantity::Residual));
    let name_stream = Signal::derive(move || t_string!(i18n, chapters.name_stream).to_owned());
    let name_added = Signal::derive(move || t_string!(i18n, chapters.name_added).to_owned());
    let name_sum = Signal::derive(move || t_string!(i18n, chapters.name_sum).to_owned());
    let terms = [
        Vector::new(
            "stream",
            symbol("x", "", ""),
            name_stream,
            stream.of_query(),
        ),
        Vector::new("added", symbol("o", "", ""), name_added, added.of_query()),
    ];
    let vector = Vector::new(
        "sum",
        "<math><mi>x</mi><mo>+</mo><mi>o</mi></math>",
        name_sum,
        sum.of_query(),
    );
    view! {
        <div class="equation">
            <Added terms sum=vector />
            {normalises.then(|| view! { <LayerNormed input=sum block /> })}
        </div>
    }
}

/// The layer norm of a row.
#[component]
fn LayerNormed(input: Numbers, block: fn(&Sites) -> Block) -> impl IntoView {
    let context = FollowContext::expect();
    let gain = context.whole(move |sites| block(sites).parameter(Weight::NormGain));
    let bias = context.whole(move |sites| block(sites).parameter(Weight::NormBias));
    let output = context.whole(move |sites| block(sites).at(Quantity::Norm));
    let normalised = move |column: usize| {
        let (gain, bias) = (gain.value(0, column)?, bias.value(0, column)?);
        Some(Normalised::layer_norm(
            &input.query_row()?,
            column,
            gain,
            bias,
        ))
    };
    view! { <Normed output normalised /> }
}
