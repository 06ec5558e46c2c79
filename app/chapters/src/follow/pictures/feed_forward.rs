//! The feed-forward network, gated and not, and the addition after it.

use std::f32::consts::FRAC_2_PI;

use attention_trace::{Nonlinearity, Quantity, Weight};
use leptos::prelude::*;

use super::{output::Addition, place, symbol, times::Times, vectors::Vector};
use crate::follow::{
    axes,
    context::FollowContext,
    derivation::{Derivation, Operation},
    derivation_view::{Describe, explained},
    numbers::Numbers,
    sites::Sites,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    widgets::numbers::decimal,
};

/// Returns the input of the network.
fn input(context: FollowContext) -> Vector {
    let i18n = use_i18n();
    let name = Signal::derive(move || t_string!(i18n, chapters.name_ffn_input).to_owned());
    let input = context.whole(Sites::feed_forward_input);
    Vector::new("input", symbol("x", "", ""), name, input.of_query())
}

/// The network's inner activations.
fn inner(context: FollowContext, quantity: Quantity) -> Numbers {
    context.whole(move |sites| sites.feed_forward().at(quantity))
}

/// Times weights of the network.
#[component]
fn TimesWeights(
    id: &'static str,
    /// The subscript of the weights' letter.
    index: &'static str,
    weights: [Weight; 2],
    input: Vector,
    output: Vector,
) -> impl IntoView {
    let i18n = use_i18n();
    let name = Signal::derive(move || t_string!(i18n, chapters.name_ffn_weights).to_owned());
    view! { <Times id index=(index, "") name block=Sites::feed_forward weights input output /> }
}

/// The activations times the weights that lead back to the model's width.
#[component]
fn Back(
    active: Vector,
    /// Describes the computation of each activation.
    made: Describe,
    id: &'static str,
    index: &'static str,
) -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let name = Signal::derive(move || t_string!(i18n, chapters.name_ffn_output).to_owned());
    let output = context
        .whole(|sites| sites.feed_forward().at(Quantity::Out))
        .of_query();
    let output = Vector::new("ffn-output", symbol("y", "", ""), name, output);
    view! {
        <div class="equation">
            {active.figure(made)}
            <TimesWeights id index weights=[Weight::WOut, Weight::BOut] input=active output />
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
    let hidden = inner(context, Quantity::Pre);
    let active = inner(context, Quantity::Post);
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
    )
    .along(axes::INNER);
    let active = Vector::new(
        "active",
        "<math><mi>f</mi><mo>(</mo><mi>h</mi><mo>)</mo></math>",
        name_active,
        active.of_query(),
    )
    .along(axes::INNER);
    view! {
        <div class="equation">
            {input.given()}
            <TimesWeights
                id="weights-1" index="1" weights=[Weight::WIn, Weight::BIn] input output=hidden
            />
        </div>
        <Back active made id="weights-2" index="2" />
    }
}

/// Returns the name of a non-linearity in formulas.
fn function_name(activation: Nonlinearity) -> &'static str {
    match activation {
        Nonlinearity::Relu => "relu",
        Nonlinearity::Gelu | Nonlinearity::GeluNew => "gelu",
        Nonlinearity::Silu => "silu",
    }
}

/// `f(x)`; `None` of GELU by the error function, which has no formula of elementary functions.
fn activated(activation: Nonlinearity, x: f32) -> Option<f32> {
    Some(match activation {
        Nonlinearity::Relu => x.max(0.0),
        Nonlinearity::Silu => x / (1.0 + (-x).exp()),
        Nonlinearity::GeluNew => {
            let inner = FRAC_2_PI.sqrt() * (x + 0.044_715 * x.powi(3));
            0.5 * x * (1.0 + inner.tanh())
        }
        Nonlinearity::Gelu => return None,
    })
}

/// `W_down(f(W_gate x) ⊙ W_up x)`, after its norm.
#[component]
pub fn Gated() -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let setting = context.setting_untracked();
    let activation = setting.map_or(Nonlinearity::Silu, |setting| setting.activation);
    let name = function_name(activation);
    let gate = inner(context, Quantity::Pre);
    let up = inner(context, Quantity::PreLinear);
    let hidden = inner(context, Quantity::Post);
    let made = made_of(context, hidden, move |column| {
        let gate = gate.query_value(column)?;
        let Some(open) = activated(activation, gate) else {
            return Some(Operation::Given);
        };
        Some(Operation::Product([
            (format!("{name}({})", decimal(gate, 4)), open),
            ("u".to_owned(), up.query_value(column)?),
        ]))
    });
    let name_gate = Signal::derive(move || t_string!(i18n, chapters.name_gate).to_owned());
    let name_up = Signal::derive(move || t_string!(i18n, chapters.name_up).to_owned());
    let name_hidden = Signal::derive(move || t_string!(i18n, chapters.name_hidden).to_owned());
    let input = input(context);
    let gate =
        Vector::new("gate", symbol("g", "", ""), name_gate, gate.of_query()).along(axes::INNER);
    let up = Vector::new("up", symbol("u", "", ""), name_up, up.of_query()).along(axes::INNER);
    let hidden = Vector::new(
        "hidden",
        format!("<math><mi>{name}</mi><mo>(</mo><mi>g</mi><mo>)</mo><mo>⊙</mo><mi>u</mi></math>"),
        name_hidden,
        hidden.of_query(),
    )
    .along(axes::INNER);
    view! {
        <div class="equation">
            {input.given()}
            <TimesWeights
                id="gate-weights"
                index="g"
                weights=[Weight::WIn, Weight::BIn]
                input=input.clone()
                output=gate
            />
            <TimesWeights
                id="up-weights"
                index="u"
                weights=[Weight::WLinear, Weight::BLinear]
                input
                output=up
            />
        </div>
        <Back
            active=hidden
            made
            id="down-weights"
            index="d"
        />
    }
}

/// The network's output added to the residual stream, and normalised where that comes next.
#[component]
pub fn AddAgain() -> impl IntoView {
    view! {
        <Addition block=Sites::feed_forward />
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected values are those of `torch.nn.functional.silu` and `gelu(approximate="tanh")`.
    #[test]
    fn non_linearities_are_those_of_pytorch() {
        for (activation, x, expected) in [
            (Nonlinearity::Relu, -1.5, 0.0),
            (Nonlinearity::Relu, 1.5, 1.5),
            (Nonlinearity::Silu, 1.0, 0.731_059),
            (Nonlinearity::Silu, -2.0, -0.238_406),
            (Nonlinearity::GeluNew, 1.0, 0.841_192),
            (Nonlinearity::GeluNew, -0.5, -0.154_286),
        ] {
            let found = activated(activation, x).unwrap();
            assert!(
                (found - expected).abs() < 1e-6,
                "{activation:?}({x}) = {found}"
            );
        }
        assert_eq!(activated(Nonlinearity::Gelu, 1.0), None);
    }
}
