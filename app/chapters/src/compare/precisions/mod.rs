//! Two files of one model, in two precisions: which heads moved, where decoding parts, how far the logits are apart.

mod file;
mod logits;
mod moved;
mod parting;
mod passes;

use attention_core::engine::Part;
use attention_trace::{
    Excerpt, Generates, Site, Slice, TraceMeta,
    difference::{HeadDifference, head_differences},
};
use leptos::prelude::*;

use self::{logits::LogitTable, moved::MovedHeads, parting::Continuations};
use super::{
    context::Comparison,
    overview::{MOST_NUMBERS, layers, numbers, whole},
};

pub use self::{
    file::{OtherFile, file_names},
    moved::SortedBy,
    passes::{OtherFilePasses, reads_given},
};

/// The most logits of a pass that are compared.
const MOST_LOGITS: usize = 16 << 20;

/// The differences of both passes. A context of these figures.
#[derive(Clone, Copy)]
struct Measured {
    /// True if the text is short enough for the maps of all heads.
    is_small: Memo<bool>,
    /// The difference of each head, in the order of the model.
    moved: Memo<Option<Vec<HeadDifference>>>,
    /// The logits of both passes; `None` until they are here, and for a text that has too many.
    logits: Memo<Option<[Part; 2]>>,
}

impl Measured {
    fn of(comparison: Comparison) -> Self {
        let meta = comparison.metas[0];
        let is_small = Memo::new(move |_| {
            meta.with(|meta| {
                meta.as_ref()
                    .is_some_and(|meta| numbers(meta) <= MOST_NUMBERS)
            })
        });
        let listed = Memo::new(move |_| match (meta.get(), is_small.get()) {
            (Some(meta), true) => layers(&meta, &meta.spec.kinds()),
            _ => Vec::new(),
        });
        let wanted = Memo::new(move |_| {
            let maps: Vec<Excerpt> = listed.get().into_iter().map(whole).collect();
            [maps.clone(), maps]
        });
        let [left, right] = comparison.arrays(wanted);
        let moved = Memo::new(move |_| {
            let maps = left.get()?.into_iter().zip(right.get()?);
            let heads = listed.get().into_iter().zip(maps);
            let heads = heads
                .map(|(attention, (left, right))| head_differences(attention, [&left.0, &right.0]));
            let heads: Vec<_> = heads.collect::<Option<_>>()?;
            (!heads.is_empty()).then(|| heads.concat())
        });
        let wanted = Memo::new(move |_| {
            let logits = meta.with(|meta| meta.as_ref().and_then(|meta| logits_of(meta)));
            let logits: Vec<Excerpt> = logits.into_iter().collect();
            [logits.clone(), logits]
        });
        let [one, other] = comparison.arrays(wanted);
        let logits = Memo::new(move |_| {
            let first = |parts: Memo<Option<Vec<Part>>>| parts.get()?.into_iter().next();
            Some([first(one)?, first(other)?])
        });
        Measured {
            is_small,
            moved,
            logits,
        }
    }

    /// The context that [`Differences`] provided.
    ///
    /// # Panics
    /// Outside the figures of the comparison.
    fn expect() -> Self {
        expect_context()
    }
}

/// Returns the logits of a pass; `None` if there are none, or too many.
fn logits_of(meta: &TraceMeta) -> Option<Excerpt> {
    let rows = meta.tokens(meta.spec.last_stack()).len();
    let are_few = rows.saturating_mul(meta.spec.vocabulary) <= MOST_LOGITS;
    let has_any = meta.spec.generates != Generates::Nothing;
    (are_few && has_any).then(|| Excerpt::new(Site::LOGITS, Slice::Whole))
}

/// The differences of the files, before the maps of one head.
#[component]
pub fn Differences() -> impl IntoView {
    provide_context(Measured::of(Comparison::expect()));
    view! {
        <section class="lesson-figure is-wide" data-testid="precisions">
            <MovedHeads />
        </section>
        <section class="lesson-figure is-wide">
            <Continuations />
            <LogitTable />
        </section>
    }
}
