//! The patched places as a graph: positions from left to right, the computation from below, and a line from a place to each
//! head that attends to it.

use attention_core::{
    engine::Part,
    i18n::{t_string, use_i18n},
    names::name_of,
};
use attention_trace::{
    Array, AttentionLayer, Block, Excerpt, ModelSpec, PatchedPlace, Quantity, Slice, Stack,
};
use leptos::prelude::*;

use super::{
    context::PatchingContext,
    estimates::{Compared, short_name},
    names::in_percent,
};

/// The least weight of a line.
const LEAST_WEIGHT: f32 = 0.1;

const COLUMN: f64 = 92.0;
const ROW: f64 = 58.0;
const MARGIN: f64 = 28.0;
const LARGEST: f64 = 15.0;

/// A place in the drawing, in units of it.
#[derive(Clone, Debug, PartialEq)]
struct Node {
    compared: Compared,
    x: f64,
    y: f64,
}

/// A line from an earlier place to a head that attends to it, as wide as the weight.
#[derive(Clone, Debug, PartialEq)]
struct Line {
    from: usize,
    to: usize,
    weight: f32,
}

/// Returns the stack and the step of the computation of a place: layers from below, within each attention first.
fn step_of(spec: &ModelSpec, place: PatchedPlace) -> Option<(Stack, usize)> {
    let Block::Sublayer(stack, layer, sublayer) = place.site.block else {
        return None;
    };
    let sublayers: Vec<_> = spec.sublayers(stack).collect();
    let within = sublayers.iter().position(|one| *one == sublayer)?;
    Some((stack, layer * sublayers.len() + within))
}

/// The layout: the columns that have places, by stack and position, and the nodes.
#[derive(Clone, Debug, Default, PartialEq)]
struct Layout {
    columns: Vec<(Stack, usize)>,
    nodes: Vec<Node>,
    height: f64,
}

impl Layout {
    fn of(spec: &ModelSpec, compared: &[Compared]) -> Self {
        let placed: Vec<(Compared, Stack, usize, usize)> = compared
            .iter()
            .filter_map(|one| {
                let (stack, step) = step_of(spec, one.place)?;
                Some((*one, stack, one.place.at?[1], step))
            })
            .collect();
        let mut columns: Vec<(Stack, usize)> = placed
            .iter()
            .map(|&(_, stack, at, _)| (stack, at))
            .collect();
        columns.sort_unstable();
        columns.dedup();
        let mut rows: Vec<usize> = placed.iter().map(|&(.., step)| step).collect();
        rows.sort_unstable();
        rows.dedup();
        let height = rows.len() as f64 * ROW + MARGIN;
        let mut nodes: Vec<Node> = vec![];
        for (compared, stack, at, step) in placed {
            let column = columns
                .iter()
                .position(|one| *one == (stack, at))
                .unwrap_or(0);
            let row = rows.iter().position(|one| *one == step).unwrap_or(0);
            let (x, y) = (
                MARGIN + (column as f64 + 0.5) * COLUMN,
                height - MARGIN - (row as f64 + 0.5) * ROW,
            );
            // Heads of one layer at one position stand side by side.
            let beside = nodes
                .iter()
                .filter(|node| node.y == y && (node.x - x).abs() < COLUMN / 2.0);
            let shift = beside.count() as f64 * 2.0 * LARGEST;
            nodes.push(Node {
                compared,
                x: x + shift.min(COLUMN / 2.0 - LARGEST),
                y,
            });
        }
        Layout {
            columns,
            nodes,
            height,
        }
    }

    fn width(&self) -> f64 {
        self.columns.len() as f64 * COLUMN + 2.0 * MARGIN
    }
}

/// Returns the attention of a head and the query at which it is patched.
fn query_of(place: PatchedPlace) -> Option<(AttentionLayer, usize, usize)> {
    let attention = AttentionLayer::try_from(place.site.block).ok()?;
    Some((attention, place.head?, place.at?[1]))
}

/// Returns the lines: of each pair of an earlier and a later place, the weight that the later head gives to the earlier
/// place's position, by the heads' maps `[n, m]`.
fn lines(spec: &ModelSpec, nodes: &[Node], maps: &[(PatchedPlace, Part)]) -> Vec<Line> {
    let mut found = vec![];
    for (to, node) in nodes.iter().enumerate() {
        let Some((attention, _, query)) = query_of(node.compared.place) else {
            continue;
        };
        let map = maps.iter().find(|(place, _)| *place == node.compared.place);
        let Some((_, Part(map))) = map else {
            continue;
        };
        for (from, other) in nodes.iter().enumerate() {
            let weight = read_weight(spec, map, attention, query, other.compared.place);
            if let Some(weight) = weight.filter(|&weight| from != to && weight >= LEAST_WEIGHT) {
                found.push(Line { from, to, weight });
            }
        }
    }
    found
}

/// Returns the weight that a head's query gives to the position of an earlier place; `None` if the place comes later, or in
/// a stack that the head does not read.
fn read_weight(
    spec: &ModelSpec,
    map: &Array,
    attention: AttentionLayer,
    query: usize,
    place: PatchedPlace,
) -> Option<f32> {
    let (stack, step) = step_of(spec, place)?;
    let own = attention.kind.stack();
    let keys = match attention.kind {
        attention_trace::AttentionKind::Cross => Stack::Encoder,
        _ => own,
    };
    let is_before = stack != own || step < step_of_block(spec, attention)?;
    (stack == keys && is_before).then_some(())?;
    map.row(&[query])?.get(place.at?[1]).copied()
}

fn step_of_block(spec: &ModelSpec, attention: AttentionLayer) -> Option<usize> {
    let place = PatchedPlace {
        site: attention.at(Quantity::Z),
        head: None,
        at: None,
    };
    step_of(spec, place).map(|(_, step)| step)
}

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
    let column_names = move || -> Vec<String> {
        let columns = layout.with(|layout| layout.columns.clone());
        context.runs.with(|runs| {
            let Some(both) = runs.as_ref() else {
                return vec![];
            };
            let name = |(stack, at): (Stack, usize)| {
                let tokens = both.reads(stack, true);
                tokens
                    .get(at)
                    .map_or_else(|| (at + 1).to_string(), |token| name_of(i18n, token))
            };
            columns.into_iter().map(name).collect()
        })
    };
    let view_box =
        move || layout.with(|it| format!("0 0 {:.0} {:.0}", it.width(), it.height + 12.0));
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
        let name = |(index, name): (usize, String)| {
            let x = MARGIN + (index as f64 + 0.5) * COLUMN;
            view! { <text class="places-token" x=x y=bottom text-anchor="middle">{name}</text> }
        };
        column_names()
            .into_iter()
            .enumerate()
            .map(name)
            .collect_view()
    };
    let said = move || {
        let nodes = layout.with(|layout| layout.nodes.clone());
        let lines = lines.get().into_iter().filter_map(|line| {
            let (from, to) = (nodes.get(line.from)?, nodes.get(line.to)?);
            let (from, to) = (short(from.compared.place), short(to.compared.place));
            let weight = in_percent(line.weight);
            Some(t_string!(
                i18n,
                patching.line,
                from = from,
                to = to,
                weight = weight
            ))
        });
        lines.collect::<Vec<_>>().join(" ")
    };
    view! {
        <figure class="places-graph" data-testid="places-graph">
            <svg
                viewBox=view_box
                style=move || layout.with(|it| format!("max-width: {:.0}px", 1.4 * it.width()))
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use attention_trace::{AttentionKind, config::LlamaConfig};

    use super::*;

    fn spec() -> ModelSpec {
        let config = LlamaConfig {
            num_hidden_layers: 2,
            num_attention_heads: 2,
            hidden_size: 8,
            ..LlamaConfig::default()
        };
        config.spec()
    }

    fn head(layer: usize, head: usize, at: usize) -> Compared {
        let attention = AttentionLayer {
            kind: AttentionKind::DecoderSelf,
            layer,
        };
        Compared {
            place: PatchedPlace {
                site: attention.at(Quantity::Z),
                head: Some(head),
                at: Some([at, at]),
            },
            estimated: 0.5,
            exact: None,
        }
    }

    #[test]
    fn later_places_stand_higher_and_positions_side_by_side() {
        let layout = Layout::of(&spec(), &[head(0, 0, 1), head(1, 1, 3), head(1, 0, 3)]);
        assert_eq!(layout.columns, [(Stack::Decoder, 1), (Stack::Decoder, 3)]);
        let [first, second, third] = &layout.nodes[..] else {
            unreachable!("three places")
        };
        assert!(first.y > second.y && first.x < second.x);
        assert_eq!(second.y, third.y);
        assert!(third.x > second.x);
    }

    #[test]
    fn a_line_leads_to_the_head_that_attends_to_a_place() {
        let nodes = Layout::of(&spec(), &[head(0, 0, 1), head(1, 1, 2)]).nodes;
        let map = Array {
            shape: vec![3, 3],
            data: vec![1.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.05, 0.7, 0.25],
        };
        let of = |place| (place, Part(Arc::new(map.clone())));
        let maps: Vec<_> = nodes.iter().map(|node| of(node.compared.place)).collect();
        let found = lines(&spec(), &nodes, &maps);
        let line = Line {
            from: 0,
            to: 1,
            weight: 0.7,
        };
        assert_eq!(found, [line]);
    }
}
