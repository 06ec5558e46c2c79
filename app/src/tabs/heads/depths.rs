//! Of a model that uses one block at every depth: that its weights are the same, and how many depths each token used.

use attention_trace::{
    Block, Excerpt, Halting, ModelSpec, Ponder, Quantity, ReuseSpec, Slice, Stack, Sublayer, Token,
    Trace,
};
use leptos::prelude::*;

use attention_core::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    names::{token_label, token_name},
    widgets::{ScrollRegion, numbers::decimal},
};

/// What the panel asks of a model.
#[derive(Clone, Copy, PartialEq)]
struct Reused {
    reuse: ReuseSpec,
    /// The most depths of a stack.
    depths: usize,
}

impl Reused {
    fn of(spec: &ModelSpec) -> Option<Self> {
        Some(Reused {
            reuse: spec.reuse?,
            depths: spec.stack(spec.last_stack())?.layers,
        })
    }
}

/// A token and how it used the depths.
#[derive(Clone, PartialEq)]
struct UsedBy {
    token: Token,
    /// The halting probability of each depth.
    probabilities: Vec<f32>,
    ponder: Ponder,
}

/// The panel; nothing of a model that has weights of its own in each layer.
#[component]
pub fn Depths() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let reused = Memo::new(move |_| Reused::of(&live.trace()?.meta.spec));
    let is_there = Memo::new(move |_| reused.read().is_some());
    let halts = Memo::new(move |_| reused.get().is_some_and(|it| it.reuse.halting.is_some()));
    let same = move || {
        let depths = reused.get().map_or(0, |it| it.depths);
        match halts.get() {
            true => t_string!(i18n, depths.same, depths = depths),
            false => t_string!(i18n, depths.same_fixed, depths = depths),
        }
    };
    view! {
        <Show when=move || is_there.get()>
            <section class="depths" data-testid="depths">
                <h2 class="panel-title">{t!(i18n, depths.title)}</h2>
                <p class="hint" data-testid="depths-same">{same}</p>
                <Show when=move || halts.get()>
                    <StackDepths stack=Stack::Encoder />
                    <StackDepths stack=Stack::Decoder />
                </Show>
            </section>
        </Show>
    }
}

/// The tokens that a stack reads.
fn tokens(trace: &Trace, stack: Stack) -> &[Token] {
    match stack {
        Stack::Encoder => &trace.meta.source,
        Stack::Decoder => &trace.meta.target,
    }
}

/// How each token used the depths, out of the halting probabilities of every depth, `[tokens, 1]` each.
fn used(tokens: &[Token], by_depth: &[Vec<f32>], halting: Halting) -> Vec<UsedBy> {
    let of_token = |(position, token): (usize, &Token)| {
        let probabilities: Option<Vec<f32>> = (by_depth.iter())
            .map(|depth| depth.get(position).copied())
            .collect();
        let probabilities = probabilities?;
        Some(UsedBy {
            token: token.clone(),
            ponder: Ponder::of(&probabilities, halting),
            probabilities,
        })
    };
    tokens.iter().enumerate().filter_map(of_token).collect()
}

/// A stack's tokens, the probability of each depth that was reached, and how many depths were used.
#[component]
fn StackDepths(stack: Stack) -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let parts = live.parts(move || {
        let trace = live.trace();
        let spec = trace.as_ref().map(|trace| &trace.meta.spec);
        let depths = spec
            .and_then(|spec| spec.stack(stack))
            .map_or(0, |it| it.layers);
        let site =
            |depth| Block::Sublayer(stack, depth, Sublayer::FeedForward).at(Quantity::Halting);
        (0..depths)
            .map(|depth| Excerpt::new(site(depth), Slice::Whole))
            .collect()
    });
    let used = Memo::new(move |_| {
        let (trace, parts) = (live.trace()?, parts.get()?);
        let by_depth: Vec<Vec<f32>> = parts.iter().map(|part| part.0.data.clone()).collect();
        Some(used(
            tokens(&trace, stack),
            &by_depth,
            trace.meta.spec.halting()?,
        ))
    });
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
        <figure class="token-table">
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
            let weight = decimal(weight, 2);
            view! {
                <td
                    class="number depth-cell"
                    style=format!("--share: {probability:.3}")
                    title=move || t_string!(i18n, depths.weight, weight = weight.clone())
                >
                    {decimal(probability, 2)}
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

/// The means of `N` and of `N + R` over the tokens.
fn means(used: &[UsedBy]) -> Option<(f32, f32)> {
    let mean = |number: fn(&Ponder) -> f32| {
        let numbers = used.iter().map(|it| number(&it.ponder));
        numbers.sum::<f32>() / used.len() as f32
    };
    (!used.is_empty()).then(|| (mean(|ponder| ponder.depth as f32), mean(Ponder::cost)))
}

#[cfg(test)]
mod tests {
    use attention_trace::config::{MarianConfig, UniversalConfig};

    use super::*;

    const HALTING: Halting = Halting {
        epsilon: 0.01,
        ponder_cost: 0.0,
    };

    fn token(text: &str) -> Token {
        Token {
            id: 1,
            text: text.into(),
            unknown: false,
        }
    }

    #[test]
    fn tokens_are_given_their_own_depths() {
        let by_depth = [vec![0.5, 1.0], vec![0.25, 0.5], vec![0.5, 0.5]];
        let found = used(&[token("a"), token("b")], &by_depth, HALTING);
        let depths: Vec<_> = found.iter().map(|it| it.ponder.depth).collect();
        assert_eq!(depths, [3, 1]);
        assert_eq!(found[0].ponder.weights, [0.5, 0.25, 0.25]);
        assert_eq!(means(&found), Some((2.0, 2.0 + 0.625)));
        assert_eq!(means(&[]), None);
    }

    #[test]
    fn a_token_without_numbers_is_left_out() {
        let by_depth = [vec![0.5], vec![0.5]];
        assert_eq!(used(&[token("a"), token("b")], &by_depth, HALTING).len(), 1);
    }

    #[test]
    fn only_a_model_that_uses_a_block_again_is_said_to() {
        let found = Reused::of(&UniversalConfig::default().spec());
        assert!(found.is_some_and(|it| it.depths == 4 && it.reuse.halting.is_some()));
        assert!(Reused::of(&MarianConfig::default().spec()).is_none());
    }
}
