//! The feed-forward network of both families, and the addition after it.

use leptos::prelude::*;

use super::{output::Addition, place, symbol, times::Times, vectors::Vector};
use crate::{
    chapters::follow::{
        context::FollowContext,
        derivation::{Derivation, Operation},
        derivation_view::{Describe, explained},
        names::Names,
        numbers::Numbers,
    },
    i18n::{t_string, use_i18n},
};

/// What the network is given.
fn input(context: FollowContext) -> Vector {
    let i18n = use_i18n();
    let name = Signal::derive(move || t_string!(i18n, chapters.name_ffn_input).to_owned());
    let input = context.whole(Names::feed_forward_input);
    Vector::new("input", symbol("x", "", ""), name, input.of_query())
}

/// Times the weights of the network's module of that name.
#[component]
fn TimesWeights(
    id: &'static str,
    /// What stands below the weights' letter.
    index: &'static str,
    module: fn(&Names) -> String,
    input: Vector,
    output: Vector,
) -> impl IntoView {
    let i18n = use_i18n();
    let name = Signal::derive(move || t_string!(i18n, chapters.name_ffn_weights).to_owned());
    view! { <Times id index=(index, "") name module input output /> }
}

/// What the non-linearity lets through, times the weights that lead back to the model's width.
#[component]
fn Back(
    active: Vector,
    /// What its numbers are made of.
    made: Describe,
    id: &'static str,
    index: &'static str,
    module: fn(&Names) -> String,
) -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let name = Signal::derive(move || t_string!(i18n, chapters.name_ffn_output).to_owned());
    let output = context.whole(Names::feed_forward_output).of_query();
    let output = Vector::new("ffn-output", symbol("y", "", ""), name, output);
    view! {
        <div class="equation">
            {active.figure(made)}
            <TimesWeights id index module input=active output />
        </div>
    }
}

/// Describes a number of the network's inner activations.
fn made_of(
    context: FollowContext,
    numbers: Numbers,
    of: impl Fn(usize) -> Option<Operation> + Send + Sync + 'static,
) -> Describe {
    explained(move |_, column| {
        Some(Derivation {
            place: place(context.query_label(), column)?,
            value: numbers.query_value(column)?,
            operation: of(column)?,
        })
    })
}

/// `max(0, xW₁ + b₁)W₂ + b₂`.
#[component]
pub fn FeedForward() -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let hidden = context.whole(|names| names.layer("fc1"));
    let active = context.whole(|names| names.layer("activation"));
    let made = made_of(context, active, move |column| {
        Some(Operation::Function {
            function: "f",
            argument: hidden.query_value(column)?,
        })
    });
    let name_hidden = Signal::derive(move || t_string!(i18n, chapters.name_hidden).to_owned());
    let name_active = Signal::derive(move || t_string!(i18n, chapters.name_active).to_owned());
    let input = input(context);
    let hidden = Vector::new(
        "hidden",
        symbol("h", "", ""),
        name_hidden,
        hidden.of_query(),
    );
    let active = Vector::new(
        "active",
        "<math><mi>f</mi><mo>(</mo><mi>h</mi><mo>)</mo></math>",
        name_active,
        active.of_query(),
    );
    view! {
        <div class="equation">
            {input.given()}
            <TimesWeights
                id="weights-1" index="1" module=|names| names.layer("fc1") input output=hidden
            />
        </div>
        <Back active made id="weights-2" index="2" module=|names| names.layer("fc2") />
    }
}

/// `W_down(silu(W_gate x) ⊙ W_up x)`, after its norm.
#[component]
pub fn SwiGlu() -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let gate = context.whole(|names| names.layer("mlp.gate"));
    let up = context.whole(|names| names.layer("mlp.up"));
    let hidden = context.whole(|names| names.layer("mlp.hidden"));
    let made = made_of(context, hidden, move |column| {
        let gate = gate.query_value(column)?;
        Some(Operation::Product([
            (format!("silu({gate:.4})"), gate / (1.0 + (-gate).exp())),
            ("u".to_owned(), up.query_value(column)?),
        ]))
    });
    let name_gate = Signal::derive(move || t_string!(i18n, chapters.name_gate).to_owned());
    let name_up = Signal::derive(move || t_string!(i18n, chapters.name_up).to_owned());
    let name_hidden = Signal::derive(move || t_string!(i18n, chapters.name_hidden).to_owned());
    let input = input(context);
    let gate = Vector::new("gate", symbol("g", "", ""), name_gate, gate.of_query());
    let up = Vector::new("up", symbol("u", "", ""), name_up, up.of_query());
    let hidden = Vector::new(
        "hidden",
        "<math><mi>silu</mi><mo>(</mo><mi>g</mi><mo>)</mo><mo>⊙</mo><mi>u</mi></math>",
        name_hidden,
        hidden.of_query(),
    );
    view! {
        <div class="equation">
            {input.given()}
            <TimesWeights
                id="gate-weights"
                index="g"
                module=|names| names.layer("mlp.gate_proj")
                input=input.clone()
                output=gate
            />
            <TimesWeights
                id="up-weights"
                index="u"
                module=|names| names.layer("mlp.up_proj")
                input
                output=up
            />
        </div>
        <Back
            active=hidden
            made
            id="down-weights"
            index="d"
            module=|names| names.layer("mlp.down_proj")
        />
    }
}

/// The network's output added to the residual stream, and normalised where that comes next.
#[component]
pub fn AddAgain() -> impl IntoView {
    view! {
        <Addition
            stream=Names::feed_forward_residual_input
            added=Names::feed_forward_output
            sum=Names::feed_forward_sum
            norm=|names| names.layer("final_layer_norm")
        />
    }
}
