//! From token to vector.

use attention_trace::{
    Family,
    positions::{SinusoidalLayout, sinusoidal},
};
use leptos::prelude::*;

use super::{Sign, dimension, symbol};
use crate::{
    chapters::{
        follow::{
            context::FollowContext,
            made::{Made, Normalised, Of},
            made_view::explained,
        },
        matrix::{Marks, Matrix, MatrixFigure},
    },
    i18n::{t_string, use_i18n},
};

/// The token's row of the embedding table, its position, and what the layer is given.
#[component]
pub fn Embed() -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let token = context.whole(|names| names.token_embeddings());
    let sum = context.whole(|names| names.embeddings());
    let position = Memo::new(move |_| {
        let place = context.place()?;
        let width = place.meta.d_model;
        // What the translator adds: the function that it builds its table with.
        (place.meta.family == Family::Marian).then(|| {
            sinusoidal(
                place.query..place.query + 1,
                width,
                SinusoidalLayout::Halves,
            )
        })
    });
    let adds = Memo::new(move |_| position.read().is_some());
    let positions = Signal::derive(move || {
        let row = position.get()?;
        let columns = row.len();
        Some(Matrix::new(row, columns).with_rows(vec![format!("{}", context.query())]))
    });
    let made_token = explained(move |_, column| given(context, token.query_row()?, column));
    let made_position = explained(move |_, column| given(context, position.get()?, column));
    let made_sum = explained(move |_, column| {
        let value = *sum.query_row()?.get(column)?;
        let parts = vec![
            (
                t_string!(i18n, chapters.name_token_embedding).to_owned(),
                *token.query_row()?.get(column)?,
            ),
            (
                t_string!(i18n, chapters.name_position).to_owned(),
                *position.get()?.get(column)?,
            ),
        ];
        Some(Made {
            place: vec![dimension(column)],
            value,
            of: Of::Sum(parts),
        })
    });
    view! {
        <div class="equation">
            <MatrixFigure
                id="token"
                symbol=symbol("e", "", "")
                name=Signal::derive(move || {
                    t_string!(i18n, chapters.name_token_embedding).to_owned()
                })
                matrix=token.of_query()
                describe=made_token
            />
            <Show when=move || adds.get()>
                <Sign sign="+" />
                <MatrixFigure
                    id="position"
                    symbol=symbol("p", "", "")
                    name=Signal::derive(move || t_string!(i18n, chapters.name_position).to_owned())
                    matrix=positions
                    describe=made_position
                />
                <Sign sign="=" />
                <MatrixFigure
                    id="embedding"
                    symbol=symbol("x", "", "")
                    name=Signal::derive(move || t_string!(i18n, chapters.name_embedding).to_owned())
                    matrix=sum.of_query()
                    describe=made_sum
                />
            </Show>
        </div>
        <LayerInput />
    }
}

/// All that the layer is given, a row for each token.
#[component]
fn LayerInput() -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let input = context.whole(|names| names.attention_residual_input());
    let marks = Signal::derive(move || Marks {
        row: Some(context.query()),
        column: None,
    });
    let made = explained(move |row, column| {
        let label = context.query_labels().get(row)?.clone();
        Some(Made {
            place: vec![label, dimension(column)],
            value: *input.row(row)?.get(column)?,
            of: Of::Given,
        })
    });
    view! {
        <MatrixFigure
            id="input"
            symbol=symbol("X", "", "")
            name=Signal::derive(move || t_string!(i18n, chapters.name_layer_input).to_owned())
            matrix=input.by_query()
            marks
            describe=made
        />
    }
}

/// Before attention: the row, normalised.
#[component]
pub fn Norm() -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let input = context.whole(|names| names.layer_input());
    let gain = context.whole(|names| names.layer("input_layernorm.weight"));
    let output = context.whole(|names| names.query_input());
    let made_input = explained(move |_, column| given(context, input.query_row()?, column));
    let made_gain = explained(move |_, column| given(context, gain.row(0)?, column));
    let made_output = explained(move |_, column| {
        let gain = *gain.row(0)?.get(column)?;
        let row = input.query_row()?;
        Some(Made {
            place: vec![dimension(column)],
            value: *output.query_row()?.get(column)?,
            of: Of::Normalised(Normalised::rms_norm(&row, column, gain)),
        })
    });
    view! {
        <div class="equation">
            <MatrixFigure
                id="input"
                symbol=symbol("x", "", "")
                name=Signal::derive(move || t_string!(i18n, chapters.name_layer_input).to_owned())
                matrix=input.of_query()
                describe=made_input
            />
            <MatrixFigure
                id="gain"
                symbol=symbol("γ", "", "")
                name=Signal::derive(move || t_string!(i18n, chapters.name_gain).to_owned())
                matrix=gain.matrix()
                describe=made_gain
            />
            <Sign sign="→" />
            <MatrixFigure
                id="normed"
                symbol=symbol("x̂", "", "")
                name=Signal::derive(move || t_string!(i18n, chapters.name_normed).to_owned())
                matrix=output.of_query()
                describe=made_output
            />
        </div>
    }
}

/// A number that is made elsewhere.
pub fn given(context: FollowContext, row: Vec<f32>, column: usize) -> Option<Made> {
    let token = context.query_labels().get(context.query())?.clone();
    Some(Made {
        place: vec![token, dimension(column)],
        value: *row.get(column)?,
        of: Of::Given,
    })
}
