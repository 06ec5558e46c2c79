//! One token up close: its halting probabilities as they add up, and its states with their weights.

use crate::universal::parameters::UniversalView;
use attention_figures::{bars::Series, color::categorical};
use attention_trace::{Block, Excerpt, Quantity, Slice, Stack, Sublayer};
use leptos::prelude::*;

use super::context::UniversalContext;
use attention_core::{
    appearance::Appearance,
    depths::UsedBy,
    engine::{Live, Part},
    i18n::{t_string, use_i18n},
    names::{token_label, token_name},
    state::{AddressValue as _, ViewState},
    widgets::{
        BarFigure, Bars, Segmented, TokenChoice,
        inspector::Inspected,
        matrix::{Matrix, MatrixFigure},
        numbers::{decimal, equations, share_of_one},
    },
};

/// The choice of the token, its bars and its states.
#[component]
pub fn TokenUpClose() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = UniversalContext::expect();
    let token = Memo::new(move |_| context.token());
    let name = token_name();
    let words = move || {
        let (_, it) = token.get()?;
        Some(equations(t_string!(
            i18n,
            universal.token_words,
            token = name(&it.token),
            sum = sum_in_words(&it),
            depth = it.ponder.depth,
            remainder = share_of_one(it.ponder.remainder, 3),
            cost = decimal(it.ponder.cost(), 3)
        )))
    };
    let stack_name = move |stack| match stack {
        Stack::Encoder => t_string!(i18n, universal.of_encoder).to_owned(),
        Stack::Decoder => t_string!(i18n, universal.of_decoder).to_owned(),
    };
    view! {
        <section class="lesson-figure" data-testid="token-up-close">
            <Segmented
                label=Signal::derive(move || t_string!(i18n, universal.stack).to_owned())
                options=Signal::derive(move || {
                    Stack::values().into_iter().map(|(stack, _)| (stack, stack_name(stack))).collect()
                })
                value=Signal::derive(move || context.view.get().stack)
                choose=move |stack| state.update_chapters(|chapters| {
                    chapters.of_mut::<UniversalView>().stack = stack;
                    chapters.of_mut::<UniversalView>().token = 0;
                })
            />
            <TokenChoice
                name=Signal::derive(move || t_string!(i18n, universal.token).to_owned())
                tokens=Signal::derive(move || context.tokens())
                chosen=Signal::derive(move || token.get().map_or(0, |(place, _)| place))
                label=token_label()
                choose=move |token| state.update_chapters(|chapters| {
                    chapters.of_mut::<UniversalView>().token = token;
                })
            />
            <TokenBars token />
            <p class="lesson-reading number" role="status" data-testid="token-words">{words}</p>
            <States token />
        </section>
    }
}

/// The weights of the depths used and their sum.
fn sum_in_words(it: &UsedBy) -> String {
    let used = &it.ponder.weights[..it.ponder.depth];
    let terms: Vec<_> = used.iter().map(|&weight| decimal(weight, 3)).collect();
    let sum: f32 = used.iter().sum();
    format!("{} = {}", terms.join(" + "), decimal(sum, 3))
}

/// Probability and weight of each depth.
#[component]
fn TokenBars(token: Memo<Option<(usize, UsedBy)>>) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let chart = Signal::derive(move || {
        let theme = appearance.get();
        let (_, it) = token.get()?;
        let series = |index: usize, label: &str, values: &[f32]| Series {
            label: Some(label.to_owned()),
            values: values[..it.ponder.depth].to_vec(),
            colors: vec![categorical(index, theme)],
        };
        Some(Bars {
            names: (1..=it.ponder.depth)
                .map(|depth| t_string!(i18n, depths.depth, depth = depth))
                .collect(),
            top: 1.0,
            marked: None,
            series: vec![
                series(0, t_string!(i18n, universal.probability), &it.probabilities),
                series(1, t_string!(i18n, universal.weight), &it.ponder.weights),
            ],
        })
    });
    view! {
        <BarFigure
            name=Signal::derive(move || t_string!(i18n, universal.bars).to_owned())
            test_id="token-bars"
            chart
        />
    }
}

/// Returns the states of the depths used, with the output as the last row.
fn states(it: &UsedBy, parts: &[Part], names: Vec<String>) -> Option<Matrix> {
    let (handed_on, depths) = parts.split_last()?;
    let &[_, columns] = handed_on.0.shape.as_slice() else {
        return None;
    };
    let used = depths.get(..it.ponder.depth)?;
    let rows = used.iter().chain([handed_on]);
    let values: Vec<f32> = rows.flat_map(|part| part.0.data.iter().copied()).collect();
    Some(Matrix::new(values, columns).with_rows(names))
}

/// The states that a token had, and their weighted mean, which the stack hands on.
#[component]
fn States(token: Memo<Option<(usize, UsedBy)>>) -> impl IntoView {
    let i18n = use_i18n();
    let context = UniversalContext::expect();
    let parts = Live::expect().parts(move || {
        let (Some((place, _)), Some(halts)) = (token.get(), context.halts.get()) else {
            return vec![];
        };
        let stack = context.view.get().stack;
        let row = |block: Block| {
            Excerpt::new(block.at(Quantity::State), Slice::Rows(place, place + 1))
                .with_edits(context.edits())
        };
        let depth = |depth| row(Block::Sublayer(stack, depth, Sublayer::FeedForward));
        let depths = (0..halts.depths).map(depth);
        depths.chain([row(Block::Stack(stack))]).collect()
    });
    let matrix = Memo::new(move |_| {
        let (_, it) = token.get()?;
        let names = (1..=it.ponder.depth).map(|depth| t_string!(i18n, depths.depth, depth = depth));
        let names = names.chain([t_string!(i18n, universal.handed_on).to_owned()]);
        states(&it, &parts.get()?, names.collect())
    });
    let describe = Callback::new(move |(row, column): (usize, usize)| {
        let words = token.with(|token| {
            let (_, it) = token.as_ref()?;
            let value = |row| matrix.with(|matrix| matrix.as_ref()?.value(row, column));
            match row < it.ponder.depth {
                true => Some(t_string!(
                    i18n,
                    universal.state_cell,
                    depth = row + 1,
                    value = decimal(value(row)?, 4),
                    weight = share_of_one(it.ponder.weights[row], 3)
                )),
                false => {
                    let term = |depth: usize| {
                        let weight = decimal(it.ponder.weights[depth], 3);
                        Some(format!("{weight} · {}", decimal(value(depth)?, 4)))
                    };
                    let terms: Option<Vec<_>> = (0..it.ponder.depth).map(term).collect();
                    let value = decimal(value(row)?, 4);
                    Some(format!("{} = {value}", terms?.join(" + ")))
                }
            }
        });
        words
            .map(|words| view! { <p class="number" data-testid="state-made">{words}</p> })
            .into_any()
    });
    view! {
        <Inspected>
            <MatrixFigure
                id="states"
                symbol="<i>s</i>"
                name=Signal::derive(move || t_string!(i18n, universal.states).to_owned())
                matrix
                describe
            />
        </Inspected>
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use attention_trace::{Array, Halting, Ponder, Token};

    use super::*;

    fn used() -> UsedBy {
        used_with(vec![0.25, 0.5, 0.75, 0.5])
    }

    fn used_with(probabilities: Vec<f32>) -> UsedBy {
        let halting = Halting {
            epsilon: 0.01,
            ponder_cost: 0.0,
        };
        UsedBy {
            token: Token {
                id: 1,
                text: "a".into(),
                unknown: false,
            },
            ponder: Ponder::of(&probabilities, halting),
            probabilities,
        }
    }

    #[test]
    fn weights_are_added_up_as_far_as_depths_were_used() {
        assert_eq!(sum_in_words(&used()), "0.250 + 0.500 + 0.250 = 1.000");
        // A term is a number, however small.
        let small = used_with(vec![0.0004, 0.5, 0.75, 0.5]);
        assert_eq!(sum_in_words(&small), "0.0004 + 0.500 + 0.500 = 1.000");
    }

    #[test]
    fn states_after_the_last_depth_are_left_out() {
        let row = |value: f32| {
            Part(Arc::new(Array {
                shape: vec![1, 2],
                data: vec![value, -value],
            }))
        };
        let parts = [1.0, 2.0, 4.0, 4.0, 2.25].map(row);
        let names = ["1", "2", "3", "sum"].map(str::to_owned).to_vec();
        let matrix = states(&used(), &parts, names).unwrap();
        assert_eq!((matrix.rows(), matrix.columns), (4, 2));
        assert_eq!(matrix.value(3, 0), Some(2.25));
        assert_eq!(states(&used(), &parts[..2], vec![]), None);
    }
}
