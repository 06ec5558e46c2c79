//! A head that the visitor chose, and its spelling in the address.

use std::{fmt, str::FromStr};

use attention_trace::{AttentionKind, AttentionLayer, Edit, ModelSpec};

use super::values::AddressValue;

/// A head that the visitor chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadChoice {
    /// The attention layer of the head.
    pub attention: AttentionLayer,
    /// The number of the head, from 0.
    pub head: usize,
}

impl HeadChoice {
    /// Returns the edit that switches the head off.
    pub fn switched_off(self) -> Edit {
        Edit::ScaleHead {
            attention: self.attention,
            head: self.head,
            factor: 0.0,
        }
    }

    /// True if a model has this head.
    pub fn is_in(self, spec: &ModelSpec) -> bool {
        self.switched_off().fault(spec).is_none()
    }

    /// Returns every head of a model, in the order of computation.
    pub fn all(spec: &ModelSpec) -> Vec<Self> {
        let kinds = spec.kinds().into_iter();
        let layers = kinds.flat_map(|kind| {
            (0..spec.layers(kind)).map(move |layer| AttentionLayer { kind, layer })
        });
        let heads = layers.flat_map(|attention| {
            (0..spec.heads(attention.kind)).map(move |head| HeadChoice { attention, head })
        });
        heads.collect()
    }

    /// Returns the key that heads are sorted by: kind, layer, head.
    pub(super) fn place(self) -> (usize, usize, usize) {
        let AttentionLayer { kind, layer } = self.attention;
        let kind = AttentionKind::ALL.iter().position(|&other| other == kind);
        (kind.unwrap_or_default(), layer, self.head)
    }
}

/// Spells the head as in an address that counts from 0: `cross.1.3`, layer and head.
impl fmt::Display for HeadChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AttentionLayer { kind, layer } = self.attention;
        write!(f, "{}.{layer}.{}", kind.address_value(), self.head)
    }
}

/// A text that spells no head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoHead;

impl FromStr for HeadChoice {
    type Err = NoHead;

    fn from_str(text: &str) -> Result<Self, NoHead> {
        let [kind, layer, head] = text.split('.').collect::<Vec<_>>()[..] else {
            return Err(NoHead);
        };
        let number = |digits: &str| digits.parse::<usize>().map_err(|_| NoHead);
        Ok(HeadChoice {
            attention: AttentionLayer {
                kind: AttentionKind::from_address_value(kind).ok_or(NoHead)?,
                layer: number(layer)?,
            },
            head: number(head)?,
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Generates heads of any layer and number.
    pub fn heads() -> impl Strategy<Value = HeadChoice> {
        let kind = prop::sample::select(AttentionKind::ALL.to_vec());
        let head = (kind, any::<usize>(), any::<usize>());
        head.prop_map(|(kind, layer, head)| HeadChoice {
            attention: AttentionLayer { kind, layer },
            head,
        })
    }

    proptest! {
        #[test]
        fn a_head_survives_the_address(head in heads()) {
            prop_assert_eq!(head.to_string().parse(), Ok(head));
        }
    }
}
