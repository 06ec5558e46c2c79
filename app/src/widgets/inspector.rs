//! The selected cell of a figure with several matrices, and the panel that says what it is made of.

use leptos::{context::Provider, prelude::*};

use crate::i18n::{t, use_i18n};

/// A cell of one of a figure's matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InspectedCell {
    /// The matrix.
    pub matrix: &'static str,
    /// Its row.
    pub row: usize,
    /// Its column.
    pub column: usize,
}

/// The selected cell. A context of a figure.
#[derive(Clone, Copy)]
pub struct Inspector {
    seen: RwSignal<Option<InspectedCell>>,
    describe: RwSignal<Option<Callback<(usize, usize), AnyView>>>,
}

impl Inspector {
    /// None of a figure's cells is in sight.
    pub fn new() -> Self {
        Inspector {
            seen: RwSignal::new(None),
            describe: RwSignal::new(None),
        }
    }

    /// The context that an [`Inspected`] figure provided.
    ///
    /// # Panics
    /// Outside a figure.
    pub fn expect() -> Self {
        expect_context()
    }

    /// The selected cell; subscribes to its change.
    pub fn get(self) -> Option<InspectedCell> {
        self.seen.get()
    }

    /// The selected cell of one matrix.
    pub fn of(self, matrix: &str) -> Option<(usize, usize)> {
        let seen = self.seen.get().filter(|seen| seen.matrix == matrix)?;
        Some((seen.row, seen.column))
    }

    /// Puts a cell in sight, which `describe` describes by row and column.
    pub fn inspect(self, seen: InspectedCell, describe: Callback<(usize, usize), AnyView>) {
        if self.seen.get_untracked() != Some(seen) {
            self.describe.set(Some(describe));
            self.seen.set(Some(seen));
        }
    }

    /// Lets go of the selected cell.
    pub fn clear(self) {
        if self.seen.get_untracked().is_some() {
            self.seen.set(None);
        }
    }
}

/// A figure with matrices, and below it what the selected cell is made of.
#[component]
pub fn Inspected<C: IntoView + 'static>(
    /// The selected cell, where the figure has a use for it itself.
    #[prop(default = Inspector::new())]
    inspector: Inspector,
    /// The figure.
    children: TypedChildren<C>,
) -> impl IntoView {
    // A context that siblings do not share.
    let children = children.into_inner();
    view! {
        <Provider value=inspector>
            {children()}
            <InspectorPanel />
        </Provider>
    }
}

#[component]
fn InspectorPanel() -> impl IntoView {
    let i18n = use_i18n();
    let inspector = Inspector::expect();
    view! {
        <div class="sight" role="status" data-testid="sight">
            {move || match (inspector.get(), inspector.describe.get()) {
                (Some(seen), Some(describe)) => describe.run((seen.row, seen.column)),
                _ => view! { <p class="hint">{t!(i18n, chapters.sight_hint)}</p> }.into_any(),
            }}
        </div>
    }
}
