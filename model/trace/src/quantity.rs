//! The quantities a forward pass can record.

use serde::{Deserialize, Serialize};

/// One kind of number inside a Transformer layer. `n` is the query length, `m` the key length,
/// `h` the head count, `d_k` a head's width and `d` the model's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u32)]
pub enum Quantity {
    /// Queries `q = xW^Q`, `[h, n, d_k]`, rotated where the model uses RoPE.
    Query = 1,
    /// Keys `k = xW^K`, `[h, m, d_k]`, rotated where the model uses RoPE.
    Key = 1 << 1,
    /// Values `v = xW^V`, `[h, m, d_k]`.
    Value = 1 << 2,
    /// Raw scores `qkᵀ`, `[h, n, m]`.
    Scores = 1 << 3,
    /// `qkᵀ/√d_k`, `[h, n, m]`.
    ScaledScores = 1 << 4,
    /// Scaled scores with −∞ where attention is forbidden, `[h, n, m]`; a bias by distance is in them.
    MaskedScores = 1 << 5,
    /// Attention weights, the softmax of the masked scores, `[h, n, m]`.
    Weights = 1 << 6,
    /// Each head's weighted sum of values, before they are concatenated, `[h, n, d_k]`.
    HeadOutputs = 1 << 7,
    /// The residual stream: embeddings, and after each sub-layer's addition, `[n, d]`.
    Residual = 1 << 8,
    /// Outputs of the normalisations, `[n, d]`.
    Norms = 1 << 9,
    /// Outputs of the feed-forward networks, `[n, d]`.
    FeedForward = 1 << 10,
    /// Queries and keys before RoPE turns them, `[h, n, d_k]` and `[h, m, d_k]`.
    Unrotated = 1 << 11,
    /// What the model predicts after each target token, `[n, vocabulary]`.
    Logits = 1 << 12,
    /// Token embeddings before positions are added, `[n, d]`; the model without added positions has
    /// them as its first [`Residual`](Quantity::Residual).
    TokenEmbeddings = 1 << 13,
    /// The heads' concatenated outputs times `W^O`, `[n, d]`.
    Attended = 1 << 14,
    /// Inner activations of the feed-forward networks, before and after the non-linearity, `[n, d_ff]`.
    Hidden = 1 << 15,
    /// What T5's or ALiBi's positions add to the scaled scores, `[h, n, m]`.
    PositionBias = 1 << 16,
}

impl Quantity {
    /// All quantities, in the order in which a layer computes them.
    pub const ALL: [Quantity; 17] = [
        Quantity::TokenEmbeddings,
        Quantity::Unrotated,
        Quantity::Query,
        Quantity::Key,
        Quantity::Value,
        Quantity::Scores,
        Quantity::ScaledScores,
        Quantity::PositionBias,
        Quantity::MaskedScores,
        Quantity::Weights,
        Quantity::HeadOutputs,
        Quantity::Attended,
        Quantity::Residual,
        Quantity::Norms,
        Quantity::Hidden,
        Quantity::FeedForward,
        Quantity::Logits,
    ];
}

/// A set of [`Quantity`]: what the caller of a forward pass wants read back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quantities(u32);

impl Quantities {
    /// Nothing: the fastest pass.
    pub const NONE: Quantities = Quantities(0);

    /// Every quantity.
    pub fn all() -> Self {
        Self::of(&Quantity::ALL)
    }

    /// The given quantities.
    pub fn of(quantities: &[Quantity]) -> Self {
        Quantities(quantities.iter().fold(0, |bits, &q| bits | q as u32))
    }

    /// Whether `quantity` is in the set.
    pub fn contains(self, quantity: Quantity) -> bool {
        self.0 & quantity as u32 != 0
    }
}
