//! Where attention happens in a model.

use serde::{Deserialize, Serialize};

use crate::{Family, Token, TraceMeta};

/// Which of a Transformer's three kinds of attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttentionKind {
    /// Source positions attend to source positions.
    EncoderSelf,
    /// Target positions attend to themselves and what precedes them.
    DecoderSelf,
    /// Target positions attend to source positions: queries from the decoder, keys and values
    /// from the encoder.
    Cross,
}

/// One layer's attention of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Site {
    /// The kind.
    pub kind: AttentionKind,
    /// The layer, from 0.
    pub layer: usize,
}

impl TraceMeta {
    /// The kinds of attention this model has, in the order of its computation.
    pub fn kinds(&self) -> &'static [AttentionKind] {
        match self.family {
            Family::Marian => &[
                AttentionKind::EncoderSelf,
                AttentionKind::DecoderSelf,
                AttentionKind::Cross,
            ],
            Family::Llama => &[AttentionKind::DecoderSelf],
        }
    }

    /// Layers with attention of this kind.
    pub fn layers(&self, kind: AttentionKind) -> usize {
        match kind {
            AttentionKind::EncoderSelf => self.encoder_layers,
            AttentionKind::DecoderSelf | AttentionKind::Cross => self.decoder_layers,
        }
    }

    /// The tokens of queries (rows) and keys (columns) of maps of this kind.
    pub fn axes(&self, kind: AttentionKind) -> (&[Token], &[Token]) {
        match kind {
            AttentionKind::EncoderSelf => (&self.source, &self.source),
            AttentionKind::DecoderSelf => (&self.target, &self.target),
            AttentionKind::Cross => (&self.target, &self.source),
        }
    }

    /// The name of the array `array` (`weights`, `scores`, `query`, …) at `site`.
    pub fn array_name(&self, site: Site, array: &str) -> String {
        let (stack, module) = match (self.family, site.kind) {
            (Family::Marian, AttentionKind::EncoderSelf) => ("model.encoder", "self_attn"),
            (Family::Marian, AttentionKind::DecoderSelf) => ("model.decoder", "self_attn"),
            (Family::Marian, AttentionKind::Cross) => ("model.decoder", "encoder_attn"),
            (Family::Llama, _) => ("model", "self_attn"),
        };
        format!("{stack}.layers.{}.{module}.{array}", site.layer)
    }
}
