//! Cells in rows and columns, the first row at the bottom, with connections between them: a stack of layers over the
//! tokens of a sequence.

use crate::model_map::Rect;

/// The sizes of a drawing, in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatticeSizes {
    /// The width and the height of a cell.
    pub cell: f64,
    /// The gap between columns.
    pub column_gap: f64,
    /// The gap between rows, which holds the connections.
    pub row_gap: f64,
}

impl Default for LatticeSizes {
    fn default() -> Self {
        LatticeSizes {
            cell: 26.0,
            column_gap: 8.0,
            row_gap: 34.0,
        }
    }
}

/// A cell by row and column, from 0.
pub type LatticeCell = (usize, usize);

/// The places of all cells and connections, in CSS pixels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lattice {
    /// The width of the drawing.
    pub width: f64,
    /// The height of the drawing.
    pub height: f64,
    /// The cells, row by row from the bottom.
    pub cells: Vec<Rect>,
    /// The connections in their order, as SVG paths; empty if a cell does not exist.
    pub connections: Vec<String>,
}

impl Lattice {
    /// Lays out `rows` × `columns` cells. A connection leads from the top of one cell to the bottom of a higher one, or
    /// from side to side within a row.
    pub fn of(
        [rows, columns]: [usize; 2],
        connections: &[(LatticeCell, LatticeCell)],
        sizes: LatticeSizes,
    ) -> Self {
        let extent = |count: usize, gap: f64| match count {
            0 => 0.0,
            count => count as f64 * (sizes.cell + gap) - gap,
        };
        let height = extent(rows, sizes.row_gap);
        let rect = |row: usize, column: usize| Rect {
            x: column as f64 * (sizes.cell + sizes.column_gap),
            y: height - sizes.cell - row as f64 * (sizes.cell + sizes.row_gap),
            width: sizes.cell,
            height: sizes.cell,
        };
        let is_there = |(row, column): LatticeCell| row < rows && column < columns;
        let drawn = |&(from, to): &(LatticeCell, LatticeCell)| match is_there(from) && is_there(to)
        {
            true => connection(rect(from.0, from.1), rect(to.0, to.1)),
            false => String::new(),
        };
        let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        Lattice {
            width: extent(columns, sizes.column_gap),
            height,
            cells: places.map(|(row, column)| rect(row, column)).collect(),
            connections: connections.iter().map(drawn).collect(),
        }
    }
}

/// Returns a straight line between two cells: from top to bottom, or from side to side within a row.
fn connection(from: Rect, to: Rect) -> String {
    let (middle, to_middle) = (from.width / 2.0, to.width / 2.0);
    let (x0, y0, x1, y1) = match from.y == to.y {
        true => {
            let (left, right) = if from.x < to.x {
                (from.x + from.width, to.x)
            } else {
                (from.x, to.x + to.width)
            };
            (left, from.y + middle, right, to.y + to_middle)
        }
        false => (from.x + middle, from.y, to.x + to_middle, to.y + to.height),
    };
    format!("M{x0:.1} {y0:.1}L{x1:.1} {y1:.1}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SIZES: LatticeSizes = LatticeSizes {
        cell: 20.0,
        column_gap: 5.0,
        row_gap: 30.0,
    };

    #[test]
    fn the_first_row_is_at_the_bottom_and_connections_go_up_or_aside() {
        let connections = [((0, 0), (1, 1)), ((1, 0), (1, 1)), ((0, 0), (2, 0))];
        let lattice = Lattice::of([2, 2], &connections, SIZES);
        assert_eq!((lattice.width, lattice.height), (45.0, 70.0));
        let places: Vec<_> = lattice.cells.iter().map(|rect| (rect.x, rect.y)).collect();
        assert_eq!(places, [(0.0, 50.0), (25.0, 50.0), (0.0, 0.0), (25.0, 0.0)]);
        assert_eq!(
            lattice.connections,
            ["M10.0 50.0L35.0 20.0", "M20.0 10.0L25.0 10.0", ""]
        );
    }

    #[test]
    fn without_cells_there_is_nothing() {
        assert_eq!(Lattice::of([0, 0], &[], SIZES), Lattice::default());
    }

    proptest! {
        #[test]
        fn cells_lie_inside_and_apart(rows in 1usize..6, columns in 1usize..9) {
            let lattice = Lattice::of([rows, columns], &[], SIZES);
            prop_assert_eq!(lattice.cells.len(), rows * columns);
            for (index, cell) in lattice.cells.iter().enumerate() {
                prop_assert!(cell.x >= 0.0 && cell.x + cell.width <= lattice.width + 1e-9);
                prop_assert!(cell.y >= 0.0 && cell.y + cell.height <= lattice.height + 1e-9);
                for other in &lattice.cells[..index] {
                    let apart = (cell.x - other.x).abs() >= SIZES.cell || (cell.y - other.y).abs() >= SIZES.cell;
                    prop_assert!(apart);
                }
            }
        }
    }
}
