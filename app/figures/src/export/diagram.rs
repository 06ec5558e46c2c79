//! Diagrams as plain data: a tree of prefixes, a grid of cells, a plane, and a whole with its parts.

use crate::{lattice::LatticeCell, plane::Mark, stacked::Segment};

/// The prefixes that a search looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Prefixes {
    /// The prefixes; a parent precedes its children.
    pub nodes: Vec<Prefix>,
}

/// A prefix, and the number that the search knows it by.
#[derive(Clone, Debug, PartialEq)]
pub struct Prefix {
    /// The index of the prefix that it continues; `None` at the beginning.
    pub parent: Option<usize>,
    /// The name of its last token.
    pub name: String,
    /// The number beside the name, as it is written.
    pub number: String,
    /// The sum of log-probabilities; `None` if the search did not report it.
    pub log_probability: Option<f32>,
    /// The score of a whole sequence.
    pub score: Option<f32>,
    /// The decision of the search.
    pub fate: PrefixFate,
}

/// The decision of a search on a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrefixFate {
    /// The search went on from it.
    Kept,
    /// The search dropped it.
    Pruned,
    /// It is a whole sequence.
    Finished,
    /// It is the best sequence, or leads to it.
    Best,
}

impl PrefixFate {
    /// Returns the word in files.
    pub(super) fn word(self) -> &'static str {
        match self {
            PrefixFate::Kept => "kept",
            PrefixFate::Pruned => "pruned",
            PrefixFate::Finished => "finished",
            PrefixFate::Best => "best",
        }
    }
}

/// Cells in rows and columns, the first row at the bottom, with connections between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
    /// The cells, row by row from the bottom.
    pub cells: Vec<GridCell>,
    /// The connections, lower end first; later ones are drawn on top.
    pub connections: Vec<Connection>,
}

/// A cell of a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridCell {
    /// The text in the cell; may be empty.
    pub label: String,
    /// The step at which the cell is computed.
    pub step: usize,
    /// True if the cell is computed at the step on screen.
    pub is_done: bool,
    /// True if the chosen output depends on the cell.
    pub is_input: bool,
    /// True if the cell is on the marked path.
    pub is_on_path: bool,
}

/// A connection between two cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// The cell that is read.
    pub from: LatticeCell,
    /// The cell that reads.
    pub to: LatticeCell,
    /// True if the connection is on the marked path.
    pub is_on_path: bool,
}

/// Marks on a square part of the plane around the origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Marks {
    /// The length of the axes from the origin.
    pub extent: f64,
    /// The marks, the lowest first, in the colours of the light theme.
    pub marks: Vec<Weighted>,
}

/// A mark, and the weight that its size shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Weighted {
    /// The mark as it is drawn.
    pub mark: Mark,
    /// The attention weight, if the mark has one.
    pub weight: Option<f32>,
}

impl Weighted {
    /// Returns the kind of the mark in files, its name, its point and the end of a line.
    pub(super) fn facts(&self) -> (&'static str, &str, [f32; 2], Option<[f32; 2]>) {
        match &self.mark {
            Mark::Dot { at, label, .. } => ("dot", label, *at, None),
            Mark::Arrow { to, label, .. } => ("arrow", label, *to, None),
            Mark::Line { from, to, .. } => ("line", "", *from, Some(*to)),
        }
    }
}

/// A whole and its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Shares {
    /// The name of the amounts.
    pub unit: String,
    /// The parts, from left to right.
    pub parts: Vec<Segment>,
    /// The sign after a number in per cent.
    pub per_cent: String,
}
