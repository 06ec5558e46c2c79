//! Where a trace and a checkpoint have what a head is made of.

use attention_trace::{AttentionKind, Family, Site, TraceMeta};

/// The names of the arrays and parameters around one layer's attention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    family: Family,
    site: Site,
    /// The stack that queries come from, as `model.encoder`.
    stack: &'static str,
    /// The layer, as `model.encoder.layers.0`.
    layer: String,
    /// The attention, as `model.encoder.layers.0.self_attn`.
    attention: String,
    encoder_layers: usize,
    /// Whether a vector for each position is added to the embeddings.
    adds_positions: bool,
}

impl Names {
    /// The names at `site`.
    pub fn new(meta: &TraceMeta, site: Site) -> Self {
        let stack = match (meta.family, site.kind) {
            (Family::Llama, _) => "model",
            (Family::Marian, AttentionKind::EncoderSelf) => "model.encoder",
            (Family::Marian, _) => "model.decoder",
        };
        let attention = meta.array_name(site, "");
        Names {
            family: meta.family,
            site,
            stack,
            layer: format!("{stack}.layers.{}", site.layer),
            attention: attention.trim_end_matches('.').to_owned(),
            encoder_layers: meta.encoder_layers,
            adds_positions: meta.positional_encoding().adds_vectors(),
        }
    }

    /// The architecture.
    pub fn family(&self) -> Family {
        self.family
    }

    /// Embeddings before positions are added; those of a model that adds none are its
    /// [`embeddings`](Self::embeddings).
    pub fn token_embeddings(&self) -> String {
        if self.adds_positions {
            format!("{}.token_embeddings", self.stack)
        } else {
            self.embeddings()
        }
    }

    /// The table of learned position vectors, a parameter.
    pub fn position_table(&self) -> String {
        format!("{}.embed_positions.weight", self.stack)
    }

    /// What the stack begins with.
    pub fn embeddings(&self) -> String {
        format!("{}.embeddings", self.stack)
    }

    /// What the layer is given, and adds to.
    pub fn layer_input(&self) -> String {
        let Some(before) = self.site.layer.checked_sub(1) else {
            return self.embeddings();
        };
        match self.family {
            Family::Marian => output_of(self.stack, before),
            Family::Llama => format!("{}.layers.{before}.residual", self.stack),
        }
    }

    /// What attention's output is added to.
    pub fn attention_residual_input(&self) -> String {
        match self.site.kind {
            AttentionKind::Cross => format!("{}.self_attn_layer_norm.output", self.layer),
            _ => self.layer_input(),
        }
    }

    /// What queries are made of.
    pub fn query_input(&self) -> String {
        match self.family {
            Family::Marian => self.attention_residual_input(),
            Family::Llama => format!("{}.input_layernorm.output", self.layer),
        }
    }

    /// What keys and values are made of.
    pub fn key_input(&self) -> String {
        match (self.site.kind, self.encoder_layers.checked_sub(1)) {
            (AttentionKind::Cross, Some(last)) => output_of("model.encoder", last),
            _ => self.query_input(),
        }
    }

    /// An array of the attention itself: `query`, `scores`, `output`, ….
    pub fn attention(&self, array: &str) -> String {
        format!("{}.{array}", self.attention)
    }

    /// An array or parameter of the layer: `fc1`, `mlp.gate`, ….
    pub fn layer(&self, array: &str) -> String {
        format!("{}.{array}", self.layer)
    }

    /// The projection back to the model's width: its module.
    pub fn output_projection(&self) -> String {
        self.attention(match self.family {
            Family::Marian => "out_proj",
            Family::Llama => "o_proj",
        })
    }

    /// The residual stream after attention's output was added.
    pub fn attention_sum(&self) -> String {
        match self.family {
            Family::Marian => format!("{}_layer_norm.input", self.attention),
            Family::Llama => self.layer("attention_residual"),
        }
    }

    /// The normalisation after that sum: its module.
    pub fn attention_norm(&self) -> String {
        match self.family {
            Family::Marian => format!("{}_layer_norm", self.attention),
            Family::Llama => self.layer("post_attention_layernorm"),
        }
    }

    /// What the feed-forward network is given.
    pub fn feed_forward_input(&self) -> String {
        match (self.family, self.site.kind) {
            (Family::Llama, _) => self.layer("post_attention_layernorm.output"),
            (Family::Marian, AttentionKind::EncoderSelf) => {
                self.layer("self_attn_layer_norm.output")
            }
            (Family::Marian, _) => self.layer("encoder_attn_layer_norm.output"),
        }
    }

    /// What the feed-forward network's output is added to.
    pub fn feed_forward_residual_input(&self) -> String {
        match self.family {
            Family::Marian => self.feed_forward_input(),
            Family::Llama => self.layer("attention_residual"),
        }
    }

    /// The feed-forward network's output.
    pub fn feed_forward_output(&self) -> String {
        self.layer(match self.family {
            Family::Marian => "fc2",
            Family::Llama => "mlp.output",
        })
    }

    /// The residual stream after the feed-forward network's output was added.
    pub fn feed_forward_sum(&self) -> String {
        self.layer(match self.family {
            Family::Marian => "final_layer_norm.input",
            Family::Llama => "residual",
        })
    }
}

/// The output of a layer of a stack that normalises after adding.
fn output_of(stack: &str, layer: usize) -> String {
    format!("{stack}.layers.{layer}.final_layer_norm.output")
}

#[cfg(test)]
mod tests {
    use attention_trace::positions::PositionalEncoding;

    use super::*;

    fn meta(family: Family) -> TraceMeta {
        TraceMeta {
            family,
            source: vec![],
            target: vec![],
            encoder_layers: 3,
            decoder_layers: 3,
            heads: 8,
            d_model: 256,
            positions: None,
            rope_theta: None,
            buckets: None,
        }
    }

    fn names(family: Family, kind: AttentionKind, layer: usize) -> Names {
        Names::new(&meta(family), Site { kind, layer })
    }

    #[test]
    fn token_embeddings_have_a_name_of_their_own_where_positions_are_added() {
        use PositionalEncoding::{Alibi, Learned, None, Rope, Sinusoidal, T5};
        let name = |positions| {
            let meta = TraceMeta {
                positions: Some(positions),
                ..meta(Family::Llama)
            };
            let kind = AttentionKind::DecoderSelf;
            Names::new(&meta, Site { kind, layer: 0 }).token_embeddings()
        };
        for added in [Learned, Sinusoidal] {
            assert_eq!(name(added), "model.token_embeddings");
        }
        for other in [Rope, None, T5, Alibi] {
            assert_eq!(name(other), "model.embeddings");
        }
        let decoder = names(Family::Marian, AttentionKind::Cross, 1);
        assert_eq!(decoder.token_embeddings(), "model.decoder.token_embeddings");
    }

    #[test]
    fn a_layer_is_given_what_the_one_before_made() {
        let first = names(Family::Marian, AttentionKind::EncoderSelf, 0);
        assert_eq!(first.layer_input(), "model.encoder.embeddings");
        let second = names(Family::Marian, AttentionKind::DecoderSelf, 1);
        assert_eq!(
            second.layer_input(),
            "model.decoder.layers.0.final_layer_norm.output"
        );
        let llama = names(Family::Llama, AttentionKind::DecoderSelf, 1);
        assert_eq!(llama.layer_input(), "model.layers.0.residual");
    }

    #[test]
    fn cross_attention_takes_its_keys_from_the_encoders_end() {
        let cross = names(Family::Marian, AttentionKind::Cross, 0);
        assert_eq!(
            cross.key_input(),
            "model.encoder.layers.2.final_layer_norm.output"
        );
        assert_eq!(
            cross.query_input(),
            "model.decoder.layers.0.self_attn_layer_norm.output"
        );
        assert_eq!(
            cross.attention_norm(),
            "model.decoder.layers.0.encoder_attn_layer_norm"
        );
    }
}
