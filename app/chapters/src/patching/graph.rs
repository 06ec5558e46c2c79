//! The patched places as a graph: positions from left to right, the computation from below, and a line from a place to each
//! head that attends to it.

mod layout;

use attention_core::{
    engine::Part,
    i18n::{t_string, use_i18n},
    names::name_of,
};
use attention_trace::{Excerpt, PatchedPlace, Quantity, Slice};
use leptos::prelude::*;

use self::layout::{Column, LARGEST, Layout, Line, Node, lines, query_of};
use super::{
    context::PatchingContext,
    estimates::{Compared, short_name},
    names::in_percent,
};

/// The number of lines that are said in words, the strongest.
const SAID: usize = 10;

/// The picture, with its places and lines as text for those who do not see it.
#[component]
pub fn PlacesGraph(compared: Memo<Vec<Compared>>) -> impl IntoView {
    let i18n = use_i18n();
    let context = PatchingContext::expect();
    let live = context.live();
    let short = short_name();
    let spec = Memo::new(move |_| Some(context.own.get()?.spec));
    let layout = Memo::new(move |_| {
        spec.with(|spec| Some(Layout::of(spec.as_ref()?, &compared.read())))
            .unwrap_or_default()
    });
    let heads = Memo::new(move |_| -> Vec<PatchedPlace> {
        let places = compared.get().into_iter().map(|one| one.place);
        places.filter(|place| query_of(*place).is_some()).collect()
    });
    let maps = live.parts(move || {
        let heads = heads.get().into_iter().filter_map(query_of);
        heads
            .map(|(attention, head, _)| {
                Excerpt::new(attention.at(Quantity::Pattern), Slice::Head(head))
            })
            .collect()
    });
    let lines = Memo::new(move |_| -> Vec<Line> {
        let Some(maps) = maps.get() else {
            return vec![];
        };
        let maps: Vec<(PatchedPlace, Part)> = heads.get().into_iter().zip(maps).collect();
        spec.with(|spec| Some(lines(spec.as_ref()?, &layout.read().nodes, &maps)))
            .unwrap_or_default()
    });
    let column_names = move || -> Vec<(f64, String)> {
        let columns = layout.with(|layout| layout.columns.clone());
        context.runs.with(|runs| {
            let Some(both) = runs.as_ref() else {
                return vec![];
            };
            let name = |Column { stack, at, x }: Column| {
                let tokens = both.reads(stack, true);
                let name = tokens.get(at).map(|token| name_of(i18n, token));
                (x, name.unwrap_or_else(|| (at + 1).to_string()))
            };
            columns.into_iter().map(name).collect()
        })
    };
    let view_box = move || layout.with(|it| format!("0 0 {:.0} {:.0}", it.width, it.height + 12.0));
    let drawn_lines = move || {
        let nodes = layout.with(|layout| layout.nodes.clone());
        let lines = lines.get().into_iter().filter_map(|line| {
            let (from, to) = (nodes.get(line.from)?, nodes.get(line.to)?);
            let width = 0.5 + 5.0 * f64::from(line.weight);
            Some(view! {
                <line
                    class="places-line"
                    x1=from.x
                    y1=from.y
                    x2=to.x
                    y2=to.y
                    stroke-width=format!("{width:.2}")
                />
            })
        });
        lines.collect_view()
    };
    let drawn_nodes = move || {
        let nodes = layout.with(|layout| layout.nodes.clone());
        let node = |node: Node| {
            let Compared {
                place,
                exact,
                estimated,
            } = node.compared;
            let share = exact.unwrap_or(estimated);
            let radius = LARGEST * f64::from(share.abs().min(1.0)).sqrt();
            let name = short(place);
            let title = format!("{name}: {}", in_percent(share));
            view! {
                <g class="places-node" class:is-against=share < 0.0>
                    <title>{title}</title>
                    <circle cx=node.x cy=node.y r=format!("{:.1}", radius.max(2.5)) />
                    <text x=node.x y=node.y + LARGEST + 11.0 text-anchor="middle">{name}</text>
                </g>
            }
        };
        nodes.into_iter().map(node).collect_view()
    };
    let drawn_columns = move || {
        let bottom = layout.with(|layout| layout.height);
        let name = |(x, name): (f64, String)| {
            view! { <text class="places-token" x=x y=bottom text-anchor="middle">{name}</text> }
        };
        column_names().into_iter().map(name).collect_view()
    };
    let said = move || {
        let nodes = layout.with(|layout| layout.nodes.clone());
        let mut strongest = lines.get();
        strongest.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        let lines = strongest.into_iter().take(SAID).filter_map(|line| {
            let (from, to) = (nodes.get(line.from)?, nodes.get(line.to)?);
            let (from, to) = (short(from.compared.place), short(to.compared.place));
            let weight = in_percent(line.weight);
            Some(format!("{from} → {to} {weight}"))
        });
        let lines = lines.collect::<Vec<_>>().join(", ");
        (!lines.is_empty()).then(|| t_string!(i18n, patching.lines, lines = lines))
    };
    view! {
        <figure class="places-graph" data-testid="places-graph">
            <svg
                viewBox=view_box
                style=move || layout.with(|it| format!("max-width: {:.0}px", 1.4 * it.width))
                role="img"
                aria-label=move || t_string!(i18n, patching.graph)
            >
                {drawn_lines}
                {drawn_nodes}
                {drawn_columns}
            </svg>
            <figcaption class="hint">{move || t_string!(i18n, patching.graph_text)}</figcaption>
            <p class="hint number" data-testid="places-lines">{said}</p>
        </figure>
    }
}
