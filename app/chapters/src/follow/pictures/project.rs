//! From the input to queries, keys and values.

use attention_trace::{AttentionKind, Quantity, Weight};
use leptos::prelude::*;

use super::{
    Sign, place, symbol,
    times::{WEIGHT_ROWS, weight_derivation},
};
use crate::follow::{
    axes,
    context::FollowContext,
    derivation::{Derivation, Operation, Products},
    derivation_view::explained,
    numbers::Numbers,
    stage::Setting,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    widgets::{
        inspector::Inspector,
        matrix::{Marks, Matrix, MatrixFigure},
    },
};

/// A projection of attention: to queries, keys or values.
#[derive(Clone, Copy, PartialEq)]
pub enum Role {
    Query,
    Key,
    Value,
}

impl Role {
    /// The projection's matrix and its bias.
    fn weights(self) -> [Weight; 2] {
        match self {
            Role::Query => [Weight::WQ, Weight::BQ],
            Role::Key => [Weight::WK, Weight::BK],
            Role::Value => [Weight::WV, Weight::BV],
        }
    }

    /// Returns the quantity that attention takes.
    pub fn quantity(self) -> Quantity {
        match self {
            Role::Query => Quantity::Query,
            Role::Key => Quantity::Key,
            Role::Value => Quantity::Value,
        }
    }

    /// Returns the quantity that RoPE rotates; without RoPE, the one that attention takes.
    pub fn before_rope(self, setting: Setting) -> Quantity {
        match self {
            Role::Query if setting.rotates() => Quantity::QueryBeforeRope,
            Role::Key if setting.rotates() => Quantity::KeyBeforeRope,
            role => role.quantity(),
        }
    }

    /// Returns the result of the projection, before all operations head by head.
    pub fn projected(self, setting: Setting) -> Quantity {
        match self {
            Role::Query if setting.head_norm || setting.whole_norm => Quantity::QueryBeforeNorm,
            Role::Key if setting.head_norm || setting.whole_norm => Quantity::KeyBeforeNorm,
            role => role.before_rope(setting),
        }
    }

    /// Returns the token of a row.
    pub fn label(self, context: FollowContext, row: usize) -> Option<String> {
        match self {
            Role::Query => context.query_label(),
            Role::Key | Role::Value => context.key_label(row),
        }
    }

    /// Letter of the result and of the weights.
    fn letters(self) -> (&'static str, &'static str) {
        match self {
            Role::Query => ("q", "Q"),
            Role::Key => ("K", "K"),
            Role::Value => ("V", "V"),
        }
    }
}

/// A row, or all rows, times `W^Q`, `W^K`, `W^V`.
#[component]
pub fn Project() -> impl IntoView {
    view! {
        <Projection role=Role::Query />
        <Projection role=Role::Key />
        <Projection role=Role::Value />
    }
}

/// Returns the columns of one head in a projection's weights, `[d, d_k]`, cut out of a checkpoint's `[h·d_k, d]`.
fn head_weights(weights: Numbers, width: usize, heads: usize, head: usize) -> Option<Matrix> {
    weights.with(|array| {
        let &[outputs, inputs] = array.shape.as_slice() else {
            return None;
        };
        // Where keys have fewer heads than queries, several queries' heads share one.
        let groups = (outputs / width.max(1)).max(1);
        let first = head * groups / heads.max(1) * width;
        let value = |input: usize, output: usize| array.data[(first + output) * inputs + input];
        let values: Vec<f32> = (0..inputs)
            .flat_map(|input| (0..width).map(move |output| value(input, output)))
            .collect();
        Some(Matrix::new(values, width))
    })?
}

#[component]
fn Projection(role: Role) -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let inspector = Inspector::expect();
    let setting = context.setting_untracked();
    let reads_encoder =
        role != Role::Query && setting.is_some_and(|setting| setting.kind == AttentionKind::Cross);
    let input = context.whole(move |sites| match role {
        Role::Query => sites.query_input(),
        Role::Key | Role::Value => sites.key_input(),
    });
    let [all_weights, bias] = role
        .weights()
        .map(|weight| context.whole(move |sites| sites.attention().parameter(weight)));
    let output = context.head(match setting {
        Some(setting) => role.projected(setting),
        None => role.quantity(),
    });
    let weights = Memo::new(move |_| {
        let place = context.place()?;
        let width = output.with(|array| array.shape.last().copied())??;
        let heads = place.meta.spec.heads(place.choice.attention.kind);
        head_weights(all_weights, width, heads, place.choice.head)
    });
    let shown = Signal::from(weights);
    let bias_at = move |column: usize| {
        let place = context.place()?;
        let width = output.with(|array| array.shape.last().copied())??;
        bias.value(0, place.choice.head * width + column)
    };
    let row_of = move |row: usize| match role {
        Role::Query => input.query_row(),
        Role::Key | Role::Value => input.row(row),
    };
    let made_output = explained(move |row, column| {
        let weights = weights.get()?;
        let column_of_weights: Vec<f32> = (0..weights.rows())
            .filter_map(|row| weights.value(row, column))
            .collect();
        let value = match role {
            Role::Query => output.query_value(column)?,
            Role::Key | Role::Value => output.value(row, column)?,
        };
        let (_, letter) = role.letters();
        let input = row_of(row)?;
        let products = Products::new(
            (if reads_encoder { "E" } else { "x" }, &input),
            (&format!("W^{letter}"), &column_of_weights),
            bias_at(column),
        );
        Some(Derivation {
            place: place(role.label(context, row), column)?,
            value,
            operation: Operation::Products(products),
        })
    });
    let made_input = explained(move |row, column| {
        Some(Derivation {
            place: place(role.label(context, row), column)?,
            value: *row_of(row)?.get(column)?,
            operation: Operation::Given,
        })
    });
    let ids = match role {
        Role::Query => ["query-input", "query-weights", "query"],
        Role::Key => ["key-input", "key-weights", "key"],
        Role::Value => ["value-input", "value-weights", "value"],
    };
    let from = move || {
        // The rows drawn with the keys are the values' too.
        let values = (role == Role::Key).then(|| inspector.of("value")).flatten();
        values.or_else(|| inspector.of(ids[2]))
    };
    let marks_input = Signal::derive(move || Marks {
        row: from().map(|(row, _)| row),
        column: None,
    });
    let marks_weights = Signal::derive(move || Marks {
        row: None,
        column: inspector.of(ids[2]).map(|(_, column)| column),
    });
    let row_axis = match role {
        // One row alone.
        Role::Query => "",
        Role::Key | Role::Value => axes::KEYS,
    };
    let (letter, weight_letter) = role.letters();
    let by_role = move |numbers: Numbers| match role {
        Role::Query => numbers.of_query(),
        Role::Key | Role::Value => numbers.by_key(),
    };
    let name_input = move || match role {
        Role::Query => t_string!(i18n, chapters.name_query_input),
        _ if reads_encoder => t_string!(i18n, chapters.name_encoder_output),
        Role::Key | Role::Value => t_string!(i18n, chapters.name_key_input),
    };
    let name_weights = move || match role {
        Role::Query => t_string!(i18n, chapters.name_query_weights),
        Role::Key => t_string!(i18n, chapters.name_key_weights),
        Role::Value => t_string!(i18n, chapters.name_value_weights),
    };
    let name_output = move || match role {
        Role::Query => t_string!(i18n, chapters.name_query),
        Role::Key => t_string!(i18n, chapters.name_keys),
        Role::Value => t_string!(i18n, chapters.name_values),
    };
    // A row, all rows of the same sentence, or the encoder's output.
    let input_symbol = match role {
        Role::Query => "x",
        _ if reads_encoder => "E",
        Role::Key | Role::Value => "X",
    };
    let sign = match (role, reads_encoder) {
        (Role::Value, true) => "E·",
        (Role::Value, false) => "X·",
        (Role::Query | Role::Key, _) => "·",
    };
    view! {
        <div class="equation">
            // Keys and values are made of the same rows.
            {(role != Role::Value).then(|| view! {
                <MatrixFigure
                    id=ids[0]
                    symbol=symbol(input_symbol, "", "")
                    name=Signal::derive(move || name_input().to_owned())
                    matrix=by_role(input)
                    rows=row_axis
                    columns=axes::WIDTH
                    marks=marks_input
                    describe=made_input
                />
            })}
            <Sign sign />
            <MatrixFigure
                id=ids[1]
                symbol=symbol("W", "", weight_letter)
                name=Signal::derive(move || name_weights().to_owned())
                matrix=shown
                rows_shown=WEIGHT_ROWS
                columns=axes::HEAD
                marks=marks_weights
                describe=weight_derivation(shown)
            />
            <Sign sign="=" />
            <MatrixFigure
                id=ids[2]
                symbol=symbol(letter, "", "")
                name=Signal::derive(move || name_output().to_owned())
                matrix=by_role(output)
                rows=row_axis
                columns=axes::HEAD
                describe=made_output
            />
        </div>
    }
}
