//! The context of the chapter's figures: the words of both sides, the chosen heads, and the links drawn from their
//! weights.

use crate::alignment::parameters::{AlignedHeads, AlignedRow, AlignmentView};
use std::sync::Arc;

use attention_trace::{
    Array, AttentionKind, AttentionLayer, Quantity, Token, Trace, TraceMeta,
    alignment::{AlignmentSet, EndToken, Link, RowOf, Word, links, word_weights, words_of},
};
use leptos::prelude::*;

use super::scores::{Fetched, fetched};
use attention_core::{
    engine::{Live, Part},
    selection::{MOST_HEADS, mean},
    state::{HeadChoice, HeadPlace, ViewState},
};

/// The text on both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Sides {
    /// The tokens and sizes of the pass.
    pub meta: Arc<TraceMeta>,
    /// The words that were read.
    pub source: Arc<[Word]>,
    /// The words that were written, of the tokens that were.
    pub target: Arc<[Word]>,
    /// The row that writes the first token.
    first_row: usize,
}

impl Sides {
    /// Returns the sides of a result; `None` for a model without cross-attention and before anything is written.
    fn of(trace: &Trace) -> Option<Self> {
        trace.meta.spec.attention(AttentionKind::Cross)?;
        let steps = &trace.decoding.as_ref()?.steps;
        let written: Vec<Token> = steps.iter().map(|step| step.chosen.token.clone()).collect();
        Some(Sides {
            source: words_of(&trace.meta.source).into(),
            target: words_of(&written).into(),
            first_row: steps.first()?.row,
            meta: Arc::new(trace.meta.clone()),
        })
    }

    /// Layers of cross-attention, and heads of each.
    pub fn sizes(&self) -> (usize, usize) {
        let (spec, kind) = (&self.meta.spec, AttentionKind::Cross);
        (spec.layers(kind), spec.heads(kind))
    }

    /// Every head, in the order of computation; of very large models the last layers alone, whose heads say most.
    fn all(&self) -> Vec<HeadPlace> {
        let (layers, heads) = self.sizes();
        let all =
            (0..layers).flat_map(|layer| (0..heads).map(move |head| HeadPlace { layer, head }));
        let all: Vec<HeadPlace> = all.collect();
        let first = all.len().saturating_sub(MOST_HEADS);
        all[first..].to_vec()
    }
}

/// The heads that a view asks for, of those that there are.
fn heads_in(asked: &AlignedHeads, sides: &Sides, set: Option<&AlignmentSet>) -> Vec<HeadPlace> {
    let all = sides.all();
    let (layers, heads) = sides.sizes();
    let exists = |place: &HeadPlace| place.layer < layers && place.head < heads;
    let named = match (asked, set) {
        (AlignedHeads::Chosen(places), _) => places.clone(),
        (AlignedHeads::Best, Some(set)) => {
            let best = set.best.heads.iter();
            let place = |&(attention, head): &(AttentionLayer, usize)| HeadPlace {
                layer: attention.layer,
                head,
            };
            best.map(place).collect()
        }
        (AlignedHeads::All, _) | (AlignedHeads::Best, None) => all.clone(),
    };
    let mut found: Vec<HeadPlace> = vec![];
    for place in named.into_iter().filter(exists) {
        if found.len() < MOST_HEADS && !found.contains(&place) {
            found.push(place);
        }
    }
    if found.is_empty() { all } else { found }
}

/// Whose row is read, of so many heads that are chosen.
fn row_in(asked: AlignedRow, heads: &[HeadPlace], set: Option<&AlignmentSet>) -> RowOf {
    match (asked, set) {
        (AlignedRow::Of(row), _) => row,
        (AlignedRow::Automatic, None) => RowOf::default(),
        (AlignedRow::Automatic, Some(set)) => match heads {
            &[place] => {
                let errors = set.of(attention(place), place.head);
                errors.map_or_else(RowOf::default, |errors| errors.better())
            }
            heads if is_best(heads, set) => set.best.row,
            _ => set.better_row(),
        },
    }
}

/// True if heads are the best set, in any order.
fn is_best(heads: &[HeadPlace], set: &AlignmentSet) -> bool {
    let best = &set.best.heads;
    let is_in = |place: &HeadPlace| best.contains(&(attention(*place), place.head));
    heads.len() == best.len() && heads.iter().all(is_in)
}

/// The cross-attention of a place.
pub fn attention(place: HeadPlace) -> AttentionLayer {
    AttentionLayer {
        kind: AttentionKind::Cross,
        layer: place.layer,
    }
}

/// The links of the chosen heads, with the text that they join.
#[derive(Clone, Debug, PartialEq)]
pub struct Aligned {
    pub sides: Sides,
    pub links: Vec<Link>,
}

/// Shared by the figures. A context.
#[derive(Clone, Copy)]
pub struct AlignmentContext {
    state: ViewState,
    /// The chapter's part of the address.
    pub view: Memo<AlignmentView>,
    /// Both sides of the text; `None` until the result is there.
    pub sides: Memo<Option<Sides>>,
    /// The scores of the model's heads.
    pub scores: ReadSignal<Fetched>,
    /// The scores on pairs in the text's language.
    pub set: Memo<Option<AlignmentSet>>,
    /// The heads whose mean aligns.
    pub heads: Memo<Vec<HeadPlace>>,
    /// Whose row is read.
    pub row: Memo<RowOf>,
    /// The links; `None` until the maps are here.
    pub aligned: Memo<Option<Aligned>>,
}

impl AlignmentContext {
    pub fn provide() -> Self {
        let (live, state) = (Live::expect(), ViewState::expect());
        let view = state.select(|view| view.chapters.of::<AlignmentView>().clone());
        let sides = Memo::new(move |_| Sides::of(&*live.trace()?));
        let scores = fetched();
        let set = Memo::new(move |_| {
            // The list of heads says why the scores are missing.
            let scores = scores.get()?.ok()?;
            sides.with(|sides| scores.of(&sides.as_ref()?.meta))
        });
        let heads = Memo::new(move |_| {
            let asked = view.with(|view| view.heads.clone());
            let heads = set.with(|set| {
                sides.with(|sides| Some(heads_in(&asked, sides.as_ref()?, set.as_ref())))
            });
            heads.unwrap_or_default()
        });
        let row = Memo::new(move |_| {
            let asked = view.with(|view| view.row);
            set.with(|set| heads.with(|heads| row_in(asked, heads, set.as_ref())))
        });
        let maps = live.parts(move || {
            let excerpt = |&place: &HeadPlace| {
                let head = HeadChoice {
                    attention: attention(place),
                    head: place.head,
                };
                head.excerpt(Quantity::Pattern)
            };
            heads.with(|heads| heads.iter().map(excerpt).collect())
        });
        let aligned = Memo::new(move |_| {
            let how = (row.get(), view.with(|view| view.end));
            let map = mean_of(&maps.get()?)?;
            let sides = sides.get()?;
            Some(Aligned {
                links: links_in(&map, &sides, how)?,
                sides,
            })
        });
        let context = AlignmentContext {
            state,
            view,
            sides,
            scores,
            set,
            heads,
            row,
            aligned,
        };
        provide_context(context);
        context
    }

    /// The context that the chapter provided.
    ///
    /// # Panics
    /// Outside the chapter.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Changes the chapter's part of the address.
    pub fn update(self, change: impl FnOnce(&mut AlignmentView)) {
        self.state
            .update_chapters(|chapters| change(chapters.of_mut::<AlignmentView>()));
    }

    /// Adds a head, or takes it out if others are left.
    pub fn toggle(self, place: HeadPlace) {
        let mut heads = self.heads.get_untracked();
        match heads.iter().position(|&other| other == place) {
            Some(_) if heads.len() == 1 => {}
            Some(at) => {
                heads.remove(at);
            }
            None => heads.push(place),
        }
        self.update(|view| view.heads = AlignedHeads::Chosen(heads));
    }

    /// Leaves that head alone.
    pub fn choose_only(self, place: HeadPlace) {
        self.update(|view| view.heads = AlignedHeads::Chosen(vec![place]));
    }

    /// The error rate of what is chosen, where it was measured: of one head, of all, or of the best set.
    pub fn error_rate(self) -> Option<f64> {
        if self.view.with(|view| view.end) == EndToken::Kept {
            return None;
        }
        let row = self.row.get();
        let all = self.sides.with(|sides| Some(sides.as_ref()?.all()))?;
        self.set.with(|set| {
            let set = set.as_ref()?;
            self.heads.with(|heads| match heads.as_slice() {
                &[place] => Some(set.of(attention(place), place.head)?.of(row)),
                heads if *heads == all => Some(set.all.of(row)),
                heads if is_best(heads, set) && row == set.best.row => Some(set.best.error),
                _ => None,
            })
        })
    }
}

/// The mean of maps of the same shape.
fn mean_of(maps: &[Part]) -> Option<Array> {
    let Part(first) = maps.first()?;
    let is_alike = maps.iter().all(|Part(map)| map.shape == first.shape);
    let rows: Vec<&[f32]> = maps.iter().map(|Part(map)| map.data.as_slice()).collect();
    is_alike.then(|| Array {
        shape: first.shape.clone(),
        data: mean(&rows),
    })
}

/// The links of a map, if it is one of that text.
fn links_in(map: &Array, sides: &Sides, how: (RowOf, EndToken)) -> Option<Vec<Link>> {
    let (queries, keys) = sides.meta.axes(AttentionKind::Cross);
    if map.shape != [queries.len(), keys.len()] {
        return None;
    }
    let target = (&*sides.target, sides.first_row);
    let weights = word_weights(map, target, &sides.source, how)?;
    Some(links(&weights, how.1))
}

#[cfg(test)]
mod tests {
    use attention_trace::{
        alignment::{BestHeads, HeadErrors, RowErrors},
        config::MarianConfig,
    };

    use super::*;

    fn place(layer: usize, head: usize) -> HeadPlace {
        HeadPlace { layer, head }
    }

    fn sides() -> Sides {
        let config = MarianConfig {
            decoder_layers: 2,
            decoder_attention_heads: 2,
            ..MarianConfig::default()
        };
        Sides {
            meta: Arc::new(TraceMeta {
                spec: config.spec(),
                source: vec![],
                target: vec![],
                pieces: attention_trace::Pieces::default(),
            }),
            source: [].into(),
            target: [].into(),
            first_row: 0,
        }
    }

    fn set() -> AlignmentSet {
        let errors = |writing, reading| RowErrors { writing, reading };
        let head = |layer, head, errors| HeadErrors {
            attention: attention(place(layer, 0)),
            head,
            errors,
        };
        AlignmentSet {
            language: "fr".to_owned(),
            pairs: 3,
            heads: vec![head(0, 0, errors(0.9, 0.8)), head(1, 1, errors(0.2, 0.6))],
            all: errors(0.3, 0.4),
            best: BestHeads {
                heads: vec![(attention(place(1, 1)), 1), (attention(place(0, 0)), 0)],
                row: RowOf::Writing,
                error: 0.1,
            },
        }
    }

    #[test]
    fn the_best_heads_are_chosen_where_they_are_known_and_all_elsewhere() {
        let (sides, set) = (sides(), set());
        let best = heads_in(&AlignedHeads::Best, &sides, Some(&set));
        assert_eq!(best, [place(1, 1), place(0, 0)]);
        assert_eq!(heads_in(&AlignedHeads::Best, &sides, None).len(), 4);
        let beyond = AlignedHeads::Chosen(vec![place(7, 0), place(1, 0), place(1, 0)]);
        assert_eq!(heads_in(&beyond, &sides, None), [place(1, 0)]);
    }

    #[test]
    fn the_row_with_fewer_errors_is_read_unless_one_is_chosen() {
        let set = set();
        let row = |asked, heads: &[HeadPlace]| row_in(asked, heads, Some(&set));
        let automatic = AlignedRow::Automatic;
        assert_eq!(row(automatic, &[place(0, 0)]), RowOf::Reading);
        assert_eq!(row(automatic, &[place(1, 1)]), RowOf::Writing);
        assert_eq!(row(automatic, &[place(0, 0), place(1, 1)]), RowOf::Writing);
        let asked = AlignedRow::Of(RowOf::Reading);
        assert_eq!(row(asked, &[place(1, 1)]), RowOf::Reading);
        assert_eq!(row_in(automatic, &[place(0, 0)], None), RowOf::Writing);
    }
}
