//! Attention as lines between a column of queries and a column of keys.

/// The layout of the figure, in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    /// The height of one token.
    pub row_height: f32,
    /// The stroke width of a line of weight 1.
    pub widest: f32,
    /// The least weight that has a line, 0…1.
    pub threshold: f32,
    /// The largest number of lines; the faintest beyond it are left out, since they could not be distinguished and a
    /// browser could not draw them.
    pub most: usize,
}

impl Default for Layout {
    fn default() -> Self {
        Layout {
            row_height: 28.0,
            widest: 10.0,
            threshold: 0.01,
            most: 2000,
        }
    }
}

/// One line, from a query's token on the left to a key's on the right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// The row of the map, which is the query.
    pub query: usize,
    /// The column of the map, which is the key.
    pub key: usize,
    /// The attention weight of the line.
    pub weight: f32,
    /// The height at which the line starts, downward from the top of the figure.
    pub query_y: f32,
    /// The height at which the line ends.
    pub key_y: f32,
    /// The stroke width, proportional to the weight.
    pub width: f32,
    /// The opacity, 0…1, which grows with the weight.
    pub opacity: f32,
}

impl Layout {
    /// Returns the height of the figure, in CSS pixels.
    pub fn height(&self, queries: usize, keys: usize) -> f32 {
        queries.max(keys) as f32 * self.row_height
    }

    /// Returns the vertical middle of token `index` in a column of `count` tokens, if the longer column has `longest`:
    /// the shorter one is centred.
    pub fn y(&self, index: usize, count: usize, longest: usize) -> f32 {
        let top = longest.saturating_sub(count) as f32 / 2.0;
        (top + index as f32 + 0.5) * self.row_height
    }

    /// Returns the lines of a map of `queries` × `keys` weights, faint ones first so that strong ones are painted over
    /// them. Masked cells (NaN, −∞) have no line.
    ///
    /// # Panics
    /// If the map does not have `queries · keys` values.
    pub fn lines(&self, weights: &[f32], queries: usize, keys: usize) -> Vec<Line> {
        assert_eq!(weights.len(), queries * keys, "an attention map is full");
        let longest = queries.max(keys);
        let mut lines: Vec<Line> = weights
            .iter()
            .enumerate()
            .filter(|&(_, &weight)| weight > 0.0 && weight >= self.threshold)
            .map(|(cell, &weight)| {
                let (query, key) = (cell / keys, cell % keys);
                Line {
                    query,
                    key,
                    weight,
                    query_y: self.y(query, queries, longest),
                    key_y: self.y(key, keys, longest),
                    width: self.widest * weight.min(1.0),
                    // The square root keeps thin lines visible.
                    opacity: weight.min(1.0).sqrt(),
                }
            })
            .collect();
        lines.sort_by(|a, b| a.weight.total_cmp(&b.weight));
        lines.split_off(lines.len().saturating_sub(self.most))
    }
}

impl Line {
    /// Returns the line as an SVG path from `left` to `right`, a curve that is horizontal at both columns.
    pub fn path(&self, left: f32, right: f32) -> String {
        let middle = (left + right) / 2.0;
        let (query_y, key_y) = (self.query_y, self.key_y);
        format!("M{left} {query_y}C{middle} {query_y} {middle} {key_y} {right} {key_y}")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn width_and_opacity_grow_with_the_weight(
            weights in prop::collection::vec(0.0f32..=1.0, 12),
            threshold in 0.0f32..0.5,
        ) {
            let layout = Layout { threshold, ..Layout::default() };
            let lines = layout.lines(&weights, 3, 4);
            for pair in lines.windows(2) {
                prop_assert!(pair[0].weight <= pair[1].weight);
                prop_assert!(pair[0].width <= pair[1].width);
                prop_assert!(pair[0].opacity <= pair[1].opacity);
            }
            let kept = weights.iter().filter(|&&w| w > 0.0 && w >= threshold).count();
            prop_assert_eq!(lines.len(), kept);
        }

        #[test]
        fn every_end_lies_inside_the_figure(queries in 1usize..9, keys in 1usize..9) {
            let layout = Layout::default();
            let height = layout.height(queries, keys);
            for line in layout.lines(&vec![0.5; queries * keys], queries, keys) {
                prop_assert!(line.query_y > 0.0 && line.query_y < height);
                prop_assert!(line.key_y > 0.0 && line.key_y < height);
            }
        }
    }

    #[test]
    fn a_line_joins_its_query_to_its_key() {
        let layout = Layout {
            row_height: 10.0,
            ..Layout::default()
        };
        let lines = layout.lines(&[0.0, 0.0, 0.0, 0.75], 1, 4);
        assert_eq!(lines.len(), 1);
        assert_eq!((lines[0].query, lines[0].key), (0, 3));
        // One query beside four keys stands in their middle.
        assert_eq!((lines[0].query_y, lines[0].key_y), (20.0, 35.0));
        assert_eq!(lines[0].path(0.0, 100.0), "M0 20C50 20 50 35 100 35");
    }

    #[test]
    fn of_too_many_lines_the_faintest_are_left_out() {
        let layout = Layout {
            most: 2,
            ..Layout::default()
        };
        let lines = layout.lines(&[0.4, 0.1, 0.3, 0.2], 2, 2);
        let weights: Vec<f32> = lines.iter().map(|line| line.weight).collect();
        assert_eq!(weights, [0.3, 0.4]);
    }

    #[test]
    fn masked_cells_have_no_line() {
        let weights = [f32::NAN, f32::NEG_INFINITY, 1.0, 0.0];
        assert_eq!(Layout::default().lines(&weights, 2, 2).len(), 1);
    }
}
