//! The feed-forward network of both families, and the addition after it.

use attention_trace::Family;
use leptos::prelude::*;

use super::{
    Sign, dimension,
    embed::given,
    output::{Addition, made_product, made_weight, transposed},
    symbol,
};
use crate::{
    chapters::{
        follow::{
            context::{FollowContext, Numbers},
            made::{Made, Of},
            made_view::explained,
            names::Names,
        },
        matrix::{Marks, MatrixFigure},
        sight::Sight,
    },
    i18n::{t_string, use_i18n},
};

/// Rows of a weight matrix that are shown at once.
const WEIGHT_ROWS: usize = 4;

/// What the network is given.
#[component]
fn Input(input: Numbers) -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let made = explained(move |_, column| given(context, input.query_row()?, column));
    view! {
        <MatrixFigure
            id="input"
            symbol=symbol("x", "", "")
            name=Signal::derive(move || t_string!(i18n, chapters.name_ffn_input).to_owned())
            matrix=input.of_query()
            describe=made
        />
    }
}

/// `x · W = y`: the weights and the result.
#[component]
fn Times(
    /// Of the weights' figure and of the result's.
    ids: [&'static str; 2],
    /// The weights' letter and its index.
    weights: (&'static str, &'static str),
    /// The weights' module.
    module: fn(&Names) -> String,
    /// What is multiplied.
    input: Numbers,
    /// The result.
    output: Numbers,
    /// The result's letter and its name.
    result: (&'static str, Signal<String>),
) -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let sight = Sight::expect();
    let matrix = context.whole(move |names| format!("{}.weight", module(names)));
    let bias = context.whole(move |names| format!("{}.bias", module(names)));
    let shown = transposed(matrix);
    let row = Signal::derive(move || input.query_row());
    let marks = Signal::derive(move || Marks {
        row: None,
        column: sight.of(ids[1]).map(|(_, column)| column),
    });
    let (letter, index) = weights;
    let (result, result_name) = result;
    view! {
        <Sign sign="·" />
        <MatrixFigure
            id=ids[0]
            symbol=symbol(letter, index, "")
            name=Signal::derive(move || t_string!(i18n, chapters.name_ffn_weights).to_owned())
            matrix=shown
            rows_shown=WEIGHT_ROWS
            marks
            describe=made_weight(shown)
        />
        <Sign sign="=" />
        <MatrixFigure
            id=ids[1]
            symbol=symbol(result, "", "")
            name=result_name
            matrix=output.of_query()
            describe=made_product(context, row, ("W", matrix), bias, output)
        />
    }
}

/// `max(0, xW₁ + b₁)W₂ + b₂`.
#[component]
pub fn FeedForward() -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let input = context.whole(Names::feed_forward_input);
    let hidden = context.whole(|names| names.layer("fc1"));
    let active = context.whole(|names| names.layer("activation"));
    let output = context.whole(Names::feed_forward_output);
    let made_active = explained(move |_, column| {
        Some(Made {
            place: vec![dimension(column)],
            value: *active.query_row()?.get(column)?,
            of: Of::Function {
                function: "f",
                argument: *hidden.query_row()?.get(column)?,
            },
        })
    });
    let name_hidden = Signal::derive(move || t_string!(i18n, chapters.name_hidden).to_owned());
    let name_output = Signal::derive(move || t_string!(i18n, chapters.name_ffn_output).to_owned());
    view! {
        <div class="equation">
            <Input input />
            <Times
                ids=["weights-1", "hidden"]
                weights=("W", "1")
                module=|names| names.layer("fc1")
                input
                output=hidden
                result=("h", name_hidden)
            />
        </div>
        <div class="equation">
            <MatrixFigure
                id="active"
                symbol="<math><mi>f</mi><mo>(</mo><mi>h</mi><mo>)</mo></math>"
                name=Signal::derive(move || t_string!(i18n, chapters.name_active).to_owned())
                matrix=active.of_query()
                describe=made_active
            />
            <Times
                ids=["weights-2", "ffn-output"]
                weights=("W", "2")
                module=|names| names.layer("fc2")
                input=active
                output
                result=("y", name_output)
            />
        </div>
    }
}

/// `W_down(silu(W_gate x) ⊙ W_up x)`, after its norm.
#[component]
pub fn SwiGlu() -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let input = context.whole(Names::feed_forward_input);
    let gate = context.whole(|names| names.layer("mlp.gate"));
    let up = context.whole(|names| names.layer("mlp.up"));
    let hidden = context.whole(|names| names.layer("mlp.hidden"));
    let output = context.whole(Names::feed_forward_output);
    let made_hidden = explained(move |_, column| {
        let of = |numbers: Numbers| Some(*numbers.query_row()?.get(column)?);
        let gate = of(gate)?;
        Some(Made {
            place: vec![dimension(column)],
            value: of(hidden)?,
            of: Of::Product([
                (format!("silu({gate:.4})"), gate / (1.0 + (-gate).exp())),
                ("u".to_owned(), of(up)?),
            ]),
        })
    });
    let name_gate = Signal::derive(move || t_string!(i18n, chapters.name_gate).to_owned());
    let name_up = Signal::derive(move || t_string!(i18n, chapters.name_up).to_owned());
    let name_output = Signal::derive(move || t_string!(i18n, chapters.name_ffn_output).to_owned());
    view! {
        <div class="equation">
            <Input input />
            <Times
                ids=["gate-weights", "gate"]
                weights=("W", "g")
                module=|names| names.layer("mlp.gate_proj")
                input
                output=gate
                result=("g", name_gate)
            />
            <Times
                ids=["up-weights", "up"]
                weights=("W", "u")
                module=|names| names.layer("mlp.up_proj")
                input
                output=up
                result=("u", name_up)
            />
        </div>
        <div class="equation">
            <MatrixFigure
                id="hidden"
                symbol="<math><mi>silu</mi><mo>(</mo><mi>g</mi><mo>)</mo><mo>⊙</mo><mi>u</mi></math>"
                name=Signal::derive(move || t_string!(i18n, chapters.name_hidden).to_owned())
                matrix=hidden.of_query()
                describe=made_hidden
            />
            <Times
                ids=["down-weights", "ffn-output"]
                weights=("W", "d")
                module=|names| names.layer("mlp.down_proj")
                input=hidden
                output
                result=("y", name_output)
            />
        </div>
    }
}

/// The network's output added to the residual stream, and normalised where that comes next.
#[component]
pub fn AddAgain() -> impl IntoView {
    let llama =
        FollowContext::expect().with_place(|place| place.meta.family) == Some(Family::Llama);
    let norm: Option<fn(&Names) -> String> = if llama {
        None
    } else {
        Some(|names| names.layer("final_layer_norm"))
    };
    view! {
        <Addition
            stream=Names::feed_forward_residual_input
            added=Names::feed_forward_output
            sum=Names::feed_forward_sum
            norm
        />
    }
}
