//! Choices of how maps of attention weights are shown: words in place of pieces, without special tokens, without the
//! first token. They change no number that a model computes.

mod words;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use self::words::{name, words};
use crate::{Array, AttentionKind, Pieces, Token, TraceMeta};

/// The remainder of a row at or below which the row is shown empty: the rest of its weights is rounding.
const NOTHING: f64 = 1e-6;

/// The choices, all off by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Display {
    /// True if pieces are merged into words: weights are summed over the pieces of a key and averaged over the pieces
    /// of a query.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub words: bool,
    /// True if rows and columns of special tokens are left out. Other weights stay as they are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_special: bool,
    /// True if the column of the first token is left out and the others of each row are scaled to the row's sum.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_sink: bool,
}

impl Display {
    /// True if maps are shown as they were computed.
    pub fn is_plain(self) -> bool {
        self == Display::default()
    }
}

/// The rows or the columns of a map as it is shown, each a run of the tokens of the computed map.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownAxis {
    runs: Vec<Range<usize>>,
    tokens: Vec<Token>,
}

impl ShownAxis {
    /// Returns the axis of the tokens after the first `aside` ones.
    fn of(tokens: &[Token], pieces: &Pieces, display: Display, aside: usize) -> Self {
        let runs = match display.words {
            true => words(tokens, pieces),
            false => (0..tokens.len()).map(|place| place..place + 1).collect(),
        };
        let runs = runs
            .into_iter()
            .map(|run| run.start.max(aside)..run.end)
            .filter(|run| !run.is_empty())
            // A special token is a run of its own.
            .filter(|run| !(display.no_special && pieces.is_special(&tokens[run.start])));
        let runs: Vec<_> = runs.collect();
        ShownAxis {
            tokens: runs
                .iter()
                .map(|run| name(&tokens[run.clone()], pieces))
                .collect(),
            runs,
        }
    }

    /// The names of the rows or columns: a token each, a word's with its joined text and the number of its first piece.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The number of rows or columns.
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    /// True if there are no rows or columns.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Returns the tokens that a row or column stands for, by place; `None` if there is no such row or column.
    pub fn run(&self, place: usize) -> Option<Range<usize>> {
        self.runs.get(place).cloned()
    }

    /// Returns the row or column that a token is in; `None` if it is not shown.
    pub fn place_of(&self, token: usize) -> Option<usize> {
        let place = self.runs.partition_point(|run| run.end <= token);
        self.runs.get(place)?.contains(&token).then_some(place)
    }
}

/// The axes of a kind's maps as they are shown.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownAxes {
    /// The rows of shown maps.
    pub queries: ShownAxis,
    /// The columns of shown maps.
    pub keys: ShownAxis,
    /// The number of tokens of the rows and the columns of the computed map.
    size: [usize; 2],
    /// True if the first key is set aside.
    is_aside: bool,
    /// The keys that are not shown, without the one set aside.
    hidden: Vec<usize>,
}

/// Shares of attention that a map as it is shown leaves out, means over its rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeftOut {
    /// The share of the first token, if it is set aside.
    pub aside: Option<f32>,
    /// The share of hidden special tokens in what remains, if there are any; rows that are shown empty do not count.
    pub hidden: Option<f32>,
}

impl ShownAxes {
    /// Returns the axes of maps of `kind`. A choice that would leave no row or no column has no effect on that axis.
    pub fn of(display: Display, meta: &TraceMeta, kind: AttentionKind) -> Self {
        let (queries, keys) = meta.axes(kind);
        let axis = |tokens, display, aside| ShownAxis::of(tokens, &meta.pieces, display, aside);
        let with_special = Display {
            no_special: false,
            ..display
        };
        let first = |axes: Vec<(ShownAxis, bool)>| {
            let mut axes = axes.into_iter();
            axes.find(|(axis, _)| !axis.is_empty())
                .unwrap_or((axis(&[], display, 0), false))
        };
        let (shown_queries, _) = first(vec![
            (axis(queries, display, 0), false),
            (axis(queries, with_special, 0), false),
        ]);
        let aside = usize::from(display.no_sink);
        let (shown_keys, is_aside) = first(vec![
            (axis(keys, display, aside), display.no_sink),
            (axis(keys, display, 0), false),
            (axis(keys, with_special, 0), false),
        ]);
        let is_hidden =
            |&key: &usize| shown_keys.place_of(key).is_none() && !(is_aside && key == 0);
        ShownAxes {
            hidden: (0..keys.len()).filter(is_hidden).collect(),
            size: [queries.len(), keys.len()],
            queries: shown_queries,
            keys: shown_keys,
            is_aside,
        }
    }

    /// Returns a computed map, row-major, as it is shown: `queries.len() × keys.len()` weights; `None` if it has another
    /// size.
    pub fn map(&self, weights: &[f32]) -> Option<Vec<f32>> {
        let mut shown = Vec::with_capacity(self.queries.len() * self.keys.len());
        self.each_row(weights, |row| {
            let scale = row.scale;
            let sum = |run: &Range<usize>| row.weights[run.clone()].iter().sum::<f64>() * scale;
            shown.extend(self.keys.runs.iter().map(|run| sum(run) as f32));
        })?;
        Some(shown)
    }

    /// Returns the same of the maps of several heads, `[h, n, m]`; `None` for another shape.
    pub fn maps(&self, maps: &Array) -> Option<Array> {
        let &[heads, rows, columns] = maps.shape.as_slice() else {
            return None;
        };
        if [rows, columns] != self.size {
            return None;
        }
        let mut data = Vec::with_capacity(heads * self.queries.len() * self.keys.len());
        for head in 0..heads {
            data.extend(self.map(maps.matrix(head)?)?);
        }
        Some(Array {
            shape: vec![heads, self.queries.len(), self.keys.len()],
            data,
        })
    }

    /// Returns the shares of a computed map that are not shown; `None` if it has another size.
    pub fn left_out(&self, weights: &[f32]) -> Option<LeftOut> {
        let (mut aside, mut hidden) = (Mean::default(), Mean::default());
        self.each_row(weights, |row| {
            let sum: f64 = row.weights.iter().sum();
            if sum > NOTHING {
                aside.add(row.weights.first().copied().unwrap_or_default() / sum);
            }
            if row.scale > 0.0 {
                let weights = self.hidden.iter().map(|&key| row.weights[key]);
                hidden.add(weights.sum::<f64>() * row.scale);
            }
        })?;
        Some(LeftOut {
            aside: self.is_aside.then(|| aside.value()),
            hidden: (!self.hidden.is_empty()).then(|| hidden.value()),
        })
    }

    /// Calls `read` with each row of a computed map, averaged over the queries that a shown row stands for.
    fn each_row(&self, weights: &[f32], mut read: impl FnMut(Row<'_>)) -> Option<()> {
        let [rows, columns] = self.size;
        if weights.len() != rows.checked_mul(columns)? {
            return None;
        }
        let mut mean = vec![0.0; columns];
        for run in &self.queries.runs {
            mean.fill(0.0);
            let pieces = run.len() as f64;
            for row in weights[run.start * columns..run.end * columns].chunks_exact(columns) {
                for (mean, &weight) in mean.iter_mut().zip(row) {
                    // A masked key has no weight.
                    if weight.is_finite() {
                        *mean += f64::from(weight) / pieces;
                    }
                }
            }
            read(Row {
                scale: self.scale(&mean),
                weights: &mean,
            });
        }
        Some(())
    }

    /// Returns the factor of a row's weights that restores its sum without the first key; 0 if nothing else is left.
    fn scale(&self, row: &[f64]) -> f64 {
        if !self.is_aside {
            return 1.0;
        }
        let rest: f64 = row[1..].iter().sum();
        match rest > NOTHING {
            true => (row[0] + rest) / rest,
            false => 0.0,
        }
    }
}

/// A row of a computed map, or the mean of several, with the factor of its weights as they are shown.
struct Row<'a> {
    weights: &'a [f64],
    scale: f64,
}

#[derive(Default)]
struct Mean {
    sum: f64,
    count: usize,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    /// The mean; 0 of nothing.
    fn value(&self) -> f32 {
        (self.sum / self.count.max(1) as f64) as f32
    }
}

#[cfg(test)]
mod tests;
