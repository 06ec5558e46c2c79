//! The evidence of a test's answers: facts of the model, the head in sight and its arrays of the visitor's sentence.

use std::ops::Range;

use attention_trace::{Array, Decoding, Excerpt, ModelSpec, Quantity, StackSpec, Token};
use leptos::prelude::*;

use attention_core::{
    engine::{Live, Part},
    names::token_name,
    selection::{SelfAttention, SelfPlace},
    state::{HeadChoice, Sitting},
    steps::Steps,
};

/// A reason why a question has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Gap {
    /// The numbers are not here yet.
    #[error("the numbers are on their way")]
    Loading,
    /// The model has no such thing.
    #[error("this model has no such thing")]
    Model,
    /// The sentence, or the chosen token, does not decide the question.
    #[error("this sentence does not decide it")]
    Sentence,
}

/// A matrix that questions ask for, of the head in sight or of another one in its layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The weights, `[n, n]`.
    Weights,
    /// The weights of [`SelfFacts::other`], `[n, n]`.
    OtherWeights,
    /// The queries, `[n, d_k]`.
    Queries,
    /// The keys, `[n, d_k]`.
    Keys,
    /// The scores before they are scaled, `[n, n]`.
    Scores,
    /// The scores as softmax gets them but for mask and bias, `[n, n]`.
    ScaledScores,
}

impl Need {
    const ALL: [Self; 6] = [
        Need::Weights,
        Need::OtherWeights,
        Need::Queries,
        Need::Keys,
        Need::Scores,
        Need::ScaledScores,
    ];

    fn quantity(self) -> Quantity {
        match self {
            Need::Weights | Need::OtherWeights => Quantity::Pattern,
            Need::Queries => Quantity::Query,
            Need::Keys => Quantity::Key,
            Need::Scores => Quantity::Scores,
            Need::ScaledScores => Quantity::ScaledScores,
        }
    }

    fn excerpt(self, facts: &SelfFacts) -> Excerpt {
        let head = match self {
            Need::OtherWeights => facts.other(),
            _ => facts.head,
        };
        head.excerpt(self.quantity())
    }
}

/// The head in sight, its stack, and the token that is read.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfFacts {
    /// The specification of the model.
    pub spec: ModelSpec,
    pub stack: StackSpec,
    /// The head, one of self-attention; a recurrent model has no such head.
    pub head: HeadChoice,
    /// The place of the query among the tokens, from 0.
    pub query: usize,
    /// The names of the tokens that the head reads.
    pub names: Vec<String>,
}

impl SelfFacts {
    fn of(place: &SelfPlace, name: impl Fn(&Token) -> String) -> Option<Self> {
        let meta = &place.meta;
        let kind = place.head.attention.kind;
        Some(SelfFacts {
            stack: meta.spec.stack(kind.stack())?.clone(),
            spec: meta.spec.clone(),
            head: place.head,
            query: place.query,
            names: meta.axes(kind).0.iter().map(name).collect(),
        })
    }

    /// Returns the facts of a sitting: those in sight before the chapter, the next head and token after it, so that an
    /// answer read off earlier does not fit.
    fn at(self, sitting: Sitting) -> Self {
        match sitting {
            Sitting::Before => self,
            Sitting::After => SelfFacts {
                head: self.other(),
                query: neighbour(self.query, self.names.len()),
                ..self
            },
        }
    }

    /// The next head of the layer, the first after the last; itself where it is alone.
    pub fn other(&self) -> HeadChoice {
        HeadChoice {
            head: (self.head.head + 1) % self.stack.heads.max(1),
            ..self.head
        }
    }

    /// Returns the keys that a query of the head can see.
    pub fn seen(&self, query: usize) -> Range<usize> {
        let layer = self.head.attention.layer;
        self.stack.seen(layer, query, self.names.len())
    }

    /// True if the head's scores are divided by `√d_k`.
    pub fn divides_by_root(&self) -> bool {
        let layer = self.stack.attention_in(self.head.attention.layer);
        self.spec.scales_scores && layer.divisor.is_none()
    }

    /// Returns the number of keys that the query can see: all of them, or in a causal stack those up to its own
    /// position, as far back as the layer's window.
    pub fn visible(&self) -> usize {
        self.seen(self.query).len()
    }
}

/// The data that answers are computed from.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// The head, its model and its text.
    pub facts: SelfFacts,
    /// The decoding of the text; `None` if the text was given.
    pub decoding: Option<Decoding>,
    /// The decoding step on screen, from 0.
    pub step: usize,
    matrices: Vec<(Need, Part)>,
}

impl Evidence {
    /// A matrix.
    ///
    /// # Errors
    /// [`Gap::Loading`] while it is not here.
    pub fn matrix(&self, need: Need) -> Result<&Array, Gap> {
        let mut matrices = self.matrices.iter();
        let (_, Part(matrix)) = matrices
            .find(|(other, _)| *other == need)
            .ok_or(Gap::Loading)?;
        Ok(matrix)
    }

    /// The query's row of a matrix.
    ///
    /// # Errors
    /// [`Gap::Loading`] while it is not here.
    pub fn row(&self, need: Need) -> Result<&[f32], Gap> {
        let row = self.matrix(need)?.row(&[self.facts.query]);
        row.ok_or(Gap::Loading)
    }

    /// The query's row over the keys that it may look at.
    ///
    /// # Errors
    /// [`Gap::Loading`] while it is not here, [`Gap::Model`] if a window hides the first keys.
    pub fn visible_row(&self, need: Need) -> Result<&[f32], Gap> {
        let seen = self.facts.seen(self.facts.query);
        if seen.start > 0 {
            return Err(Gap::Model);
        }
        self.row(need)?.get(seen).ok_or(Gap::Loading)
    }
}

/// The place after `place` of `count`, or the one before where it is the last.
fn neighbour(place: usize, count: usize) -> usize {
    match place + 1 < count {
        true => place + 1,
        false => place.saturating_sub(1),
    }
}

/// The evidence of the page's view for a sitting's questions with these needs; `None` until there is a trace. Below a
/// [`SelfAttention`].
pub fn evidence(
    sitting: Sitting,
    needs: impl Fn() -> Vec<Need> + Copy + Send + Sync + 'static,
) -> Memo<Option<Evidence>> {
    let (live, context) = (Live::expect(), SelfAttention::expect());
    let steps = Steps::expect();
    let name = token_name();
    let facts = Memo::new(move |_| {
        let facts = context.with(|place| SelfFacts::of(place, name))?;
        Some(facts?.at(sitting))
    });
    let part = move |need: Need| {
        let part = live.part(move || {
            let is_needed = needs().contains(&need);
            facts
                .read()
                .as_ref()
                .filter(|_| is_needed)
                .map(|facts| need.excerpt(facts))
        });
        (need, part)
    };
    let parts = Need::ALL.map(part);
    Memo::new(move |_| {
        let here = |&(need, part): &(Need, Memo<Option<Part>>)| Some((need, part.get()?));
        let decoding = live.trace()?.decoding.clone();
        let step = steps.timeline().step;
        let written = decoding.as_ref().map_or(0, |decoding| decoding.steps.len());
        Some(Evidence {
            facts: facts.get()?,
            decoding,
            step: match sitting {
                Sitting::Before => step,
                Sitting::After => neighbour(step, written),
            },
            matrices: parts.iter().filter_map(here).collect(),
        })
    })
}

#[cfg(test)]
pub mod tests {
    use std::sync::Arc;

    use attention_trace::{
        AttentionKind, AttentionLayer,
        config::{LlamaConfig, MarianConfig},
    };

    use super::*;

    /// Returns evidence of the translator's encoder, or of a decoder-only model: three tokens, of which the second is
    /// read.
    pub fn evidence(causal: bool, matrices: &[(Need, &[f32])]) -> Evidence {
        let spec = match causal {
            true => LlamaConfig::default().spec(),
            false => MarianConfig::default().spec(),
        };
        let kind = match causal {
            true => AttentionKind::DecoderSelf,
            false => AttentionKind::EncoderSelf,
        };
        let matrix = |(need, data): &(Need, &[f32])| {
            let array = Array {
                shape: vec![3, data.len() / 3],
                data: data.to_vec(),
            };
            (*need, Part(Arc::new(array)))
        };
        Evidence {
            facts: SelfFacts {
                stack: spec.attention(kind).unwrap().clone(),
                spec,
                head: HeadChoice {
                    attention: AttentionLayer { kind, layer: 0 },
                    head: 0,
                },
                query: 1,
                names: ["Je", "suis", "."].map(str::to_owned).to_vec(),
            },
            decoding: None,
            step: 0,
            matrices: matrices.iter().map(matrix).collect(),
        }
    }

    #[test]
    fn a_causal_query_sees_the_keys_up_to_its_own() {
        let rows = [0.2, 0.3, 0.5, 0.1, 0.6, 0.3, 0.3, 0.3, 0.4];
        let seen = |causal| {
            let evidence = evidence(causal, &[(Need::Weights, &rows)]);
            evidence.visible_row(Need::Weights).unwrap().to_vec()
        };
        assert_eq!(seen(false), [0.1, 0.6, 0.3]);
        assert_eq!(seen(true), [0.1, 0.6]);
    }

    #[test]
    fn what_is_not_here_is_loading() {
        assert_eq!(evidence(false, &[]).row(Need::Keys), Err(Gap::Loading));
    }

    #[test]
    fn the_other_head_is_the_next_one() {
        let mut facts = evidence(false, &[]).facts;
        assert_eq!(facts.other().head, 1);
        facts.head.head = facts.stack.heads - 1;
        assert_eq!(facts.other().head, 0);
    }

    #[test]
    fn after_the_chapter_another_head_and_token_are_asked_about() {
        let facts = evidence(true, &[]).facts;
        assert_eq!(facts.clone().at(Sitting::Before), facts);
        let after = facts.clone().at(Sitting::After);
        assert_eq!((after.head, after.query), (facts.other(), 2));
        // Of a causal model the last token has more to ask than the first.
        assert_eq!(after.at(Sitting::After).query, 1);
        assert_eq!(neighbour(0, 1), 0);
    }
}
