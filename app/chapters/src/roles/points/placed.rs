//! Positions of heads by two of their scores, and neighbours for the arrow keys.

use attention_core::{roles::HeadMeasured, selection::Direction, state::HeadChoice};
use attention_trace::roles::{Role, RoleScore};

/// A head by two scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub head: HeadChoice,
    /// The scores along both axes.
    pub at: [RoleScore; 2],
}

impl Point {
    /// Returns the coordinates in the figure.
    pub fn weights(&self) -> [f32; 2] {
        self.at.map(|score| score.weight)
    }

    /// True if the point has a label in the picture even when it is not chosen.
    pub fn stands_out(&self) -> bool {
        self.at.iter().any(|score| score.is_clear())
    }
}

/// The heads that have both scores.
pub fn points(heads: &[HeadMeasured], roles: [Role; 2]) -> Vec<Point> {
    let point = |of: &HeadMeasured| {
        Some(Point {
            head: of.head,
            at: [of.roles.of(roles[0])?, of.roles.of(roles[1])?],
        })
    };
    heads.iter().filter_map(point).collect()
}

/// The point after another one in a direction: the next one to the right, or upwards, by its number there.
pub fn neighbour(points: &[Point], from: HeadChoice, direction: Direction) -> Option<HeadChoice> {
    let (axis, ahead) = match direction {
        Direction::Left => (0, false),
        Direction::Right => (0, true),
        Direction::Down => (1, false),
        Direction::Up => (1, true),
    };
    let mut order: Vec<&Point> = points.iter().collect();
    // Stable: points with the same number keep their order.
    order.sort_by(|one, other| one.weights()[axis].total_cmp(&other.weights()[axis]));
    let place = order.iter().position(|point| point.head == from)?;
    let next = if ahead {
        place.checked_add(1)
    } else {
        place.checked_sub(1)
    };
    order.get(next?).map(|point| point.head)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use attention_trace::roles::RoleScores;

    use super::*;

    fn head(name: &str, previous: f32, end: Option<f32>) -> HeadMeasured {
        let score = |weight: f32| RoleScore {
            weight,
            chance: 0.1,
            queries: 9,
        };
        let mut scores = BTreeMap::from([(Role::Previous, score(previous))]);
        scores.extend(end.map(|end| (Role::End, score(end))));
        HeadMeasured {
            head: name.parse().unwrap(),
            roles: RoleScores {
                scores,
                offset: None,
            },
        }
    }

    fn three() -> Vec<Point> {
        let heads = [
            head("encoder.0.0", 0.9, Some(0.1)),
            head("encoder.0.1", 0.2, Some(0.8)),
            head("encoder.0.2", 0.5, Some(0.3)),
            head("decoder.0.0", 0.5, None),
        ];
        points(&heads, [Role::Previous, Role::End])
    }

    #[test]
    fn heads_without_both_roles_are_no_points() {
        let points = three();
        assert_eq!(points.len(), 3);
        assert_eq!(points[0].weights(), [0.9, 0.1]);
    }

    #[test]
    fn arrow_keys_go_along_an_axis_and_end_there() {
        let points = three();
        let from = |name: &str, direction| {
            let head = neighbour(&points, name.parse().unwrap(), direction);
            head.map(|head| head.to_string())
        };
        let right = from("encoder.0.1", Direction::Right);
        assert_eq!(right.as_deref(), Some("encoder.0.2"));
        let up = from("encoder.0.2", Direction::Up);
        assert_eq!(up.as_deref(), Some("encoder.0.1"));
        assert_eq!(from("encoder.0.0", Direction::Right), None);
        assert_eq!(from("encoder.0.0", Direction::Down), None);
        let left = from("encoder.0.0", Direction::Left);
        assert_eq!(left.as_deref(), Some("encoder.0.2"));
    }
}
