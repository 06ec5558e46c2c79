//! From the input to queries, keys and values.

use attention_trace::positions::rotations;
use leptos::prelude::*;

use super::{Sign, dimension, symbol};
use crate::{
    chapters::{
        follow::{
            context::{FollowContext, Numbers},
            made::{Made, Of, Products},
            made_view::explained,
        },
        matrix::{Marks, Matrix, MatrixFigure},
        sight::Sight,
    },
    i18n::{t_string, use_i18n},
};

/// Rows of a weight matrix that are shown at once.
const WEIGHT_ROWS: usize = 4;

/// One of the three projections.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Query,
    Key,
    Value,
}

impl Role {
    fn module(self) -> &'static str {
        match self {
            Role::Query => "q_proj",
            Role::Key => "k_proj",
            Role::Value => "v_proj",
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

/// One head's columns of a projection's weights, `[d, d_k]`, cut out of a checkpoint's `[h·d_k, d]`.
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
    let sight = Sight::expect();
    let input = context.whole(move |names| match role {
        Role::Query => names.query_input(),
        Role::Key | Role::Value => names.key_input(),
    });
    let all_weights =
        context.whole(move |names| names.attention(&format!("{}.weight", role.module())));
    let bias = context.whole(move |names| names.attention(&format!("{}.bias", role.module())));
    let output = result(context, role);
    let weights = Memo::new(move |_| {
        let place = context.place()?;
        let width = output.with(|array| array.shape.last().copied())??;
        head_weights(all_weights, width, place.meta.heads, place.choice.head)
    });
    let bias_at = move |column: usize| {
        let place = context.place()?;
        let width = output.with(|array| array.shape.last().copied())??;
        bias.row(0)?
            .get(place.choice.head * width + column)
            .copied()
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
            Role::Query => *output.query_row()?.get(column)?,
            Role::Key | Role::Value => *output.row(row)?.get(column)?,
        };
        let (_, letter) = role.letters();
        let input = row_of(row)?;
        let products = Products::new(
            ("x", &input),
            (&format!("W^{letter}"), &column_of_weights),
            bias_at(column),
        );
        Some(Made {
            place: vec![label(context, role, row)?, dimension(column)],
            value,
            of: Of::Products(products),
        })
    });
    let made_input = explained(move |row, column| {
        Some(Made {
            place: vec![label(context, role, row)?, dimension(column)],
            value: *row_of(row)?.get(column)?,
            of: Of::Given,
        })
    });
    let made_weight = explained(move |row, column| {
        Some(Made {
            place: vec![format!("{} → {}", row + 1, column + 1)],
            value: weights.get()?.value(row, column)?,
            of: Of::Given,
        })
    });
    let ids = match role {
        Role::Query => ["query-input", "query-weights", "query"],
        Role::Key => ["key-input", "key-weights", "key"],
        Role::Value => ["value-input", "value-weights", "value"],
    };
    let from = move || {
        // The rows drawn with the keys are the values' too.
        let values = (role == Role::Key).then(|| sight.of("value")).flatten();
        values.or_else(|| sight.of(ids[2]))
    };
    let marks_input = Signal::derive(move || Marks {
        row: from().map(|(row, _)| row),
        column: None,
    });
    let marks_weights = Signal::derive(move || Marks {
        row: None,
        column: sight.of(ids[2]).map(|(_, column)| column),
    });
    let (letter, weight_letter) = role.letters();
    let by_role = move |numbers: Numbers| match role {
        Role::Query => numbers.of_query(),
        Role::Key | Role::Value => numbers.by_key(),
    };
    let name_input = move || match role {
        Role::Query => t_string!(i18n, chapters.name_query_input),
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
    let input_symbol = if role == Role::Query { "x" } else { "X" };
    view! {
        <div class="equation">
            // Keys and values are made of the same rows.
            {(role != Role::Value).then(|| view! {
                <MatrixFigure
                    id=ids[0]
                    symbol=symbol(input_symbol, "", "")
                    name=Signal::derive(move || name_input().to_owned())
                    matrix=by_role(input)
                    marks=marks_input
                    describe=made_input
                />
            })}
            <Sign sign=if role == Role::Value { "X·" } else { "·" } />
            <MatrixFigure
                id=ids[1]
                symbol=symbol("W", "", weight_letter)
                name=Signal::derive(move || name_weights().to_owned())
                matrix=Signal::derive(move || weights.get())
                rows_shown=WEIGHT_ROWS
                marks=marks_weights
                describe=made_weight
            />
            <Sign sign="=" />
            <MatrixFigure
                id=ids[2]
                symbol=symbol(letter, "", "")
                name=Signal::derive(move || name_output().to_owned())
                matrix=by_role(output)
                describe=made_output
            />
        </div>
    }
}

/// What a projection results in: as recorded, before RoPE turns it where the model has RoPE.
fn result(context: FollowContext, role: Role) -> Numbers {
    let rotates = context.with_place(|place| place.meta.rope_theta.is_some()) == Some(true);
    context.head(match (role, rotates) {
        (Role::Query, true) => "unrotated_query",
        (Role::Key, true) => "unrotated_key",
        (Role::Query, false) => "query",
        (Role::Key, false) => "key",
        (Role::Value, _) => "value",
    })
}

fn label(context: FollowContext, role: Role, row: usize) -> Option<String> {
    match role {
        Role::Query => context.query_labels().get(context.query()).cloned(),
        Role::Key | Role::Value => context.key_labels().get(row).cloned(),
    }
}

/// The query and the keys, turned by their positions.
#[component]
pub fn Rotate() -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let (before, after) = (context.head("unrotated_query"), context.head("query"));
    let (keys_before, keys_after) = (context.head("unrotated_key"), context.head("key"));
    let made_query = explained(move |_, column| {
        let position = context.query();
        turned(context, Role::Query, position, column, before, after)
    });
    let made_key = explained(move |row, column| {
        turned(context, Role::Key, row, column, keys_before, keys_after)
    });
    let made_before =
        explained(move |_, column| super::embed::given(context, before.query_row()?, column));
    let made_keys_before = explained(move |row, column| {
        Some(Made {
            place: vec![label(context, Role::Key, row)?, dimension(column)],
            value: *keys_before.row(row)?.get(column)?,
            of: Of::Given,
        })
    });
    let name_before = Signal::derive(move || t_string!(i18n, chapters.name_unturned).to_owned());
    view! {
        <div class="equation">
            <MatrixFigure
                id="unrotated-query" symbol=symbol("q", "", "") name=name_before
                matrix=before.of_query() describe=made_before
            />
            <Sign sign="→" />
            <MatrixFigure
                id="query" symbol=symbol("q", "", "R")
                name=Signal::derive(move || t_string!(i18n, chapters.name_query).to_owned())
                matrix=after.of_query() describe=made_query
            />
        </div>
        <div class="equation">
            <MatrixFigure
                id="unrotated-key" symbol=symbol("K", "", "") name=name_before
                matrix=keys_before.by_key() describe=made_keys_before
            />
            <Sign sign="→" />
            <MatrixFigure
                id="key" symbol=symbol("K", "", "R")
                name=Signal::derive(move || t_string!(i18n, chapters.name_keys).to_owned())
                matrix=keys_after.by_key() describe=made_key
            />
        </div>
    }
}

/// A number of a turned vector: dimensions `i` and `i + d_k/2` are a pair.
fn turned(
    context: FollowContext,
    role: Role,
    position: usize,
    column: usize,
    before: Numbers,
    after: Numbers,
) -> Option<Made> {
    let theta = context.with_place(|place| place.meta.rope_theta)??;
    let row = before.row(position)?;
    let half = row.len() / 2;
    // The table that the model turns by.
    let (cosines, sines) = rotations(position..position + 1, row.len(), theta);
    let (partner, sign) = if column < half {
        (column + half, -1.0)
    } else {
        (column - half, 1.0)
    };
    Some(Made {
        place: vec![label(context, role, position)?, dimension(column)],
        value: *after.row(position)?.get(column)?,
        of: Of::Turned {
            own: *row.get(column)?,
            partner: *row.get(partner)?,
            cosine: *cosines.get(column)?,
            sine: sign * sines.get(column)?,
        },
    })
}
