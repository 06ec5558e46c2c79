//! The table of depths that the tokens of a stack used.

use attention_trace::Stack;
use leptos::prelude::*;

use super::data::{UsedBy, means};
use crate::{
    i18n::{t, t_string, use_i18n},
    names::{token_label, token_name},
    widgets::{
        ScrollRegion,
        numbers::{decimal, share_of_one},
    },
};

/// A stack's tokens, the probability of each depth that was reached, and how many depths were used.
#[component]
pub fn StackDepths(
    /// The stack whose tokens are listed.
    stack: Stack,
    /// The depths that each token used; `None` until they are known.
    used: Memo<Option<Vec<UsedBy>>>,
) -> impl IntoView {
    let i18n = use_i18n();
    let name = Signal::derive(move || match stack {
        Stack::Encoder => t_string!(i18n, depths.encoder).to_owned(),
        Stack::Decoder => t_string!(i18n, depths.decoder).to_owned(),
    });
    let depths = move || used.with(|used| used.as_ref()?.first().map(|it| it.probabilities.len()));
    let columns = move || {
        let numbers = 1..=depths().unwrap_or_default();
        let column = |depth| view! { <th scope="col">{t!(i18n, depths.depth, depth = depth)}</th> };
        numbers.map(column).collect_view()
    };
    let rows = move || {
        used.get()
            .unwrap_or_default()
            .into_iter()
            .map(|it| view! { <Row it /> })
    };
    view! {
        <figure class="token-table depth-table">
            <figcaption>{name}</figcaption>
            <ScrollRegion class="lesson-table" test_id=test_id(stack) name>
                <table aria-label=name>
                    <thead>
                        <tr>
                            <th scope="col">{t!(i18n, depths.token)}</th>
                            {columns}
                            <th scope="col">{t!(i18n, depths.used)}</th>
                        </tr>
                    </thead>
                    <tbody>{move || rows().collect_view()}</tbody>
                </table>
            </ScrollRegion>
            <Totals used />
        </figure>
    }
}

fn test_id(stack: Stack) -> &'static str {
    match stack {
        Stack::Encoder => "depths-encoder",
        Stack::Decoder => "depths-decoder",
    }
}

/// The probabilities of a token's depths, up to the last it used, and a bar.
#[component]
fn Row(it: UsedBy) -> impl IntoView {
    let i18n = use_i18n();
    let (label, title) = (token_label(), token_name());
    let UsedBy {
        token,
        probabilities,
        ponder,
    } = it;
    let most = probabilities.len().max(1);
    let depth = ponder.depth;
    let cells = probabilities.into_iter().zip(ponder.weights).enumerate();
    let cell = |(index, (probability, weight)): (usize, (f32, f32))| match index < depth {
        true => {
            let weight = share_of_one(weight, 2);
            view! {
                <td
                    class="number depth-cell"
                    style=format!("--share: {probability:.3}")
                    title=move || t_string!(i18n, depths.weight, weight = weight.clone())
                >
                    {share_of_one(probability, 2)}
                </td>
            }
            .into_any()
        }
        false => view! { <td title=move || t_string!(i18n, depths.halted)>"–"</td> }.into_any(),
    };
    let width = format!("width: {:.1}%", 100.0 * depth as f32 / most as f32);
    view! {
        <tr>
            <th scope="row" title=title(&token)>{label(&token)}</th>
            {cells.map(cell).collect_view()}
            <td class="number depth-used">
                <span class="depth-bar" style=width aria-hidden="true"></span>
                {depth}
            </td>
        </tr>
    }
}

/// Mean depth and mean ponder cost.
#[component]
fn Totals(used: Memo<Option<Vec<UsedBy>>>) -> impl IntoView {
    let i18n = use_i18n();
    let words = move || {
        let means = used.with(|used| means(used.as_deref()?));
        means.map(|(depth, cost)| {
            t_string!(
                i18n,
                depths.totals,
                depth = decimal(depth, 2),
                cost = decimal(cost, 2)
            )
        })
    };
    view! { <p class="lesson-reading number">{words}</p> }
}
