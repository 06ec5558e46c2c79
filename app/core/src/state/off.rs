//! Heads that are switched off, and their spelling in the address.

use std::{fmt, str::FromStr};

use attention_trace::{AttentionKind, AttentionLayer, Edit, ModelSpec};

use super::values::AddressValue;

/// The largest number of heads that an address switches off; no model served with the page has as many.
const MOST: usize = 512;

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
    fn place(self) -> (usize, usize, usize) {
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

/// Heads that are switched off, each once, in the order of computation, so that equal sets are equal lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeadsOff(Vec<HeadChoice>);

impl HeadsOff {
    /// True if no head is off.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of heads that are off.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if a head is off.
    pub fn contains(&self, head: HeadChoice) -> bool {
        self.0.contains(&head)
    }

    /// Iterates over the heads in order.
    pub fn iter(&self) -> impl Iterator<Item = HeadChoice> {
        self.0.iter().copied()
    }

    /// True if all of some heads are off; false for an empty list.
    pub fn contains_all(&self, heads: &[HeadChoice]) -> bool {
        !heads.is_empty() && heads.iter().all(|&head| self.contains(head))
    }

    /// Switches heads off, or on again where all of them are off.
    pub fn toggle(&mut self, heads: &[HeadChoice]) {
        let were_off = self.contains_all(heads);
        let others = self.iter().filter(|head| !heads.contains(head));
        let switched = heads.iter().copied().filter(|_| !were_off);
        *self = others.chain(switched).collect();
    }

    /// Returns the heads that a model has; the others stay in the list without effect.
    pub fn fitting(&self, spec: &ModelSpec) -> Self {
        HeadsOff(self.iter().filter(|head| head.is_in(spec)).collect())
    }

    /// Returns the edits that switch the heads off.
    pub fn edits(&self) -> Vec<Edit> {
        self.iter().map(HeadChoice::switched_off).collect()
    }
}

impl FromIterator<HeadChoice> for HeadsOff {
    fn from_iter<T: IntoIterator<Item = HeadChoice>>(heads: T) -> Self {
        let mut heads: Vec<HeadChoice> = heads.into_iter().collect();
        heads.sort_unstable_by_key(|head| head.place());
        heads.dedup();
        heads.truncate(MOST);
        HeadsOff(heads)
    }
}

/// Spells the heads as in an address: `cross.1.3-encoder.0.2`, with characters that need no escape there.
impl fmt::Display for HeadsOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heads: Vec<String> = self.iter().map(|head| head.to_string()).collect();
        f.write_str(&heads.join("-"))
    }
}

impl HeadsOff {
    /// Parses the heads in an address, separated by `-` or commas; parts that cannot be understood are left out.
    pub fn from_address(text: &str) -> Self {
        let heads = text.split(['-', ',']);
        heads.filter_map(|head| head.parse().ok()).collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use attention_trace::config::{LlamaConfig, MarianConfig};
    use proptest::prelude::*;

    use super::*;

    /// Generates lists of a few heads, of any layer and number.
    pub fn heads_off() -> impl Strategy<Value = HeadsOff> {
        let kind = prop::sample::select(AttentionKind::ALL.to_vec());
        let head = (kind, any::<usize>(), any::<usize>());
        let head = head.prop_map(|(kind, layer, head)| HeadChoice {
            attention: AttentionLayer { kind, layer },
            head,
        });
        prop::collection::vec(head, 0..8).prop_map(HeadsOff::from_iter)
    }

    fn off(text: &str) -> HeadsOff {
        HeadsOff::from_address(text)
    }

    proptest! {
        #[test]
        fn a_list_survives_the_address(heads in heads_off()) {
            prop_assert_eq!(HeadsOff::from_address(&heads.to_string()), heads);
        }

        #[test]
        fn any_text_is_a_list(text in "([a-z.,-]|[0-9]|cross|encoder){0,24}") {
            let heads = HeadsOff::from_address(&text);
            prop_assert_eq!(HeadsOff::from_address(&heads.to_string()), heads);
        }

        #[test]
        fn switching_twice_changes_nothing(heads in heads_off(), more in heads_off()) {
            let mut switched = heads.clone();
            for _ in 0..2 {
                more.iter().for_each(|head| switched.toggle(&[head]));
            }
            prop_assert_eq!(switched, heads);
        }
    }

    #[test]
    fn lists_are_equal_whatever_their_order() {
        let heads = off("cross.1.3-encoder.0.2-cross.1.3");
        assert_eq!(heads.to_string(), "encoder.0.2-cross.1.3");
        assert_eq!(heads, off("encoder.0.2,cross.1.3"));
        let mut toggled = off("cross.1.3");
        toggled.toggle(&["encoder.0.2".parse().unwrap()]);
        assert_eq!(toggled, heads);
    }

    #[test]
    fn several_are_switched_on_again_only_where_all_are_off() {
        let both: Vec<HeadChoice> = off("cross.1.3-cross.0.2").iter().collect();
        let mut heads = off("encoder.0.2-cross.1.3");
        assert!(!heads.contains_all(&both));
        heads.toggle(&both);
        assert_eq!(heads, off("encoder.0.2-cross.1.3-cross.0.2"));
        assert!(heads.contains_all(&both));
        heads.toggle(&both);
        assert_eq!(heads, off("encoder.0.2"));
        heads.toggle(&[]);
        assert_eq!(heads, off("encoder.0.2"));
        assert!(!heads.contains_all(&[]));
    }

    #[test]
    fn junk_is_left_out_head_by_head() {
        for junk in [
            "",
            "cross",
            "cross.1",
            "cross.1.2.3",
            "mixed.1.2",
            "cross.x.1",
        ] {
            assert_eq!(off(junk), HeadsOff::default(), "{junk}");
        }
        assert_eq!(off("nope-cross.0.0-"), off("cross.0.0"));
    }

    #[test]
    fn heads_that_a_model_lacks_switch_nothing_off() {
        let translator = MarianConfig {
            encoder_layers: 3,
            decoder_layers: 3,
            encoder_attention_heads: 8,
            decoder_attention_heads: 8,
            ..MarianConfig::default()
        };
        let heads = off("cross.2.7-cross.3.0-cross.0.8-decoder.0.1");
        let fitting = heads.fitting(&translator.spec());
        assert_eq!(fitting, off("cross.2.7-decoder.0.1"));
        assert_eq!(fitting.edits().len(), 2);
        assert_eq!(
            heads.fitting(&LlamaConfig::default().spec()),
            off("decoder.0.1")
        );
        assert_eq!(HeadChoice::all(&translator.spec()).len(), 72);
    }
}
