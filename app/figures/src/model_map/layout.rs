//! How a model's blocks are laid out: from the bottom of each column upwards, layers of all columns at one height.

use super::{Block, Column, Heads, Output, Part, Rect, Recurrence, Wire};

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
}

/// Sizes that all columns share.
pub(super) struct Layout<'a> {
    columns: &'a [Column],
    output: Output,
    /// Width of a column.
    column_width: f64,
    /// From one layer to the next.
    pitch: f64,
}

impl<'a> Layout<'a> {
    pub(super) fn of(columns: &'a [Column], output: Output) -> Self {
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

    pub(super) fn width(&self) -> f64 {
        let count = self.columns.len() as f64;
        count * self.column_width + (count - 1.0).max(0.0) * BETWEEN
    }

    pub(super) fn height(&self) -> f64 {
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
    pub(super) fn column(&self, index: usize) -> Vec<Block> {
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
            rising.put_layer(layer, column);
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

    pub(super) fn wires(&self, blocks: &[Block]) -> Vec<Wire> {
        let mut wires: Vec<Wire> = (0..self.columns.len())
            .filter_map(|column| trunk(column, blocks))
            .collect();
        for (column, pair) in self.columns.windows(2).enumerate() {
            let from = blocks
                .iter()
                .rfind(|block| block.column == column && block.part != Part::Words);
            let receivers = blocks
                .iter()
                .filter(|block| block.column == column + 1 && receives(pair[1], block.part));
            if let Some(from) = from {
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

    fn put_layer(&mut self, layer: usize, column: Column) {
        if column.recurrence == Some(Recurrence::First) {
            self.put(Part::Recurrence { layer }, PLAIN, GAP);
        }
        for place in 0..column.attentions {
            self.put_heads(Part::Attention { layer, place }, column);
        }
        match column.recurrence {
            None => self.put(Part::FeedForward { layer }, PLAIN, LAYER_GAP),
            Some(Recurrence::Last) => self.put(Part::Recurrence { layer }, PLAIN, LAYER_GAP),
            Some(Recurrence::First) => {}
        }
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

/// Whether a block of a column receives what the column before ends with.
fn receives(column: Column, part: Part) -> bool {
    match (column.recurrence, part) {
        (None, Part::Attention { place, .. }) => place > 0,
        (Some(_), Part::Attention { .. } | Part::Recurrence { layer: 0 }) => true,
        _ => false,
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
