//! The cells of the current map whose weights were given, not computed.

use std::sync::Arc;

use attention_core::{
    edits::is_in_effect,
    engine::Live,
    selection::HeadChoice,
    state::{Cell, GivenWeight},
};
use attention_trace::ShownAxes;
use leptos::prelude::*;

use super::{HeadsContext, display::shown_cell};

/// The cells of a map with given weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given {
    /// The single cells with given weights.
    pub cells: Vec<Cell>,
    /// Keys that no query may attend to.
    pub keys: Vec<usize>,
}

impl Given {
    /// Returns the given cells of some heads.
    fn of(weights: &[GivenWeight], heads: &[HeadChoice]) -> Self {
        let mut given = Given::default();
        let shown = weights
            .iter()
            .filter(|weight| heads.contains(&weight.place.head));
        for weight in shown {
            let key = weight.place.key;
            match weight.place.query {
                Some(query) => given.cells.push(Cell { query, key }),
                None => given.keys.push(key),
            }
        }
        given
    }

    /// Returns the shown cells that have given ones.
    fn shown(&self, axes: &ShownAxes) -> Self {
        let cells = self.cells.iter().filter_map(|&cell| shown_cell(axes, cell));
        let keys = self.keys.iter().filter_map(|&key| axes.keys.place_of(key));
        Given {
            cells: cells.collect(),
            keys: keys.collect(),
        }
    }

    /// Returns true if a cell's weight was given.
    pub fn contains(&self, cell: Cell) -> bool {
        self.cells.contains(&cell) || self.keys.contains(&cell.key)
    }

    /// Returns the number of changes.
    pub fn count(&self) -> usize {
        self.cells.len() + self.keys.len()
    }
}

/// Returns the given cells of the result on screen, for the heads that are drawn large.
pub fn given(
    live: Live,
    heads: Memo<Vec<HeadChoice>>,
    axes: Memo<Option<Arc<ShownAxes>>>,
) -> Memo<Given> {
    let weights = live.select(|engine| {
        let shown = engine.shown.as_ref();
        let weights = shown.map(|shown| {
            let weights = shown.edits().weights().into_iter();
            let meta = &shown.trace.meta;
            weights
                .filter(|given| is_in_effect(*given, meta))
                .collect::<Vec<GivenWeight>>()
        });
        weights.unwrap_or_default()
    });
    Memo::new(move |_| {
        let given = Given::of(&weights.read(), &heads.read());
        let axes = axes.read();
        axes.as_ref()
            .map(|axes| given.shown(axes))
            .unwrap_or_default()
    })
}

impl HeadsContext {
    /// Returns the cells of the current map whose weights were given.
    pub fn given(self) -> Memo<Given> {
        self.given
    }
}

#[cfg(test)]
mod tests {
    use attention_core::state::View;

    use super::*;

    #[test]
    fn cells_of_the_heads_in_sight_are_marked() {
        let address =
            "weights=cross.1.3.2.0.750-cross.1.4.2.1.500-encoder.1.3.0.0.1-cross.1.3.all.4.0";
        let weights = View::from_fragment(address).edits.weights();
        let head = |at: usize| weights[at].place.head;
        let one = Given::of(&weights, &[head(0)]);
        assert_eq!(one.cells, [Cell { query: 2, key: 0 }]);
        assert_eq!((one.keys.as_slice(), one.count()), (&[4][..], 2));
        assert!(one.contains(Cell { query: 9, key: 4 }));
        assert!(!one.contains(Cell { query: 2, key: 1 }));
        assert_eq!(Given::of(&weights, &[head(0), head(1)]).cells.len(), 2);
        assert_eq!(Given::of(&weights, &[]), Given::default());
    }
}
