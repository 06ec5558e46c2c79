//! The gradient of a loss on its way back through a stack of untrained layers, with and without residual connections.

use serde::{Deserialize, Serialize};

use crate::Array;

/// The place of the normalisation in the layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StackNorm {
    /// No normalisation in the layers.
    None,
    /// LayerNorm on the input of each sub-layer, and once before the logits.
    #[default]
    Pre,
    /// LayerNorm on the output of each sub-layer, after the addition.
    Post,
}

/// A stack of untrained layers and what it reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UntrainedStack {
    /// The vectors of the tokens, `[n, d]`.
    pub tokens: Array,
    /// The number of layers, each with a causal attention of one head and a feed-forward network.
    pub layers: usize,
    /// The place of the normalisation.
    pub norm: StackNorm,
    /// The random seed of the weights.
    pub seed: u64,
}

/// The weights of a layer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StackLayer {
    /// `W^Q`, `W^K`, `W^V` and `W^O`, each `[d, d]`.
    pub attention: [Array; 4],
    /// `W₁`, `[d, f]`, and `W₂`, `[f, d]`, with ReLU between them.
    pub network: [Array; 2],
}

/// The weights of a stack, without biases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StackWeights {
    /// The layers from below.
    pub layers: Vec<StackLayer>,
    /// The matrix of the logits, `[d, n - 1]`: each token but the first is a class.
    pub readout: Array,
}

/// A place that gradients pass on their way back, layers counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GradientSite {
    /// The output of a whole layer.
    Layer(usize),
    /// The output of a layer's feed-forward network, before the addition.
    FeedForward(usize),
    /// The output of a layer's attention, before the addition.
    Attention(usize),
    /// The tokens' vectors below the first layer.
    Embedding,
}

/// The gradients in one stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StackGradients {
    /// The mean of `−ln p` of each next token.
    pub loss: f32,
    /// The norm `‖∂L/∂A‖_F` of the gradient at each place, over all tokens, from the loss back.
    pub norms: Vec<(GradientSite, f32)>,
}

/// The gradients in two stacks of the same weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GradientsBack {
    /// The stack whose sub-layers add their input to their output.
    pub residual: StackGradients,
    /// The stack whose sub-layers hand on their output alone.
    pub plain: StackGradients,
}
