//! A whole model as a picture: where its blocks and their heads lie, and what connects them.
//!
//! A stack is a column whose first layer is at the bottom, as in the figure of "Attention Is All You Need": tokens,
//! embeddings, layers, and above the column that makes logits the words, and the layer before them where there is one.

/// Width of a column where there are two.
const NARROW: f64 = 330.0;
/// Width of the only column.
const WIDE: f64 = 560.0;
/// Between two columns: room for what the encoder hands over.
const BETWEEN: f64 = 76.0;
/// The most heads side by side.
const ACROSS: usize = 16;
/// The largest side of a head.
const LARGEST: f64 = 40.0;
/// Between a block's edge and its heads.
const PADDING: f64 = 6.0;
/// Height of a block's name.
const NAME: f64 = 18.0;
/// Height of a block without heads.
const PLAIN: f64 = 24.0;
/// Height of the words at the top.
const WORDS: f64 = 32.0;
/// Height of a row of tokens.
const TOKENS: f64 = 30.0;
/// Between the blocks of a layer.
const GAP: f64 = 5.0;
/// Between layers.
const LAYER_GAP: f64 = 14.0;

/// A stack to be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Layers.
    pub layers: usize,
    /// Blocks of attention in each layer.
    pub attentions: usize,
    /// Heads of each of them.
    pub heads: usize,
}

/// What stands above the last column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Whether a layer stands between the stack and the matrix that makes logits.
    pub has_layer: bool,
    /// Whether there are words.
    pub has_words: bool,
}

impl Output {
    /// Height of its blocks.
    fn height(self) -> f64 {
        match (self.has_layer, self.has_words) {
            (false, false) => 0.0,
            (false, true) => WORDS,
            (true, false) => PLAIN,
            (true, true) => PLAIN + GAP + WORDS,
        }
    }
}

/// What a block stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The tokens that the stack reads.
    Tokens,
    /// Their embeddings, with positions.
    Embedding,
    /// Attention number `place` of a layer.
    Attention {
        /// The layer, from 0.
        layer: usize,
        /// Which of the layer's, from 0.
        place: usize,
    },
    /// A layer's feed-forward network.
    FeedForward {
        /// The layer, from 0.
        layer: usize,
    },
    /// The layer between the last stack and the logits.
    OutputLayer,
    /// The most probable tokens.
    Words,
}

/// A rectangle; `y` grows downwards.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Rect {
    /// Its centre.
    pub fn centre(self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }
}

/// A block of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// The column, from the left.
    pub column: usize,
    /// What it stands for.
    pub part: Part,
    /// Where it lies.
    pub rect: Rect,
    /// Where its heads lie, if it has any.
    pub heads: Option<Heads>,
}

/// The heads of a block: squares in rows, read from the left and from above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heads {
    /// How many.
    pub count: usize,
    /// How many in a row.
    pub across: usize,
    /// The left edge of the first.
    pub x: f64,
    /// The upper edge of the first.
    pub y: f64,
    /// The side of each.
    pub side: f64,
}

impl Heads {
    fn inside(column: Column, width: f64) -> Self {
        let across = column.heads.clamp(1, ACROSS);
        let side = ((width - 2.0 * PADDING) / across as f64).min(LARGEST);
        Heads {
            count: column.heads,
            across,
            x: 0.0,
            y: 0.0,
            side,
        }
    }

    /// How many rows.
    pub fn rows(self) -> usize {
        self.count.div_ceil(self.across)
    }

    /// Where all of them lie.
    pub fn rect(self) -> Rect {
        Rect {
            x: self.x,
            y: self.y,
            width: self.across as f64 * self.side,
            height: self.rows() as f64 * self.side,
        }
    }

    /// Where one of them lies.
    pub fn head(self, head: usize) -> Rect {
        Rect {
            x: self.x + (head % self.across) as f64 * self.side,
            y: self.y + (head / self.across) as f64 * self.side,
            width: self.side,
            height: self.side,
        }
    }
}

/// A connection between blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Wire {
    /// Whether it hands the output of one column over to another.
    pub hands_over: bool,
    /// Its way, as the data of an SVG path.
    pub path: String,
}

/// A model as a picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelMap {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// The blocks, in the order of the computation.
    pub blocks: Vec<Block>,
    /// What connects them.
    pub wires: Vec<Wire>,
}

impl ModelMap {
    /// The picture of a model whose stacks are these, from the left; the last one makes the `output`. An attention that
    /// is not a layer's first receives what the column before ends with.
    pub fn of(columns: &[Column], output: Output) -> Self {
        let layout = Layout::of(columns, output);
        let blocks: Vec<Block> = (0..columns.len())
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

/// Sizes that all columns share.
struct Layout<'a> {
    columns: &'a [Column],
    output: Output,
    /// Width of a column.
    column_width: f64,
    /// From one layer to the next.
    pitch: f64,
}

impl<'a> Layout<'a> {
    fn of(columns: &'a [Column], output: Output) -> Self {
        let column_width = match columns.len() {
            0 | 1 => WIDE,
            _ => NARROW,
        };
        let layers = columns.iter().map(|&column| {
            let attention = attention_height(Heads::inside(column, column_width));
            column.attentions as f64 * (attention + GAP) + PLAIN
        });
        Layout {
            columns,
            output,
            column_width,
            pitch: layers.fold(0.0, f64::max) + LAYER_GAP,
        }
    }

    fn width(&self) -> f64 {
        let count = self.columns.len() as f64;
        count * self.column_width + (count - 1.0).max(0.0) * BETWEEN
    }

    fn height(&self) -> f64 {
        let output = match self.output.height() {
            0.0 => 0.0,
            height => height + LAYER_GAP,
        };
        output + self.layers() as f64 * self.pitch + PLAIN + GAP + TOKENS
    }

    fn layers(&self) -> usize {
        let layers = self.columns.iter().map(|column| column.layers);
        layers.max().unwrap_or(0)
    }

    fn left(&self, column: usize) -> f64 {
        column as f64 * (self.column_width + BETWEEN)
    }

    /// The blocks of a column, from the bottom.
    fn column(&self, index: usize) -> Vec<Block> {
        let column = self.columns[index];
        let mut rising = Rising {
            layout: self,
            column: index,
            bottom: self.height(),
            blocks: Vec::new(),
        };
        rising.put(Part::Tokens, TOKENS, GAP);
        rising.put(Part::Embedding, PLAIN, LAYER_GAP);
        let first = rising.bottom;
        for layer in 0..column.layers {
            rising.bottom = first - layer as f64 * self.pitch;
            for place in 0..column.attentions {
                rising.put_heads(Part::Attention { layer, place }, column);
            }
            rising.put(Part::FeedForward { layer }, PLAIN, LAYER_GAP);
        }
        if index + 1 == self.columns.len() {
            rising.bottom = self.output.height();
            if self.output.has_layer {
                rising.put(Part::OutputLayer, PLAIN, GAP);
            }
            if self.output.has_words {
                rising.put(Part::Words, WORDS, 0.0);
            }
        }
        rising.blocks
    }

    fn wires(&self, blocks: &[Block]) -> Vec<Wire> {
        let mut wires: Vec<Wire> = (0..self.columns.len())
            .filter_map(|column| trunk(column, blocks))
            .collect();
        for (column, pair) in self.columns.windows(2).enumerate() {
            let from = blocks
                .iter()
                .rfind(|block| block.column == column && block.part != Part::Words);
            let receivers = blocks.iter().filter(|block| {
                block.column == column + 1
                    && matches!(block.part, Part::Attention { place, .. } if place > 0)
            });
            if pair[1].attentions > 1
                && let Some(from) = from
            {
                wires.extend(receivers.map(|to| hand_over(from.rect, to)));
            }
        }
        wires
    }
}

/// A column that is built from below.
struct Rising<'a> {
    layout: &'a Layout<'a>,
    column: usize,
    /// The lower edge of the next block.
    bottom: f64,
    blocks: Vec<Block>,
}

impl Rising<'_> {
    fn put(&mut self, part: Part, height: f64, gap: f64) {
        let rect = Rect {
            x: self.layout.left(self.column),
            y: self.bottom - height,
            width: self.layout.column_width,
            height,
        };
        self.blocks.push(Block {
            column: self.column,
            part,
            rect,
            heads: None,
        });
        self.bottom = rect.y - gap;
    }

    fn put_heads(&mut self, part: Part, column: Column) {
        let heads = Heads::inside(column, self.layout.column_width);
        self.put(part, attention_height(heads), GAP);
        if let Some(block) = self.blocks.last_mut() {
            block.heads = Some(Heads {
                x: block.rect.x + PADDING,
                y: block.rect.y + NAME,
                ..heads
            });
        }
    }
}

fn attention_height(heads: Heads) -> f64 {
    NAME + heads.rect().height + PADDING
}

/// The residual stream of a column: one line behind all of its blocks.
fn trunk(column: usize, blocks: &[Block]) -> Option<Wire> {
    let mut own = blocks.iter().filter(|block| block.column == column);
    let first = own.next()?;
    let last = own.next_back()?;
    let (x, bottom) = (first.rect.centre().0, first.rect.y);
    // Above the last block of a column without words the line ends in the open.
    let top = match last.part {
        Part::Words => last.rect.y + last.rect.height,
        _ => last.rect.y - LAYER_GAP / 2.0,
    };
    Some(Wire {
        hands_over: false,
        path: format!("M{x} {bottom}V{top}"),
    })
}

fn hand_over(from: Rect, to: &Block) -> Wire {
    let (start, end) = ((from.x + from.width, from.centre().1), to.rect);
    let (x, y) = (end.x, end.centre().1);
    let middle = (start.0 + x) / 2.0;
    Wire {
        hands_over: true,
        path: format!(
            "M{} {}C{middle} {} {middle} {y} {x} {y}",
            start.0, start.1, start.1
        ),
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
        (1usize..14, 1usize..=2, 1usize..40).prop_map(|(layers, attentions, heads)| Column {
            layers,
            attentions,
            heads,
        })
    }

    proptest! {
        #[test]
        fn blocks_lie_in_the_picture_and_apart(
            columns in prop::collection::vec(column(), 1..3),
            has_layer in any::<bool>(),
            has_words in any::<bool>(),
        ) {
            let map = ModelMap::of(&columns, Output { has_layer, has_words });
            let whole = Rect { x: 0.0, y: 0.0, width: map.width, height: map.height };
            for (index, block) in map.blocks.iter().enumerate() {
                prop_assert!(inside(whole, block.rect), "{block:?}");
                for other in &map.blocks[..index] {
                    prop_assert!(!overlap(block.rect, other.rect), "{block:?} {other:?}");
                }
            }
        }

        #[test]
        fn heads_lie_in_their_block_and_apart(
            columns in prop::collection::vec(column(), 1..3)
        ) {
            let map = ModelMap::of(&columns, WORDS_ALONE);
            for block in &map.blocks {
                let Some(heads) = block.heads else { continue };
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
