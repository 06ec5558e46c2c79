//! Matrices as data: one map, or the maps of many heads.

/// A matrix with labels on both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// The values, row-major; NaN and −∞ are masked.
    pub values: Vec<f32>,
    /// A word in each cell, row-major; empty where cells have none.
    pub words: Vec<String>,
    /// The labels of its rows.
    pub rows: Side,
    /// The labels of its columns.
    pub columns: Side,
    /// The name of the values.
    pub value: String,
    /// The name of masked cells.
    pub masked: String,
    /// The colour scale of the values.
    pub scale: Scale,
    /// The drawing of the values.
    pub cells: Cells,
}

/// One side of a matrix.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Side {
    /// The name of the side; may be empty.
    pub name: String,
    /// A label for each row or column.
    pub labels: Vec<String>,
    /// The number of rows or columns before the first one, which a window leaves out.
    pub first: usize,
}

/// The values at the ends of a colour scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// From light to dark.
    Sequential {
        /// The value of the lightest colour.
        low: f32,
        /// The value of the darkest colour.
        high: f32,
    },
    /// Blue below zero, orange above.
    Diverging {
        /// The magnitude of the darkest colours.
        limit: f32,
    },
}

/// The drawing of a map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cells {
    /// Cells in colours alone.
    #[default]
    Colors,
    /// Coloured cells that contain their words, else their numbers, where there is room.
    Numbers,
    /// Lines from rows on the left to columns on the right.
    Lines,
}

/// The maps of many heads.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// The groups, from top to bottom.
    pub groups: Vec<HeadGroup>,
    /// The name of the values.
    pub value: String,
    /// The name of masked cells.
    pub masked: String,
    /// The colour scale of all maps; `None` gives each map a scale from its smallest to its largest value.
    pub scale: Option<Scale>,
}

/// The heads of one attention, whose maps have the same sides.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadGroup {
    /// The name of the group.
    pub name: String,
    /// The rows of each map.
    pub rows: Side,
    /// The columns of each map.
    pub columns: Side,
    /// The heads, from left to right.
    pub heads: Vec<Head>,
}

/// One head of a sheet.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// The name of the head in its group.
    pub name: String,
    /// The values of its map, row-major.
    pub values: Vec<f32>,
}

impl Map {
    /// Returns the rows of the matrix, each as wide as there are columns.
    pub(super) fn lines(&self) -> impl Iterator<Item = &[f32]> {
        self.values.chunks(self.columns.labels.len().max(1))
    }

    /// Returns true if the map has a masked cell.
    pub(super) fn has_masked(&self) -> bool {
        self.values.iter().copied().any(crate::color::is_masked)
    }
}

impl Scale {
    /// Returns the values at both ends.
    pub fn ends(self) -> [f32; 2] {
        match self {
            Scale::Sequential { low, high } => [low, high],
            Scale::Diverging { limit } => [-limit, limit],
        }
    }
}
