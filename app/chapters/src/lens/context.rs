//! State shared by the chapter's figures: the decoding step, its candidates, and the model's answers about them.

use crate::lens::parameters::LensView;
use std::sync::Arc;

use attention_trace::{
    Attribution, Lens, LensAnswer, LensQuestion, ModelSpec, Token, Trace, Wanted,
};
use leptos::prelude::*;

use attention_core::{
    engine::{LensRead, Live},
    state::{HeadChoice, ViewState},
    steps::Steps,
};

/// The most probable words of a cell that is unfolded.
const WORDS: usize = 5;

/// The result on screen, and the step in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The model on screen.
    pub spec: ModelSpec,
    /// The input tokens of the stack that makes the logits.
    pub tokens: Vec<Token>,
    /// The row of the logits of each decoding step; empty of a model that writes nothing.
    pub step_rows: Vec<usize>,
    /// The row of the step on screen; without steps, the last.
    pub row: usize,
    /// The most probable words of that step, best first.
    candidates: Vec<Token>,
}

impl Place {
    fn of(trace: &Trace, step: usize) -> Option<Self> {
        let spec = trace.meta.spec.clone();
        let tokens = trace.meta.tokens(spec.last_stack()).to_vec();
        let steps = trace.decoding.as_ref().map(|decoding| &decoding.steps);
        let steps = steps.map_or(&[][..], Vec::as_slice);
        let current = steps.get(step);
        let candidates = current.map(|step| step.candidates.iter());
        Some(Place {
            row: current.map_or(tokens.len().checked_sub(1)?, |step| step.row),
            candidates: candidates
                .into_iter()
                .flatten()
                .map(|candidate| candidate.token.clone())
                .collect(),
            step_rows: steps.iter().map(|step| step.row).collect(),
            spec,
            tokens,
        })
    }
}

/// A cell of the table of layers and positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LensCell {
    /// The number of layers passed before this cell.
    pub layer: usize,
    /// The position of the token.
    pub position: usize,
}

/// The cell that a view asks for, in a table of that size.
fn cell_in(view: LensView, row: usize, layers: usize, positions: usize) -> LensCell {
    LensCell {
        layer: view.layer.unwrap_or(layers).min(layers),
        position: view
            .position
            .unwrap_or(row)
            .min(positions.saturating_sub(1)),
    }
}

/// The context shared by the chapter's figures.
#[derive(Clone, Copy)]
pub struct LensContext {
    state: ViewState,
    /// The result on screen, and the step in it.
    pub place: Memo<Option<Place>>,
    /// The lens's reading of every layer at every position.
    pub lens: Memo<Option<LensRead>>,
    /// The chosen cell of the table.
    pub cell: Memo<LensCell>,
    /// The most probable words after the chosen cell's position, best first: the candidates if the position has a
    /// decoding step, otherwise the reading of the last layer.
    pub candidates: Memo<Vec<Token>>,
    /// The places of both words among the candidates.
    pub pair: Memo<(usize, usize)>,
    /// The selected head, if the model's last stack has it.
    pub head: Memo<Option<HeadChoice>>,
}

impl LensContext {
    /// Provides the context to the chapter's figures.
    pub fn provide() -> Self {
        let (live, state, steps) = (Live::expect(), ViewState::expect(), Steps::expect());
        let place = Memo::new(move |_| {
            let trace = live.trace()?;
            Place::of(&trace, steps.timeline().step)
        });
        let view = state.select(|view| *view.chapters.of::<LensView>());
        let has_lens = Memo::new(move |_| {
            place.with(|place| place.as_ref().is_some_and(|place| place.spec.has_lens()))
        });
        let lens = live.lens(move || {
            has_lens
                .get()
                .then_some(LensQuestion::Layers { words: WORDS })
        });
        let cell = Memo::new(move |_| {
            place.with(|place| {
                let (row, positions) = place
                    .as_ref()
                    .map_or((0, 0), |place| (place.row, place.tokens.len()));
                let layers = place.as_ref().map_or(0, |place| layers_of(&place.spec));
                cell_in(view.get(), row, layers, positions)
            })
        });
        let candidates = Memo::new(move |_| {
            let row = cell.get().position;
            let of_step = place.with(|place| {
                let here = place.as_ref().filter(|place| place.row == row);
                here.map(|place| place.candidates.clone())
            });
            let of_step = of_step.filter(|candidates| !candidates.is_empty());
            let of_layer = || {
                // The table shows the failure.
                let answer = lens.get()?.ok()?;
                last_words(&answer, row)
            };
            of_step.or_else(of_layer).unwrap_or_default()
        });
        let context = LensContext {
            state,
            place,
            lens,
            cell,
            candidates,
            pair: Memo::new(move |_| view.get().pair(candidates.read().len())),
            head: Memo::new(move |_| {
                let head = view.get().head?;
                place.with(|place| {
                    let spec = &place.as_ref()?.spec;
                    let is_last = head.attention.kind.stack() == spec.last_stack();
                    (is_last && head.is_in(spec)).then_some(head)
                })
            }),
        };
        provide_context(context);
        context
    }

    /// The context that a component above provided.
    ///
    /// # Panics
    /// Outside the chapter.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Returns the table of layers and positions, once it is computed.
    pub fn layers(self) -> Option<Arc<LensAnswer>> {
        // The table shows the failure.
        self.lens.get()?.ok()
    }

    /// Returns the candidate at a place in the list.
    pub fn candidate(self, place: usize) -> Option<Token> {
        self.candidates
            .with(|candidates| candidates.get(place).cloned())
    }

    /// Returns the number to decompose: the chosen word's logit, or its difference from the other word's. `None` if
    /// there are no such words, or the model's logits are not a sum.
    pub fn wanted(self, is_difference: bool) -> Option<Wanted> {
        let (word, against) = self.pair.get();
        let id = |at: usize| self.candidate(at).map(|token| token.id);
        let wanted = Wanted {
            row: self.cell.get().position,
            token: id(word)?,
            against: if is_difference {
                Some(id(against)?)
            } else {
                None
            },
        };
        let is_sum = |place: &Place| place.spec.has_attribution();
        let is_sum = self.place.with(|place| place.as_ref().is_some_and(is_sum));
        is_sum.then_some(wanted)
    }

    /// Chooses a cell of the table. The step moves too if the position has one.
    pub fn choose_cell(self, steps: Steps, cell: LensCell) {
        let step = self.place.with_untracked(|place| {
            let mut rows = place.as_ref()?.step_rows.iter();
            rows.position(|&row| row == cell.position)
        });
        if let Some(step) = step {
            steps.player().go_to(step);
        }
        self.update(|view| {
            view.layer = Some(cell.layer);
            view.position = step.is_none().then_some(cell.position);
        });
    }

    /// Chooses a candidate as one of the two words.
    pub fn choose_word(self, place: usize, is_word: bool) {
        let count = self.candidates.with_untracked(Vec::len);
        self.update(|view| view.choose(place, is_word, count));
    }

    /// Selects a head, or clears the selection.
    pub fn toggle_head(self, head: HeadChoice) {
        let was = self.head.get_untracked();
        self.update(|view| view.head = (was != Some(head)).then_some(head));
    }

    fn update(self, change: impl FnOnce(&mut LensView)) {
        self.state
            .update_chapters(|chapters| change(chapters.of_mut::<LensView>()));
    }
}

/// Returns the number of layers in the stack that makes the logits.
fn layers_of(spec: &ModelSpec) -> usize {
    spec.stack(spec.last_stack())
        .map_or(0, |stack| stack.layers)
}

pub fn table(answer: &LensAnswer) -> Option<&Lens> {
    match answer {
        LensAnswer::Layers(lens) => Some(lens),
        _ => None,
    }
}

/// The most probable words of the last layer at a position.
fn last_words(answer: &LensAnswer, position: usize) -> Option<Vec<Token>> {
    let reading = table(answer)?.layers.last()?.get(position)?;
    let words = reading.words.iter();
    Some(words.map(|word| word.token.clone()).collect())
}

pub fn parts(answer: &LensAnswer) -> Option<&Attribution> {
    match answer {
        LensAnswer::Parts(attribution) => Some(attribution),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_in_the_table_and_follows_the_step_until_one_is_chosen() {
        let cell = |view| cell_in(view, 2, 3, 6);
        let standard = LensView::default();
        assert_eq!(
            cell(standard),
            LensCell {
                layer: 3,
                position: 2
            }
        );
        let far = LensView {
            layer: Some(99),
            position: Some(99),
            ..standard
        };
        assert_eq!(
            cell(far),
            LensCell {
                layer: 3,
                position: 5
            }
        );
        let chosen = LensView {
            layer: Some(0),
            position: Some(4),
            ..standard
        };
        assert_eq!(
            cell(chosen),
            LensCell {
                layer: 0,
                position: 4
            }
        );
        assert_eq!(cell_in(standard, 0, 0, 0).position, 0);
    }
}
