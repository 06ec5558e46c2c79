//! The part of a large matrix that is shown. Matrices that share an axis share its window.

use std::collections::BTreeMap;

use attention_figures::matrix::Window;
use leptos::prelude::*;

use super::data::Matrix;

/// The starts of the windows over the axes of large matrices, by the names of the axes. A context: whoever provides it
/// keeps them.
#[derive(Clone, Copy)]
pub struct Windows {
    starts: Signal<BTreeMap<String, usize>>,
    begin: Callback<(String, usize)>,
}

impl Windows {
    /// Provides the windows to the components below. `begin` is told where the window over an axis is to begin.
    pub fn provide(
        starts: impl Into<Signal<BTreeMap<String, usize>>>,
        begin: impl Fn(&str, usize) + Send + Sync + 'static,
    ) {
        provide_context(Windows {
            starts: starts.into(),
            begin: Callback::new(move |(axis, start): (String, usize)| begin(&axis, start)),
        });
    }
}

/// The window over one matrix.
#[derive(Clone, Copy)]
pub(super) struct Sight {
    windows: Windows,
    /// The names of the axes of rows and columns.
    axes: StoredValue<[String; 2]>,
    window: Memo<Option<Window>>,
}

impl Sight {
    /// Of the figure `id`. An axis without a name is the figure's own.
    pub fn new(id: &str, axes: [&str; 2], matrix: Memo<Option<Matrix>>, rows_shown: usize) -> Self {
        let windows = expect_context::<Windows>();
        let axes = named(id, axes);
        let origin = Memo::new({
            let axes = axes.clone();
            move |_| {
                windows.starts.with(|starts| {
                    let start = |axis: &String| starts.get(axis).copied().unwrap_or(0);
                    axes.each_ref().map(start)
                })
            }
        });
        Sight {
            windows,
            axes: StoredValue::new(axes),
            window: Memo::new(move |_| {
                let [row, column] = origin.get();
                matrix.with(|matrix| {
                    let matrix = matrix.as_ref()?;
                    let (rows, columns) = (matrix.rows(), matrix.columns);
                    Some(Window::at(row, column, rows, columns, rows_shown))
                })
            }),
        }
    }

    /// The part of the matrix; `None` until there is one.
    pub fn window(self) -> Option<Window> {
        self.window.get()
    }

    /// Has the window over the rows, or over the columns, begin elsewhere.
    pub fn begin(self, axis: Axis, start: usize) {
        let name = self.axes.with_value(|axes| axes[axis as usize].clone());
        self.windows.begin.run((name, start));
    }

    /// Moves the window as far as it takes to hold a cell.
    pub fn reveal(self, row: usize, column: usize) {
        let Some(Window { rows, columns }) = untrack(|| self.window()) else {
            return;
        };
        for (axis, range, place) in [(Axis::Rows, rows, row), (Axis::Columns, columns, column)] {
            if !range.contains(&place) {
                self.begin(axis, shifted(range.start, range.len(), place));
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Axis {
    Rows,
    Columns,
}

fn named(id: &str, [rows, columns]: [&str; 2]) -> [String; 2] {
    let name = |name: &str, own: &str| match name {
        "" => format!("{id}-{own}"),
        shared => shared.to_owned(),
    };
    [name(rows, "rows"), name(columns, "columns")]
}

/// Returns the start to which a window of `length` at `start` must move to hold `place`.
fn shifted(start: usize, length: usize, place: usize) -> usize {
    if place < start {
        place
    } else if place >= start + length {
        place + 1 - length
    } else {
        start
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_axis_is_shared_by_name_or_the_figures_own() {
        assert_eq!(named("e", ["", "width"]), ["e-rows", "width"]);
        assert_eq!(named("scores", ["", ""]), ["scores-rows", "scores-columns"]);
    }

    proptest! {
        #[test]
        fn a_shifted_window_holds_its_place(
            start in 0usize..50, length in 1usize..20, place in 0usize..100
        ) {
            let start = shifted(start, length, place);
            prop_assert!((start..start + length).contains(&place));
        }
    }
}
