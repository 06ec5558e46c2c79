//! The experiment: the tokens in another order, with and without what tells a model of order.

use std::sync::Arc;

use attention_trace::{Array, AttentionKind, Excerpt, Experiment, Family, Slice, Token, TraceMeta};
use leptos::prelude::*;

use crate::{
    engine::{Engine, Live, Part},
    selection::{HeadChoice, Selection},
    state::ViewState,
};

/// What carries order in a pass of the experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knows {
    /// Whether the model's positional encoding is there.
    pub positions: bool,
    /// Whether the causal mask is there; an encoder has none.
    pub causal: bool,
}

/// The input of the experiment: the tokens, their permutation, and the selected head.
#[derive(Clone, Debug, PartialEq)]
pub struct PermutationInput {
    meta: Arc<TraceMeta>,
    /// The head whose maps are shown.
    pub head: HeadChoice,
    /// Which token stands at each place.
    pub order: Vec<usize>,
    /// What the selected passes know.
    pub knows: Knows,
}

impl PermutationInput {
    /// Sizes of the model.
    pub fn meta(&self) -> &TraceMeta {
        &self.meta
    }

    /// The tokens as they were typed.
    pub fn tokens(&self) -> &[Token] {
        self.meta.axes(self.head.site.kind).0
    }

    /// The array of all outputs, `[n, d]`.
    fn outputs(&self) -> String {
        match self.meta.family {
            Family::Marian => {
                let last = self.meta.encoder_layers.saturating_sub(1);
                format!("model.encoder.layers.{last}.final_layer_norm.output")
            }
            Family::Llama => "model.norm.output".to_owned(),
        }
    }

    /// The experiment with the tokens moved, or as they were typed.
    fn experiment(&self, is_moved: bool, knows: Knows) -> Experiment {
        Experiment {
            order: match is_moved {
                true => self.order.clone(),
                false => (0..self.order.len()).collect(),
            },
            positions: knows.positions,
            causal: knows.causal,
        }
    }
}

/// The attention that the experiment is about: an encoder's, or a decoder-only model's.
fn kind(meta: &TraceMeta) -> AttentionKind {
    match meta.family {
        Family::Marian => AttentionKind::EncoderSelf,
        Family::Llama => AttentionKind::DecoderSelf,
    }
}

/// The experiment that the view asks for.
#[derive(Clone, Copy)]
pub struct OrderSelection {
    /// The experiment; `None` until there is a trace.
    pub input: Memo<Option<PermutationInput>>,
    /// Whether the model itself answered, so that it can be asked again.
    pub is_live: Memo<bool>,
}

impl OrderSelection {
    /// That of the view and the trace on screen.
    pub fn of_view() -> Self {
        let (live, state) = (Live::expect(), ViewState::expect());
        let selection = Selection::of_page();
        let order = state.select(|view| view.chapters.order.clone());
        let input = Memo::new(move |_| {
            let order = order.get();
            let meta = Arc::new(live.trace()?.meta.clone());
            let head = selection.get().with_kind(kind(&meta)).head(&meta);
            let tokens = meta.axes(head.site.kind).0.len();
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
        let is_live = live.select(Engine::has_parts);
        OrderSelection { input, is_live }
    }

    /// Whether the model on screen has a causal mask to lose.
    pub fn is_causal_model(self) -> bool {
        let causal = |input: &PermutationInput| input.meta.family == Family::Llama;
        self.input.with(|input| input.as_ref().is_some_and(causal))
    }

    /// The outputs of a pass, `[n, d]`.
    pub fn outputs(self, is_moved: bool, knows: Knows) -> Memo<Option<Part>> {
        Live::expect().part(move || {
            let input = self.input.get()?;
            let experiment = input.experiment(is_moved, knows);
            Some(Excerpt::new(input.outputs(), Slice::Whole).in_experiment(experiment))
        })
    }

    /// The map of the selected head, `[n, n]`.
    pub fn map(self, is_moved: bool) -> Memo<Option<Part>> {
        Live::expect().part(move || {
            let input = self.input.get()?;
            let map = input.head.excerpt(&input.meta, "weights");
            Some(map.in_experiment(input.experiment(is_moved, input.knows)))
        })
    }
}

/// The largest difference between rows put into another order, and those that the model made of the
/// tokens in that order; `None` where they do not belong together.
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
