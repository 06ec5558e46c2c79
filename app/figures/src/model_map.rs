//! A whole model as a picture: the places of its blocks and their heads, and the connections between them.
//!
//! A stack is a column whose first layer is at the bottom, as in the figure of "Attention Is All You Need": tokens,
//! embeddings, layers. The last column, which makes logits, ends with the output layer, if there is one, and the words.

mod layout;
mod parts;

use layout::{Layout, Sizes};
pub use parts::{Block, Column, Heads, Output, Part, Rect, Recurrence, Room, Wire};

/// The picture of a whole model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelMap {
    /// The width of the picture.
    pub width: f64,
    /// The height of the picture.
    pub height: f64,
    /// The blocks, in the order of the computation.
    pub blocks: Vec<Block>,
    /// The connections between the blocks.
    pub wires: Vec<Wire>,
}

impl ModelMap {
    /// Returns the picture of a model whose stacks are `columns`, from the left; the last one makes the `output`. An
    /// attention that is not a layer's first receives the output of the column before. So do all attention blocks of a
    /// recurrent column, and the recurrence of its first layer, which starts from that output. The picture is scaled to
    /// the place where it is displayed.
    pub fn of(columns: &[Column], output: Output) -> Self {
        Self::with(Layout::with(columns, output, Sizes::scaled(columns)))
    }

    /// Returns the same picture laid out for a room: its units are pixels, so its type has one size. It is higher than
    /// the room if heads would be too small to hit.
    pub fn fitted(columns: &[Column], output: Output, room: Room) -> Self {
        let sizes = Sizes::fitted(columns, output, room);
        Self::with(Layout::with(columns, output, sizes))
    }

    fn with(layout: Layout<'_>) -> Self {
        let blocks: Vec<Block> = (0..layout.columns().len())
            .flat_map(|column| layout.column(column))
            .collect();
        let wires = layout.wires(&blocks);
        ModelMap {
            width: layout.width(),
            height: layout.height(),
            blocks,
            wires,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ENCODER: Column = Column {
        layers: 3,
        attentions: 1,
        heads: 8,
        has_network: true,
        recurrence: None,
    };
    const READER: Column = Column {
        layers: 1,
        attentions: 0,
        heads: 1,
        has_network: false,
        recurrence: Some(Recurrence::First),
    };
    const DECODER: Column = Column {
        attentions: 2,
        ..ENCODER
    };

    const WORDS_ALONE: Output = Output {
        has_layer: false,
        has_words: true,
    };

    fn block(map: &ModelMap, column: usize, part: Part) -> Option<&Block> {
        let mut blocks = map.blocks.iter();
        blocks.find(|block| (block.column, block.part) == (column, part))
    }

    #[test]
    fn the_translator_has_nine_blocks_of_attention_and_three_hand_overs() {
        let map = ModelMap::of(&[ENCODER, DECODER], WORDS_ALONE);
        let heads = map.blocks.iter().filter_map(|block| block.heads);
        assert_eq!(heads.map(|heads| heads.count).sum::<usize>(), 72);
        let handed = map.wires.iter().filter(|wire| wire.hands_over);
        assert_eq!(handed.count(), 3);
        assert!(block(&map, 0, Part::Words).is_none());
        assert!(block(&map, 1, Part::Words).is_some());
    }

    /// Returns the parts of the last column from below, and the number of those that receive the output of the column
    /// before.
    fn recurrent(attentions: usize, recurrence: Recurrence) -> (Vec<Part>, usize) {
        let writer = Column {
            attentions,
            recurrence: Some(recurrence),
            ..READER
        };
        let map = ModelMap::of(&[READER, writer], WORDS_ALONE);
        let own = map.blocks.iter().filter(|block| block.column == 1);
        let handed = map.wires.iter().filter(|wire| wire.hands_over);
        (own.map(|block| block.part).collect(), handed.count())
    }

    #[test]
    fn a_recurrence_stands_before_or_after_attention_and_starts_from_the_encoder() {
        let (attention, recurrence) = (
            Part::Attention { layer: 0, place: 0 },
            Part::Recurrence { layer: 0 },
        );
        let (tokens, embedding, words) = (Part::Tokens, Part::Embedding, Part::Words);
        let without = recurrent(0, Recurrence::First);
        assert_eq!(without, (vec![tokens, embedding, recurrence, words], 1));
        let bahdanau = recurrent(1, Recurrence::Last);
        let parts = vec![tokens, embedding, attention, recurrence, words];
        assert_eq!(bahdanau, (parts, 2));
        let luong = recurrent(1, Recurrence::First);
        let parts = vec![tokens, embedding, recurrence, attention, words];
        assert_eq!(luong, (parts, 2));
    }

    #[test]
    fn later_layers_lie_above() {
        let map = ModelMap::of(&[ENCODER, DECODER], WORDS_ALONE);
        let y = |layer, place| {
            let part = Part::Attention { layer, place };
            block(&map, 1, part).map(|block| block.rect.y).unwrap()
        };
        assert!(y(0, 0) > y(0, 1) && y(0, 1) > y(1, 0) && y(1, 1) > y(2, 0));
    }

    #[test]
    fn a_model_that_makes_no_words_has_none() {
        let map = ModelMap::of(&[ENCODER], Output::default());
        assert!(map.blocks.iter().all(|block| block.part != Part::Words));
        assert!(map.wires.iter().all(|wire| !wire.hands_over));
        assert_eq!(ModelMap::of(&[], WORDS_ALONE).blocks, []);
    }

    #[test]
    fn a_layer_before_the_words_lies_between_them_and_the_last_stack() {
        let output = Output {
            has_layer: true,
            has_words: true,
        };
        let map = ModelMap::of(&[ENCODER], output);
        let y = |part| block(&map, 0, part).map(|block| block.rect.y).unwrap();
        assert_eq!(y(Part::Words), 0.0);
        assert!(y(Part::Words) < y(Part::OutputLayer));
        assert!(y(Part::OutputLayer) < y(Part::FeedForward { layer: 2 }));
        let of_two = ModelMap::of(&[ENCODER, DECODER], output);
        assert!(block(&of_two, 0, Part::OutputLayer).is_none());
        assert!(block(&of_two, 1, Part::OutputLayer).is_some());
    }

    fn inside(outer: Rect, inner: Rect) -> bool {
        let near = 1e-9;
        inner.x >= outer.x - near
            && inner.y >= outer.y - near
            && inner.x + inner.width <= outer.x + outer.width + near
            && inner.y + inner.height <= outer.y + outer.height + near
    }

    fn overlap(a: Rect, b: Rect) -> bool {
        let near = 1e-9;
        a.x + near < b.x + b.width
            && b.x + near < a.x + a.width
            && a.y + near < b.y + b.height
            && b.y + near < a.y + a.height
    }

    fn column() -> impl Strategy<Value = Column> {
        let recurrence = prop_oneof![
            Just(None),
            Just(Some(Recurrence::First)),
            Just(Some(Recurrence::Last)),
        ];
        let sizes = (1usize..14, 0usize..=2, 1usize..40);
        (sizes, recurrence).prop_map(|((layers, attentions, heads), recurrence)| Column {
            layers,
            attentions,
            heads,
            has_network: recurrence.is_none(),
            recurrence,
        })
    }

    fn room() -> impl Strategy<Value = Room> {
        let height = prop_oneof![Just(f64::INFINITY), 200.0f64..1400.0];
        (260.0f64..1600.0, height, prop_oneof![Just(1.0), Just(1.35)]).prop_map(
            |(width, height, type_scale)| Room {
                width,
                height,
                type_scale,
                least_side: 20.0,
            },
        )
    }

    /// Returns a drawing for a room, or one to be scaled.
    fn drawn(columns: &[Column], output: Output, room: Option<Room>) -> ModelMap {
        match room {
            Some(room) => ModelMap::fitted(columns, output, room),
            None => ModelMap::of(columns, output),
        }
    }

    #[test]
    fn the_translator_fits_into_a_laptops_room_with_heads_that_can_be_seen() {
        let side = |width, height| {
            let room = Room {
                width,
                height,
                type_scale: 1.0,
                least_side: 20.0,
            };
            let map = ModelMap::fitted(&[ENCODER, DECODER], WORDS_ALONE, room);
            assert!(map.width <= width && map.height <= height, "{map:?}");
            map.blocks
                .iter()
                .find_map(|block| block.heads)
                .unwrap()
                .side
        };
        assert!(side(650.0, 400.0) >= 22.0, "{}", side(650.0, 400.0));
        assert!(side(730.0, 590.0) >= 36.0, "{}", side(730.0, 590.0));
        // A phone, whose page scrolls: heads that a finger hits, in two rows.
        assert!(
            side(340.0, f64::INFINITY) >= 34.0,
            "{}",
            side(340.0, f64::INFINITY)
        );
    }

    #[test]
    fn thirty_layers_are_scrolled_and_not_made_small() {
        let column = Column {
            layers: 30,
            attentions: 1,
            heads: 9,
            has_network: true,
            recurrence: None,
        };
        let room = Room {
            width: 660.0,
            height: 420.0,
            type_scale: 1.0,
            least_side: 20.0,
        };
        let map = ModelMap::fitted(&[column], WORDS_ALONE, room);
        let heads = map.blocks.iter().find_map(|block| block.heads).unwrap();
        assert!(
            heads.side >= 20.0 && map.height < 1500.0,
            "{} {}",
            heads.side,
            map.height
        );
    }

    proptest! {
        #[test]
        fn blocks_lie_in_the_picture_and_apart(
            columns in prop::collection::vec(column(), 1..3),
            has_layer in any::<bool>(),
            has_words in any::<bool>(),
            room in prop::option::of(room()),
        ) {
            let map = drawn(&columns, Output { has_layer, has_words }, room);
            let whole = Rect { x: 0.0, y: 0.0, width: map.width, height: map.height };
            for (index, block) in map.blocks.iter().enumerate() {
                prop_assert!(inside(whole, block.rect), "{block:?}");
                for other in &map.blocks[..index] {
                    prop_assert!(!overlap(block.rect, other.rect), "{block:?} {other:?}");
                }
            }
        }

        #[test]
        fn a_drawing_for_a_room_is_as_wide_as_it_at_most(
            columns in prop::collection::vec(column(), 1..3),
            room in room(),
        ) {
            let map = ModelMap::fitted(&columns, WORDS_ALONE, room);
            prop_assert!(map.width <= room.width + 1e-9);
        }

        #[test]
        fn heads_lie_in_their_block_and_apart(
            columns in prop::collection::vec(column(), 1..3),
            room in prop::option::of(room()),
        ) {
            let map = drawn(&columns, WORDS_ALONE, room);
            for block in &map.blocks {
                let Some(heads) = block.heads else { continue };
                let name = block.name.unwrap();
                prop_assert!(inside(block.rect, name) && !overlap(name, heads.rect()));
                for head in 0..heads.count {
                    prop_assert!(inside(block.rect, heads.head(head)));
                    for other in 0..head {
                        prop_assert!(!overlap(heads.head(head), heads.head(other)));
                    }
                }
            }
        }
    }
}
