//! The parts of a logit in rows, as the figure shows them, as plain data.

use attention_trace::{AttentionLayer, Attribution, Part};

/// The subject of a row of bars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowOf {
    /// The embedding of the token.
    Embedding,
    Heads(AttentionLayer),
    /// A feed-forward network, by its layer from 0.
    FeedForward(usize),
    /// All biases that are not part of another row.
    Biases,
}

/// A bar: a part, or several together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartBar {
    /// The part; `None` if the bar stands for several.
    pub part: Option<Part>,
    /// The value that the part adds.
    pub value: f32,
}

/// A group of bars with one name.
#[derive(Clone, Debug, PartialEq)]
pub struct PartRow {
    /// The subject of the row.
    pub of: RowOf,
    pub bars: Vec<PartBar>,
}

impl PartRow {
    /// Returns the sum of the row's parts.
    pub fn sum(&self) -> f32 {
        self.bars.iter().map(|bar| bar.value).sum()
    }

    /// True if none of the row's bars would be visible on a scale.
    pub fn is_flat(&self, scale: f32) -> bool {
        self.bars.iter().all(|bar| bar.value.abs() < FLAT * scale)
    }

    fn is_of_heads(&self) -> bool {
        matches!(self.of, RowOf::Heads(_))
    }
}

/// The rows of a logit, in the order of the computation, biases together and last.
pub fn rows(attribution: &Attribution) -> Vec<PartRow> {
    let mut rows: Vec<PartRow> = vec![];
    let mut biases: Option<f32> = None;
    for share in &attribution.shares {
        if share.part.is_bias() {
            *biases.get_or_insert(0.0) += share.value;
            continue;
        }
        let of = match share.part {
            Part::Head { attention, .. } => RowOf::Heads(attention),
            Part::FeedForward { layer } => RowOf::FeedForward(layer),
            _ => RowOf::Embedding,
        };
        let bar = PartBar {
            part: Some(share.part),
            value: share.value,
        };
        match rows.last_mut() {
            Some(row) if row.of == of => row.bars.push(bar),
            _ => rows.push(PartRow {
                of,
                bars: vec![bar],
            }),
        }
    }
    rows.extend(biases.map(|value| PartRow {
        of: RowOf::Biases,
        bars: vec![PartBar { part: None, value }],
    }));
    rows
}

/// A row whose bars are all below this share of the scale is flat: there would be nothing to see of them.
const FLAT: f32 = 0.02;

/// The magnitudes of the largest bars. Heads have a scale of their own: beside a feed-forward network that adds ten
/// times as much, their bars would be invisible.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scales {
    /// The largest of the heads'.
    pub heads: f32,
    /// The largest of all others.
    pub others: f32,
}

impl Scales {
    /// Returns the scales of a figure's rows; 1 if all bars are zero.
    pub fn of(rows: &[PartRow]) -> Self {
        let largest = |of_heads: bool| {
            let rows = rows.iter().filter(|row| row.is_of_heads() == of_heads);
            let bars = rows.flat_map(|row| &row.bars);
            let largest = bars.fold(0.0, |largest: f32, bar| bar.value.abs().max(largest));
            if largest > 0.0 { largest } else { 1.0 }
        };
        Scales {
            heads: largest(true),
            others: largest(false),
        }
    }

    pub fn of_row(self, row: &PartRow) -> f32 {
        match row.is_of_heads() {
            true => self.heads,
            false => self.others,
        }
    }
}

/// The head that adds most, whatever its sign.
pub fn strongest_head(attribution: &Attribution) -> Option<(AttentionLayer, usize, f32)> {
    let heads = attribution
        .shares
        .iter()
        .filter_map(|share| match share.part {
            Part::Head { attention, head } => Some((attention, head, share.value)),
            _ => None,
        });
    heads.max_by(|one, other| one.2.abs().total_cmp(&other.2.abs()))
}

#[cfg(test)]
mod tests {
    use attention_trace::{AttentionKind, Share, Sublayer};
    use proptest::prelude::*;

    use super::*;

    fn heads(layer: usize, values: &[f32]) -> Vec<Share> {
        let kind = AttentionKind::Cross;
        let attention = AttentionLayer { kind, layer };
        let share = |(head, &value): (usize, &f32)| Share {
            part: Part::Head { attention, head },
            value,
        };
        values.iter().enumerate().map(share).collect()
    }

    fn attribution(values: &[f32]) -> Attribution {
        let share = |part, value| Share { part, value };
        let bias = Part::NormBias {
            layer: 0,
            sublayer: Sublayer::CrossAttention,
        };
        let mut shares = vec![share(Part::Token, 1.0), share(Part::Position, -0.5)];
        shares.extend(heads(0, values));
        shares.push(share(bias, 0.25));
        shares.push(share(Part::FeedForward { layer: 0 }, 2.0));
        shares.push(share(Part::LogitBias, 0.5));
        Attribution { logit: 0.0, shares }
    }

    #[test]
    fn parts_stand_with_those_of_their_kind() {
        let rows = rows(&attribution(&[0.1, -0.4]));
        let of: Vec<usize> = rows.iter().map(|row| row.bars.len()).collect();
        assert_eq!(of, [2, 2, 1, 1]);
        assert_eq!(rows[3].of, RowOf::Biases);
        assert_eq!(rows[3].sum(), 0.75);
        let scales = Scales::of(&rows);
        assert_eq!((scales.heads, scales.others), (0.4, 2.0));
        assert_eq!(scales.of_row(&rows[1]), 0.4);
        // Each row is seen on its own scale; the heads would not be on that of a network ten times as large.
        assert!(rows.iter().all(|row| !row.is_flat(scales.of_row(row))));
        assert!(rows[1].is_flat(50.0));
        let (_, head, value) = strongest_head(&attribution(&[0.1, -0.4])).unwrap();
        assert_eq!((head, value), (1, -0.4));
        assert_eq!(strongest_head(&attribution(&[])), None);
    }

    #[test]
    fn heads_that_add_nothing_have_a_scale_that_can_be_written() {
        let scales = Scales::of(&rows(&attribution(&[0.0, 0.0])));
        assert_eq!((scales.heads, scales.others), (1.0, 2.0));
    }

    proptest! {
        #[test]
        fn nothing_is_lost_in_rows(values in prop::collection::vec(-9f32..9.0, 0..9)) {
            let whole = attribution(&values);
            let sum: f32 = rows(&whole).iter().map(PartRow::sum).sum();
            prop_assert!((sum - whole.sum()).abs() < 1e-4);
        }
    }
}
