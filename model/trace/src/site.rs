//! The places of a forward pass, in one vocabulary for every architecture.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantArray};
use thiserror::Error;

use crate::Quantity;

/// A stack of layers. A decoder-only model is a decoder, a model that reads text and writes none an encoder.
#[derive(
    Clone,
    Copy,
    Debug,
    Display,
    EnumString,
    VariantArray,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Stack {
    /// The stack that reads the source.
    Encoder,
    /// Reads the target, up to each token.
    Decoder,
}

/// A sub-layer of a layer, in the order of computation.
#[derive(
    Clone,
    Copy,
    Debug,
    Display,
    EnumString,
    VariantArray,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Sublayer {
    /// Attention over the stack's own positions.
    #[strum(serialize = "self")]
    SelfAttention,
    /// Attention over the encoder's output.
    #[strum(serialize = "cross")]
    CrossAttention,
    /// The position-wise feed-forward network.
    #[strum(serialize = "mlp")]
    FeedForward,
}

/// A part of a model that computes: `decoder.0.cross`, `encoder`, or the model itself, which has no name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Block {
    /// The whole model, which computes the logits.
    Model,
    /// A stack as a whole, with its embeddings and its last normalisation.
    Stack(Stack),
    /// A sub-layer of the layer of that number, from 0.
    Sublayer(Stack, usize, Sublayer),
}

impl Block {
    /// Returns the stack that contains the block.
    pub fn stack(self) -> Option<Stack> {
        match self {
            Block::Model => None,
            Block::Stack(stack) | Block::Sublayer(stack, ..) => Some(stack),
        }
    }

    /// The place of a quantity in it.
    pub fn at(self, quantity: Quantity) -> Site {
        Site {
            block: self,
            quantity,
        }
    }
}

/// A place of a forward pass: a quantity of a block, named `decoder.0.cross.pattern`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Site {
    /// The block of the model.
    pub block: Block,
    /// The quantity computed in the block.
    pub quantity: Quantity,
}

impl Site {
    /// The place of the logits.
    pub const LOGITS: Site = Site {
        block: Block::Model,
        quantity: Quantity::Logits,
    };
}

/// A name that is none of a site, a block or a parameter.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("`{0}` names no place of a model")]
pub struct NameError(pub String);

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Block::Model => Ok(()),
            Block::Stack(stack) => write!(f, "{stack}"),
            Block::Sublayer(stack, layer, sublayer) => write!(f, "{stack}.{layer}.{sublayer}"),
        }
    }
}

impl FromStr for Block {
    type Err = NameError;

    fn from_str(name: &str) -> Result<Self, NameError> {
        let unknown = || NameError(name.to_owned());
        let mut parts = name.split('.');
        let stack = match parts.next() {
            None | Some("") => Block::Model,
            Some(stack) => Block::Stack(stack.parse().map_err(|_| unknown())?),
        };
        let (layer, sublayer, rest) = (parts.next(), parts.next(), parts.next());
        match (stack, layer, sublayer, rest) {
            (stack, None, ..) => Ok(stack),
            (Block::Stack(stack), Some(layer), Some(sublayer), None) => Ok(Block::Sublayer(
                stack,
                number(layer).ok_or_else(unknown)?,
                sublayer.parse().map_err(|_| unknown())?,
            )),
            _ => Err(unknown()),
        }
    }
}

/// A number written in the one way in which we write it.
fn number(digits: &str) -> Option<usize> {
    digits
        .parse()
        .ok()
        .filter(|number: &usize| number.to_string() == digits)
}

/// `block.name`, or `name` alone where the block has none.
pub(crate) fn write_name(
    f: &mut fmt::Formatter<'_>,
    block: Block,
    name: impl fmt::Display,
) -> fmt::Result {
    match block {
        Block::Model => write!(f, "{name}"),
        block => write!(f, "{block}.{name}"),
    }
}

/// Returns the block of a name, and the rest of the name.
pub(crate) fn read_name<T: FromStr>(name: &str) -> Result<(Block, T), NameError> {
    let (block, last) = name.rsplit_once('.').unwrap_or(("", name));
    let last = last.parse().map_err(|_| NameError(name.to_owned()))?;
    let whole = |_| NameError(name.to_owned());
    match block.is_empty() && name.starts_with('.') {
        true => Err(NameError(name.to_owned())),
        false => Ok((block.parse().map_err(whole)?, last)),
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_name(f, self.block, self.quantity)
    }
}

impl FromStr for Site {
    type Err = NameError;

    fn from_str(name: &str) -> Result<Self, NameError> {
        let (block, quantity) = read_name(name)?;
        Ok(Site { block, quantity })
    }
}

impl TryFrom<String> for Site {
    type Error = NameError;

    fn try_from(name: String) -> Result<Self, NameError> {
        name.parse()
    }
}

impl From<Site> for String {
    fn from(site: Site) -> Self {
        site.to_string()
    }
}

/// One of a Transformer's three kinds of attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttentionKind {
    /// Source positions attend to source positions.
    EncoderSelf,
    /// Target positions attend to themselves and those before them.
    DecoderSelf,
    /// Target positions attend to source positions: queries from the decoder, keys and values
    /// from the encoder.
    Cross,
}

impl AttentionKind {
    /// All kinds, in the order of computation.
    pub const ALL: [AttentionKind; 3] = [
        AttentionKind::EncoderSelf,
        AttentionKind::DecoderSelf,
        AttentionKind::Cross,
    ];

    /// The stack that queries come from.
    pub fn stack(self) -> Stack {
        match self {
            AttentionKind::EncoderSelf => Stack::Encoder,
            AttentionKind::DecoderSelf | AttentionKind::Cross => Stack::Decoder,
        }
    }

    /// The sub-layer that it is.
    pub fn sublayer(self) -> Sublayer {
        match self {
            AttentionKind::EncoderSelf | AttentionKind::DecoderSelf => Sublayer::SelfAttention,
            AttentionKind::Cross => Sublayer::CrossAttention,
        }
    }
}

/// One layer's attention of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AttentionLayer {
    /// The kind of the attention.
    pub kind: AttentionKind,
    /// The layer, from 0.
    pub layer: usize,
}

impl AttentionLayer {
    /// The block that it is.
    pub fn block(self) -> Block {
        Block::Sublayer(self.kind.stack(), self.layer, self.kind.sublayer())
    }

    /// The feed-forward network of the same layer.
    pub fn feed_forward(self) -> Block {
        Block::Sublayer(self.kind.stack(), self.layer, Sublayer::FeedForward)
    }

    /// The place of a quantity in it.
    pub fn at(self, quantity: Quantity) -> Site {
        self.block().at(quantity)
    }
}

impl TryFrom<Block> for AttentionLayer {
    type Error = NameError;

    fn try_from(block: Block) -> Result<Self, NameError> {
        let Block::Sublayer(stack, layer, sublayer) = block else {
            return Err(NameError(block.to_string()));
        };
        let kinds = AttentionKind::ALL.into_iter();
        let mut kinds = kinds.filter(|kind| kind.stack() == stack && kind.sublayer() == sublayer);
        match kinds.next() {
            Some(kind) => Ok(AttentionLayer { kind, layer }),
            None => Err(NameError(block.to_string())),
        }
    }
}

impl TryFrom<String> for AttentionLayer {
    type Error = NameError;

    fn try_from(name: String) -> Result<Self, NameError> {
        name.parse::<Block>()?.try_into()
    }
}

impl From<AttentionLayer> for String {
    fn from(attention: AttentionLayer) -> Self {
        attention.block().to_string()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    pub fn blocks() -> impl Strategy<Value = Block> {
        let stack = || prop::sample::select(Stack::VARIANTS);
        prop_oneof![
            Just(Block::Model),
            stack().prop_map(Block::Stack),
            (
                stack(),
                any::<usize>(),
                prop::sample::select(Sublayer::VARIANTS)
            )
                .prop_map(|(stack, layer, sublayer)| Block::Sublayer(stack, layer, sublayer)),
        ]
    }

    proptest! {
        #[test]
        fn a_site_is_found_by_its_name(
            block in blocks(),
            quantity in prop::sample::select(Quantity::VARIANTS),
        ) {
            let site = block.at(quantity);
            prop_assert_eq!(site.to_string().parse(), Ok(site));
        }

        #[test]
        fn a_name_that_is_read_is_written_as_it_was(name in "(encoder|decoder)?[.]?[0-9]{0,2}[.]?(self|mlp)?[.]?(z|pattern|w_q)?") {
            if let Ok(site) = name.parse::<Site>() {
                prop_assert_eq!(site.to_string(), name);
            }
        }
    }

    #[test]
    fn names_are_those_of_the_field() {
        let cross = AttentionLayer {
            kind: AttentionKind::Cross,
            layer: 2,
        };
        assert_eq!(
            cross.at(Quantity::Pattern).to_string(),
            "decoder.2.cross.pattern"
        );
        assert_eq!(Site::LOGITS.to_string(), "logits");
        for name in [
            "",
            ".",
            "decoder",
            "decoder.1",
            "decoder.01.self.z",
            ".logits",
            "decoder.1.self.x",
            "decoder.1.self.z.z",
        ] {
            assert_eq!(
                name.parse::<Site>(),
                Err(NameError(name.to_owned())),
                "{name}"
            );
        }
    }

    #[test]
    fn attention_is_found_by_its_block() {
        for kind in AttentionKind::ALL {
            let attention = AttentionLayer { kind, layer: 3 };
            assert_eq!(AttentionLayer::try_from(attention.block()), Ok(attention));
        }
        for block in ["encoder.0.cross", "decoder.0.mlp", "encoder", ""] {
            assert!(
                AttentionLayer::try_from(block.to_owned()).is_err(),
                "{block}"
            );
        }
    }
}
