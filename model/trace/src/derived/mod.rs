//! Maps derived from attention weights, beside the weights themselves: attention rollout and attention flow (Abnar and
//! Zuidema 2020), weights by the length of the vectors they multiply (Kobayashi et al. 2020), and gradients with
//! respect to weights. Plain functions over recorded patterns, and the questions and answers of the maps that need a
//! model.

mod gradient;
mod layers;
mod max_flow;

use serde::{Deserialize, Serialize};

use crate::Array;

pub use self::gradient::{GradientAnswer, GradientQuestion, Objective};
pub use self::layers::{Followed, Joint, joint_layers, mean_of_heads, residual_mix, rollout};
pub use self::max_flow::{FLOW_LIMIT, FlowFault, flow, flow_work};

/// `‖α_ij v_j W^O‖` of a head (Kobayashi et al. 2020): its weights `[n, m]` times the lengths of what each key adds to
/// the output where it has all the weight, `‖v_j W^O‖`, `m` of them. `None` where they do not fit.
pub fn value_weighted(pattern: &Array, lengths: &[f32]) -> Option<Array> {
    let &[_, keys] = pattern.shape.as_slice() else {
        return None;
    };
    if keys == 0 || keys != lengths.len() {
        return None;
    }
    let rows = pattern.data.chunks_exact(keys);
    let weighted = rows.flat_map(|row| row.iter().zip(lengths).map(|(weight, by)| weight * by));
    Some(Array {
        shape: pattern.shape.clone(),
        data: weighted.collect(),
    })
}

/// A map that follows weights through all layers below one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JointMap {
    /// The product of the layers' matrices.
    Rollout,
    /// The largest flow through them.
    Flow,
}

impl JointMap {
    /// Returns the map of these layers, as [`joint_layers`] gives them.
    ///
    /// # Errors
    /// If there are none, they do not fit one on another, or a flow is too much work.
    pub fn of(self, layers: &[Array]) -> Result<Array, FlowFault> {
        match self {
            JointMap::Rollout => rollout(layers).ok_or(FlowFault::Shape),
            JointMap::Flow => flow(layers),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_counts_by_the_length_of_what_it_carries() {
        let pattern = Array {
            shape: vec![2, 2],
            data: vec![0.5, 0.5, 1.0, 0.0],
        };
        let weighted = value_weighted(&pattern, &[4.0, 0.5]).unwrap();
        assert_eq!(weighted.data, [2.0, 0.25, 4.0, 0.0]);
        assert_eq!(value_weighted(&pattern, &[1.0]), None);
    }
}
