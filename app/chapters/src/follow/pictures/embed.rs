//! From token to vector.

use attention_trace::{NormKind, Weight, positions::PositionalEncoding};
use leptos::prelude::*;

use super::{
    place, symbol,
    vectors::{Added, Normed, Vector},
};
use crate::follow::{
    axes,
    context::FollowContext,
    derivation::{Derivation, Normalised, Operation},
    derivation_view::explained,
    sites::Sites,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    widgets::matrix::{Marks, Matrix, MatrixFigure},
};

/// The token's row of the embedding table, what is added to it, the norm of the sum where there is one, and what the
/// layer is given.
#[component]
pub fn Embed() -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let setting = context.setting_untracked();
    let name_token =
        Signal::derive(move || t_string!(i18n, chapters.name_token_embedding).to_owned());
    let name_segment = Signal::derive(move || t_string!(i18n, chapters.name_segment).to_owned());
    let name_position = Signal::derive(move || t_string!(i18n, chapters.name_position).to_owned());
    let token = context.whole(Sites::token_embedding).of_query();
    let token = Vector::new("token", symbol("e", "", ""), name_token, token);
    let segment = setting.is_some_and(|setting| setting.segments).then(|| {
        let segment = segment(context);
        Vector::new("segment", symbol("s", "", ""), name_segment, segment)
    });
    let position = position(context)
        .map(|position| Vector::new("position", symbol("p", "", ""), name_position, position));
    let terms: Vec<Vector> = [Some(token.clone()), segment, position]
        .into_iter()
        .flatten()
        .collect();
    let is_normed = setting.is_some_and(|setting| setting.embedding_norm);
    let equation = match (terms.len(), is_normed) {
        (_, true) => view! { <NormedSum terms /> }.into_any(),
        (1, false) => token.given().into_any(),
        (_, false) => {
            let name = Signal::derive(move || t_string!(i18n, chapters.name_embedding).to_owned());
            let sum = context.whole(Sites::embedding).of_query();
            let sum = Vector::new("embedding", symbol("x", "", ""), name, sum);
            view! { <Added terms sum /> }.into_any()
        }
    };
    view! {
        <div class="equation">{equation}</div>
        <LayerInput />
    }
}

/// The vector of the segment that the page's text is: the first.
fn segment(context: FollowContext) -> Signal<Option<Matrix>> {
    let table = context.whole(Sites::segment_table);
    Signal::derive(move || Some(numbered(table.row(0)?, 0)))
}

/// The sum, which the model does not record, and its layer norm, with which the stack begins.
#[component]
fn NormedSum(terms: Vec<Vector>) -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let name = Signal::derive(move || t_string!(i18n, chapters.name_sum).to_owned());
    let row = {
        let terms = terms.clone();
        // In the model's own order.
        move || {
            let rows = terms.iter().map(Vector::row);
            let mut rows = rows.collect::<Option<Vec<_>>>()?.into_iter();
            let first = rows.next()?;
            Some(rows.fold(first, |sum, row| {
                sum.iter()
                    .zip(row)
                    .map(|(one, other)| one + other)
                    .collect()
            }))
        }
    };
    let row = Signal::derive(row);
    let matrix = Signal::derive(move || {
        let row = row.get()?;
        let columns = row.len();
        Some(Matrix::new(row, columns).with_rows(vec![context.query_label()?]))
    });
    let sum = Vector::new(
        "sum",
        "<math><mi>e</mi><mo>+</mo><mi>s</mi><mo>+</mo><mi>p</mi></math>",
        name,
        matrix,
    );
    let [gain, bias] =
        [0, 1].map(|place| context.whole(move |sites| sites.embedding_norm()[place]));
    let normalised = move |column: usize| {
        let (gain, bias) = (gain.value(0, column)?, bias.value(0, column)?);
        Some(Normalised::layer_norm(&row.get()?, column, gain, bias))
    };
    view! {
        <Added terms sum />
        <Normed output=context.whole(Sites::embedding) normalised letter="x" />
    }
}

/// The vector that the model adds for the position of the token that asks; `None` where it adds none.
fn position(context: FollowContext) -> Option<Signal<Option<Matrix>>> {
    let setting = context.setting_untracked()?;
    match (setting.layout, setting.positions) {
        (Some(_), _) => {}
        (None, PositionalEncoding::Learned) => {
            let table = context.whole(Sites::position_table);
            return Some(Signal::derive(move || {
                Some(numbered(table.query_row()?, context.query()))
            }));
        }
        _ => return None,
    }
    Some(Signal::derive(move || {
        context.with_place(|place| {
            let (query, spec) = (place.query, &place.meta.spec);
            let row = spec.positions.sinusoids(query..query + 1, spec.width)?;
            Some(numbered(row, query))
        })?
    }))
}

/// A position's row, named by its number.
fn numbered(row: Vec<f32>, position: usize) -> Matrix {
    let columns = row.len();
    Matrix::new(row, columns).with_rows(vec![position.to_string()])
}

/// All that the layer is given, a row for each token.
#[component]
fn LayerInput() -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let input = context.whole(Sites::residual_input);
    let marks = Signal::derive(move || Marks {
        row: Some(context.query()),
        column: None,
    });
    let made = explained(move |row, column| {
        Some(Derivation {
            place: place(context.query_labels().get(row).cloned(), column)?,
            value: input.value(row, column)?,
            operation: Operation::Given,
        })
    });
    view! {
        <MatrixFigure
            id="input"
            symbol=symbol("X", "", "")
            name=Signal::derive(move || t_string!(i18n, chapters.name_layer_input).to_owned())
            matrix=input.by_query()
            rows=axes::QUERIES
            columns=axes::WIDTH
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
    let input = context.whole(Sites::residual_input);
    let gain = context.whole(|sites| sites.attention().parameter(Weight::NormGain));
    let output = context.whole(Sites::query_input);
    let name_input = Signal::derive(move || t_string!(i18n, chapters.name_layer_input).to_owned());
    let name_gain = Signal::derive(move || t_string!(i18n, chapters.name_gain).to_owned());
    let bias = context.whole(|sites| sites.attention().parameter(Weight::NormBias));
    let kind = context.setting_untracked().map(|setting| setting.norm);
    let normalised = move |column: usize| {
        let (row, gain) = (input.query_row()?, gain.value(0, column)?);
        Some(match kind? {
            NormKind::RmsNorm => Normalised::rms_norm(&row, column, gain),
            NormKind::LayerNorm => {
                Normalised::layer_norm(&row, column, gain, bias.value(0, column)?)
            }
        })
    };
    view! {
        <div class="equation">
            {Vector::new("input", symbol("x", "", ""), name_input, input.of_query()).given()}
            {Vector::new("gain", symbol("γ", "", ""), name_gain, gain.matrix()).given()}
            <Normed output normalised />
        </div>
    }
}
