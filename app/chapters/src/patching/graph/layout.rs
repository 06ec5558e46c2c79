//! The layout of the graph: its places, and the lines between them.

use std::collections::{BTreeMap, BTreeSet};

use attention_core::engine::Part;
use attention_trace::{
    Array, AttentionKind, AttentionLayer, Block, ModelSpec, PatchedPlace, Quantity, Stack,
};

use crate::patching::estimates::Compared;

/// The least weight of a line.
const LEAST_WEIGHT: f32 = 0.1;

/// The width of a place, the gap between two columns, the height of a row and the margin, in units of the drawing.
const PLACE: f64 = 40.0;
const GAP: f64 = 36.0;
const ROW: f64 = 58.0;
const MARGIN: f64 = 16.0;
/// The largest radius of a place.
pub const LARGEST: f64 = 15.0;

/// A place in the drawing, in units of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub compared: Compared,
    pub x: f64,
    pub y: f64,
}

/// A line from an earlier place to a head that attends to it, as wide as the weight.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    pub from: usize,
    pub to: usize,
    pub weight: f32,
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

/// A position of a stack that has places, and the middle of its column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    pub stack: Stack,
    pub at: usize,
    pub x: f64,
}

/// The columns and the nodes of the graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    pub columns: Vec<Column>,
    pub nodes: Vec<Node>,
    pub width: f64,
    pub height: f64,
}

impl Layout {
    /// Returns the layout of places: positions from left to right, later steps of the computation higher, and places of
    /// one position and step side by side.
    pub fn of(spec: &ModelSpec, compared: &[Compared]) -> Self {
        let mut by_position: BTreeMap<(Stack, usize), BTreeMap<usize, Vec<Compared>>> =
            BTreeMap::new();
        let mut steps = BTreeSet::new();
        for one in compared {
            let (Some((stack, step)), Some([_, at])) = (step_of(spec, one.place), one.place.at)
            else {
                continue;
            };
            steps.insert(step);
            let cells = by_position.entry((stack, at)).or_default();
            cells.entry(step).or_default().push(*one);
        }
        let rows: Vec<usize> = steps.into_iter().collect();
        let height = rows.len() as f64 * ROW + MARGIN;
        let mut layout = Layout {
            height,
            width: MARGIN,
            ..Layout::default()
        };
        for ((stack, at), cells) in by_position {
            let most = cells.values().map(Vec::len).max().unwrap_or(1);
            let width = most as f64 * PLACE + GAP;
            let x = layout.width + width / 2.0;
            layout.columns.push(Column { stack, at, x });
            layout.width += width;
            for (step, places) in cells {
                let row = rows.partition_point(|&earlier| earlier < step);
                let y = height - MARGIN - (row as f64 + 0.5) * ROW;
                let first = x - (places.len() as f64 - 1.0) / 2.0 * PLACE;
                let nodes = places.into_iter().enumerate();
                layout.nodes.extend(nodes.map(|(index, compared)| Node {
                    compared,
                    x: first + index as f64 * PLACE,
                    y,
                }));
            }
        }
        layout.width += MARGIN;
        layout
    }
}

/// Returns the attention of a head and the query at which it is patched.
pub fn query_of(place: PatchedPlace) -> Option<(AttentionLayer, usize, usize)> {
    let attention = AttentionLayer::try_from(place.site.block).ok()?;
    Some((attention, place.head?, place.at?[1]))
}

/// Returns the lines: of each pair of an earlier and a later place, the weight that the later head gives to the earlier
/// place's position, by the heads' maps `[n, m]`.
pub fn lines(spec: &ModelSpec, nodes: &[Node], maps: &[(PatchedPlace, Part)]) -> Vec<Line> {
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
        AttentionKind::Cross => Stack::Encoder,
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
        let places = [head(0, 0, 1), head(1, 1, 3), head(1, 0, 3), head(1, 1, 1)];
        let layout = Layout::of(&spec(), &places);
        let positions: Vec<usize> = layout.columns.iter().map(|column| column.at).collect();
        assert_eq!(positions, [1, 3]);
        let [first, above, second, third] = &layout.nodes[..] else {
            unreachable!("four places")
        };
        assert!(first.y > above.y && first.x == above.x);
        assert!(above.y == second.y && second.y == third.y);
        assert!(above.x + PLACE <= second.x && second.x + PLACE <= third.x);
        assert!(third.x + LARGEST <= layout.width);
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
