//! Attention flow (Abnar and Zuidema 2020, section 3): how much can be led from a position of the last layer to one of
//! the input, if no edge carries more than its weight. The largest flow of a network, found exactly for every pair of
//! positions by Dinic's algorithm (1970) on the host.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::Array;

/// The most work of a flow map, as [`flow_work`] counts it: about a second in a browser.
pub const FLOW_LIMIT: usize = 5_000_000;

/// The residual capacity below which an edge counts as full: weights are of single precision.
const NOTHING: f64 = 1e-9;

/// A reason why there is no flow map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowFault {
    /// There are no layers, or they do not fit one on another.
    #[error("the layers do not stand one on another")]
    Shape,
    /// So many edges and pairs of positions would take too long.
    #[error("the text is too long: a flow for each pair of positions would take too long")]
    TooLong,
}

/// Returns the work of computing the flows of all pairs: edges of the network times pairs. `None`
/// if there are no layers or the number overflows.
pub fn flow_work(layers: &[[usize; 2]]) -> Option<usize> {
    let (&[rows, _], &[_, columns]) = (layers.last()?, layers.first()?);
    let edges = layers.iter().try_fold(0_usize, |edges, &[above, below]| {
        edges.checked_add(above.checked_mul(below)?)
    });
    edges?.checked_mul(rows)?.checked_mul(columns)
}

/// The largest flow from each position of the last layer to each of the input, `[rows, columns]`. An edge leads from a
/// position to one of the layer below and carries no more than its weight; rows of the result do not sum to one.
///
/// # Errors
/// If there are no layers, they do not fit, or that is more work than [`FLOW_LIMIT`].
pub fn flow(layers: &[Array]) -> Result<Array, FlowFault> {
    let shapes: Option<Vec<[usize; 2]>> = layers.iter().map(shape).collect();
    let shapes = shapes.ok_or(FlowFault::Shape)?;
    let (Some(&[rows, _]), Some(&[_, columns])) = (shapes.last(), shapes.first()) else {
        return Err(FlowFault::Shape);
    };
    if shapes.windows(2).any(|pair| pair[1][1] != pair[0][0]) {
        return Err(FlowFault::Shape);
    }
    match flow_work(&shapes) {
        Some(work) if work <= FLOW_LIMIT => {}
        _ => return Err(FlowFault::TooLong),
    }
    let network = Network::of(layers, &shapes);
    let pairs = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let flows = pairs.map(|(row, column)| network.largest(row, column) as f32);
    Ok(Array {
        shape: vec![rows, columns],
        data: flows.collect(),
    })
}

fn shape(layer: &Array) -> Option<[usize; 2]> {
    layer.shape.as_slice().try_into().ok()
}

/// An edge and its residual capacity.
#[derive(Clone, Copy, Debug)]
struct Edge {
    to: usize,
    capacity: f64,
}

/// Positions of all layers and the edges between them: edge `2k` downward and edge `2k + 1` back, whose capacity is the
/// flow on the first.
#[derive(Debug)]
struct Network {
    edges: Vec<Edge>,
    /// The edges that leave each position.
    leaving: Vec<Vec<usize>>,
    /// The first position of the last layer; those of the input begin at 0.
    last: usize,
}

impl Network {
    fn of(layers: &[Array], shapes: &[[usize; 2]]) -> Self {
        let inputs = shapes.first().map_or(0, |&[_, columns]| columns);
        let positions: usize = shapes.iter().map(|&[rows, _]| rows).sum();
        let mut network = Network {
            edges: vec![],
            leaving: vec![vec![]; inputs + positions],
            last: 0,
        };
        // Where the layer below begins, and this one.
        let (mut below, mut here) = (0, inputs);
        for (layer, &[height, columns]) in layers.iter().zip(shapes) {
            let rows = layer.data.chunks_exact(columns.max(1));
            for (row, weights) in rows.enumerate() {
                let weights = weights.iter().enumerate();
                for (column, &weight) in weights.filter(|(_, weight)| **weight > 0.0) {
                    network.connect(here + row, below + column, f64::from(weight));
                }
            }
            network.last = here;
            below = here;
            here += height;
        }
        network
    }

    fn connect(&mut self, from: usize, to: usize, capacity: f64) {
        self.leaving[from].push(self.edges.len());
        self.edges.push(Edge { to, capacity });
        self.leaving[to].push(self.edges.len());
        self.edges.push(Edge {
            to: from,
            capacity: 0.0,
        });
    }

    /// The largest flow from a position of the last layer to one of the input.
    fn largest(&self, row: usize, column: usize) -> f64 {
        let (source, sink) = (self.last + row, column);
        let mut left: Vec<f64> = self.edges.iter().map(|edge| edge.capacity).collect();
        let mut total = 0.0;
        while let Some(steps) = self.steps(source, sink, &left) {
            // Of each position, how many of its edges led nowhere.
            let mut tried = vec![0; self.leaving.len()];
            loop {
                let sent = self.send(source, sink, f64::INFINITY, &steps, &mut tried, &mut left);
                if sent <= NOTHING {
                    break;
                }
                total += sent;
            }
        }
        total
    }

    /// Returns each position's distance from the source in edges, over edges with capacity left;
    /// `None` if the sink is not reached.
    fn steps(&self, source: usize, sink: usize, left: &[f64]) -> Option<Vec<usize>> {
        let mut steps = vec![usize::MAX; self.leaving.len()];
        steps[source] = 0;
        let mut waiting = VecDeque::from([source]);
        while let Some(from) = waiting.pop_front() {
            for &edge in &self.leaving[from] {
                let to = self.edges[edge].to;
                if left[edge] > NOTHING && steps[to] == usize::MAX {
                    steps[to] = steps[from] + 1;
                    waiting.push_back(to);
                }
            }
        }
        (steps[sink] != usize::MAX).then_some(steps)
    }

    /// Sends as much as one path takes, each edge one step further from the source; 0 where there is none.
    fn send(
        &self,
        from: usize,
        sink: usize,
        most: f64,
        steps: &[usize],
        tried: &mut [usize],
        left: &mut [f64],
    ) -> f64 {
        if from == sink {
            return most;
        }
        while let Some(&edge) = self.leaving[from].get(tried[from]) {
            let to = self.edges[edge].to;
            if left[edge] > NOTHING && steps[to] == steps[from] + 1 {
                let sent = self.send(to, sink, most.min(left[edge]), steps, tried, left);
                if sent > NOTHING {
                    left[edge] -= sent;
                    left[edge ^ 1] += sent;
                    return sent;
                }
            }
            tried[from] += 1;
        }
        0.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::layers::{mean_of_heads, residual_mix, rollout, tests::patterns};
    use super::*;

    fn matrix(rows: usize, columns: usize, data: &[f32]) -> Array {
        Array {
            shape: vec![rows, columns],
            data: data.to_vec(),
        }
    }

    proptest! {
        #[test]
        fn a_flow_lies_between_the_rollout_and_every_cut(
            first in patterns(2, 4, 4), second in patterns(2, 4, 4), cross in patterns(1, 3, 4),
        ) {
            let mut layers: Vec<Array> =
                [&first, &second].map(|layer| residual_mix(layer).unwrap()).to_vec();
            layers.push(mean_of_heads(&cross).unwrap());
            let (flows, rolled) = (flow(&layers).unwrap(), rollout(&layers).unwrap());
            for row in 0..3 {
                for column in 0..4 {
                    let value = flows.row(&[row]).unwrap()[column];
                    // What a rollout leads along each edge is no more than its weight.
                    prop_assert!(value >= rolled.row(&[row]).unwrap()[column] - 1e-5);
                    // What leaves the row, and what can arrive at the column.
                    let out: f32 = layers[2].row(&[row]).unwrap().iter().sum();
                    let arrives: f32 =
                        (0..4).map(|from| layers[0].row(&[from]).unwrap()[column]).sum();
                    prop_assert!(value <= out.min(arrives) + 1e-5);
                }
            }
        }

        #[test]
        fn one_layer_is_its_own_flow(layer in patterns(2, 3, 3)) {
            let mixed = residual_mix(&layer).unwrap();
            let flows = flow(std::slice::from_ref(&mixed)).unwrap();
            for (value, weight) in flows.data.iter().zip(&mixed.data) {
                prop_assert!((value - weight).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn two_ways_carry_more_than_one_and_the_narrowest_edge_decides() {
        // Row 0 reaches both positions between, which lead to column 0 by edges of 0.2 and 0.9.
        let lower = matrix(2, 2, &[0.2, 0.8, 0.9, 0.1]);
        let upper = matrix(1, 2, &[0.5, 0.5]);
        let flows = flow(&[lower, upper]).unwrap();
        assert_eq!(flows.shape, [1, 2]);
        assert!((flows.data[0] - 0.7).abs() < 1e-6);
        assert!((flows.data[1] - 0.6).abs() < 1e-6);
    }

    #[test]
    fn what_is_too_much_work_is_refused_at_once() {
        let large = matrix(80, 80, &[0.5; 6400]);
        assert_eq!(flow(&[large]), Err(FlowFault::TooLong));
        assert_eq!(flow(&[]), Err(FlowFault::Shape));
        let (wide, high) = (matrix(1, 2, &[1.0, 0.0]), matrix(3, 1, &[1.0; 3]));
        assert_eq!(flow(&[wide.clone(), wide]), Err(FlowFault::Shape));
        assert_eq!(flow(&[high.clone(), high]), Err(FlowFault::Shape));
        assert_eq!(flow_work(&[[3, 2], [4, 3]]), Some(18 * 8));
        assert_eq!(flow_work(&[[usize::MAX, 2]]), None);
    }
}
