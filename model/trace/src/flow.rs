//! Dependencies between the places of a pass, from the facts of a model: the path of the residual
//! stream.

use crate::site::{AttentionKind, AttentionLayer, Block, Stack, Sublayer};
use crate::spec::{ModelSpec, NormPlacement};
use crate::{Quantity, Site};

impl ModelSpec {
    /// The embeddings of tokens before positions are added and the sum is normalised; those of a model that does
    /// neither are what enters the first layer.
    pub fn token_embedding(&self, stack: Stack) -> Site {
        Block::Stack(stack).at(match self.embeds_in_steps() {
            true => Quantity::TokenEmbedding,
            false => Quantity::Embedding,
        })
    }

    /// Returns the residual stream that the layer begins with: the output of the layer before, with the signals of a
    /// depth if there are any.
    pub fn layer_input(&self, stack: Stack, layer: usize) -> Site {
        match layer.checked_sub(1) {
            Some(_) if self.reuse.is_some() => {
                Block::Sublayer(stack, layer, Sublayer::SelfAttention).at(Quantity::Embedding)
            }
            Some(before) => self.layer_output(stack, before),
            None => Block::Stack(stack).at(Quantity::Embedding),
        }
    }

    /// The residual stream after the layer; where positions halt, with the states that halted ones keep.
    pub fn layer_output(&self, stack: Stack, layer: usize) -> Site {
        let last = self.sublayers(stack).last();
        let block = Block::Sublayer(stack, layer, last.unwrap_or(Sublayer::FeedForward));
        match self.halting() {
            Some(_) => block.at(Quantity::State),
            None => self.sublayer_output(block),
        }
    }

    /// The residual stream after a sub-layer, normalised where the norm follows the sum.
    pub fn sublayer_output(&self, block: Block) -> Site {
        block.at(match self.is_post_norm(block) {
            true => Quantity::Norm,
            false => Quantity::Residual,
        })
    }

    /// The residual stream before a sub-layer, to which its output is added; in a recurrent stack, its states.
    pub fn residual_input(&self, block: Block) -> Site {
        if let (Some(_), Some(stack)) = (self.recurrence, block.stack()) {
            return self.stack_output(stack);
        }
        let Block::Sublayer(stack, layer, sublayer) = block else {
            return block.at(Quantity::Embedding);
        };
        let before = self.sublayers(stack).take_while(|&one| one != sublayer);
        match before.last() {
            Some(before) => self.sublayer_output(Block::Sublayer(stack, layer, before)),
            None => self.layer_input(stack, layer),
        }
    }

    /// Returns the place that a sub-layer reads: the residual stream, normalised if the norm comes
    /// first.
    pub fn sublayer_input(&self, block: Block) -> Site {
        let is_normalised = self.placement(block).is_none_or(NormPlacement::is_on_input);
        let norm = block.at(Quantity::Norm);
        match self.recurrence.is_none() && is_normalised && self.has(norm) {
            true => norm,
            false => self.residual_input(block),
        }
    }

    /// Returns the vectors that a sub-layer adds to the residual stream: its output, normalised where that has a norm.
    pub fn added(&self, block: Block) -> Site {
        let is_normalised = self
            .placement(block)
            .is_some_and(NormPlacement::is_on_output);
        block.at(match is_normalised {
            true => Quantity::OutNorm,
            false => Quantity::Out,
        })
    }

    /// Returns the place that keys and values are computed from.
    pub fn key_input(&self, attention: AttentionLayer) -> Site {
        match attention.kind {
            AttentionKind::Cross => self.stack_output(Stack::Encoder),
            _ => self.sublayer_input(attention.block()),
        }
    }

    /// Returns the place of a stack's final output.
    pub fn stack_output(&self, stack: Stack) -> Site {
        if self.recurrence.is_some() || self.halting().is_some() {
            return Block::Stack(stack).at(Quantity::State);
        }
        match self.stack(stack) {
            Some(spec) if spec.norm.is_some_and(|norm| norm.is_last) => {
                Block::Stack(stack).at(Quantity::FinalNorm)
            }
            Some(spec) if spec.layers > 0 => self.layer_output(stack, spec.layers - 1),
            _ => Block::Stack(stack).at(Quantity::Embedding),
        }
    }

    fn is_post_norm(&self, block: Block) -> bool {
        self.placement(block) == Some(NormPlacement::Post)
    }

    /// Returns the placement of the norms in the stack of a block.
    fn placement(&self, block: Block) -> Option<NormPlacement> {
        let spec = block.stack().and_then(|stack| self.stack(stack));
        spec.and_then(|spec| spec.norm).map(|norm| norm.placement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RecurrentAttention;
    use crate::config::{Convention, GruConfig, LlamaConfig, UniversalConfig};
    use crate::positions::PositionalEncoding;
    use crate::spec::tests::{decoder_only, encoder_decoder};

    fn attention(kind: AttentionKind, layer: usize) -> AttentionLayer {
        AttentionLayer { kind, layer }
    }

    #[test]
    fn token_embeddings_have_a_place_of_their_own_where_positions_are_added() {
        for encoding in PositionalEncoding::ALL {
            let spec = ModelSpec {
                positions: encoding.into(),
                ..decoder_only()
            };
            let name = spec.token_embedding(Stack::Decoder).to_string();
            let expected = match encoding.adds_vectors() {
                true => "decoder.token_embedding",
                false => "decoder.embedding",
            };
            assert_eq!(name, expected);
        }
    }

    #[test]
    fn a_recurrent_stack_hands_on_its_states() {
        let config = GruConfig {
            attention: RecurrentAttention::Bahdanau,
            ..GruConfig::default()
        };
        let spec = config.spec();
        let cross = attention(AttentionKind::Cross, 0);
        assert_eq!(spec.key_input(cross).to_string(), "encoder.state");
        assert_eq!(
            spec.sublayer_input(cross.block()).to_string(),
            "decoder.state"
        );
        for site in [spec.key_input(cross), spec.token_embedding(Stack::Decoder)] {
            assert!(spec.has(site), "{site}");
        }
    }

    #[test]
    fn what_is_added_is_the_normalised_output_where_outputs_are_normalised() {
        let own = attention(AttentionKind::DecoderSelf, 1).block();
        let places = |config: LlamaConfig| {
            let spec = config.spec();
            let sites = [
                spec.sublayer_input(own),
                spec.added(own),
                spec.sublayer_output(own),
            ];
            sites.map(|site| site.to_string())
        };
        let like = |convention| LlamaConfig {
            convention,
            ..LlamaConfig::default()
        };
        let residual = "decoder.1.self.residual";
        assert_eq!(
            places(like(Convention::Llama)),
            ["decoder.1.self.norm", "decoder.1.self.out", residual]
        );
        assert_eq!(
            places(like(Convention::Olmo2)),
            [
                "decoder.0.mlp.residual",
                "decoder.1.self.out_norm",
                residual
            ]
        );
        assert_eq!(
            places(like(Convention::Gemma2)),
            ["decoder.1.self.norm", "decoder.1.self.out_norm", residual]
        );
    }

    #[test]
    fn a_layer_is_given_what_the_one_before_made() {
        let input = |spec: ModelSpec, layer| spec.layer_input(Stack::Decoder, layer).to_string();
        assert_eq!(input(encoder_decoder(), 0), "decoder.embedding");
        assert_eq!(input(encoder_decoder(), 1), "decoder.0.mlp.norm");
        assert_eq!(input(decoder_only(), 1), "decoder.0.mlp.residual");
    }

    #[test]
    fn a_depth_begins_with_its_signals_and_a_stack_hands_on_what_its_depths_sum_to() {
        let spec = UniversalConfig::default().spec();
        let fixed = UniversalConfig {
            halting: None,
            ..UniversalConfig::default()
        };
        let fixed = fixed.spec();
        let cross = attention(AttentionKind::Cross, 0);
        for (spec, output, states) in [
            (&spec, "encoder.state", "encoder.1.mlp.state"),
            (&fixed, "encoder.3.mlp.norm", "encoder.1.mlp.norm"),
        ] {
            assert_eq!(spec.key_input(cross).to_string(), output);
            let input = spec.layer_input(Stack::Encoder, 2);
            assert_eq!(input.to_string(), "encoder.2.self.embedding");
            assert_eq!(spec.layer_output(Stack::Encoder, 1).to_string(), states);
            assert!(spec.has(input) && spec.has(spec.layer_output(Stack::Encoder, 1)));
            assert!(spec.has(spec.stack_output(Stack::Decoder)));
        }
        assert_eq!(fixed.lens_sites().len(), 5);
    }

    #[test]
    fn the_residual_stream_goes_through_the_sublayers_in_order() {
        let name = |site: Site| site.to_string();
        let (post, pre) = (encoder_decoder(), decoder_only());
        let cross = attention(AttentionKind::Cross, 0);
        assert_eq!(
            name(post.residual_input(cross.block())),
            "decoder.0.self.norm"
        );
        assert_eq!(
            name(post.sublayer_input(cross.block())),
            "decoder.0.self.norm"
        );
        assert_eq!(
            name(post.sublayer_input(cross.feed_forward())),
            "decoder.0.cross.norm"
        );
        assert_eq!(name(post.key_input(cross)), "encoder.2.mlp.norm");
        let own = attention(AttentionKind::DecoderSelf, 1);
        assert_eq!(
            name(pre.residual_input(own.block())),
            "decoder.0.mlp.residual"
        );
        assert_eq!(name(pre.sublayer_input(own.block())), "decoder.1.self.norm");
        assert_eq!(name(pre.key_input(own)), "decoder.1.self.norm");
        assert_eq!(
            name(pre.residual_input(own.feed_forward())),
            "decoder.1.self.residual"
        );
        assert_eq!(name(pre.stack_output(Stack::Decoder)), "decoder.final_norm");
    }
}
