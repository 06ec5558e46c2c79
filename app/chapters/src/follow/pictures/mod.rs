//! The pictures of each stage.

mod bias;
mod embed;
mod feed_forward;
mod head_norm;
mod output;
mod project;
mod query_and_keys;
mod rotate;
mod scores;
mod times;
mod values;
mod vectors;

use leptos::prelude::*;

use self::{
    bias::Bias,
    embed::{Embed, Norm},
    feed_forward::{AddAgain, FeedForward, Gated},
    head_norm::HeadNorm,
    output::{Add, Concatenate, Output},
    project::Project,
    rotate::Rotate,
    scores::{Mask, Scale, Scores, Softmax},
    values::{Sum, Weigh},
};
use super::{
    context::FollowContext,
    derivation::{Derivation, Operation},
    derivation_view::{Describe, explained},
    numbers::Numbers,
    stage::Stage,
};

/// The picture of the stage that a part of the text explains.
pub fn picture(part: &'static str) -> AnyView {
    let Some(setting) = FollowContext::expect().setting() else {
        return ().into_any();
    };
    match Stage::of_part(part, setting) {
        None => ().into_any(),
        Some(Stage::Embed) => view! { <Embed /> }.into_any(),
        Some(Stage::Norm) => view! { <Norm /> }.into_any(),
        Some(Stage::Project) => view! { <Project /> }.into_any(),
        Some(Stage::HeadNorm) => view! { <HeadNorm /> }.into_any(),
        Some(Stage::Rotate) => view! { <Rotate /> }.into_any(),
        Some(Stage::Scores) => view! { <Scores /> }.into_any(),
        Some(Stage::Scale) => view! { <Scale /> }.into_any(),
        Some(Stage::Bias) => view! { <Bias /> }.into_any(),
        Some(Stage::Mask) => view! { <Mask /> }.into_any(),
        Some(Stage::Softmax) => view! { <Softmax /> }.into_any(),
        Some(Stage::Weigh) => view! { <Weigh /> }.into_any(),
        Some(Stage::Sum) => view! { <Sum /> }.into_any(),
        Some(Stage::Concatenate) => view! { <Concatenate /> }.into_any(),
        Some(Stage::Output) => view! { <Output /> }.into_any(),
        Some(Stage::Add) => view! { <Add /> }.into_any(),
        Some(Stage::FeedForward) if setting.gated => view! { <Gated /> }.into_any(),
        Some(Stage::FeedForward) => view! { <FeedForward /> }.into_any(),
        Some(Stage::AddAgain) => view! { <AddAgain /> }.into_any(),
    }
}

/// A sign between two matrices.
#[component]
pub fn Sign(
    /// The sign between two figures, such as `=`.
    sign: &'static str,
) -> impl IntoView {
    view! { <span class="equation-sign" aria-hidden="true">{sign}</span> }
}

/// MathML of a name such as `W^Q`.
fn symbol(base: &str, below: &str, above: &str) -> String {
    let base = format!("<mi>{base}</mi>");
    let part = |text: &str| format!("<mi>{text}</mi>");
    let inner = match (below, above) {
        ("", "") => base,
        (below, "") => format!("<msub>{base}{}</msub>", part(below)),
        ("", above) => format!("<msup>{base}{}</msup>", part(above)),
        (below, above) => format!("<msubsup>{base}{}{}</msubsup>", part(below), part(above)),
    };
    format!("<math>{inner}</math>")
}

/// The name of a dimension, counted from 1 as in the formulas.
fn dimension(index: usize) -> String {
    format!("c = {}", index + 1)
}

/// Returns the names of a number's row and column in a token's vector: the token and the dimension.
fn place(token: Option<String>, column: usize) -> Option<Vec<String>> {
    Some(vec![token?, dimension(column)])
}

/// Describes the numbers of the keys' rows, which were made elsewhere.
fn given_by_key(context: FollowContext, numbers: Numbers) -> Describe {
    explained(move |key, column| {
        Some(Derivation {
            place: place(context.key_label(key), column)?,
            value: numbers.value(key, column)?,
            operation: Operation::Given,
        })
    })
}
