//! State shared by the chapter's figures: the alignment on screen and the decoding step.

use attention_trace::{
    Array, AttentionKind, Block, Excerpt, ModelSpec, Quantity, Slice, Stack, Step, Token, Trace,
};
use leptos::prelude::*;

use attention_core::{
    engine::{Live, Part},
    names::token_name,
    selection::{HeadNumbers, MOST_TOKENS, Selection},
    state::HeadChoice,
    steps::Steps,
};

/// An alignment of source and target: an attention of the decoder to the encoder, and the tokens on both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The model on screen.
    pub spec: ModelSpec,
    /// The head; a recurrent model has one.
    pub head: HeadChoice,
    /// The number of the head among all heads.
    pub numbers: HeadNumbers,
    /// The names of the source's tokens.
    pub source: Vec<String>,
    /// The row and the name of each written token.
    pub written: Vec<(usize, String)>,
    /// The names of the tokens that the model was forced to write.
    pub given: Vec<String>,
}

impl Place {
    fn of(trace: &Trace, selection: Selection, name: impl Fn(&Token) -> String) -> Option<Self> {
        let spec = trace.meta.spec.clone();
        spec.attention(AttentionKind::Cross)?;
        let steps = trace.decoding.as_ref().map(|decoding| &decoding.steps);
        let steps = steps.map_or(&[][..], Vec::as_slice);
        let written = |step: &Step| (step.row, name(&step.chosen.token));
        let given = steps.iter().filter(|step| step.forced);
        let head = selection.with_kind(AttentionKind::Cross).head(&trace.meta);
        Some(Place {
            numbers: head.numbers(&trace.meta),
            head,
            spec,
            source: trace.meta.source.iter().map(&name).collect(),
            written: steps.iter().take(MOST_TOKENS).map(written).collect(),
            given: given.map(|step| name(&step.chosen.token)).collect(),
        })
    }

    pub fn is_recurrent(&self) -> bool {
        self.spec.recurrence.is_some()
    }

    /// Returns the reach `D` of local attention.
    pub fn window(&self) -> Option<usize> {
        self.spec.recurrence?.attention.window()
    }
}

/// The context shared by the chapter's figures.
#[derive(Clone, Copy)]
pub struct RecurrentContext {
    live: Live,
    steps: Steps,
    /// The alignment, if the model on screen has one.
    pub place: Memo<Option<Place>>,
    /// The decoding step on screen, from 0.
    pub step: Memo<usize>,
}

impl RecurrentContext {
    /// Provides the context to the chapter's figures.
    pub fn provide() {
        let (live, steps) = (Live::expect(), Steps::expect());
        let selection = Selection::of_page();
        let name = token_name();
        provide_context(RecurrentContext {
            live,
            steps,
            place: Memo::new(move |_| {
                let trace = live.trace()?;
                Place::of(&trace, selection.get(), name)
            }),
            step: Memo::new(move |_| steps.timeline().step),
        });
    }

    /// The context that the chapter provided.
    ///
    /// # Panics
    /// Outside the chapter.
    pub fn expect() -> Self {
        expect_context()
    }

    /// The steps of decoding.
    pub fn steps(self) -> Steps {
        self.steps
    }

    /// The row of the step on screen, and the token that is written there.
    pub fn row(self) -> Option<(usize, String)> {
        let step = self.step.get();
        self.place
            .with(|place| place.as_ref()?.written.get(step).cloned())
    }

    /// The alignment's matrix of a quantity.
    pub fn matrix(self, quantity: Quantity) -> Memo<Option<Part>> {
        let place = self.place;
        self.live
            .part(move || place.with(|place| Some(place.as_ref()?.head.excerpt(quantity))))
    }

    /// The row of the step on screen of a quantity of the alignment, if the model computes it.
    pub fn row_of(self, quantity: Quantity) -> Memo<Option<Vec<f32>>> {
        let matrix = self.matrix(quantity);
        Memo::new(move |_| {
            let (row, _) = self.row()?;
            matrix.with(|matrix| Some(matrix.as_ref()?.0.row(&[row])?.to_vec()))
        })
    }

    /// Returns the vector, `[width]`, that the decoder of a model without attention gets of the source: the encoder's
    /// last state in each reading direction.
    pub fn vector(self) -> Memo<Option<Vec<f32>>> {
        let live = self.live;
        let states = live.part(move || {
            let trace = live.trace()?;
            let last = without_attention(&trace)?;
            let states = Block::Stack(Stack::Encoder);
            Some(Excerpt::new(
                states.at(Quantity::State),
                Slice::Rows(0, last + 1),
            ))
        });
        Memo::new(move |_| {
            let bidirectional = live.trace()?.meta.spec.recurrence?.bidirectional;
            states.with(|states| {
                let Part(states) = states.as_ref()?;
                ends(states, bidirectional)
            })
        })
    }

    /// Returns the number of tokens that a model without attention read, and the width of its vector.
    pub fn vector_sizes(self) -> Memo<Option<(usize, usize)>> {
        let live = self.live;
        Memo::new(move |_| {
            let trace = live.trace()?;
            let last = without_attention(&trace)?;
            Some((last + 1, trace.meta.spec.recurrence?.state_width))
        })
    }
}

/// Returns the last state of `states`, `[n, width]`; if both directions are side by side, the last state forwards and
/// the first state backwards.
fn ends(states: &Array, bidirectional: bool) -> Option<Vec<f32>> {
    let last = states.shape.first()?.checked_sub(1)?;
    let last = states.row(&[last])?;
    let back = match bidirectional {
        true => last.len() / 2,
        false => last.len(),
    };
    let first = states.row(&[0])?;
    Some([&last[..back], &first[back..]].concat())
}

/// The place of the last source token of a recurrent model without attention.
fn without_attention(trace: &Trace) -> Option<usize> {
    let recurrence = trace.meta.spec.recurrence?;
    match recurrence.attention.score() {
        None => trace.meta.source.len().checked_sub(1),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::{
        RecurrentAttention, TraceMeta,
        config::{GruConfig, LlamaConfig},
    };

    use super::*;
    use attention_core::state::View;

    fn trace(spec: ModelSpec) -> Trace {
        let token = |text: &str| Token {
            id: 7,
            text: text.to_owned(),
            unknown: false,
        };
        Trace::new(TraceMeta {
            spec,
            source: ["▁Je", "▁suis", "</s>"].map(token).to_vec(),
            target: vec![token("<pad>")],
            pieces: attention_trace::Pieces::default(),
        })
    }

    fn place(spec: ModelSpec) -> Option<Place> {
        let selection = Selection::of(&View::default());
        Place::of(&trace(spec), selection, |token| token.text.clone())
    }

    #[test]
    fn a_model_without_attention_has_a_vector_and_no_alignment() {
        let fixed = GruConfig::default().spec();
        assert_eq!(without_attention(&trace(fixed.clone())), Some(2));
        assert_eq!(place(fixed), None);
        assert_eq!(
            without_attention(&trace(LlamaConfig::default().spec())),
            None
        );
    }

    #[test]
    fn both_ways_end_at_opposite_tokens() {
        let states = Array {
            shape: vec![3, 4],
            data: (0..12).map(|number| number as f32).collect(),
        };
        assert_eq!(ends(&states, false).unwrap(), [8.0, 9.0, 10.0, 11.0]);
        assert_eq!(ends(&states, true).unwrap(), [8.0, 9.0, 2.0, 3.0]);
    }

    #[test]
    fn an_alignment_is_between_the_tokens_of_both_sides() {
        let bahdanau = GruConfig {
            attention: RecurrentAttention::Bahdanau,
            ..GruConfig::default()
        };
        assert_eq!(without_attention(&trace(bahdanau.spec())), None);
        let place = place(bahdanau.spec()).unwrap();
        assert!(place.is_recurrent());
        assert_eq!((place.source.len(), place.window()), (3, None));
        assert_eq!(place.head.attention.kind, AttentionKind::Cross);
    }
}
