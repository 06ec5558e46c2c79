//! The effects of replaced weights, head by head, as plain data.

use attention_core::{engine::Importance, state::HeadChoice};

/// A change of `Σ log p` below this is small, in nats.
pub const SMALL: f32 = 0.1;

/// The effect of replacing the weights of one head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// The head whose weights are replaced.
    pub head: HeadChoice,
    /// The weight that moves, in total variation; `None` if the head's map is not here.
    pub moved: Option<f32>,
    /// The change of the text's `Σ log p`.
    pub change: f32,
}

/// The heads that are known, the largest change first.
pub fn rows(importance: &Importance, moved: &[(HeadChoice, f32)]) -> Vec<Row> {
    let of = |head: HeadChoice| {
        let found = moved.iter().find(|(other, _)| *other == head);
        found.map(|(_, moved)| *moved)
    };
    let known = importance.changes.iter();
    let mut rows: Vec<Row> = known
        .map(|&(head, change)| Row {
            head,
            moved: of(head),
            change,
        })
        .collect();
    rows.sort_by(|one, other| other.change.abs().total_cmp(&one.change.abs()));
    rows
}

/// Returns the number of heads whose change is small, and the mean of the weight that moves in them; `None` for the
/// mean if there are none, or their maps are not here.
pub fn small(rows: &[Row]) -> (usize, Option<f32>) {
    let small: Vec<&Row> = rows.iter().filter(|row| row.change.abs() < SMALL).collect();
    let moved: Option<Vec<f32>> = small.iter().map(|row| row.moved).collect();
    let moved = moved.filter(|moved| !moved.is_empty());
    let mean = moved.map(|moved| moved.iter().sum::<f32>() / moved.len() as f32);
    (small.len(), mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_change_is_first_and_small_ones_are_counted() {
        let head = |text: &str| text.parse().unwrap();
        let importance = Importance {
            heads: 4,
            changes: vec![
                (head("encoder.0.0"), 0.05),
                (head("encoder.0.1"), -3.0),
                (head("cross.0.0"), -0.01),
            ],
            goes_on: true,
        };
        let moved = [(head("encoder.0.0"), 0.5), (head("cross.0.0"), 0.25)];
        let rows = rows(&importance, &moved);
        let changes: Vec<f32> = rows.iter().map(|row| row.change).collect();
        assert_eq!(changes, [-3.0, 0.05, -0.01]);
        assert_eq!((rows[0].moved, rows[1].moved), (None, Some(0.5)));
        assert_eq!(small(&rows), (2, Some(0.375)));
        assert_eq!(small(&rows[..1]), (0, None));
    }
}
