//! Statistics of every head of the layer, without and with the mask.

use std::sync::Arc;

use attention_trace::Array;
use leptos::prelude::*;

use crate::heads::{Measured, Weights};
use attention_core::{
    engine::Part,
    i18n::{t, t_string, use_i18n},
    selection::SelfAttention,
    widgets::{
        ScrollRegion,
        numbers::{decimal, percent},
    },
};

/// The statistics of a head in one pass: the key with the most weight of the chosen token, and the distance and
/// spread of all attention.
#[derive(Clone, Debug, PartialEq)]
struct Habit {
    key: String,
    weight: f32,
    measured: Measured,
}

impl Habit {
    fn of(layer: &Array, head: usize, query: usize, names: &[String]) -> Option<Self> {
        let row = layer.row(&[head, query])?.iter().enumerate();
        let (key, &weight) = row.max_by(|one, other| one.1.total_cmp(other.1))?;
        Some(Habit {
            key: names.get(key).cloned().unwrap_or_default(),
            weight,
            measured: Weights::of_head(layer, head)?.measured(),
        })
    }
}

/// The statistics of a head without and with the mask.
type Habits = [Habit; 2];

fn habits(plain: &Array, masked: &Array, query: usize, names: &[String]) -> Vec<Habits> {
    let heads = plain.shape.first().copied().unwrap_or(0);
    let of = |layer, head| Habit::of(layer, head, query, names);
    (0..heads)
        .filter_map(|head| Some([of(plain, head)?, of(masked, head)?]))
        .collect()
}

/// A row for each head.
#[component]
pub fn EveryHead(weights: [Memo<Option<Part>>; 2]) -> impl IntoView {
    let i18n = use_i18n();
    let context = SelfAttention::expect();
    let [plain, masked] = weights;
    let habits = Memo::new(move |_| {
        let (names, query): (Arc<[String]>, usize) = (context.names(), context.query());
        let (Some(Part(plain)), Some(Part(masked))) = (plain.get(), masked.get()) else {
            return Vec::new();
        };
        habits(&plain, &masked, query, &names)
    });
    let rows = move || {
        let habits = habits.get().into_iter().enumerate();
        habits
            .map(|(head, habits)| row(head, habits))
            .collect_view()
    };
    view! {
        <ScrollRegion
            class="lesson-table"
            test_id="mask-heads"
            name=Signal::derive(move || t_string!(i18n, masks.heads).to_owned())
        >
            <table aria-label=move || t_string!(i18n, masks.heads).to_owned()>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, decoding.head)}</th>
                        <th scope="col">{t!(i18n, masks.most_from)}</th>
                        <th scope="col">{t!(i18n, masks.most_from_masked)}</th>
                        <th scope="col">{t!(i18n, many_heads.distance)}</th>
                        <th scope="col">{t!(i18n, many_heads.entropy)}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </ScrollRegion>
    }
}

fn row(head: usize, [plain, masked]: Habits) -> impl IntoView {
    let looks = |habit: &Habit| format!("{} {}", habit.key, percent(habit.weight, 0));
    let both = |of: fn(Measured) -> f32| {
        let [before, after] = [&plain, &masked].map(|habit| decimal(of(habit.measured), 2));
        format!("{before} → {after}")
    };
    view! {
        <tr>
            <th scope="row">{head + 1}</th>
            <td>{looks(&plain)}</td>
            <td>{looks(&masked)}</td>
            <td class="number">{both(|measured| measured.distance)}</td>
            <td class="number">{both(|measured| measured.entropy)}</td>
        </tr>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_seen_without_and_with_the_mask() {
        let layer = |data: &[f32]| Array {
            shape: vec![1, 2, 2],
            data: data.to_vec(),
        };
        let plain = layer(&[0.25, 0.75, 0.5, 0.5]);
        let masked = layer(&[1.0, 0.0, 0.5, 0.5]);
        let names = ["a".to_owned(), "b".to_owned()];
        let [[before, after]] = habits(&plain, &masked, 0, &names).try_into().unwrap();
        assert_eq!((before.key.as_str(), before.weight), ("b", 0.75));
        assert_eq!((after.key.as_str(), after.weight), ("a", 1.0));
        assert!(after.measured.entropy < before.measured.entropy);
    }
}
