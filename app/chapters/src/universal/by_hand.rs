//! Adaptive Computation Time by hand: four probabilities to change, and the results.

use crate::universal::parameters::UniversalView;
use attention_figures::{bars::Series, color::categorical};
use attention_trace::Ponder;
use leptos::prelude::*;

use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    state::ViewState,
    widgets::{
        BarFigure, Bars, ScrollRegion, Slider,
        numbers::{decimal, equations, share_of_one},
    },
};

/// The `data-testid` values of the probabilities' sliders.
const SLIDERS: [&str; UniversalView::HAND_DEPTHS] =
    ["ponder-1", "ponder-2", "ponder-3", "ponder-4"];

/// A depth of the example.
#[derive(Clone, Debug, PartialEq)]
struct Depth {
    probability: f32,
    /// The sum of probabilities up to it.
    sum: f32,
    weight: f32,
    is_used: bool,
}

fn depths(view: UniversalView) -> (Vec<Depth>, Ponder) {
    let probabilities = view.probabilities();
    let ponder = Ponder::of(&probabilities, view.hand_halting());
    let depth = |index: usize| Depth {
        probability: probabilities[index],
        sum: probabilities[..=index].iter().sum(),
        weight: ponder.weights[index],
        is_used: index < ponder.depth,
    };
    ((0..probabilities.len()).map(depth).collect(), ponder)
}

/// The weighted mean of states that are the numbers of their depths.
pub fn handed_on(ponder: &Ponder) -> f32 {
    let numbered = ponder.weights.iter().zip(1u8..);
    numbered
        .map(|(weight, number)| weight * f32::from(number))
        .sum()
}

/// The sliders, the table and the bars.
#[component]
pub fn ByHand() -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let state = ViewState::expect();
    let view = state.select(|view| *view.chapters.of::<UniversalView>());
    let found = Memo::new(move |_| depths(view.get()));
    let sliders = SLIDERS.into_iter().enumerate().map(|(index, test_id)| {
        view! {
            <Slider
                name=Signal::derive(move || t_string!(i18n, universal.probability_of, depth = index + 1))
                test_id
                range=(0, 100)
                value=Signal::derive(move || view.get().hand[index])
                words=Signal::derive(move || share_of_one(view.get().probabilities()[index], 2))
                set=move |value| state.update_chapters(|chapters| {
                    chapters.of_mut::<UniversalView>().hand[index] = value;
                })
            />
        }
    });
    let chart = Signal::derive(move || {
        let theme = appearance.get();
        let (depths, _) = found.get();
        let series = |index: usize, label: String, value: fn(&Depth) -> f32| Series {
            label: Some(label),
            values: depths.iter().map(value).collect(),
            colors: vec![categorical(index, theme)],
        };
        Some(Bars {
            names: (1..=depths.len())
                .map(|depth| t_string!(i18n, depths.depth, depth = depth))
                .collect(),
            top: 1.0,
            marked: None,
            series: vec![
                series(0, t_string!(i18n, universal.probability).to_owned(), |it| {
                    it.probability
                }),
                series(1, t_string!(i18n, universal.weight).to_owned(), |it| {
                    it.weight
                }),
            ],
        })
    });
    let words = move || {
        found.with(|(_, ponder)| {
            equations(t_string!(
                i18n,
                universal.by_hand,
                depth = ponder.depth,
                remainder = share_of_one(ponder.remainder, 2),
                handed_on = decimal(handed_on(ponder), 2)
            ))
        })
    };
    view! {
        <section class="lesson-figure" data-testid="ponder-by-hand">
            <div class="position-controls">
                {sliders.collect_view()}
                <Slider
                    name=Signal::derive(|| "ε".to_owned())
                    test_id="ponder-epsilon"
                    range=UniversalView::EPSILONS
                    value=Signal::derive(move || view.get().hand_epsilon)
                    words=Signal::derive(move || decimal(view.get().hand_halting().epsilon, 2))
                    set=move |value| state.update_chapters(|chapters| {
                        chapters.of_mut::<UniversalView>().hand_epsilon = value;
                    })
                />
            </div>
            <HandTable found />
            <BarFigure
                name=Signal::derive(move || t_string!(i18n, universal.bars).to_owned())
                test_id="ponder-bars"
                chart
            />
            <p class="lesson-reading number" role="status" data-testid="ponder-words">{words}</p>
        </section>
    }
}

/// A row for each depth.
#[component]
fn HandTable(found: Memo<(Vec<Depth>, Ponder)>) -> impl IntoView {
    let i18n = use_i18n();
    let name = Signal::derive(move || t_string!(i18n, universal.bars).to_owned());
    let row = move |(index, it): (usize, Depth)| {
        let sum = match it.is_used {
            true => share_of_one(it.sum, 2),
            false => "–".to_owned(),
        };
        view! {
            <tr data-testid="ponder-row" class:is-unused=!it.is_used>
                <th scope="row">{t!(i18n, depths.depth, depth = index + 1)}</th>
                <td class="number">{share_of_one(it.probability, 2)}</td>
                <td class="number">{sum}</td>
                <td class="number" data-testid="ponder-weight">{share_of_one(it.weight, 2)}</td>
            </tr>
        }
    };
    view! {
        <ScrollRegion class="lesson-table" name>
            <table aria-label=name>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, universal.depth)}</th>
                        <th scope="col">{t!(i18n, universal.probability)}</th>
                        <th scope="col">{t!(i18n, universal.sum)}</th>
                        <th scope="col">{t!(i18n, universal.weight)}</th>
                    </tr>
                </thead>
                <tbody>
                    {move || found.get().0.into_iter().enumerate().map(row).collect_view()}
                </tbody>
            </table>
        </ScrollRegion>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_stops_at_its_third_depth() {
        let (found, ponder) = depths(UniversalView::default());
        let weights: Vec<_> = found.iter().map(|it| decimal(it.weight, 2)).collect();
        assert_eq!(weights, ["0.20", "0.30", "0.50", "0.00"]);
        assert_eq!(decimal(ponder.cost(), 2), "3.50");
        let used: Vec<_> = found.iter().map(|it| it.is_used).collect();
        assert_eq!(used, [true, true, true, false]);
        assert_eq!(decimal(handed_on(&ponder), 2), "2.30");
    }

    #[test]
    fn a_larger_epsilon_stops_earlier() {
        let view = UniversalView {
            hand_epsilon: 60,
            ..UniversalView::default()
        };
        let (_, ponder) = depths(view);
        assert_eq!(ponder.depth, 2);
        assert_eq!(decimal(ponder.remainder, 2), "0.80");
    }
}
