//! A mask as plain data: the keys that each query may attend to, and the edits that apply the mask to a model.

use crate::masks::parameters::Mask;
use attention_trace::{Array, AttentionKind, AttentionLayer, Edit};

/// The value of a masked score in a message to the model: far below every other score, and finite, because not every
/// message can carry −∞. Its exponential is 0 all the same.
const FORBIDDEN: f32 = -1e9;

/// A mask on the self-attention of one stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The kind of self-attention.
    pub kind: AttentionKind,
    pub layers: usize,
    /// The number of the text's tokens.
    pub tokens: usize,
    /// The mask that is applied.
    pub mask: Mask,
    /// The number of padding tokens at the end, if padding is masked.
    pub padding: usize,
}

impl Rule {
    /// Returns the number of tokens left if padding is masked: at least one, because a query needs a key to look at.
    fn kept(self) -> usize {
        self.tokens.saturating_sub(self.padding).max(1)
    }

    /// The most tokens that may be padding.
    pub fn most_padding(self) -> usize {
        self.tokens.saturating_sub(1)
    }

    /// True if a query may look at a key. A stack that writes never sees later keys, with or without padding.
    pub fn sees(self, query: usize, key: usize) -> bool {
        let is_earlier = key <= query;
        match self.mask {
            Mask::None => true,
            Mask::Causal => is_earlier,
            Mask::Padding => {
                key < self.kept() && (is_earlier || self.kind == AttentionKind::EncoderSelf)
            }
        }
    }

    /// Returns the matrix that is added to the scores, `[n, n]`: 0 or −∞.
    pub fn matrix(self) -> Vec<f32> {
        let cells = (0..self.tokens).flat_map(|i| (0..self.tokens).map(move |j| (i, j)));
        let value = |(query, key)| match self.sees(query, key) {
            true => 0.0,
            false => f32::NEG_INFINITY,
        };
        cells.map(value).collect()
    }

    /// True if the model was trained with this mask.
    pub fn is_as_trained(self) -> bool {
        match self.kind {
            AttentionKind::EncoderSelf => self.mask == Mask::None,
            AttentionKind::DecoderSelf => self.mask == Mask::Causal,
            AttentionKind::Cross => true,
        }
    }

    /// Returns the edits of the pass. `None` if they depend on the scores of that very pass, layer by layer: an
    /// encoder has no causal mask to switch on.
    pub fn edits(self) -> Option<Vec<Edit>> {
        match (self.kind, self.mask) {
            _ if self.is_as_trained() => Some(Vec::new()),
            (_, Mask::Padding) => Some(self.without_padding()),
            (AttentionKind::EncoderSelf, _) => None,
            _ => Some(vec![Edit::WithoutCausality]),
        }
    }

    fn without_padding(self) -> Vec<Edit> {
        let kind = self.kind;
        let keys = self.kept()..self.tokens;
        let of_layer = |layer| {
            keys.clone().map(move |key| Edit::ScaleKey {
                attention: AttentionLayer { kind, layer },
                head: None,
                key,
                factor: 0.0,
            })
        };
        (0..self.layers).flat_map(of_layer).collect()
    }

    /// A layer's scores `[h, n, n]` with those of forbidden keys replaced.
    pub fn applied(self, scores: &Array) -> Array {
        let width = self.tokens.max(1);
        let cells = scores.data.iter().enumerate();
        let data = cells.map(|(index, &score)| {
            let (query, key) = (index / width % width, index % width);
            if self.sees(query, key) {
                score
            } else {
                FORBIDDEN
            }
        });
        Array {
            shape: scores.shape.clone(),
            data: data.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use AttentionKind::{DecoderSelf, EncoderSelf};
    use proptest::prelude::*;

    use super::*;

    fn rule(kind: AttentionKind, mask: Mask) -> Rule {
        Rule {
            kind,
            layers: 2,
            tokens: 3,
            mask,
            padding: 1,
        }
    }

    #[test]
    fn what_a_model_was_trained_with_is_no_edit() {
        assert_eq!(rule(EncoderSelf, Mask::None).edits(), Some(vec![]));
        assert_eq!(rule(DecoderSelf, Mask::Causal).edits(), Some(vec![]));
        let open = rule(DecoderSelf, Mask::None).edits();
        assert_eq!(open, Some(vec![Edit::WithoutCausality]));
        assert_eq!(rule(EncoderSelf, Mask::Causal).edits(), None);
    }

    #[test]
    fn padding_is_masked_in_every_layer() {
        let edits = rule(EncoderSelf, Mask::Padding).edits().unwrap();
        assert_eq!(edits.len(), 2);
        for (edit, expected) in edits.iter().zip(0..) {
            let Edit::ScaleKey {
                attention,
                head: None,
                key: 2,
                factor: 0.0,
            } = edit
            else {
                panic!("{edit:?}")
            };
            assert_eq!(attention.layer, expected);
        }
    }

    #[test]
    fn the_matrices_are_those_of_the_textbook() {
        const NO: f32 = f32::NEG_INFINITY;
        let matrix = |kind, mask| rule(kind, mask).matrix();
        assert_eq!(matrix(EncoderSelf, Mask::None), [0.0; 9]);
        let causal = [0.0, NO, NO, 0.0, 0.0, NO, 0.0, 0.0, 0.0];
        assert_eq!(matrix(EncoderSelf, Mask::Causal), causal);
        let padding = [0.0, 0.0, NO, 0.0, 0.0, NO, 0.0, 0.0, NO];
        assert_eq!(matrix(EncoderSelf, Mask::Padding), padding);
        let both = [0.0, NO, NO, 0.0, 0.0, NO, 0.0, 0.0, NO];
        assert_eq!(matrix(DecoderSelf, Mask::Padding), both);
    }

    #[test]
    fn forbidden_scores_weigh_nothing_and_can_be_sent() {
        let scores = Array {
            shape: vec![2, 3, 3],
            data: vec![1.0; 18],
        };
        let masked = rule(EncoderSelf, Mask::Causal).applied(&scores);
        assert_eq!(masked.shape, scores.shape);
        assert_eq!(masked.data[..3], [1.0, FORBIDDEN, FORBIDDEN]);
        assert_eq!(masked.data[9..12], [1.0, FORBIDDEN, FORBIDDEN]);
        assert_eq!(masked.data[15..], [1.0; 3]);
        assert_eq!((FORBIDDEN - 1.0).exp(), 0.0);
        assert!(masked.data.iter().all(|score| score.is_finite()));
    }

    proptest! {
        #[test]
        fn every_query_sees_a_key(
            kind in prop::sample::select(vec![EncoderSelf, DecoderSelf]),
            mask in prop::sample::select(vec![Mask::None, Mask::Causal, Mask::Padding]),
            tokens in 1usize..9,
            padding in any::<usize>(),
        ) {
            let rule = Rule { kind, layers: 1, tokens, mask, padding };
            for query in 0..tokens {
                prop_assert!((0..tokens).any(|key| rule.sees(query, key)));
            }
        }
    }
}
