//! The experiment: the tokens in another order, with and without the model's sources of order.

use crate::order::parameters::WordOrder;
use std::sync::Arc;

use attention_trace::{Array, Edit, Excerpt, Quantity, Site, Slice, Token, TraceMeta};
use leptos::prelude::*;

use attention_core::{
    engine::{Live, Part},
    selection::{HeadChoice, Selection},
    state::ViewState,
};

/// The sources of order in a pass of the experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knows {
    /// True if the pass has the model's positional encoding.
    pub positions: bool,
    /// True if the pass has the causal mask; an encoder has none.
    pub causal: bool,
}

/// The input of the experiment: the tokens, their permutation, and the selected head.
#[derive(Clone, Debug, PartialEq)]
pub struct PermutationInput {
    meta: Arc<TraceMeta>,
    /// The head whose maps are shown.
    pub head: HeadChoice,
    /// The index of the token at each place.
    pub order: Vec<usize>,
    /// The sources of order in the selected passes.
    pub knows: Knows,
}

impl PermutationInput {
    /// Returns the sizes of the model.
    pub fn meta(&self) -> &TraceMeta {
        &self.meta
    }

    /// The tokens as they were typed.
    pub fn tokens(&self) -> &[Token] {
        self.meta.axes(self.head.attention.kind).0
    }

    /// The place of all outputs, `[n, d]`.
    fn outputs(&self) -> Site {
        self.meta
            .spec
            .stack_output(self.head.attention.kind.stack())
    }

    /// Returns the edits of a pass over the tokens, permuted or as they were typed.
    fn edits(&self, is_moved: bool, knows: Knows) -> Vec<Edit> {
        let permuted = is_moved.then(|| Edit::Permute {
            order: self.order.clone(),
        });
        let blind = (!knows.positions).then_some(Edit::WithoutPositions);
        let unmasked = (!knows.causal).then_some(Edit::WithoutCausality);
        [permuted, blind, unmasked].into_iter().flatten().collect()
    }
}

/// The experiment that the view asks for.
#[derive(Clone, Copy)]
pub struct OrderSelection {
    /// The experiment; `None` until there is a trace.
    pub input: Memo<Option<PermutationInput>>,
}

impl OrderSelection {
    /// Returns the selection in the view, for the trace on screen.
    pub fn of_view() -> Self {
        let (live, state) = (Live::expect(), ViewState::expect());
        let selection = Selection::of_page();
        let order = state.select(|view| view.chapters.of::<WordOrder>().clone());
        let input = Memo::new(move |_| {
            let order = order.get();
            let meta = Arc::new(live.trace()?.meta.clone());
            let head = selection.get().with_kind(meta.spec.permuted()).head(&meta);
            let tokens = meta.axes(head.attention.kind).0.len();
            Some(PermutationInput {
                head,
                order: order.of(tokens),
                knows: Knows {
                    positions: order.positions,
                    causal: !order.unmasked,
                },
                meta,
            })
        });
        OrderSelection { input }
    }

    /// True if the model on screen has a causal mask that can be removed.
    pub fn is_causal_model(self) -> bool {
        let causal = |input: &PermutationInput| {
            let kind = input.head.attention.kind;
            let stack = input.meta.spec.attention(kind);
            stack.is_some_and(|stack| stack.causal)
        };
        self.input.with(|input| input.as_ref().is_some_and(causal))
    }

    /// The outputs of a pass, `[n, d]`.
    pub fn outputs(self, is_moved: bool, knows: Knows) -> Memo<Option<Part>> {
        Live::expect().part(move || {
            let input = self.input.get()?;
            let edits = input.edits(is_moved, knows);
            Some(Excerpt::new(input.outputs(), Slice::Whole).with_edits(edits))
        })
    }

    /// The map of the selected head, `[n, n]`.
    pub fn map(self, is_moved: bool) -> Memo<Option<Part>> {
        Live::expect().part(move || {
            let input = self.input.get()?;
            let map = input.head.excerpt(Quantity::Pattern);
            Some(map.with_edits(input.edits(is_moved, input.knows)))
        })
    }
}

/// Returns the largest difference between permuted rows and the model's rows for the permuted tokens; `None` if the
/// shapes differ.
pub fn difference(plain: &Array, moved: &Array, order: &[usize]) -> Option<f32> {
    let &[rows, width] = plain.shape.as_slice() else {
        return None;
    };
    if moved.shape != plain.shape || rows != order.len() {
        return None;
    }
    let mut largest = 0.0f32;
    for (place, &token) in order.iter().enumerate() {
        let (a, b) = (plain.row(&[token])?, moved.row(&[place])?);
        let apart = a.iter().zip(b).map(|(a, b)| (a - b).abs());
        largest = apart.fold(largest, f32::max);
    }
    (width > 0).then_some(largest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(data: &[f32]) -> Array {
        Array {
            shape: vec![data.len() / 2, 2],
            data: data.to_vec(),
        }
    }

    #[test]
    fn rows_are_compared_where_their_tokens_stand() {
        let plain = array(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let moved = array(&[5.0, 6.0, 1.0, 2.5, 3.0, 4.0]);
        assert_eq!(difference(&plain, &moved, &[2, 0, 1]), Some(0.5));
        assert_eq!(difference(&plain, &moved, &[0, 1]), None);
        assert_eq!(difference(&plain, &array(&[1.0, 2.0]), &[2, 0, 1]), None);
    }
}
