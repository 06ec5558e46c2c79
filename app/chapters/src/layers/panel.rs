//! The picture of one stack: cells that fill as they are computed, and the inputs of the chosen output.

use crate::layers::parameters::LayersLab;
use attention_figures::{
    export::{Connection, Content, Grid, GridCell},
    lattice::{Lattice, LatticeCell, LatticeSizes},
    model_map::Rect,
};
use attention_trace::layers::{LayerStack, SequenceLayer, StackCell};
use leptos::prelude::*;

use super::{
    stacks::stack_of,
    words::{lab, layer_name, layer_word},
};
use attention_core::{
    i18n::{t_string, use_i18n},
    state::ViewState,
    widgets::{FigureButton, ScrollRegion, Taken},
};

/// The parts of a stack's picture that do not depend on the step.
#[derive(Clone, Debug, PartialEq)]
struct Drawn {
    stack: LayerStack,
    /// The chosen output's place.
    column: usize,
    lattice: Lattice,
    /// The ends of its connections.
    ends: Vec<(LatticeCell, LatticeCell)>,
    /// True for each cell that the chosen output depends on.
    depends: Vec<bool>,
    /// The path from the first input to the chosen output.
    path: Vec<StackCell>,
    /// True for each connection of the lattice on the path to the chosen output.
    is_on_path: Vec<bool>,
}

impl Drawn {
    fn of(stack: LayerStack, column: usize) -> Self {
        let (depends, path) = (stack.dependencies(column), stack.path(column));
        // Connections between cells that matter to the chosen output: all of a stack of attention would be a web.
        let lit = stack.cells().filter(|&cell| depends[stack.index(cell)]);
        let connections: Vec<(StackCell, StackCell)> = lit
            .flat_map(|cell| {
                stack
                    .sources(cell)
                    .into_iter()
                    .map(move |from| (from, cell))
            })
            .collect();
        let place = |cell: StackCell| (cell.row, cell.column);
        let ends: Vec<_> = connections
            .iter()
            .map(|&(from, to)| (place(from), place(to)))
            .collect();
        let sizes = LatticeSizes::default();
        Drawn {
            lattice: Lattice::of([stack.rows() + 1, stack.tokens], &ends, sizes),
            is_on_path: connections
                .iter()
                .map(|&(from, to)| path.windows(2).any(|pair| pair == [from, to]))
                .collect(),
            ends,
            stack,
            column,
            depends,
            path,
        }
    }

    /// Describes the picture at a step for export.
    fn grid(&self, step: usize) -> Grid {
        let cell = |cell: StackCell| GridCell {
            label: match cell.row == 0 || cell.row == self.stack.layers {
                true => (cell.column + 1).to_string(),
                false => String::new(),
            },
            step: self.stack.tick(cell),
            is_done: self.stack.tick(cell) <= step,
            is_input: self.depends[self.stack.index(cell)],
            is_on_path: self.path.contains(&cell),
        };
        let ends = self.ends.iter().zip(&self.is_on_path);
        let mut connections: Vec<Connection> = ends
            .map(|(&(from, to), &is_on_path)| Connection {
                from,
                to,
                is_on_path,
            })
            .collect();
        connections.sort_by_key(|connection| connection.is_on_path);
        Grid {
            rows: self.stack.layers + 1,
            columns: self.stack.tokens,
            cells: self.stack.cells().map(cell).collect(),
            connections,
        }
    }

    /// The classes of a cell at a step.
    fn class(&self, cell: StackCell, step: usize) -> String {
        let marks = [
            (self.stack.tick(cell) <= step, "is-done"),
            (self.depends[self.stack.index(cell)], "is-lit"),
            (self.path.contains(&cell), "is-on-path"),
        ];
        let marks = marks.iter().filter(|(is, _)| *is).map(|(_, class)| *class);
        let classes: Vec<&str> = ["lattice-cell"].into_iter().chain(marks).collect();
        classes.join(" ")
    }

    /// Returns the number of the layers' cells computed at a step, and the number of all of them.
    fn computed(&self, step: usize) -> (usize, usize) {
        let cells = || self.stack.cells().filter(|cell| cell.row > 0);
        let done = cells().filter(|&cell| self.stack.tick(cell) <= step);
        (done.count(), cells().count())
    }
}

/// The picture of one stack of layers.
#[component]
pub fn Panel(
    /// The kind of the stack's layers.
    layer: SequenceLayer,
    /// The step on screen.
    step: Memo<usize>,
) -> impl IntoView {
    let i18n = use_i18n();
    let lab = lab();
    let drawn = Memo::new(move |_| lab.with(|lab| Drawn::of(stack_of(lab, layer), lab.column())));
    let name = Signal::derive(move || layer_name(i18n, layer).to_owned());
    let size = move || {
        let lattice = &drawn.read().lattice;
        let (width, height) = (scaled(lattice.width), scaled(lattice.height));
        format!("width: {width}; height: {height}")
    };
    let view_box = move || {
        let lattice = &drawn.read().lattice;
        format!("0 0 {:.1} {:.1}", lattice.width, lattice.height)
    };
    let take = move || {
        let (drawn, step) = (drawn.read(), step.get());
        let output = drawn.column + 1;
        let legend = t_string!(i18n, export.grid_legend, step = step, output = output);
        Some(Taken {
            sentences: vec![legend],
            ..Taken::new(name.get(), Content::Grid(drawn.grid(step)))
        })
    };
    view! {
        <section class="lattice-panel" data-testid="stack" data-layer=layer_word(layer)>
            <div class="figure-name">
                <h3 class="panel-title">{name}</h3>
                <FigureButton name take />
            </div>
            <ScrollRegion class="lattice-room" name>
                <div class="lattice" role="group" aria-label=name style=size>
                    <svg viewBox=view_box aria-hidden="true">{move || connections(&drawn.read())}</svg>
                    {move || inner_cells(&drawn.read(), step.get())}
                    <Outputs drawn step />
                </div>
            </ScrollRegion>
            <p class="lesson-reading number" data-testid="stack-computed">
                {move || {
                    let (done, count) = drawn.read().computed(step.get());
                    t_string!(i18n, layers.computed, done = done, count = count)
                }}
            </p>
            <Facts drawn />
        </section>
    }
}

/// The inputs of the chosen output, and the path to it from the first token.
#[component]
fn Facts(drawn: Memo<Drawn>) -> impl IntoView {
    let i18n = use_i18n();
    let field = move || {
        let drawn = drawn.read();
        let inputs = drawn.depends[..drawn.stack.tokens].iter();
        let count = inputs.filter(|&&is| is).count();
        t_string!(
            i18n,
            layers.depends_on,
            output = drawn.column + 1,
            count = count,
            tokens = drawn.stack.tokens
        )
    };
    let way = move || match drawn.read().path.len() {
        0 => t_string!(i18n, layers.no_way).to_owned(),
        cells => t_string!(i18n, layers.way, count = cells - 1),
    };
    view! {
        <p class="lesson-reading" data-testid="stack-field">{field}</p>
        <p class="lesson-reading" data-testid="stack-way">{way}</p>
    }
}

/// The highlighted connections; those on the path from the first token come last, so that they are drawn on top.
fn connections(drawn: &Drawn) -> impl IntoView + use<> {
    let paths = drawn.lattice.connections.iter().zip(&drawn.is_on_path);
    let of = |wanted: bool| {
        let chosen = paths
            .clone()
            .filter(move |(_, is_on_path)| **is_on_path == wanted);
        chosen
            .map(|(path, _)| view! { <path class:is-on-path=wanted d=path.clone() /> })
            .collect_view()
    };
    (of(false), of(true))
}

/// The cells below the last row.
fn inner_cells(drawn: &Drawn, step: usize) -> impl IntoView + use<> {
    let inner = drawn.stack.cells().zip(&drawn.lattice.cells);
    let inner = inner.filter(|(cell, _)| cell.row < drawn.stack.rows());
    let cell = |(cell, rect): (StackCell, &Rect)| {
        let number = (cell.row == 0).then(|| cell.column + 1);
        view! {
            <span class=drawn.class(cell, step) style=place(rect) aria-hidden="true">{number}</span>
        }
    };
    inner.map(cell).collect_view()
}

/// The last row: buttons that choose an output.
#[component]
fn Outputs(drawn: Memo<Drawn>, step: Memo<usize>) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let count = Memo::new(move |_| drawn.read().stack.tokens);
    let output = move |column: usize| {
        let now = Memo::new(move |_| {
            let drawn = drawn.read();
            let cell = StackCell {
                row: drawn.stack.rows(),
                column,
            };
            let rect = drawn.lattice.cells.get(drawn.stack.index(cell))?;
            // As there are fewer outputs now, this button is about to go.
            (column < drawn.stack.tokens).then(|| (drawn.class(cell, step.get()), place(rect)))
        });
        view! {
            <button
                type="button"
                class=move || now.get().map(|(class, _)| class).unwrap_or_default()
                style=move || now.get().map(|(_, place)| place).unwrap_or_default()
                data-testid="stack-output"
                aria-label=move || t_string!(i18n, layers.output, place = column + 1)
                aria-pressed=move || (drawn.read().column == column).to_string()
                on:click=move |_| {
                    state.update_chapters(|chapters| chapters.of_mut::<LayersLab>().output = column);
                }
            >
                {column + 1}
            </button>
        }
    };
    view! { <For each=move || 0..count.get() key=|&column| column children=output /> }
}

/// A length that grows with large type.
fn scaled(pixels: f64) -> String {
    format!("calc({pixels:.1}px * var(--type))")
}

fn place(rect: &Rect) -> String {
    format!(
        "left: {}; top: {}; width: {}; height: {}",
        scaled(rect.x),
        scaled(rect.y),
        scaled(rect.width),
        scaled(rect.height)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(layer: SequenceLayer, column: usize) -> Drawn {
        Drawn::of(stack_of(&LayersLab::default(), layer), column)
    }

    #[test]
    fn connections_are_those_of_what_is_lit() {
        // Of the first output a recurrent stack needs the cells below it alone.
        let first = drawn(SequenceLayer::Recurrent, 0);
        assert_eq!(first.lattice.connections.len(), 3);
        assert_eq!(first.is_on_path, [true; 3]);
        // Three layers of kernel 3 do not reach from the last of eight tokens to the first.
        let last = drawn(SequenceLayer::Convolution, 7);
        assert!(last.path.is_empty() && last.is_on_path.iter().all(|is| !is));
        let attention = drawn(SequenceLayer::SelfAttention, 7);
        assert_eq!(attention.lattice.connections.len(), 8 + 64 + 64);
        assert_eq!(attention.is_on_path.iter().filter(|is| **is).count(), 3);
    }

    #[test]
    fn an_exported_stack_has_the_cells_on_screen() {
        let recurrent = drawn(SequenceLayer::Recurrent, 7);
        let grid = recurrent.grid(3);
        assert_eq!((grid.rows, grid.columns, grid.cells.len()), (4, 8, 32));
        let done = grid.cells.iter().skip(8).filter(|cell| cell.is_done);
        assert_eq!((done.count(), 24), recurrent.computed(3));
        let path = grid.connections.iter().filter(|it| it.is_on_path).count();
        assert_eq!(path, recurrent.path.len() - 1);
        assert!(grid.connections.last().is_some_and(|last| last.is_on_path));
        assert_eq!(grid.cells[31].label, "8");
    }

    #[test]
    fn cells_are_done_at_their_step() {
        let recurrent = drawn(SequenceLayer::Recurrent, 7);
        assert_eq!(recurrent.computed(0), (0, 24));
        assert_eq!(recurrent.computed(3), (6, 24));
        assert_eq!(recurrent.computed(10), (24, 24));
        assert_eq!(drawn(SequenceLayer::Convolution, 7).computed(1), (8, 24));
        let both = LayersLab {
            bidirectional: true,
            ..LayersLab::default()
        };
        let both = Drawn::of(stack_of(&both, SequenceLayer::Recurrent), 2);
        assert_eq!((both.computed(1), both.computed(8)), ((2, 48), (16, 48)));
        assert!(both.depends[..8].iter().all(|is| *is));
        let cell = StackCell { row: 2, column: 1 };
        assert_eq!(recurrent.class(cell, 2), "lattice-cell is-lit");
        assert_eq!(recurrent.class(cell, 3), "lattice-cell is-done is-lit");
    }
}
