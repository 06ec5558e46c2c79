//! The map as it is shown: words in place of pieces, without special tokens, without the first token.

use std::sync::Arc;

use attention_trace::{
    Array, AttentionLayer, Display, Excerpt, LeftOut, ModelSpec, Quantity, ShownAxes, Slice,
};
use leptos::prelude::*;

use super::HeadsContext;
use attention_core::{
    engine::{Live, Part},
    selection::{HeadMap, thumbnails},
    state::Cell,
};

/// Thumbnails of every head, as maps are shown, or over a picture; none of a text whose maps are shown as they were
/// computed.
#[derive(Clone, Copy)]
pub(super) struct Thumbnails {
    layers: Memo<Vec<AttentionLayer>>,
    maps: Memo<Option<Vec<Part>>>,
}

impl Thumbnails {
    pub fn new(live: Live, display: Memo<Display>) -> Self {
        let layers = Memo::new(move |_| {
            let trace = live.trace();
            let made = trace
                .filter(|trace| !display.get().is_plain() || trace.meta.pieces.picture.is_some());
            made.map_or_else(Vec::new, |trace| layers(&trace.meta.spec))
        });
        let maps = live.parts(move || {
            let (layers, slice) = (layers.get(), Slice::Thumbnails(display.get()));
            let excerpt = |layer: AttentionLayer| Excerpt::new(layer.at(Quantity::Pattern), slice);
            layers.into_iter().map(excerpt).collect()
        });
        Thumbnails { layers, maps }
    }

    /// Returns the maps of a layer's heads; `None` until they are here.
    fn of(self, attention: AttentionLayer) -> Option<Part> {
        let maps = self.maps.read();
        let place = self
            .layers
            .read()
            .iter()
            .position(|layer| *layer == attention)?;
        maps.as_ref()?.get(place).cloned()
    }
}

/// Returns every attention of a model.
fn layers(spec: &ModelSpec) -> Vec<AttentionLayer> {
    let kinds = spec.kinds().into_iter();
    let layers = kinds
        .flat_map(|kind| (0..spec.layers(kind)).map(move |layer| AttentionLayer { kind, layer }));
    layers.collect()
}

/// Returns a computed map as it is shown; `None` if the axes are those of another map.
pub fn shown_map(axes: &ShownAxes, computed: &Part) -> Option<Part> {
    Some(Part(Arc::new(Array {
        shape: vec![axes.queries.len(), axes.keys.len()],
        data: axes.map(&computed.0.data)?,
    })))
}

/// Returns the cell of the shown map that has a cell of the computed one; `None` if it is not shown.
pub fn shown_cell(axes: &ShownAxes, Cell { query, key }: Cell) -> Option<Cell> {
    Some(Cell {
        query: axes.queries.place_of(query)?,
        key: axes.keys.place_of(key)?,
    })
}

impl HeadsContext {
    /// Returns the visitor's choice of what maps show.
    pub fn display(self) -> Display {
        self.display.get()
    }

    /// Returns the shares of attention that the map leaves out; `None` until it is loaded.
    pub fn left_out(self) -> Option<LeftOut> {
        self.left_out.get()
    }

    /// Returns the axes of the locked head.
    pub fn chosen_axes(self) -> Option<Arc<ShownAxes>> {
        self.chosen_axes.get()
    }

    /// Reads the maps of a layer's heads that are drawn small: rows, columns and `[h, rows, columns]`; `None` if the
    /// trace lacks them, and until they are loaded.
    pub fn with_thumbnails<T>(
        self,
        attention: AttentionLayer,
        read: impl FnOnce(usize, usize, &Array) -> T,
    ) -> Option<T> {
        let read = |maps: &Array| match maps.shape.as_slice() {
            &[_, rows, columns] => Some(read(rows, columns, maps)),
            _ => None,
        };
        if !self.display.get().is_plain() || self.is_of_picture() {
            return read(&self.thumbnails.of(attention)?.0);
        }
        read(thumbnails(&*self.trace()?, attention)?)
    }

    /// Returns the cell of the computed map that stands for one of the shown map: the last pieces of its words, since
    /// the last piece of a query has read the whole word.
    pub(super) fn tokens_of(self, cell: Cell) -> Option<Cell> {
        let axes = self.axes.get()?;
        Some(Cell {
            query: axes.queries.run(cell.query)?.end - 1,
            key: axes.keys.run(cell.key)?.end - 1,
        })
    }

    /// Returns the tokens that rows of the shown map stand for, by place.
    pub(super) fn tokens_of_rows(self, rows: &[usize]) -> Vec<usize> {
        let axes = self.axes.get();
        let run = |&row: &usize| axes.as_ref()?.queries.run(row);
        rows.iter().filter_map(run).flatten().collect()
    }

    /// Returns the last token of a row, by place.
    pub fn token_of_query(self, row: usize) -> Option<usize> {
        Some(self.axes.get()?.queries.run(row)?.end - 1)
    }

    /// Returns the row that has a token; `None` if it is not shown.
    pub fn query_of_token(self, token: usize) -> Option<usize> {
        self.axes.get()?.queries.place_of(token)
    }

    /// Returns the column that has a token; `None` if it is not shown.
    pub fn key_of_token(self, token: usize) -> Option<usize> {
        self.axes.get()?.keys.place_of(token)
    }

    /// Returns the cell of the computed map whose weight a cell of the locked head shows; `None` if it shows a sum, a
    /// mean or a scaled weight.
    pub fn weight_of(self, cell: Cell) -> Option<Cell> {
        let axes = self.chosen_axes.get()?;
        let (queries, keys) = (axes.queries.run(cell.query)?, axes.keys.run(cell.key)?);
        let is_one = queries.len() == 1 && keys.len() == 1 && !self.display.get().no_sink;
        is_one.then_some(Cell {
            query: queries.start,
            key: keys.start,
        })
    }

    /// Returns the weights of every token, shown or not, as they were computed: the mean over the tokens of the queries
    /// that are read.
    pub fn weights_of_tokens(self) -> Option<Vec<f32>> {
        let (trace, computed) = (self.trace()?, self.computed.get()?);
        let map = HeadMap::of(trace.meta.axes(self.kind.get()?), &computed.0)?;
        Some(map.mean_row(&self.tokens_of_rows(&self.queries())))
    }
}
