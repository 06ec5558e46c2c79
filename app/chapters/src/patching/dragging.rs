//! The cell of one run that is being moved to the other, by pointer or by keys.

use attention_protocol::OrLogged;
use leptos::{ev::PointerEvent, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::context::PatchingContext;

/// A cell of the run that is taken from: its row and position.
pub type Taken = (usize, usize);

/// The context of the cell that is being moved from one run to the other.
#[derive(Clone, Copy)]
pub struct Dragging {
    /// The cell that was picked up, by pointer or by key.
    taken: RwSignal<Option<Taken>>,
    /// True while a pointer holds the cell.
    is_held: RwSignal<bool>,
    /// The cell of the other run that the pointer is over.
    over: RwSignal<Option<(usize, usize)>>,
}

impl Dragging {
    /// Provides the context to the chapter's maps.
    pub fn provide() -> Self {
        let dragging = Dragging {
            taken: RwSignal::new(None),
            is_held: RwSignal::new(false),
            over: RwSignal::new(None),
        };
        provide_context(dragging);
        dragging
    }

    /// The context that the figure provided.
    ///
    /// # Panics
    /// Outside the figure.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Handles a pointer's press on a cell: picks the cell up, or puts it back.
    pub fn press(self, at: Taken, event: &PointerEvent) {
        if self.taken.get_untracked() == Some(at) {
            self.let_go();
        } else if event.button() == 0 {
            release(event);
            self.is_held.set(true);
            self.taken.set(Some(at));
        }
    }

    /// A key picks a cell up, or puts it back.
    pub fn toggle(self, at: Taken) {
        let taken = self.taken.get_untracked();
        self.taken.set((taken != Some(at)).then_some(at));
    }

    /// True while a pointer that holds a cell is over this cell of the other run.
    pub fn is_over(self, at: (usize, usize)) -> bool {
        self.over.get() == Some(at)
    }

    /// Puts back the cell that was picked up.
    pub fn let_go(self) {
        self.taken.set(None);
        self.is_held.set(false);
        self.over.set(None);
    }

    /// A pointer that holds a cell moves.
    pub fn follow(self, event: &PointerEvent) {
        if self.is_held.get_untracked() {
            self.over.set(cell_under(event));
        }
    }

    /// Handles a pointer's release over a cell; outside all cells the cell stays picked up, as after a click.
    pub fn drop_at(self, context: PatchingContext, event: &PointerEvent) {
        if !self.is_held.get_untracked() {
            return;
        }
        self.is_held.set(false);
        self.over.set(None);
        if let Some(cell) = cell_under(event) {
            self.put(context, cell);
        }
    }

    /// The row and the position that were picked up.
    pub fn taken(self) -> Option<Taken> {
        self.taken.get()
    }

    /// Puts the picked-up cell onto another one; if none was picked up, the cell takes over its partner.
    pub fn put(self, context: PatchingContext, (row, column): (usize, usize)) {
        let taken = self.taken.get_untracked();
        let place = context.layout.with_untracked(|layout| {
            let layout = layout.as_ref()?;
            match taken {
                Some(taken) => layout.dropped(taken, (row, column)),
                None => layout.place(row, column),
            }
        });
        if let Some(place) = place {
            context.look_at(place);
            self.let_go();
        }
    }
}

/// The cell of the run that takes over which is under a pointer.
fn cell_under(event: &PointerEvent) -> Option<(usize, usize)> {
    let document = document();
    let (x, y) = (event.client_x() as f32, event.client_y() as f32);
    let element: Element = document.element_from_point(x, y)?;
    let cell = element
        .closest("[data-patch]")
        .or_logged("finding a cell")??;
    let name = cell.get_attribute("data-patch")?;
    let (row, column) = name.split_once('-')?;
    Some((row.parse().ok()?, column.parse().ok()?))
}

/// Releases the pointer capture of a touch, so that events reach the element below the pointer.
fn release(event: &PointerEvent) {
    let (target, pointer) = (event.target(), event.pointer_id());
    let element = target.and_then(|target| target.dyn_into::<Element>().ok());
    if let Some(element) = element.filter(|element| element.has_pointer_capture(pointer)) {
        element
            .release_pointer_capture(pointer)
            .or_logged("releasing the pointer");
    }
}
