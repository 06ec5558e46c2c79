//! The weight that moves when weights are replaced: total variation, head by head.

use std::ops::Range;

use attention_core::{
    engine::{Engine, Live, TraceHandle},
    state::{HeadChoice, NewWeights},
};
use attention_trace::{Array, Quantity, ShuffledRow, shuffled_key, total_variation};
use leptos::prelude::*;

/// Returns, for each head, the share of a query's weight that moves, from 0 to 1, as the mean over the queries of the
/// unedited text. Empty if the maps are not here, as for a long text.
pub fn moved(weights: Signal<NewWeights>) -> Memo<Vec<(HeadChoice, f32)>> {
    let unedited = Live::expect().select(|engine: &Engine| {
        let shown = engine.shown.as_ref().map(|shown| &shown.trace);
        engine.without_edits().or(shown).cloned().map(TraceHandle)
    });
    Memo::new(move |_| {
        let weights = weights.get();
        let unedited = unedited.read();
        let Some(TraceHandle(trace)) = unedited.as_ref() else {
            return Vec::new();
        };
        let spec = &trace.meta.spec;
        let is_local = spec
            .recurrence
            .as_ref()
            .is_some_and(|recurrence| recurrence.attention.window().is_some());
        if is_local && weights == NewWeights::Uniform {
            // A window multiplies the weights after the softmax: they are not uniform.
            return Vec::new();
        }
        let of_head = |head: HeadChoice| {
            let map = trace.arrays.get(&head.attention.at(Quantity::Pattern))?;
            let keys = *map.shape.last()?;
            let seen = |query| spec.seen(head.attention, query, keys);
            Some((head, moved_in(map, (head, weights), seen)?))
        };
        HeadChoice::all(spec)
            .into_iter()
            .filter_map(of_head)
            .collect()
    })
}

/// Returns the weight that moves in a head, as a mean over its rows; `maps` are those of its attention, `[heads,
/// queries, keys]`, and `seen` returns the keys that a query sees.
fn moved_in(
    maps: &Array,
    (choice, weights): (HeadChoice, NewWeights),
    seen: impl Fn(usize) -> Range<usize>,
) -> Option<f32> {
    let &[_, queries, _] = maps.shape.as_slice() else {
        return None;
    };
    let of_row = |query: usize| {
        let row = maps.row(&[choice.head, query])?.get(seen(query))?;
        Some(total_variation(row, &replaced(row, choice, query, weights)))
    };
    let rows: Option<Vec<f32>> = (0..queries).map(of_row).collect();
    let rows = rows.filter(|rows| !rows.is_empty())?;
    Some(rows.iter().sum::<f32>() / rows.len() as f32)
}

/// The weights that take the place of those of a row.
fn replaced(row: &[f32], choice: HeadChoice, query: usize, weights: NewWeights) -> Vec<f32> {
    let HeadChoice { attention, head } = choice;
    match weights {
        NewWeights::Uniform => vec![1.0 / row.len() as f32; row.len()],
        NewWeights::Shuffled { seed } => {
            let place = ShuffledRow {
                attention,
                head,
                query,
            };
            let order = shuffled_key(seed, place, row.len());
            order.into_iter().map(|key| row[key]).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> HeadChoice {
        text.parse().unwrap()
    }

    fn maps() -> Array {
        Array {
            shape: vec![1, 2, 4],
            data: vec![1.0, 0.0, 0.0, 0.0, 0.25, 0.25, 0.25, 0.25],
        }
    }

    #[test]
    fn a_sharp_row_moves_to_uniform_and_a_uniform_row_does_not() {
        // ¾ of the first row moves, nothing of the second.
        let cross = moved_in(&maps(), (head("cross.0.0"), NewWeights::Uniform), |_| 0..4);
        assert_eq!(cross, Some(0.375));
        // The first row of a causal stack sees one key, and the second two.
        let causal = Array {
            shape: vec![1, 2, 2],
            data: vec![1.0, 0.0, 0.75, 0.25],
        };
        let own = moved_in(
            &causal,
            (head("decoder.0.0"), NewWeights::Uniform),
            |query| 0..query + 1,
        );
        assert_eq!(own, Some(0.125));
    }

    #[test]
    fn a_permutation_moves_all_of_a_sharp_row_or_nothing() {
        for seed in 0..20 {
            let by = NewWeights::Shuffled { seed };
            let moved = moved_in(&maps(), (head("cross.0.0"), by), |_| 0..4).unwrap();
            assert!(moved == 0.0 || moved == 0.5, "{moved}");
        }
        assert_eq!(
            moved_in(&maps(), (head("cross.0.1"), NewWeights::Uniform), |_| 0..4),
            None
        );
    }
}
