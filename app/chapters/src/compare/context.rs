//! The two sides: their passes, the heads that are compared, and both maps on common axes under one cursor.

use crate::compare::parameters::{Compare, Compared};
use std::sync::Arc;

use attention_core::{
    engine::{Job, Live, Part, Second, TraceHandle},
    selection::Selection,
    state::{Cell, HeadChoice, ViewState},
};
use attention_trace::{
    AttentionLayer, Excerpt, Quantity, Trace, TraceMeta,
    difference::{Unlike, unlike_tokens},
};
use leptos::prelude::*;

use super::{
    axes::{Axes, Maps, Side},
    other::{with_model, with_text},
    precisions::{OtherFilePasses, reads_given},
};

/// The source of a side's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// The result on screen.
    Screen,
    /// The result before the edits, which the page's engine keeps.
    Kept,
    /// The second engine: its last result, which the figure names.
    Second,
    /// The second engine, as long as its last result is what is wanted now.
    Current,
    /// The second engine, once it has read the tokens of the result on screen.
    Given,
}

/// The pass of a side.
#[derive(Clone, Copy)]
pub struct Pass {
    origin: Memo<Origin>,
    live: Live,
    second: Option<Second>,
    kept: Memo<Option<TraceHandle>>,
}

impl Pass {
    /// The pass; `None` until it is here.
    pub fn trace(self) -> Option<Arc<Trace>> {
        match self.origin.get() {
            Origin::Screen => self.live.trace(),
            Origin::Kept => self.kept.get().map(|handle| handle.0),
            Origin::Second => self.second?.trace(),
            Origin::Current => self.second.filter(|second| second.is_current())?.trace(),
            Origin::Given => {
                let second = self.second.filter(|second| second.is_current())?;
                let read = reads_given(second.shown().as_ref(), self.live.trace().as_deref());
                second.trace().filter(|_| read)
            }
        }
    }

    fn meta(self) -> Memo<Option<Arc<TraceMeta>>> {
        Memo::new(move |_| Some(Arc::new(self.trace()?.meta.clone())))
    }

    /// Parts of its arrays, asked for where they are not here; `None` until all of them are.
    pub fn parts(
        self,
        wanted: impl Fn() -> Vec<Excerpt> + Send + Sync + 'static,
    ) -> Memo<Option<Vec<Part>>> {
        let wanted = Memo::new(move |_| wanted());
        let if_from = move |origins: &'static [Origin]| {
            move || match origins.contains(&self.origin.get()) {
                true => wanted.get(),
                false => Vec::new(),
            }
        };
        let on_screen = self.live.parts(if_from(&[Origin::Screen]));
        let of_second = self
            .second
            .map(|second| second.parts(if_from(&[Origin::Second, Origin::Current, Origin::Given])));
        Memo::new(move |_| match self.origin.get() {
            Origin::Screen => on_screen.get(),
            Origin::Second | Origin::Current | Origin::Given => of_second?.get(),
            Origin::Kept => {
                let TraceHandle(trace) = self.kept.get()?;
                let part = |excerpt| Some(Part(Arc::new(trace.excerpt(excerpt)?)));
                wanted.read().iter().map(part).collect()
            }
        })
    }
}

/// The comparison. A context of the chapter's figures.
#[derive(Clone, Copy)]
pub struct Comparison {
    /// The difference between the sides.
    pub of: Compared,
    /// The engine of what is not on screen, where there is such.
    pub second: Option<Second>,
    /// The passes of another file of the model, if that is compared.
    pub files: Option<OtherFilePasses>,
    /// The first field in which another file of the model differs from the one on screen: it is another model's.
    pub unlike: Memo<Option<Unlike>>,
    /// The job of the result on screen.
    pub shown: Memo<Option<Job>>,
    /// The models and the tokens they read, left and right.
    pub metas: [Memo<Option<Arc<TraceMeta>>>; 2],
    pub heads: Memo<Option<[HeadChoice; 2]>>,
    /// The axes of both maps.
    pub axes: Memo<Option<Axes>>,
    /// The maps of both sides; `None` until both are there.
    pub maps: Memo<Option<Maps>>,
    passes: [Pass; 2],
    hovered: RwSignal<Option<Cell>>,
    locked: Memo<Option<Cell>>,
    state: ViewState,
}

impl Comparison {
    /// Makes the comparison and provides it to the components below. A second engine starts if what is compared needs one,
    /// and ends with them.
    pub fn provide(of: Compared) -> Self {
        let (live, state) = (Live::expect(), ViewState::expect());
        let shown = live.select(|engine| engine.shown.as_ref()?.job.clone());
        let kept = live.select(|engine| engine.without_edits().cloned().map(TraceHandle));
        let files = (of == Compared::Precisions).then(|| OtherFilePasses::start(shown));
        let second = match files {
            Some(files) => Some(files.second),
            None => second(of, shown, kept),
        };
        let passes = origins(of, kept).map(|origin| Pass {
            origin,
            live,
            second,
            kept,
        });
        let metas = passes.map(Pass::meta);
        let unlike = Memo::new(move |_| {
            files?.unlike.get().or_else(|| {
                let [left, right] = metas.map(|meta| meta.get());
                unlike_tokens([&*left?, &*right?])
            })
        });
        let heads = heads(of, metas);
        let axes = Memo::new(move |_| {
            let ([left, right], [one, other]) = (metas.map(|meta| meta.get()), heads.get()?);
            let (left, right) = (left?, right?);
            Some(Axes::of([
                (&*left, one.attention.kind),
                (&*right, other.attention.kind),
            ]))
        });
        let map = |side: usize| {
            passes[side].parts(move || {
                let heads = heads.get().into_iter();
                heads
                    .map(|heads| heads[side].excerpt(Quantity::Pattern))
                    .collect()
            })
        };
        let drawn = [map(0), map(1)];
        let maps = Memo::new(move |_| {
            if unlike.read().is_some() {
                return None;
            }
            let axes = axes.get()?;
            let [left, right] = drawn.map(|parts| parts.get()?.into_iter().next());
            Maps::of(&axes, &left?.0, &right?.0)
        });
        let asked = state.select(|view| view.chapters.of::<Compare>().cell);
        let locked = Memo::new(move |_| maps.with(|maps| maps.as_ref()?.inside(asked.get()?)));
        let comparison = Comparison {
            of,
            second,
            files,
            unlike,
            shown,
            metas,
            heads,
            axes,
            maps,
            passes,
            hovered: RwSignal::new(None),
            locked,
            state,
        };
        provide_context(comparison);
        comparison
    }

    /// The context that the chapter provided.
    ///
    /// # Panics
    /// Outside the chapter's figures.
    pub fn expect() -> Self {
        expect_context()
    }

    /// The pass on the left.
    pub fn left(self) -> Option<Arc<Trace>> {
        let [left, _] = self.passes;
        left.trace()
    }

    /// Whole arrays of both sides, each asked for where it is not here.
    pub fn arrays(self, wanted: Memo<[Vec<Excerpt>; 2]>) -> [Memo<Option<Vec<Part>>>; 2] {
        [0, 1]
            .map(|side| self.passes[side].parts(move || wanted.with(|wanted| wanted[side].clone())))
    }

    /// The cell under the pointer, else the one that is locked.
    pub fn cell(self) -> Option<Cell> {
        self.hovered.get().or_else(|| self.locked.get())
    }

    pub fn locked(self) -> Option<Cell> {
        self.locked.get()
    }

    /// Reads a cell, or none.
    pub fn hover(self, cell: Option<Cell>) {
        if self.hovered.get_untracked() != cell {
            self.hovered.set(cell);
        }
    }

    /// Locks a cell, or lets go of it where it is locked.
    pub fn click(self, cell: Cell) {
        let is_locked = self.locked.get_untracked() == Some(cell);
        self.lock((!is_locked).then_some(cell));
    }

    /// Locks a cell, or lets go of the one that is.
    pub fn lock(self, cell: Option<Cell>) {
        self.hover(None);
        self.state
            .update_chapters(|chapters| chapters.of_mut::<Compare>().cell = cell);
    }

    /// Moves the locked cell by so many rows and columns.
    pub fn step(self, rows: isize, columns: isize) {
        let hovered = self.hovered.get_untracked();
        let from = self.locked.get_untracked().or(hovered);
        let moved = self
            .maps
            .with_untracked(|maps| maps.as_ref()?.moved(from, rows, columns));
        if moved.is_some() {
            self.lock(moved);
        }
    }

    pub fn head(self, side: Side) -> Option<HeadChoice> {
        let [left, right] = self.heads.get()?;
        Some(match side {
            Side::Left => left,
            Side::Right => right,
        })
    }
}

/// The engine of what is not on screen; none where both sides are.
fn second(
    of: Compared,
    shown: Memo<Option<Job>>,
    kept: Memo<Option<TraceHandle>>,
) -> Option<Second> {
    let asked = ViewState::expect().select(|view| {
        let compare = view.chapters.of::<Compare>();
        (compare.text.clone(), compare.model)
    });
    match of {
        Compared::Heads | Compared::Precisions => None,
        Compared::Texts => Some(Second::of(move || {
            with_text(&shown.get()?, &asked.get().0?)
        })),
        Compared::Models => Some(Second::of(move || {
            with_model(&shown.get()?, asked.get().1?)
        })),
        // Of a long text the engine keeps thumbnails alone.
        Compared::Edits => Some(Second::of(move || {
            let is_whole = has_maps(&kept.get()?);
            (!is_whole).then(|| shown.get().map(|job| job.unedited()))?
        })),
    }
}

/// True if a result came with its maps; that of a long text has thumbnails only.
fn has_maps(TraceHandle(trace): &TraceHandle) -> bool {
    let mut sites = trace.arrays.keys();
    sites.any(|site| site.quantity == Quantity::Pattern)
}

/// Returns the sources of the numbers of both sides.
fn origins(of: Compared, kept: Memo<Option<TraceHandle>>) -> [Memo<Origin>; 2] {
    let from = |origin| Memo::new(move |_| origin);
    match of {
        Compared::Heads => [from(Origin::Screen), from(Origin::Screen)],
        Compared::Texts | Compared::Models => [from(Origin::Screen), from(Origin::Second)],
        Compared::Precisions => [from(Origin::Screen), from(Origin::Given)],
        Compared::Edits => {
            let before =
                Memo::new(
                    move |_| match kept.with(|kept| kept.as_ref().is_none_or(has_maps)) {
                        true => Origin::Kept,
                        false => Origin::Current,
                    },
                );
            [before, from(Origin::Screen)]
        }
    }
}

/// The heads that are compared: the one in sight, and the one that was asked for or the nearest to it.
fn heads(of: Compared, metas: [Memo<Option<Arc<TraceMeta>>>; 2]) -> Memo<Option<[HeadChoice; 2]>> {
    let selection = Selection::of_page();
    let asked = ViewState::expect().select(|view| view.chapters.of::<Compare>().head);
    Memo::new(move |_| {
        let (asked, selection) = (asked.get(), selection.get());
        let [left, right] = metas.map(|meta| meta.get());
        let (left, right) = (left?, right?);
        if left.spec.kinds().is_empty() || right.spec.kinds().is_empty() {
            return None;
        }
        let one = selection.head(&left);
        let other = match (of, asked) {
            (Compared::Heads, None) => next(one, &left),
            (Compared::Heads | Compared::Models, Some(asked)) => asked,
            (Compared::Models, None)
            | (Compared::Texts | Compared::Edits | Compared::Precisions, _) => one,
        };
        let kind = one.attention.kind;
        let other = HeadChoice::resolve(&right, kind, other.attention.layer, other.head);
        Some([one, other])
    })
}

/// The next head of the layer; after the last, the first of the next layer, and of the last layer the first of all.
fn next(head: HeadChoice, meta: &TraceMeta) -> HeadChoice {
    let numbers = head.numbers(meta);
    let number = numbers.layer * numbers.heads + numbers.head + 1;
    let number = number % (numbers.layers * numbers.heads).max(1);
    HeadChoice {
        attention: AttentionLayer {
            layer: number / numbers.heads.max(1),
            ..head.attention
        },
        head: number % numbers.heads.max(1),
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::config::MarianConfig;

    use super::*;

    #[test]
    fn the_head_after_the_last_is_the_first_of_the_next_layer() {
        let config = MarianConfig {
            encoder_layers: 2,
            encoder_attention_heads: 4,
            ..MarianConfig::default()
        };
        let meta = TraceMeta {
            spec: config.spec(),
            source: vec![],
            target: vec![],
            pieces: attention_trace::Pieces::default(),
        };
        let after = |head: &str| next(head.parse().unwrap(), &meta).to_string();
        assert_eq!(after("encoder.0.1"), "encoder.0.2");
        assert_eq!(after("encoder.0.3"), "encoder.1.0");
        assert_eq!(after("encoder.1.3"), "encoder.0.0");
    }
}
