//! All heads of one kind: a row per layer, a column per head.

use attention_trace::{AttentionKind, Site};
use leptos::prelude::*;

use super::{context::HeadsContext, selection::HeadChoice, thumbnail::Thumbnail};
use crate::i18n::{t, t_string, use_i18n};

/// How many heads of which kind a grid has.
#[derive(Clone, Copy, PartialEq)]
struct Extent {
    kind: AttentionKind,
    layers: usize,
    heads: usize,
}

/// The grid of thumbnails.
#[component]
pub fn Grid() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let extent = Memo::new(move |_| {
        let trace = context.trace()?;
        let kind = context.chosen()?.site.kind;
        Some(Extent {
            kind,
            layers: trace.meta.layers(kind),
            heads: trace.meta.heads,
        })
    });
    let reduced = Memo::new(move |_| {
        let (trace, head) = (context.trace()?, context.chosen()?);
        let (queries, keys) = trace.meta.axes(head.site.kind);
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

#[component]
fn Thumbnails(extent: Extent) -> impl IntoView {
    let i18n = use_i18n();
    let heads = (1..=extent.heads)
        .map(|head| view! { <span class="grid-label">{head}</span> })
        .collect_view();
    let layers = (0..extent.layers)
        .map(|layer| {
            let site = Site {
                kind: extent.kind,
                layer,
            };
            view! {
                <span class="grid-label">{layer + 1}</span>
                {(0..extent.heads)
                    .map(|head| view! { <Thumbnail choice=HeadChoice { site, head } /> })
                    .collect_view()}
            }
        })
        .collect_view();
    view! {
        <div
            class="grid"
            role="group"
            aria-label=move || t_string!(i18n, heads.grid)
            style=format!("--heads: {}", extent.heads)
        >
            <span class="grid-corner">{t!(i18n, heads.corner)}</span>
            {heads}
            {layers}
        </div>
    }
}
