//! The places of a pass, and the parameters, around one layer's attention.

use attention_trace::{
    AttentionLayer, Block, FeedForwardSpec, ModelSpec, Parameter, Quantity, Site, Stack, TraceMeta,
    Weight,
};

/// The sites and parameters of one layer's attention and of the layer around it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sites {
    spec: ModelSpec,
    attention: AttentionLayer,
}

impl Sites {
    /// Returns the sites around `attention`.
    pub fn new(meta: &TraceMeta, attention: AttentionLayer) -> Self {
        Sites {
            spec: meta.spec.clone(),
            attention,
        }
    }

    fn stack(&self) -> Stack {
        self.attention.kind.stack()
    }

    pub fn attention(&self) -> Block {
        self.attention.block()
    }

    /// The feed-forward network of the same layer.
    pub fn feed_forward(&self) -> Block {
        self.attention.feed_forward()
    }

    /// Embeddings before positions are added.
    pub fn token_embedding(&self) -> Site {
        self.spec.token_embedding(self.stack())
    }

    /// The table of learned position vectors.
    pub fn position_table(&self) -> Parameter {
        Block::Stack(self.stack()).parameter(Weight::PositionTable)
    }

    /// The table of segments' vectors.
    pub fn segment_table(&self) -> Parameter {
        Block::Stack(self.stack()).parameter(Weight::SegmentTable)
    }

    /// Gain and bias of the normalisation of embeddings.
    pub fn embedding_norm(&self) -> [Parameter; 2] {
        let stack = Block::Stack(self.stack());
        [Weight::EmbeddingNormGain, Weight::EmbeddingNormBias].map(|weight| stack.parameter(weight))
    }

    /// Returns the site of the input of the stack's first layer.
    pub fn embedding(&self) -> Site {
        Block::Stack(self.stack()).at(Quantity::Embedding)
    }

    /// Returns the site that attention's output is added to.
    pub fn residual_input(&self) -> Site {
        self.spec.residual_input(self.attention())
    }

    /// Returns the site that queries are projected from.
    pub fn query_input(&self) -> Site {
        self.spec.sublayer_input(self.attention())
    }

    /// Returns the site that keys and values are projected from.
    pub fn key_input(&self) -> Site {
        self.spec.key_input(self.attention)
    }

    /// Returns the site of the feed-forward network's input.
    pub fn feed_forward_input(&self) -> Site {
        self.spec.sublayer_input(self.feed_forward())
    }

    /// Returns the site that a sub-layer's output is added to.
    pub fn added_to(&self, block: Block) -> Site {
        self.spec.residual_input(block)
    }

    /// Returns the site of what a sub-layer adds to the residual stream.
    pub fn added(&self, block: Block) -> Site {
        self.spec.added(block)
    }

    /// True if a gate multiplies the feed-forward network's inner activations.
    pub fn is_gated(&self) -> bool {
        self.network().is_some_and(|network| network.gated)
    }

    /// True if the feed-forward network has biases.
    pub fn is_biased(&self) -> bool {
        self.network().is_some_and(|network| network.biased)
    }

    fn network(&self) -> Option<FeedForwardSpec> {
        self.spec.stack(self.stack())?.feed_forward
    }
}
