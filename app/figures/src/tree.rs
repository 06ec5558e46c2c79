//! A tree drawn from left to right: a column for each depth, children below each other in their order.

use crate::model_map::Rect;

/// The sizes of a drawing, in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeSizes {
    /// The width of a node.
    pub node_width: f64,
    /// The height of a node.
    pub node_height: f64,
    /// The gap between columns, which holds the branches.
    pub column_gap: f64,
    /// The gap between nodes below each other.
    pub row_gap: f64,
}

impl Default for TreeSizes {
    fn default() -> Self {
        TreeSizes {
            node_width: 132.0,
            node_height: 28.0,
            column_gap: 32.0,
            row_gap: 6.0,
        }
    }
}

/// The places of all nodes and branches of a tree, in CSS pixels. The first column holds the beginning that all nodes
/// have in common.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeLayout {
    /// The width of the drawing.
    pub width: f64,
    /// The height of the drawing.
    pub height: f64,
    /// The common beginning, a square of a node's height.
    pub root: Rect,
    /// The nodes, in their order.
    pub nodes: Vec<Rect>,
    /// The branch to each node, as an SVG path.
    pub branches: Vec<String>,
}

impl TreeLayout {
    /// Lays out a tree. `parents` has the parent of each node, which precedes it; `None` for nodes at the root. A node
    /// whose parent does not precede it is placed at the root too.
    pub fn of(parents: &[Option<usize>], sizes: TreeSizes) -> Self {
        let tree = Shape::of(parents);
        let rows = tree.rows();
        let pitch = sizes.node_height + sizes.row_gap;
        let root_width = sizes.node_height;
        let left = |depth: usize| {
            root_width + sizes.column_gap + depth as f64 * (sizes.node_width + sizes.column_gap)
        };
        let place = |x: f64, width: f64, row: f64| Rect {
            x,
            y: row * pitch,
            width,
            height: sizes.node_height,
        };
        let nodes = rows.iter().zip(&tree.depths);
        let nodes: Vec<Rect> = nodes
            .map(|(&row, &depth)| place(left(depth), sizes.node_width, row))
            .collect();
        let root = place(0.0, root_width, tree.middle(&tree.roots, &rows));
        let branch = |(node, rect): (usize, &Rect)| {
            let from = tree.parents[node].map_or(&root, |parent| &nodes[parent]);
            branch(from, rect)
        };
        let branches = nodes.iter().enumerate().map(branch).collect();
        let columns = tree.depths.iter().map(|depth| depth + 1).max().unwrap_or(0);
        TreeLayout {
            width: match columns {
                0 => root_width,
                columns => left(columns - 1) + sizes.node_width,
            },
            height: tree.leaves().max(1) as f64 * pitch - sizes.row_gap,
            root,
            branches,
            nodes,
        }
    }
}

/// Returns a curve from the right of one node to the left of another.
fn branch(from: &Rect, to: &Rect) -> String {
    let (x0, y0) = (from.x + from.width, from.y + from.height / 2.0);
    let (x1, y1) = (to.x, to.y + to.height / 2.0);
    let bend = (x0 + x1) / 2.0;
    format!("M{x0:.1} {y0:.1}C{bend:.1} {y0:.1} {bend:.1} {y1:.1} {x1:.1} {y1:.1}")
}

/// The shape of a tree, apart from its sizes.
struct Shape {
    parents: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
    roots: Vec<usize>,
    /// The number of ancestors of each node.
    depths: Vec<usize>,
}

impl Shape {
    fn of(parents: &[Option<usize>]) -> Self {
        let before =
            |(node, parent): (usize, &Option<usize>)| parent.filter(|parent| *parent < node);
        let parents: Vec<Option<usize>> = parents.iter().enumerate().map(before).collect();
        let mut shape = Shape {
            children: vec![vec![]; parents.len()],
            roots: vec![],
            depths: vec![],
            parents,
        };
        for (node, parent) in shape.parents.iter().enumerate() {
            shape
                .depths
                .push(parent.map_or(0, |parent| shape.depths[parent] + 1));
            match parent {
                Some(parent) => shape.children[*parent].push(node),
                None => shape.roots.push(node),
            }
        }
        shape
    }

    fn leaves(&self) -> usize {
        self.children
            .iter()
            .filter(|children| children.is_empty())
            .count()
    }

    /// Returns the row of each node: leaves below each other, others in the middle of their children.
    fn rows(&self) -> Vec<f64> {
        let mut rows = vec![0.0; self.parents.len()];
        let mut leaf = 0.0;
        let mut open: Vec<usize> = self.roots.iter().rev().copied().collect();
        while let Some(node) = open.pop() {
            if self.children[node].is_empty() {
                rows[node] = leaf;
                leaf += 1.0;
            }
            open.extend(self.children[node].iter().rev());
        }
        // Children stand after their parents.
        for node in (0..rows.len()).rev() {
            if !self.children[node].is_empty() {
                rows[node] = self.middle(&self.children[node], &rows);
            }
        }
        rows
    }

    /// Returns the row halfway between the first and the last of some nodes.
    fn middle(&self, nodes: &[usize], rows: &[f64]) -> f64 {
        match (nodes.first(), nodes.last()) {
            (Some(&first), Some(&last)) => (rows[first] + rows[last]) / 2.0,
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SIZES: TreeSizes = TreeSizes {
        node_width: 100.0,
        node_height: 20.0,
        column_gap: 30.0,
        row_gap: 5.0,
    };

    #[test]
    fn a_parent_is_in_the_middle_of_its_children() {
        let layout = TreeLayout::of(&[None, None, Some(0), Some(0), Some(0)], SIZES);
        let y: Vec<f64> = layout.nodes.iter().map(|rect| rect.y).collect();
        assert_eq!(y, [25.0, 75.0, 0.0, 25.0, 50.0]);
        let x: Vec<f64> = layout.nodes.iter().map(|rect| rect.x).collect();
        assert_eq!(x, [50.0, 50.0, 180.0, 180.0, 180.0]);
        assert_eq!((layout.width, layout.height), (280.0, 95.0));
        assert_eq!(layout.root.y, 50.0);
    }

    #[test]
    fn without_nodes_there_is_the_beginning() {
        let layout = TreeLayout::of(&[], SIZES);
        assert_eq!((layout.width, layout.height), (20.0, 20.0));
        assert!(layout.branches.is_empty());
    }

    #[test]
    fn a_branch_goes_from_right_to_left_edge() {
        let layout = TreeLayout::of(&[None], SIZES);
        assert_eq!(
            layout.branches,
            ["M20.0 10.0C35.0 10.0 35.0 10.0 50.0 10.0"]
        );
    }

    proptest! {
        #[test]
        fn nodes_lie_inside_and_apart(numbers in prop::collection::vec(any::<prop::sample::Index>(), 0..40)) {
            let parents: Vec<Option<usize>> = numbers
                .iter()
                .enumerate()
                .map(|(node, number)| number.index(node + 1).checked_sub(1))
                .collect();
            let layout = TreeLayout::of(&parents, SIZES);
            for (index, rect) in layout.nodes.iter().enumerate() {
                prop_assert!(rect.x + rect.width <= layout.width + 1e-9);
                prop_assert!(rect.y >= 0.0 && rect.y + rect.height <= layout.height + 1e-9);
                for other in &layout.nodes[..index] {
                    prop_assert!(rect.x != other.x || (rect.y - other.y).abs() >= rect.height);
                }
            }
        }
    }
}
