//! The evidence of a test's answers: facts of the model, the head in sight and its arrays of the visitor's sentence.

use std::{ops::Range, sync::Arc};

use attention_trace::{
    Array, AttentionKind, AttentionLayer, Decoding, Excerpt, ModelSpec, Quantity, Site, Slice,
    StackSpec, Token, TraceMeta,
};

use attention_core::{
    engine::Part,
    state::{HeadChoice, Sitting},
};

use super::questions::decoding::step;

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
    /// The query's weights in every head of the layer, `[h, n]`.
    LayerWeights,
    /// The query's stream after the layer's attention was added, `[1, d]`.
    Stream,
    /// The query's output of the layer's attention, `[1, d]`.
    AttentionOut,
    /// The query's output of the layer's feed-forward network, `[1, d]`.
    FeedForwardOut,
    /// The logits at the step on screen, `[1, vocabulary]`.
    Logits,
    /// The weights of the last layer's cross-attention, in the head of the same number, `[m, n]`.
    CrossWeights,
    /// All tokens' streams after the first layer's attention was added, `[n, d]`.
    FirstStream,
    /// All tokens' streams after the last layer's attention was added, `[n, d]`.
    LastStream,
}

impl Need {
    /// The part of an array that it is.
    ///
    /// # Errors
    /// [`Gap::Model`] if the model computes no such array, or has written nothing.
    pub fn excerpt(self, evidence: &Evidence) -> Result<Excerpt, Gap> {
        let facts = &evidence.facts;
        let attention = facts.head.attention;
        let (own, row) = (facts.head, Slice::Rows(facts.query, facts.query + 1));
        let excerpt = match self {
            Need::Weights => own.excerpt(Quantity::Pattern),
            Need::OtherWeights => facts.other().excerpt(Quantity::Pattern),
            Need::Queries => own.excerpt(Quantity::Query),
            Need::Keys => own.excerpt(Quantity::Key),
            Need::Scores => own.excerpt(Quantity::Scores),
            Need::ScaledScores => own.excerpt(Quantity::ScaledScores),
            Need::LayerWeights => {
                Excerpt::new(attention.at(Quantity::Pattern), Slice::Row(facts.query))
            }
            Need::Stream => Excerpt::new(attention.at(Quantity::Residual), row),
            Need::AttentionOut => Excerpt::new(attention.at(Quantity::Out), row),
            Need::FeedForwardOut => Excerpt::new(attention.feed_forward().at(Quantity::Out), row),
            Need::CrossWeights => cross_head(facts)?.excerpt(Quantity::Pattern),
            Need::FirstStream | Need::LastStream => {
                let layer = match self {
                    Need::FirstStream => 0,
                    _ => facts.stack.layers.saturating_sub(1),
                };
                let attention = AttentionLayer { layer, ..attention };
                Excerpt::new(attention.at(Quantity::Residual), Slice::Whole)
            }
            Need::Logits => {
                let row = step(evidence)?.row;
                Excerpt::new(Site::LOGITS, Slice::Rows(row, row + 1))
            }
        };
        let attention_trace::ArrayName::Site(site) = excerpt.array else {
            return Err(Gap::Model);
        };
        match facts.spec.has(site) {
            true => Ok(excerpt),
            false => Err(Gap::Model),
        }
    }
}

/// The head of the last cross-attention with the number of the head in sight.
///
/// # Errors
/// [`Gap::Model`] if the model has no cross-attention.
pub fn cross_head(facts: &SelfFacts) -> Result<HeadChoice, Gap> {
    let kind = AttentionKind::Cross;
    let (layers, heads) = (facts.spec.layers(kind), facts.spec.heads(kind));
    let layer = layers.checked_sub(1).ok_or(Gap::Model)?;
    let head = facts.head.head.checked_rem(heads).ok_or(Gap::Model)?;
    Ok(HeadChoice {
        attention: AttentionLayer { kind, layer },
        head,
    })
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
    /// Returns the facts of a head and a token of a text; `None` where the model has no such stack.
    pub fn of(
        meta: &TraceMeta,
        head: HeadChoice,
        query: usize,
        name: impl Fn(&Token) -> String,
    ) -> Option<Self> {
        let kind = head.attention.kind;
        Some(SelfFacts {
            stack: meta.spec.stack(kind.stack())?.clone(),
            spec: meta.spec.clone(),
            head,
            query,
            names: meta.axes(kind).0.iter().map(name).collect(),
        })
    }

    /// Returns the facts of a sitting: those in sight before the chapter, the next head and token after it, so that an
    /// answer read off earlier does not fit.
    pub fn at(self, sitting: Sitting) -> Self {
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
    /// The sitting, which has a form of the test of its own: another head, token and step, and other changes.
    pub sitting: Sitting,
    arrays: Vec<(Excerpt, Part)>,
}

impl Evidence {
    /// The evidence of a sitting before any array is here: what is in sight, or the next head, token and step.
    pub fn new(
        facts: SelfFacts,
        decoding: Option<Decoding>,
        step: usize,
        sitting: Sitting,
    ) -> Self {
        let written = decoding.as_ref().map_or(0, |decoding| decoding.steps.len());
        Evidence {
            facts: facts.at(sitting),
            decoding,
            step: match sitting {
                Sitting::Before => step,
                Sitting::After => neighbour(step, written),
            },
            sitting,
            arrays: vec![],
        }
    }

    /// Adds an array that was computed.
    pub fn add(&mut self, excerpt: Excerpt, array: Array) {
        self.add_part(excerpt, Part(Arc::new(array)));
    }

    /// Adds an array that others hold too.
    pub fn add_part(&mut self, excerpt: Excerpt, part: Part) {
        self.arrays.push((excerpt, part));
    }

    /// Returns an array that was added.
    ///
    /// # Errors
    /// [`Gap::Loading`] while it is not here.
    pub fn array(&self, excerpt: &Excerpt) -> Result<&Array, Gap> {
        let mut arrays = self.arrays.iter();
        let found = arrays.find(|(other, _)| other == excerpt);
        let (_, Part(array)) = found.ok_or(Gap::Loading)?;
        Ok(array)
    }

    /// True in the form before the chapter, false in the one after it.
    pub fn is_first_form(&self) -> bool {
        self.sitting == Sitting::Before
    }

    /// The position whose logits choose the token of the step on screen; `None` if nothing was written.
    pub fn step_row(&self) -> Option<usize> {
        // A text that was given has no steps.
        Some(step(self).ok()?.row)
    }

    /// The kind of attention through which the tokens that are read act on the step on screen.
    pub fn reading(&self) -> AttentionKind {
        self.facts.spec.permuted()
    }

    /// A matrix.
    ///
    /// # Errors
    /// [`Gap::Loading`] while it is not here.
    pub fn matrix(&self, need: Need) -> Result<&Array, Gap> {
        self.array(&need.excerpt(self)?)
    }

    /// The only row of an array that has one.
    ///
    /// # Errors
    /// [`Gap::Loading`] while it is not here.
    pub fn vector(&self, need: Need) -> Result<&[f32], Gap> {
        Ok(&self.matrix(need)?.data)
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
pub fn neighbour(place: usize, count: usize) -> usize {
    match place + 1 < count {
        true => place + 1,
        false => place.saturating_sub(1),
    }
}

#[cfg(test)]
pub mod tests {
    use attention_trace::config::{LlamaConfig, MarianConfig};

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
        let mut evidence = Evidence {
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
            sitting: Sitting::Before,
            arrays: vec![],
        };
        for (need, data) in matrices {
            let array = Array {
                shape: vec![3, data.len() / 3],
                data: data.to_vec(),
            };
            evidence.add(need.excerpt(&evidence).unwrap(), array);
        }
        evidence
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
