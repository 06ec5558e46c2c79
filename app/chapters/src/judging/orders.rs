//! The chain rule in both orders, on the table of chapter "search", which is small enough to compute both exactly.

use attention_protocol::OrLogged;
use attention_trace::search::{Ending, Orders, exhaustive};
use leptos::prelude::*;

use crate::{
    judging::parameters::Judging,
    search::{NAMES, parameters::SearchLab, written},
};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    state::ViewState,
    widgets::{ScrollRegion, Select, numbers::share_of_one},
};

/// The `data-testid` of each token's choice.
const CHOICES: [&str; 4] = ["order-1", "order-2", "order-3", "order-4"];

/// A sequence of the table, and the factors of its probability from either end.
#[component]
pub fn BothOrders() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let table = state.select(|view| view.chapters.of::<SearchLab>().clone());
    let tokens = state.select(|view| view.chapters.of::<Judging>().sequence);
    let all = Memo::new(move |_| {
        let model = table
            .with(SearchLab::model)
            .or_logged("reading the table of the search")
            .unwrap_or_default();
        exhaustive(&model, Ending::AllSteps)
            .map(|all| all.found)
            .or_logged("finding all sequences")
    });
    let orders = Memo::new(move |_| all.with(|all| Orders::of(all.as_ref()?, &tokens.get())));
    let choice = move |place: usize| {
        view! {
            <Select
                name=Signal::derive(move || t_string!(i18n, judging.token_at, place = place + 1))
                test_id=CHOICES[place]
                options=Signal::stored(NAMES.map(str::to_owned).to_vec())
                chosen=Signal::derive(move || tokens.get()[place])
                choose=move |token| state.update_chapters(|chapters| {
                    chapters.of_mut::<Judging>().sequence[place] = token;
                })
            />
        }
    };
    let name = Signal::derive(move || t_string!(i18n, judging.both_orders).to_owned());
    let rows = move || {
        let orders = orders.get()?;
        let rows = (0..Judging::SEQUENCE).map(|place| {
            let [forward, backward] = factor_names(&tokens.get(), place);
            view! {
                <tr data-testid="order-row">
                    <th scope="row">{forward}</th>
                    <td class="number">{share_of_one(orders.forward[place] as f32, 4)}</td>
                    <th scope="row">{backward}</th>
                    <td class="number">{share_of_one(orders.backward[place] as f32, 4)}</td>
                </tr>
            }
        });
        Some(rows.collect_view())
    };
    let products = move || {
        let orders = orders.get()?;
        let product = |factors: &[f64]| share_of_one(factors.iter().product::<f64>() as f32, 6);
        Some(view! {
            <tr data-testid="order-products">
                <th scope="row">{t!(i18n, judging.product)}</th>
                <td class="number">{product(&orders.forward)}</td>
                <th scope="row">{t!(i18n, judging.product)}</th>
                <td class="number">{product(&orders.backward)}</td>
            </tr>
        })
    };
    let impossible = move || {
        let sequence = written(&tokens.get());
        orders
            .with(Option::is_none)
            .then(|| t_string!(i18n, judging.impossible, sequence = sequence))
    };
    view! {
        <section class="lesson-figure" data-testid="both-orders">
            <div class="position-controls">{(0..Judging::SEQUENCE).map(choice).collect_view()}</div>
            <ScrollRegion class="lesson-table" name>
                <table aria-label=name>
                    <thead>
                        <tr>
                            <th scope="col">{t!(i18n, judging.left_to_right)}</th>
                            <th scope="col">"p"</th>
                            <th scope="col">{t!(i18n, judging.right_to_left)}</th>
                            <th scope="col">"p"</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                    <tfoot>{products}</tfoot>
                </table>
            </ScrollRegion>
            {move || impossible().map(|words| view! {
                <p class="notice" role="status" data-testid="order-impossible">{words}</p>
            })}
        </section>
    }
}

/// Returns the notation of the factors at a place, conditioned on the tokens before it and on the tokens after it.
fn factor_names(tokens: &[usize], place: usize) -> [String; 2] {
    let token = written(&tokens[place..=place]);
    let factor = |given: &[usize]| match written(given) {
        given if given.is_empty() => format!("p({token})"),
        given => format!("p({token} | {given})"),
    };
    [factor(&tokens[..place]), factor(&tokens[place + 1..])]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_is_given_one_side_of_its_place() {
        let names = |place| factor_names(&[0, 2, 1, 3], place);
        assert_eq!(names(0), ["p(A)", "p(A | C B eos)"]);
        assert_eq!(names(2), ["p(B | A C)", "p(B | eos)"]);
        assert_eq!(names(3), ["p(eos | A C B)", "p(eos)"]);
    }
}
