//! Attention weights that are made uniform or permuted, and their spelling in the address.

use std::{fmt, str::FromStr};

use attention_trace::{AttentionKind, AttentionLayer, Edit, ModelSpec, TraceMeta};

use super::{
    GivenEdit,
    given::{EditKind, Given, Passes},
};
use crate::state::{counting::Counted, head::HeadChoice, values::AddressValue};

/// At most one replacement is in effect.
pub(super) const KIND: EditKind = EditKind {
    entry: "reweighed",
    counted: Counted::AfterKind(2),
    most: 1,
    is_switched: false,
    read: |text| text.parse().ok().map(GivenEdit::Reweighed),
};

/// The word for all heads of a model in an address.
const EVERYWHERE: &str = "all";
/// The words for the replacements in an address.
const UNIFORM: &str = "uniform";
const SHUFFLED: &str = "permuted";

/// The replacement for the weights of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewWeights {
    /// The same weight for every key that the query sees.
    Uniform,
    /// The same weights, in an order determined by a seed.
    Shuffled {
        /// The seed of the permutation.
        seed: u32,
    },
}

impl NewWeights {
    /// Returns the edit of an attention layer's weights, for one head or for all.
    pub fn edit(self, attention: AttentionLayer, head: Option<usize>) -> Edit {
        match self {
            NewWeights::Uniform => Edit::Uniform { attention, head },
            NewWeights::Shuffled { seed } => Edit::Shuffle {
                attention,
                head,
                seed,
            },
        }
    }
}

/// The heads whose weights are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One head of one attention.
    Head(HeadChoice),
    /// All heads of one attention layer.
    Layer(AttentionLayer),
    /// All heads of the model.
    Everywhere,
}

impl Scope {
    /// True if the scope includes a head.
    pub fn contains(self, head: HeadChoice) -> bool {
        match self {
            Scope::Head(meant) => meant == head,
            Scope::Layer(attention) => attention == head.attention,
            Scope::Everywhere => true,
        }
    }

    /// True if a model has the scope's head or layer.
    pub fn is_in(self, spec: &ModelSpec) -> bool {
        match self {
            Scope::Head(head) => head.is_in(spec),
            Scope::Layer(attention) => HeadChoice { attention, head: 0 }.is_in(spec),
            Scope::Everywhere => !spec.kinds().is_empty(),
        }
    }
}

/// A replacement of weights: its kind and its scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reweighed {
    /// The heads that are changed.
    pub scope: Scope,
    /// The replacement for their weights.
    pub weights: NewWeights,
}

impl From<Reweighed> for GivenEdit {
    fn from(reweighed: Reweighed) -> Self {
        GivenEdit::Reweighed(reweighed)
    }
}

impl Given for Reweighed {
    fn is_in(&self, spec: &ModelSpec) -> bool {
        self.scope.is_in(spec)
    }

    fn is_there(&self, meta: &TraceMeta) -> bool {
        self.scope == Scope::Everywhere || self.is_in(&meta.spec)
    }

    fn part(&self) -> String {
        String::new()
    }

    /// Returns one edit for each attention layer.
    fn edits(&self, passes: Passes<'_>) -> Vec<Edit> {
        let spec = passes.spec;
        match self.scope {
            Scope::Head(head) => vec![self.weights.edit(head.attention, Some(head.head))],
            Scope::Layer(attention) => vec![self.weights.edit(attention, None)],
            Scope::Everywhere => {
                let kinds = spec.kinds().into_iter();
                let attentions = kinds.flat_map(|kind| {
                    (0..spec.layers(kind)).map(move |layer| AttentionLayer { kind, layer })
                });
                attentions
                    .map(|attention| self.weights.edit(attention, None))
                    .collect()
            }
        }
    }
}

/// Spells the change as in an address that counts from 0: `uniform.all`, `permuted.7.cross.1`, `uniform.cross.1.3`.
impl fmt::Display for Reweighed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.weights {
            NewWeights::Uniform => f.write_str(UNIFORM)?,
            NewWeights::Shuffled { seed } => write!(f, "{SHUFFLED}.{seed}")?,
        }
        match self.scope {
            Scope::Head(head) => write!(f, ".{head}"),
            Scope::Layer(AttentionLayer { kind, layer }) => {
                write!(f, ".{}.{layer}", kind.address_value())
            }
            Scope::Everywhere => write!(f, ".{EVERYWHERE}"),
        }
    }
}

/// A text that does not spell such a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotReweighed;

impl FromStr for Reweighed {
    type Err = NotReweighed;

    fn from_str(text: &str) -> Result<Self, NotReweighed> {
        let words: Vec<&str> = text.split('.').collect();
        let (weights, scope) = match words.as_slice() {
            [UNIFORM, scope @ ..] => (NewWeights::Uniform, scope),
            [SHUFFLED, seed, scope @ ..] => {
                let seed = seed.parse().map_err(|_| NotReweighed)?;
                (NewWeights::Shuffled { seed }, scope)
            }
            _ => return Err(NotReweighed),
        };
        let scope = match *scope {
            [EVERYWHERE] => Scope::Everywhere,
            [kind, layer] => Scope::Layer(AttentionLayer {
                kind: AttentionKind::from_address_value(kind).ok_or(NotReweighed)?,
                layer: layer.parse().map_err(|_| NotReweighed)?,
            }),
            _ => Scope::Head(scope.join(".").parse().map_err(|_| NotReweighed)?),
        };
        Ok(Reweighed { scope, weights })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use attention_trace::config::{LlamaConfig, MarianConfig};
    use proptest::prelude::*;

    use super::*;
    use crate::state::{ReadText, head::tests::heads};

    /// Generates an arbitrary change of this kind.
    pub fn reweighed() -> impl Strategy<Value = Reweighed> {
        let scope = prop_oneof![
            Just(Scope::Everywhere),
            heads().prop_map(|head| Scope::Layer(head.attention)),
            heads().prop_map(Scope::Head),
        ];
        let weights = prop_oneof![
            Just(NewWeights::Uniform),
            any::<u32>().prop_map(|seed| NewWeights::Shuffled { seed }),
        ];
        (scope, weights).prop_map(|(scope, weights)| Reweighed { scope, weights })
    }

    proptest! {
        #[test]
        fn it_survives_the_address(reweighed in reweighed()) {
            prop_assert_eq!(reweighed.to_string().parse(), Ok(reweighed));
        }

        #[test]
        fn any_text_is_one_or_none(text in "([a-z.-]|[0-9]|cross|uniform\\.|permuted\\.7\\.|all){0,24}") {
            if let Ok(reweighed) = text.parse::<Reweighed>() {
                prop_assert_eq!(reweighed.to_string().parse(), Ok(reweighed));
            }
        }
    }

    #[test]
    fn everywhere_is_one_edit_for_each_attention_of_the_model() {
        let everywhere: Reweighed = "permuted.7.all".parse().unwrap();
        let edits = |spec: &ModelSpec| {
            let (read, by) = (&ReadText::default(), Default::default());
            everywhere.edits(Passes { spec, read, by })
        };
        let translator = MarianConfig {
            encoder_layers: 3,
            decoder_layers: 3,
            ..MarianConfig::default()
        };
        assert_eq!(edits(&translator.spec()).len(), 9);
        let spec = LlamaConfig::default().spec();
        let layers = spec.layers(AttentionKind::DecoderSelf);
        assert_eq!(edits(&spec).len(), layers);
    }

    #[test]
    fn a_scope_is_in_a_model_that_has_its_heads() {
        let spec = LlamaConfig::default().spec();
        for (text, is_in) in [
            ("uniform.all", true),
            ("uniform.decoder.0", true),
            ("uniform.cross.0", false),
            ("uniform.decoder.0.1", true),
            ("uniform.decoder.99.1", false),
        ] {
            let reweighed: Reweighed = text.parse().unwrap();
            assert_eq!(reweighed.is_in(&spec), is_in, "{text}");
        }
    }

    #[test]
    fn junk_is_none() {
        for junk in [
            "",
            "uniform",
            "permuted.all",
            "permuted.-1.all",
            "uniform.cross",
            "uniform.mixed.1",
            "uniform.cross.1.2.3",
            "other.all",
        ] {
            assert_eq!(junk.parse::<Reweighed>(), Err(NotReweighed), "{junk}");
        }
    }
}
