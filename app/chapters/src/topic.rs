//! Places in the model that views are about: the small map in the header lights them.

use attention_core::selection::{Drawing, HeadChoice};
use attention_figures::model_map::{Block, Part};
use attention_trace::{AttentionKind, AttentionLayer, ModelSpec};

/// A place in the model that a view is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// The attention of the chosen head.
    Head,
    /// The self-attention of the chosen head's layer; if the head is one of cross-attention, that of the stack that reads
    /// the visitor's text.
    Own,
    /// The self-attention of that layer in the stack that reads the visitor's text.
    Reading,
    /// The stack that reads the visitor's text.
    Reader,
    /// The stack that writes the output.
    Writer,
    /// The tokens of every stack.
    Tokens,
    /// The embedding and its positional encoding.
    Embedding,
    /// The feed-forward network of a layer, with its norm.
    FeedForward,
    /// The model as a whole.
    Whole,
}

impl Topic {
    /// True if a block of the drawing belongs to the topic.
    pub fn includes(
        self,
        block: &Block,
        drawing: &Drawing,
        spec: &ModelSpec,
        head: Option<HeadChoice>,
    ) -> bool {
        let attention = drawing.attention(spec, block.column, block.part);
        let stack = drawing.stacks.get(block.column).copied();
        match self {
            Topic::Head | Topic::Own | Topic::Reading => {
                attention.is_some()
                    && head.is_some_and(|head| attention == self.attention(spec, head))
            }
            Topic::Reader => stack == Some(spec.permuted().stack()),
            Topic::Writer => stack == Some(spec.last_stack()),
            Topic::Tokens => block.part == Part::Tokens,
            Topic::Embedding => block.part == Part::Embedding,
            Topic::FeedForward => matches!(block.part, Part::FeedForward { .. }),
            Topic::Whole => true,
        }
    }

    /// The attention that it is about, where it is one layer's.
    pub fn attention(self, spec: &ModelSpec, head: HeadChoice) -> Option<AttentionLayer> {
        let AttentionLayer { kind, layer } = head.attention;
        let reading = AttentionLayer {
            kind: spec.permuted(),
            layer: layer.min(spec.layers(spec.permuted()).saturating_sub(1)),
        };
        match self {
            Topic::Head => Some(head.attention),
            Topic::Own if kind != AttentionKind::Cross => Some(head.attention),
            Topic::Own | Topic::Reading => Some(reading),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::config::{LlamaConfig, MarianConfig};

    use super::*;

    /// The places that are lit for a topic.
    fn lit(topic: Topic, head: Option<HeadChoice>) -> Vec<Part> {
        let config = MarianConfig {
            encoder_layers: 2,
            decoder_layers: 2,
            ..MarianConfig::default()
        };
        lit_in(config.spec(), topic, head)
    }

    fn lit_in(spec: ModelSpec, topic: Topic, head: Option<HeadChoice>) -> Vec<Part> {
        let drawing = Drawing::of(&spec);
        let blocks = drawing.map.blocks.iter();
        blocks
            .filter(|block| topic.includes(block, &drawing, &spec, head))
            .map(|block| block.part)
            .collect()
    }

    #[test]
    fn the_head_is_in_one_block_and_positions_are_in_both_columns() {
        let head = HeadChoice {
            attention: AttentionLayer {
                kind: AttentionKind::Cross,
                layer: 1,
            },
            head: 0,
        };
        assert_eq!(
            lit(Topic::Head, Some(head)),
            [Part::Attention { layer: 1, place: 1 }]
        );
        assert_eq!(lit(Topic::Head, None), []);
        assert_eq!(lit(Topic::Embedding, None), [Part::Embedding; 2]);
        assert_eq!(lit(Topic::FeedForward, None).len(), 4);
    }

    fn head(kind: AttentionKind, layer: usize) -> HeadChoice {
        HeadChoice {
            attention: AttentionLayer { kind, layer },
            head: 0,
        }
    }

    #[test]
    fn the_way_through_the_model_goes_from_the_reader_to_the_writer() {
        let chosen = Some(head(AttentionKind::Cross, 1));
        let reading = [Part::Attention { layer: 1, place: 0 }];
        assert_eq!(lit(Topic::Reading, chosen), reading);
        assert_eq!(lit(Topic::Own, chosen), reading);
        let own = Some(head(AttentionKind::DecoderSelf, 0));
        assert_eq!(
            lit(Topic::Own, own),
            [Part::Attention { layer: 0, place: 0 }]
        );
        let (reader, writer) = (lit(Topic::Reader, None), lit(Topic::Writer, None));
        assert!(writer.contains(&Part::Words) && !reader.contains(&Part::Words));
        assert_eq!(lit(Topic::Whole, None), [reader, writer].concat());
        assert_eq!(lit(Topic::Tokens, None), [Part::Tokens; 2]);

        let llama = || LlamaConfig::default().spec();
        let own = Some(head(AttentionKind::DecoderSelf, 0));
        assert_eq!(lit_in(llama(), Topic::Reading, own).len(), 1);
        let reader = lit_in(llama(), Topic::Reader, None);
        assert_eq!(reader, lit_in(llama(), Topic::Writer, None));
    }
}
