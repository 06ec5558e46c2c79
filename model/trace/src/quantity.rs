//! The quantities of a forward pass that can be recorded and edited.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantArray};

/// The most rows and columns of a thumbnail.
pub const THUMBNAIL_EDGE: usize = 48;

/// One kind of number in a Transformer, the same for every architecture. `n` is the query length, `m` the key length,
/// `h` the head count, `d_k` a head's width, `d` the model's, `d_ff` the feed-forward network's and `d_h` that of
/// recurrent states.
///
/// Its name, in `snake_case`, is the last part of a [`Site`](crate::Site)'s.
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
#[repr(u32)]
pub enum Quantity {
    /// Rows of the embedding table, scaled where the model scales them, before positions are added, `[n, d]`.
    TokenEmbedding,
    /// The input of the first layer, `[n, d]`; if one block is used at every depth, also the input of each later depth,
    /// with signals of position and depth added.
    Embedding,
    /// Queries before they are normalised, head by head as in Qwen3 or all together as in OLMo 2, `[h, n, d_k]`.
    QueryBeforeNorm,
    /// Keys before they are normalised, `[h, m, d_k]`.
    KeyBeforeNorm,
    /// Queries before RoPE rotates them, `[h, n, d_k]`.
    QueryBeforeRope,
    /// Keys before RoPE rotates them, `[h, m, d_k]`.
    KeyBeforeRope,
    /// Queries `q = xW^Q`, `[h, n, d_k]`, normalised and rotated where the model does that.
    Query,
    /// Keys `k = xW^K`, `[h, m, d_k]`, normalised and rotated where the model does that.
    Key,
    /// Values `v = xW^V`, `[h, m, d_k]`.
    Value,
    /// Raw scores `qkᵀ`, `[h, n, m]`.
    Scores,
    /// Scores times the model's factor, `1/√d_k` in most, `[h, n, m]`.
    ScaledScores,
    /// The bias that T5's or ALiBi's positions add to the scaled scores, `[h, n, m]`.
    PositionBias,
    /// Scaled, soft-capped and biased scores with −∞ where attention is forbidden, `[h, n, m]`.
    MaskedScores,
    /// The centre of local attention, a position of the source, `[h, n, 1]`.
    Center,
    /// Attention weights, the softmax of the masked scores, `[h, n, m]`; of local attention, times a Gaussian.
    Pattern,
    /// Attention weights of a long text, reduced to thumbnails, `[h, ≤ 48, ≤ 48]`; no site of a model has it.
    Thumbnail,
    /// Each head's weighted sum of values, before they are concatenated, `[h, n, d_k]`.
    Z,
    /// Inner activations of a feed-forward network before the non-linearity, `[n, d_ff]`; for a gated one, the input of
    /// the gate's non-linearity.
    Pre,
    /// The product that a gate multiplies, `[n, d_ff]`.
    PreLinear,
    /// Inner activations after the non-linearity, and, if gated, times the second product, `[n, d_ff]`.
    Post,
    /// A sub-layer's output: of attention, the heads' concatenated `z` times `W^O`; of a feed-forward network, its
    /// second product, `[n, d]`.
    Out,
    /// A sub-layer's output after a normalisation of its own, as it is added to the residual stream, `[n, d]`.
    OutNorm,
    /// The residual stream after a sub-layer's output was added, `[n, d]`.
    Residual,
    /// The output of the normalisation before a sub-layer, or of the sum after it, `[n, d]`.
    Norm,
    /// The output of the normalisation at the end of a stack, `[n, d]`.
    FinalNorm,
    /// The hidden states of a recurrent stack, `[n, d_h]`; of a bidirectional one, both directions side by side. Where
    /// positions halt, the states after a depth, `[n, d]`, those of halted positions being what they were; of the
    /// stack, their sum, each depth counting by its weight.
    State,
    /// The vector that a recurrent decoder computes from its state and its context before the logits, `[n, d]`: Luong's
    /// attentional state.
    Readout,
    /// The probability that a position halts after a depth, `[n, 1]`.
    Halting,
    /// The weight of a position's state after a depth in the stack's output, `[n, 1]`: 0 if it had halted.
    DepthWeight,
    /// The logits of the token after each position, `[n, vocabulary]`.
    Logits,
}

impl Quantity {
    /// True for the quantities that are maps of queries by keys, whose size grows with the square of the length.
    pub fn is_map(self) -> bool {
        matches!(
            self,
            Quantity::Scores
                | Quantity::ScaledScores
                | Quantity::PositionBias
                | Quantity::MaskedScores
                | Quantity::Pattern
        )
    }
}

/// A set of [`Quantity`] that the caller of a forward pass reads back. In a message it is a list of names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<Quantity>", into = "Vec<Quantity>")]
pub struct Quantities(u32);

impl From<Vec<Quantity>> for Quantities {
    fn from(quantities: Vec<Quantity>) -> Self {
        Quantities::of(&quantities)
    }
}

impl From<Quantities> for Vec<Quantity> {
    fn from(set: Quantities) -> Self {
        let all = Quantity::VARIANTS.iter().copied();
        all.filter(|&quantity| set.contains(quantity)).collect()
    }
}

impl Quantities {
    /// Nothing: the fastest pass.
    pub const NONE: Quantities = Quantities(0);

    /// Returns the set of all quantities.
    pub fn all() -> Self {
        Self::of(Quantity::VARIANTS)
    }

    /// Returns the set of the given quantities.
    pub fn of(quantities: &[Quantity]) -> Self {
        Quantities(quantities.iter().fold(0, |bits, &q| bits | 1 << q as u32))
    }

    /// True if `quantity` is in the set.
    pub fn contains(self, quantity: Quantity) -> bool {
        self.0 & 1 << quantity as u32 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_written_as_the_names_in_it() {
        let set = Quantities::of(&[Quantity::Logits, Quantity::QueryBeforeRope]);
        let json = r#"["query_before_rope","logits"]"#;
        assert_eq!(serde_json::to_string(&set).unwrap(), json);
        assert_eq!(serde_json::from_str::<Quantities>(json).unwrap(), set);
        let all = Quantities::all();
        assert!(
            Quantity::VARIANTS
                .iter()
                .all(|&quantity| all.contains(quantity))
        );
        assert!(!Quantities::NONE.contains(Quantity::Pattern));
    }
}
