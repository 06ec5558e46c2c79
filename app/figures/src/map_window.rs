//! The visible part of a large map: whole cells that are large enough to point at, and labels that do not overlap.

use std::ops::Range;

/// The side of the smallest cell, in CSS pixels: a smaller one would be too small to point at.
pub const SMALLEST: usize = 12;
/// The side of the largest cell.
pub const LARGEST: usize = 76;
/// The side of a cell before any zoom, in a map that does not fit in either direction.
const USUAL: usize = 20;
/// The largest cell whose size follows from the room in one direction.
const USUAL_LARGEST: usize = 28;

/// The size of a map, and the room for its cells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Room {
    /// The number of rows of the map.
    pub rows: usize,
    /// The number of columns of the map.
    pub columns: usize,
    /// The width of the room in CSS pixels.
    pub width: f64,
    /// The height of the room in CSS pixels.
    pub height: f64,
}

/// A requested part of a map: its first cell and the size of cells. The number of visible cells depends on the room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aim {
    /// The first visible row.
    pub row: usize,
    /// The first visible column.
    pub column: usize,
    /// The side of a cell in CSS pixels.
    pub cell: usize,
}

/// The visible part of a map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sight {
    /// The range of visible rows.
    pub rows: Range<usize>,
    /// The range of visible columns.
    pub columns: Range<usize>,
    /// The side of a cell in CSS pixels.
    pub cell: usize,
}

impl Room {
    /// Returns true if the whole map fits into the room.
    pub fn is_whole(self) -> bool {
        self.whole_cell() >= SMALLEST as f64
    }

    /// Returns the side of a cell if the whole map is visible.
    pub fn whole_cell(self) -> f64 {
        let side = |room: f64, cells: usize| room / cells.max(1) as f64;
        side(self.width, self.columns).min(side(self.height, self.rows))
    }

    /// Returns the aim at the beginning of the map. If all cells of one direction fit, they determine the size.
    pub fn beginning(self) -> Aim {
        let sides = [
            self.width / self.columns.max(1) as f64,
            self.height / self.rows.max(1) as f64,
        ];
        let fitting = sides.into_iter().filter(|&side| side >= SMALLEST as f64);
        let cell = fitting.fold(0.0, f64::max).min(USUAL_LARGEST as f64);
        Aim {
            row: 0,
            column: 0,
            cell: match cell > 0.0 {
                true => cell as usize,
                false => USUAL,
            },
        }
    }

    /// Returns the visible part for an aim, moved back inside the map.
    pub fn sight(self, aim: Aim) -> Sight {
        let cell = self.held_cell(aim.cell);
        let range = |start: usize, room: f64, count: usize| {
            let length = ((room / cell as f64) as usize).clamp(1, count.max(1));
            let start = start.min(count.saturating_sub(length));
            start..count.min(start + length)
        };
        Sight {
            rows: range(aim.row, self.height, self.rows),
            columns: range(aim.column, self.width, self.columns),
            cell,
        }
    }

    /// Returns the aim moved by a number of rows and columns.
    pub fn panned(self, sight: &Sight, rows: isize, columns: isize) -> Aim {
        let aim = Aim {
            row: sight.rows.start.saturating_add_signed(rows),
            column: sight.columns.start.saturating_add_signed(columns),
            cell: sight.cell,
        };
        self.sight(aim).aim()
    }

    /// Returns the aim zoomed by a factor; the cell at a point of the field, in CSS pixels, stays there as far as whole
    /// cells allow.
    pub fn zoomed(self, sight: &Sight, factor: f64, (x, y): (f64, f64)) -> Aim {
        let before = sight.cell as f64;
        let cell = match factor >= 1.0 {
            true => (before * factor).ceil(),
            false => (before * factor).floor(),
        };
        let cell = self.held_cell(cell as usize) as f64;
        let first = |start: usize, at: f64| start as f64 + at / before - at / cell;
        self.aimed(
            first(sight.rows.start, y),
            first(sight.columns.start, x),
            cell,
        )
    }

    /// Returns the aim nearest to fractional rows, columns and cell sizes.
    pub fn aimed(self, row: f64, column: f64, cell: f64) -> Aim {
        // A conversion of what is negative or no number is 0.
        let aim = Aim {
            row: row.round() as usize,
            column: column.round() as usize,
            cell: cell.round() as usize,
        };
        self.sight(aim).aim()
    }

    /// Returns the aim moved just far enough to make a row and a column visible; `None` requests no particular one.
    pub fn holding(self, sight: &Sight, row: Option<usize>, column: Option<usize>) -> Aim {
        let aim = Aim {
            row: row.map_or(sight.rows.start, |row| shifted(&sight.rows, row)),
            column: column.map_or(sight.columns.start, |column| {
                shifted(&sight.columns, column)
            }),
            cell: sight.cell,
        };
        self.sight(aim).aim()
    }

    /// Limits a cell's side to sizes that can be pointed at and that fit.
    fn held_cell(self, cell: usize) -> usize {
        let room = self.width.min(self.height) as usize;
        cell.clamp(SMALLEST, room.clamp(SMALLEST, LARGEST))
    }
}

impl Sight {
    /// Returns the aim that requests this part again.
    pub fn aim(&self) -> Aim {
        Aim {
            row: self.rows.start,
            column: self.columns.start,
            cell: self.cell,
        }
    }

    /// Returns the row and column under a point, given as fractions of the field's width and height.
    pub fn cell_at(&self, x: f64, y: f64) -> Option<(usize, usize)> {
        let inside = (0.0..1.0).contains(&x) && (0.0..1.0).contains(&y);
        let at =
            |range: &Range<usize>, part: f64| range.start + (part * range.len() as f64) as usize;
        inside.then(|| (at(&self.rows, y), at(&self.columns, x)))
    }
}

/// Returns the start of the shifted range that contains a place.
fn shifted(range: &Range<usize>, place: usize) -> usize {
    if place < range.start {
        place
    } else if place >= range.end {
        place + 1 - range.len()
    } else {
        range.start
    }
}

/// Returns the visible places that have labels: at equal distances as many as `pitch` pixels each allow, and those of
/// `always`, the more important first, which displace other labels. Places are `cell` pixels apart.
pub fn labelled(places: Range<usize>, cell: f64, pitch: f64, always: &[usize]) -> Vec<usize> {
    let step = (pitch / cell.max(1.0)).ceil().max(1.0) as usize;
    let mut labelled: Vec<usize> = Vec::new();
    // Multiples, so that a label stays with its place while the map moves.
    let regular = places.clone().filter(|place| place.is_multiple_of(step));
    let always = always
        .iter()
        .copied()
        .filter(|place| places.contains(place));
    for place in always.chain(regular) {
        if labelled.iter().all(|&other| place.abs_diff(other) >= step) {
            labelled.push(place);
        }
    }
    labelled.sort_unstable();
    labelled
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn room(rows: usize, columns: usize) -> Room {
        Room {
            rows,
            columns,
            width: 390.0,
            height: 300.0,
        }
    }

    #[test]
    fn a_short_text_is_in_sight_as_a_whole() {
        assert!(room(7, 5).is_whole());
        assert!(room(25, 32).is_whole());
        assert!(!room(26, 32).is_whole());
        assert!(!room(25, 33).is_whole());
    }

    #[test]
    fn long_one_way_the_other_way_is_in_sight_as_a_whole() {
        let tall = room(512, 19);
        assert_eq!(
            tall.sight(tall.beginning()),
            Sight {
                rows: 0..15,
                columns: 0..19,
                cell: 20
            }
        );
        let wide = room(19, 512);
        assert_eq!(
            wide.sight(wide.beginning()),
            Sight {
                rows: 0..19,
                columns: 0..26,
                cell: 15
            }
        );
        let square = room(512, 512);
        assert_eq!(
            square.sight(square.beginning()),
            Sight {
                rows: 0..15,
                columns: 0..19,
                cell: 20
            }
        );
    }

    #[test]
    fn a_part_beyond_the_map_is_its_end() {
        let aim = Aim {
            row: usize::MAX,
            column: usize::MAX,
            cell: usize::MAX,
        };
        let sight = room(512, 19).sight(aim);
        assert_eq!(
            (sight.rows.end, sight.columns.end, sight.cell),
            (512, 19, LARGEST)
        );
    }

    #[test]
    fn what_is_under_the_pointer_stays_under_it() {
        let room = room(512, 512);
        let sight = room.sight(Aim {
            row: 100,
            column: 200,
            cell: 20,
        });
        let aim = room.zoomed(&sight, 2.0, (200.0, 100.0));
        // Row 105 and column 210 lie there, before and after.
        assert_eq!(
            aim,
            Aim {
                row: 103,
                column: 205,
                cell: 40
            }
        );
    }

    #[test]
    fn every_label_where_there_is_room_else_some() {
        assert_eq!(labelled(3..7, 20.0, 14.0, &[5]), [3, 4, 5, 6]);
        assert_eq!(labelled(3..10, 10.0, 14.0, &[]), [4, 6, 8]);
        // Those beside the one that is pointed at make room for it.
        assert_eq!(labelled(3..10, 10.0, 14.0, &[5]), [5, 8]);
        assert_eq!(labelled(3..10, 10.0, 14.0, &[5, 6, 20]), [5, 8]);
        assert_eq!(labelled(0..0, 10.0, 14.0, &[0]), [0usize; 0]);
    }

    prop_compose! {
        fn rooms()(
            rows in 1usize..700, columns in 1usize..700, width in 1.0f64..1200.0, height in 1.0f64..900.0
        ) -> Room {
            Room { rows, columns, width, height }
        }
    }

    prop_compose! {
        fn aims()(row in 0usize..900, column in 0usize..900, cell in 0usize..200) -> Aim {
            Aim { row, column, cell }
        }
    }

    fn is_inside(room: Room, sight: &Sight) -> bool {
        let fits = |length: usize, room: f64| {
            length == 1 || length as f64 * sight.cell as f64 <= room + 1e-9
        };
        sight.rows.end <= room.rows
            && sight.columns.end <= room.columns
            && !sight.rows.is_empty()
            && !sight.columns.is_empty()
            && fits(sight.rows.len(), room.height)
            && fits(sight.columns.len(), room.width)
            && (SMALLEST..=LARGEST).contains(&sight.cell)
    }

    proptest! {
        #[test]
        fn the_window_stays_inside_with_cells_to_point_at(
            room in rooms(), aim in aims(), factor in 0.1f64..10.0,
            (x, y) in (0.0f64..1200.0, 0.0f64..900.0), (rows, columns) in (-900isize..900, -900isize..900)
        ) {
            let sight = room.sight(aim);
            prop_assert!(is_inside(room, &sight), "{sight:?}");
            for aim in [
                room.beginning(),
                sight.aim(),
                room.panned(&sight, rows, columns),
                room.zoomed(&sight, factor, (x, y)),
                room.aimed(x - y, y - x, factor),
            ] {
                let sight = room.sight(aim);
                prop_assert!(is_inside(room, &sight), "{sight:?}");
                // What is asked for again is the same.
                prop_assert_eq!(room.sight(sight.aim()), sight);
            }
        }

        #[test]
        fn every_cell_can_be_reached(
            room in rooms(), aim in aims(), row in 0usize..700, column in 0usize..700
        ) {
            let (row, column) = (row % room.rows, column % room.columns);
            let sight = room.sight(room.holding(&room.sight(aim), Some(row), Some(column)));
            prop_assert!(sight.rows.contains(&row) && sight.columns.contains(&column));
            // And pointed at: in its middle.
            let part = |range: &Range<usize>, place: usize| {
                ((place - range.start) as f64 + 0.5) / range.len() as f64
            };
            let (x, y) = (part(&sight.columns, column), part(&sight.rows, row));
            prop_assert_eq!(sight.cell_at(x, y), Some((row, column)));
        }

        #[test]
        fn zooming_ends_at_the_smallest_and_the_largest_cell(room in rooms(), aim in aims()) {
            for (factor, last) in [(1.4, room.held_cell(LARGEST)), (1.0 / 1.4, SMALLEST)] {
                let mut sight = room.sight(aim);
                for _ in 0..40 {
                    sight = room.sight(room.zoomed(&sight, factor, (10.0, 10.0)));
                }
                prop_assert_eq!(sight.cell, last);
            }
        }

        #[test]
        fn labels_keep_their_distance(
            start in 0usize..500, length in 0usize..200, cell in 1.0f64..80.0, pitch in 1.0f64..30.0,
            always in prop::collection::vec(0usize..700, 0..4)
        ) {
            let places = start..start + length;
            let labels = labelled(places.clone(), cell, pitch, &always);
            prop_assert!(labels.iter().all(|place| places.contains(place)));
            for pair in labels.windows(2) {
                prop_assert!((pair[1] - pair[0]) as f64 * cell >= pitch - 1e-9, "{labels:?}");
            }
            if let Some(first) = always.iter().find(|place| places.contains(place)) {
                prop_assert!(labels.contains(first));
            }
            // No wider gap than two that make room for one between them.
            let step = (pitch / cell).ceil().max(1.0) as usize;
            for pair in labels.windows(2) {
                prop_assert!(pair[1] - pair[0] <= 3 * step, "{labels:?}");
            }
        }
    }
}
