//! Lines between tokens at the block that the animation has reached: what each token takes from the others there.

use attention_figures::{
    exchange::{Taken, course, mean_of_heads, place_in, taken},
    model_map::Rect,
};
use attention_trace::{AttentionKind, AttentionLayer, Stack};
use leptos::prelude::*;

use super::context::MapContext;
use attention_core::{
    i18n::{t_string, use_i18n},
    names::{kind_name, token_name},
    widgets::numbers::percent,
};

/// The width of a line whose weight is 1, in pixels.
const WIDEST: f64 = 7.0;
/// The least distance between two tokens that have names, in pixels.
const NAMED: f64 = 30.0;

/// The attention of the block that is played, as the mean of its heads.
#[derive(Clone, PartialEq)]
pub struct Exchange {
    attention: AttentionLayer,
    heads: usize,
    queries: Vec<String>,
    keys: Vec<String>,
    lines: Vec<Taken>,
    /// The block of the queries, and the place from which keys are handed over.
    block: Rect,
    from: Rect,
}

impl Exchange {
    fn query_at(&self, place: usize) -> [f64; 2] {
        [
            place_in(self.block, place, self.queries.len()),
            self.block.y,
        ]
    }

    fn key_at(&self, place: usize) -> [f64; 2] {
        let y = match self.attention.kind {
            AttentionKind::Cross => self.from.y,
            _ => self.from.y + self.from.height,
        };
        [place_in(self.from, place, self.keys.len()), y]
    }

    /// Returns the widest line from one token to another.
    fn strongest(&self) -> Option<&Taken> {
        let is_own =
            |one: &&Taken| self.attention.kind != AttentionKind::Cross && one.query == one.key;
        let mut lines = self.lines.iter().rev();
        lines.find(|one| !is_own(one))
    }
}

impl MapContext {
    /// Returns the exchange at the block that is played; `None` elsewhere, and where maps show other rows than tokens.
    pub fn exchange(self) -> Memo<Option<Exchange>> {
        let name = token_name();
        Memo::new(move |_| {
            let reached = self.play.reached()?;
            let (spec, drawing) = (self.spec.get()?, self.drawing.get()?);
            let block = *drawing.map.blocks.get(reached)?;
            let attention = drawing.attention(&spec, block.column, block.part)?;
            let trace = self.heads.trace()?;
            let (queries, keys) = trace.meta.axes(attention.kind);
            let rows = self.rows_played(attention.kind, queries.len());
            let (lines, heads) = self.heads.with_thumbnails(attention, |n, m, maps| {
                let fits = (n, m) == (queries.len(), keys.len());
                let heads = maps.shape.first().copied().unwrap_or(0);
                fits.then(|| (taken(&mean_of_heads(&maps.data, n, m), m, rows), heads))
            })??;
            // What the encoder hands over leaves at its top.
            let from = match attention.kind {
                AttentionKind::Cross => {
                    let encoder = drawing.map.blocks.iter().filter(|one| one.column == 0);
                    encoder
                        .map(|one| one.rect)
                        .min_by(|a, b| a.y.total_cmp(&b.y))?
                }
                _ => block.rect,
            };
            Some(Exchange {
                attention,
                heads,
                queries: queries.iter().map(name).collect(),
                keys: keys.iter().map(name).collect(),
                lines,
                block: block.rect,
                from,
            })
        })
    }

    /// Returns the queries that are computed at the step of the animation: all tokens that are read at once, then the
    /// one that was written last.
    fn rows_played(self, kind: AttentionKind, count: usize) -> std::ops::Range<usize> {
        let step = self.steps.timeline().step;
        let row = self.steps.with_step(|step| step.row);
        match (kind.stack(), row) {
            (Stack::Decoder, Some(row)) if step > 0 => row..row + 1,
            (Stack::Decoder, Some(row)) => 0..(row + 1).min(count),
            _ => 0..count,
        }
    }
}

/// The lines and the names of the tokens at their ends.
#[component]
pub fn ExchangeLines(exchange: Memo<Option<Exchange>>) -> impl IntoView {
    let drawn = move || {
        exchange.with(|exchange| {
            let exchange = exchange.as_ref()?;
            let lines = exchange.lines.iter().map(|one| {
                let (from, to) = (exchange.key_at(one.key), exchange.query_at(one.query));
                let width = f64::from(one.weight) * WIDEST;
                let style = format!("--wide: {width:.2}px");
                view! {
                    <path class="exchange-line" d=course(from, to) style=style.clone()></path>
                    <path class="exchange-flow" d=course(from, to) style=style></path>
                }
            });
            let pitch = exchange.block.width / exchange.queries.len().max(1) as f64;
            let names = (pitch >= NAMED).then(|| {
                let keys = exchange.keys.iter().enumerate();
                let keys = keys.map(|(place, name)| named(exchange.key_at(place), name));
                let queries = exchange.queries.iter().enumerate();
                let queries = queries.map(|(place, name)| named(exchange.query_at(place), name));
                keys.chain(queries).collect_view()
            });
            Some(view! {
                <g class="exchange-lines">{lines.collect_view()}</g>
                {names}
            })
        })
    };
    view! {
        <svg class="map-wires map-exchange" aria-hidden="true" data-testid="map-exchange">
            {drawn}
        </svg>
    }
}

fn named([x, y]: [f64; 2], name: &str) -> impl IntoView + use<> {
    let name = name.to_owned();
    view! { <text class="exchange-name" x=x y=y>{name}</text> }
}

/// The exchange in words: the block, and who takes most from whom.
#[component]
pub fn ExchangeWords(exchange: Memo<Option<Exchange>>) -> impl IntoView {
    let i18n = use_i18n();
    let kind = kind_name();
    let words = move || {
        exchange.with(|exchange| {
            let exchange = exchange.as_ref()?;
            let most = exchange.strongest()?;
            Some(t_string!(
                i18n,
                heads.exchange,
                kind = kind(exchange.attention.kind),
                layer = exchange.attention.layer + 1,
                heads = exchange.heads,
                query = exchange.queries.get(most.query)?.clone(),
                key = exchange.keys.get(most.key)?.clone(),
                weight = percent(most.weight, 0)
            ))
        })
    };
    view! { <p class="hint" role="status" data-testid="exchange-words">{words}</p> }
}
