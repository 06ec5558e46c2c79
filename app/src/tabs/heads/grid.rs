//! All heads of one kind: a row per layer, a column per head.

use attention_figures::sheet::sheet;
use attention_trace::{AttentionKind, AttentionLayer};
use leptos::prelude::*;

use super::{context::HeadsContext, thumbnail::Thumbnail};
use crate::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    selection::HeadChoice,
    widgets::{MapCanvas, Pixels},
};

/// How many heads of which kind a grid has.
#[derive(Clone, Copy, PartialEq)]
struct Extent {
    kind: AttentionKind,
    layers: usize,
    heads: usize,
}

impl Extent {
    fn choice(self, layer: usize, head: usize) -> HeadChoice {
        let kind = self.kind;
        HeadChoice {
            attention: AttentionLayer { kind, layer },
            head,
        }
    }

    /// All of them, row by row.
    fn choices(self) -> impl Iterator<Item = HeadChoice> {
        (0..self.layers)
            .flat_map(move |layer| (0..self.heads).map(move |head| self.choice(layer, head)))
    }
}

/// The grid of thumbnails.
#[component]
pub fn Grid() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let extent = Memo::new(move |_| {
        let trace = context.trace()?;
        let kind = context.chosen()?.attention.kind;
        Some(Extent {
            kind,
            layers: trace.meta.spec.layers(kind),
            heads: trace.meta.spec.heads(kind),
        })
    });
    let reduced = Memo::new(move |_| {
        let (trace, head) = (context.trace()?, context.chosen()?);
        let (queries, keys) = trace.meta.axes(head.attention.kind);
        let (rows, columns, _) = head.thumbnail(&trace)?;
        Some((rows, columns) != (queries.len(), keys.len()))
    });
    view! {
        <section class="grid-panel" aria-label=move || t_string!(i18n, heads.grid)>
            <h2 class="panel-title">{t!(i18n, heads.grid)}</h2>
            <p class="hint">{t!(i18n, heads.grid_hint)}</p>
            <Show when=move || reduced.get() == Some(true)>
                <p class="hint" data-testid="reduced">{t!(i18n, heads.reduced)}</p>
            </Show>
            {move || extent.get().map(|extent| view! { <Thumbnails extent /> })}
        </section>
    }
}

/// One picture of all heads, and over it a control for each.
#[component]
fn Thumbnails(extent: Extent) -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let appearance = Appearance::expect();
    let pixels = Signal::derive(move || picture(context, extent, appearance));
    let heads = (1..=extent.heads)
        .map(|head| view! { <span class="grid-label">{head}</span> })
        .collect_view();
    let layers = (0..extent.layers)
        .map(|layer| {
            view! {
                <span class="grid-label">{layer + 1}</span>
                {(0..extent.heads)
                    .map(|head| view! { <Thumbnail choice=extent.choice(layer, head) /> })
                    .collect_view()}
            }
        })
        .collect_view();
    view! {
        <div
            class="grid"
            role="group"
            aria-label=move || t_string!(i18n, heads.grid)
            style=format!("--heads: {}; --layers: {}", extent.heads, extent.layers)
            on:pointerleave=move |_| context.hover_head(None)
        >
            <MapCanvas pixels />
            <span class="grid-corner">{t!(i18n, heads.corner)}</span>
            {heads}
            {layers}
        </div>
    }
}

/// Every head's map or thumbnail, where the grid has its control.
fn picture(context: HeadsContext, extent: Extent, appearance: Appearance) -> Option<Pixels> {
    let trace = context.trace()?;
    let thumbnails: Vec<_> = extent
        .choices()
        .map(|choice| choice.thumbnail(&trace))
        .collect();
    let (rows, columns, _) = *thumbnails.iter().flatten().next()?;
    let maps: Vec<Option<&[f32]>> = thumbnails
        .iter()
        .map(|thumbnail| {
            let (height, width, values) = (*thumbnail)?;
            ((height, width) == (rows, columns)).then_some(values)
        })
        .collect();
    let (scale, theme) = (context.scale(), appearance.get());
    let sheet = sheet(&maps, rows, columns, extent.heads, scale, theme);
    Some(Pixels {
        rgba: sheet.rgba,
        rows: sheet.rows,
        columns: sheet.columns,
    })
}
