//! The inspected cell of a figure with several matrices, and the panel that explains it.

use leptos::{context::Provider, prelude::*};

use super::KeyHint;
use crate::i18n::{t, use_i18n};

/// A cell of one of a figure's matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InspectedCell {
    /// The matrix that holds the cell.
    pub matrix: &'static str,
    pub row: usize,
    pub column: usize,
}

/// The inspected cell. A context of a figure.
#[derive(Clone, Copy, Default)]
pub struct Inspector {
    cell: RwSignal<Option<InspectedCell>>,
    describe: RwSignal<Option<Callback<(usize, usize), AnyView>>>,
}

impl Inspector {
    /// The context that an [`Inspected`] figure provided.
    ///
    /// # Panics
    /// Outside a figure.
    pub fn expect() -> Self {
        expect_context()
    }

    /// The selected cell; subscribes to its change.
    pub fn get(self) -> Option<InspectedCell> {
        self.cell.get()
    }

    /// The selected cell of one matrix.
    pub fn of(self, matrix: &str) -> Option<(usize, usize)> {
        let cell = self.cell.get().filter(|cell| cell.matrix == matrix)?;
        Some((cell.row, cell.column))
    }

    /// Inspects a cell, which `describe` explains by row and column.
    pub fn inspect(self, cell: InspectedCell, describe: Callback<(usize, usize), AnyView>) {
        if self.cell.get_untracked() != Some(cell) {
            self.describe.set(Some(describe));
            self.cell.set(Some(cell));
        }
    }

    /// Ends the inspection of the cell.
    pub fn clear(self) {
        if self.cell.get_untracked().is_some() {
            self.cell.set(None);
        }
    }
}

/// A figure with matrices, and below it the explanation of the inspected cell.
#[component]
pub fn Inspected<C: IntoView + 'static>(
    /// The selected cell, where the figure has a use for it itself.
    #[prop(default = Inspector::default())]
    inspector: Inspector,
    /// The contents of the figure.
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
                (Some(cell), Some(describe)) => describe.run((cell.row, cell.column)),
                _ => view! { <p class="hint">
                        {t!(i18n, chapters.sight_hint)}
                        <KeyHint>{t!(i18n, chapters.sight_keys)}</KeyHint>
                    </p> }.into_any(),
            }}
        </div>
    }
}
