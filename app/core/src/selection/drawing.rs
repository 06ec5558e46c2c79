//! The drawing of a model's map: its facts as columns of blocks.

use attention_figures::model_map::{Block, Column, ModelMap, Output, Part, Rect, Recurrence, Room};
use attention_trace::{
    AttentionKind, AttentionLayer, Generates, ModelSpec, RecurrentAttention, Stack,
};

use super::HeadChoice;

/// The map of a model, and the stack of each column. Equal models have equal drawings, so that a new sentence redraws
/// nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// The positions of all blocks and heads.
    pub map: ModelMap,
    /// The stack of each column.
    pub stacks: Vec<Stack>,
}

impl Drawing {
    /// Lays out the drawing of a model in units to be scaled.
    pub fn of(spec: &ModelSpec) -> Self {
        Self::with(spec, ModelMap::of)
    }

    /// Lays out the drawing of a model in a given room, in pixels.
    pub fn fitted(spec: &ModelSpec, room: Room) -> Self {
        Self::with(spec, |columns, output| {
            ModelMap::fitted(columns, output, room)
        })
    }

    fn with(spec: &ModelSpec, lay_out: impl FnOnce(&[Column], Output) -> ModelMap) -> Self {
        let stacks: Vec<Stack> = [Stack::Encoder, Stack::Decoder]
            .into_iter()
            .filter(|&stack| spec.stack(stack).is_some())
            .collect();
        let columns: Vec<Column> = stacks
            .iter()
            .filter_map(|&stack| {
                let facts = spec.stack(stack)?;
                Some(Column {
                    layers: facts.layers,
                    attentions: kinds(stack, spec).len(),
                    heads: facts.heads,
                    has_network: facts.feed_forward.is_some(),
                    recurrence: recurrence(stack, spec),
                })
            })
            .collect();
        let output = Output {
            has_layer: spec.output_layer,
            has_words: spec.generates != Generates::Nothing,
        };
        Drawing {
            map: lay_out(&columns, output),
            stacks,
        }
    }

    /// Returns the attention layer that a block represents.
    pub fn attention(&self, spec: &ModelSpec, column: usize, part: Part) -> Option<AttentionLayer> {
        let Part::Attention { layer, place } = part else {
            return None;
        };
        let kind = *kinds(*self.stacks.get(column)?, spec).get(place)?;
        Some(AttentionLayer { kind, layer })
    }

    /// Returns the rectangle of a head on the map.
    pub fn head(&self, spec: &ModelSpec, choice: HeadChoice) -> Option<Rect> {
        let block = self.block(spec, choice.attention)?;
        Some(block.heads?.head(choice.head))
    }

    pub fn block(&self, spec: &ModelSpec, attention: AttentionLayer) -> Option<&Block> {
        self.map
            .blocks
            .iter()
            .find(|block| self.attention(spec, block.column, block.part) == Some(attention))
    }

    /// Returns the next head in a direction, among the heads for which `fits` is true: along a row, from block to
    /// block, and from the end of one column to the other.
    pub fn neighbour(
        &self,
        spec: &ModelSpec,
        from: HeadChoice,
        to: Direction,
        fits: impl Fn(HeadChoice) -> bool,
    ) -> HeadChoice {
        let Some(rect) = self.head(spec, from) else {
            return from;
        };
        let (x, y) = rect.centre();
        let all = self.map.blocks.iter().filter_map(|block| {
            let attention = self.attention(spec, block.column, block.part)?;
            let heads = block.heads?;
            Some((0..heads.count).map(move |head| {
                let choice = HeadChoice { attention, head };
                (choice, heads.head(head).centre())
            }))
        });
        let nearest = all
            .flatten()
            .filter(|&(choice, _)| fits(choice))
            .filter_map(|(choice, (hx, hy))| Some((to.distance(hx - x, hy - y)?, choice)))
            .min_by(|one, other| one.0.total_cmp(&other.0));
        nearest.map_or(from, |(_, choice)| choice)
    }
}

/// Returns the place of the recurrence in a recurrent stack's layers: Bahdanau's decoder reads the context that its
/// attention computed.
fn recurrence(stack: Stack, spec: &ModelSpec) -> Option<Recurrence> {
    let attention = spec.recurrence?.attention;
    Some(match (stack, attention) {
        (Stack::Decoder, RecurrentAttention::Bahdanau) => Recurrence::Last,
        _ => Recurrence::First,
    })
}

/// Returns the kinds of attention in a stack's layers, in order.
fn kinds(stack: Stack, spec: &ModelSpec) -> Vec<AttentionKind> {
    let kinds = spec.kinds().into_iter();
    kinds.filter(|kind| kind.stack() == stack).collect()
}

/// A direction of movement on the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards the column on the left.
    Left,
    /// Towards the column on the right.
    Right,
    /// Up, towards later layers.
    Up,
    /// Down, towards earlier layers.
    Down,
}

impl Direction {
    /// Returns the direction of an arrow key.
    pub fn of_key(key: &str) -> Option<Self> {
        match key {
            "ArrowLeft" => Some(Direction::Left),
            "ArrowRight" => Some(Direction::Right),
            "ArrowUp" => Some(Direction::Up),
            "ArrowDown" => Some(Direction::Down),
            _ => None,
        }
    }

    /// Returns the distance of a point in this direction; a sideways offset counts as farther. `None` if the point is
    /// not in this direction.
    fn distance(self, right: f64, down: f64) -> Option<f64> {
        let (along, aside) = match self {
            Direction::Left => (-right, down),
            Direction::Right => (right, down),
            Direction::Up => (-down, right),
            Direction::Down => (down, right),
        };
        (along > 0.5).then(|| along + 8.0 * aside.abs())
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::config::{GruConfig, LlamaConfig, MarianConfig};

    use super::*;

    fn translator() -> ModelSpec {
        let config = MarianConfig {
            encoder_layers: 3,
            decoder_layers: 3,
            encoder_attention_heads: 8,
            decoder_attention_heads: 8,
            ..MarianConfig::default()
        };
        config.spec()
    }

    fn head(kind: AttentionKind, layer: usize, head: usize) -> HeadChoice {
        HeadChoice {
            attention: AttentionLayer { kind, layer },
            head,
        }
    }

    #[test]
    fn every_attention_of_a_model_has_its_block() {
        let recurrent = GruConfig {
            attention: RecurrentAttention::Bahdanau,
            ..GruConfig::default()
        };
        for spec in [
            translator(),
            LlamaConfig::default().spec(),
            recurrent.spec(),
        ] {
            let drawing = Drawing::of(&spec);
            for kind in spec.kinds() {
                for layer in 0..spec.layers(kind) {
                    for number in 0..spec.heads(kind) {
                        let choice = head(kind, layer, number);
                        assert!(drawing.head(&spec, choice).is_some(), "{choice:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn arrows_go_along_a_row_and_from_block_to_block() {
        use AttentionKind::{Cross, DecoderSelf, EncoderSelf};
        let spec = translator();
        let drawing = Drawing::of(&spec);
        let go = |from, to| drawing.neighbour(&spec, from, to, |_| true);
        let from = head(DecoderSelf, 0, 3);
        assert_eq!(go(from, Direction::Right), head(DecoderSelf, 0, 4));
        assert_eq!(go(from, Direction::Left), head(DecoderSelf, 0, 2));
        assert_eq!(go(from, Direction::Up), head(Cross, 0, 3));
        assert_eq!(
            go(head(Cross, 0, 3), Direction::Up),
            head(DecoderSelf, 1, 3)
        );
        assert_eq!(go(from, Direction::Down), from);
        let last = head(EncoderSelf, 1, 7);
        assert_eq!(
            go(last, Direction::Right).attention.kind.stack(),
            Stack::Decoder
        );
        assert_eq!(
            go(head(EncoderSelf, 0, 0), Direction::Left),
            head(EncoderSelf, 0, 0)
        );
    }

    #[test]
    fn the_next_head_of_a_kind_is_a_layer_away() {
        let spec = translator();
        let drawing = Drawing::of(&spec);
        let is_cross = |choice: HeadChoice| choice.attention.kind == AttentionKind::Cross;
        let from = head(AttentionKind::Cross, 0, 3);
        assert_eq!(
            drawing.neighbour(&spec, from, Direction::Up, is_cross),
            head(AttentionKind::Cross, 1, 3)
        );
    }
}
