//! The layout of a model's blocks: from the bottom of each column upwards, with the layers of all columns at one
//! height.

use super::parts::{Block, Column, Heads, Output, Part, Rect, Recurrence, Room, Wire};

/// The lengths of a layout, in units of the drawing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// The width of a column.
    column: f64,
    /// The gap between two columns, with room for the encoder's output.
    between: f64,
    /// The number of heads side by side.
    across: usize,
    /// The side of a head; less if a row of heads would be wider than its block.
    side: f64,
    /// The padding between a block's edge and its heads.
    padding: f64,
    /// The placement of the names of blocks of heads.
    names: Names,
    /// The height of a block without heads.
    plain: f64,
    /// The height of the words at the top.
    words: f64,
    /// The height of a row of tokens.
    tokens: f64,
    /// The gap between the blocks of a layer.
    gap: f64,
    /// The gap between two layers.
    layer_gap: f64,
}

/// The placement of the name of a block of heads.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Names {
    /// Above the heads, with the given height.
    Above(f64),
    /// At the left of the heads, with the name's width and the least height of the block.
    Beside {
        width: f64,
        height: f64,
        /// The width of the layer's feed-forward network at the right of the heads; 0 if the network has a block above
        /// them.
        network: f64,
    },
}

/// The largest number of heads side by side.
const ACROSS: usize = 16;

impl Sizes {
    /// Returns the sizes of a drawing that is scaled to its place on the page.
    pub(super) fn scaled(columns: &[Column]) -> Self {
        let heads = columns.iter().map(|column| column.heads);
        Sizes {
            column: if columns.len() > 1 { 330.0 } else { 560.0 },
            between: 76.0,
            across: heads.max().unwrap_or(1).clamp(1, ACROSS),
            side: 40.0,
            padding: 6.0,
            names: Names::Above(18.0),
            plain: 24.0,
            words: 32.0,
            tokens: 30.0,
            gap: 5.0,
            layer_gap: 14.0,
        }
    }

    /// Returns the sizes of a drawing whose units are pixels: of those that fit into the room, the one with the largest
    /// heads, up to a size at which a map of a few tokens can be read. If none fits, the lowest one whose heads can be
    /// hit.
    pub(super) fn fitted(columns: &[Column], output: Output, room: Room) -> Self {
        let candidates = fitted_candidates(columns, room);
        let best = candidates
            .map(|sizes| grown(columns, output, sizes, room))
            .max_by(|one, other| one.1.total_cmp(&other.1));
        best.map_or_else(|| Self::scaled(columns), |(sizes, _)| sizes)
    }
}

/// The largest width of a column, in pixels.
const WIDEST: f64 = 460.0;
/// The largest width of a single column, in pixels.
const WIDEST_ALONE: f64 = 680.0;
/// The side of a head beyond which a short text gains no detail, in pixels.
const ENOUGH: f64 = 38.0;
/// The side of a head that a finger hits well, in pixels.
const ENOUGH_TO_HIT: f64 = 32.0;
/// The largest side of a head, in pixels.
const LARGEST: f64 = 56.0;
/// The least width of a feed-forward network's block beside heads, in pixels.
const NETWORK: f64 = 150.0;

/// Returns every way to place names and to break rows of heads, with heads as wide as a column allows.
fn fitted_candidates(columns: &[Column], room: Room) -> impl Iterator<Item = Sizes> {
    let count = columns.len().max(1) as f64;
    let between = match columns.len() {
        0 | 1 => 0.0,
        _ => (0.1 * room.width).clamp(14.0, 76.0).floor(),
    };
    let widest = if count > 1.0 { WIDEST } else { WIDEST_ALONE };
    let column = ((room.width - (count - 1.0) * between) / count)
        .clamp(60.0, widest)
        .floor();
    let heads = columns.iter().map(|column| column.heads).max().unwrap_or(1);
    // Whole pixels: browsers round what lies inside, and going closer would show it.
    let typed = move |length: f64| (length * room.type_scale).round();
    let sizes = move |across: usize, names: Names| {
        let taken = match names {
            Names::Above(_) => 0.0,
            Names::Beside { width, network, .. } => width + network,
        };
        let padding = 5.0;
        let width = (column - taken - 2.0 * padding) / across as f64;
        Sizes {
            column,
            between,
            across,
            side: width.min(LARGEST).floor(),
            padding,
            names,
            plain: typed(18.0),
            words: typed(28.0),
            tokens: typed(26.0),
            gap: 4.0,
            layer_gap: 9.0,
        }
    };
    let beside = move |network: f64| Names::Beside {
        width: typed(92.0),
        height: typed(28.0),
        network,
    };
    let has_network = columns.len() == 1
        && columns
            .iter()
            .all(|column| column.attentions == 1 && column.recurrence.is_none());
    let names = [
        Some(Names::Above(typed(16.0))),
        Some(beside(0.0)),
        has_network.then(|| beside(typed(NETWORK))),
    ];
    let rows = 1..=heads.div_ceil(2).clamp(1, 4);
    rows.flat_map(move |rows| {
        let across = heads.div_ceil(rows).clamp(1, ACROSS);
        let names = names.into_iter().flatten();
        names.map(move |names| sizes(across, names))
    })
    .filter(|sizes| sizes.side >= 4.0)
}

/// Returns the sizes with heads as large as the height of the room allows, and their score.
fn grown(columns: &[Column], output: Output, sizes: Sizes, room: Room) -> (Sizes, f64) {
    let height = |side: f64| {
        let sizes = Sizes { side, ..sizes };
        Layout::with(columns, output, sizes).height()
    };
    // The height grows with the side: halving finds the largest that fits.
    let (mut low, mut high) = (0.0, sizes.side);
    if height(high) > room.height {
        for _ in 0..24 {
            let middle = f64::midpoint(low, high);
            match height(middle) > room.height {
                true => high = middle,
                false => low = middle,
            }
        }
        high = low;
    }
    let least = room.least_side.min(sizes.side);
    let side = high.max(least).floor().max(1.0);
    let sizes = Sizes { side, ..sizes };
    let height = height(side);
    let enough = match room.height.is_finite() {
        true => ENOUGH,
        // Where the page scrolls, a shorter map is worth more than larger heads.
        false => ENOUGH_TO_HIT,
    };
    let worth = side.min(enough) + 0.1 * (side - enough).max(0.0);
    // What has to be scrolled is worse than small heads, and the worse the longer it is.
    let missing = (height - room.height).max(0.0);
    let is_small = f64::from(u8::from(side < room.least_side));
    let length = if room.height.is_finite() { 0.0 } else { height };
    let penalty = match missing > 0.5 {
        true => 1e3 + missing,
        false => 1e-2 * length,
    };
    (sizes, worth - penalty - 1e6 * is_small)
}

impl Output {
    /// Returns the height of the part's blocks.
    fn height(self, sizes: Sizes) -> f64 {
        let Sizes {
            plain, words, gap, ..
        } = sizes;
        match (self.has_layer, self.has_words) {
            (false, false) => 0.0,
            (false, true) => words,
            (true, false) => plain,
            (true, true) => plain + gap + words,
        }
    }
}

/// The layout of a drawing, which places all blocks by their sizes.
pub(super) struct Layout<'a> {
    columns: &'a [Column],
    output: Output,
    sizes: Sizes,
    /// The distance from one layer to the next.
    pitch: f64,
}

impl<'a> Layout<'a> {
    pub(super) fn with(columns: &'a [Column], output: Output, sizes: Sizes) -> Self {
        let mut layout = Layout {
            columns,
            output,
            sizes,
            pitch: 0.0,
        };
        let layers = columns.iter().map(|&column| layout.layer_height(column));
        layout.pitch = layers.fold(0.0, f64::max) + sizes.layer_gap;
        layout
    }

    pub(super) fn columns(&self) -> &'a [Column] {
        self.columns
    }

    fn layer_height(&self, column: Column) -> f64 {
        let Sizes { gap, plain, .. } = self.sizes;
        let attention = self.attention_height(self.heads(column));
        let blocks = column.attentions as f64 * (attention + gap);
        match self.network_width() > 0.0 {
            true => blocks - gap,
            false => blocks + plain,
        }
    }

    fn heads(&self, column: Column) -> Heads {
        let Sizes {
            column: width,
            across,
            side,
            padding,
            ..
        } = self.sizes;
        let across = column.heads.clamp(1, across);
        let room = width - 2.0 * padding - self.name_width() - self.network_width();
        Heads {
            count: column.heads,
            across,
            x: 0.0,
            y: 0.0,
            side: (room / across as f64).min(side),
        }
    }

    fn name_width(&self) -> f64 {
        match self.sizes.names {
            Names::Above(_) => 0.0,
            Names::Beside { width, .. } => width,
        }
    }

    fn network_width(&self) -> f64 {
        match self.sizes.names {
            Names::Above(_) => 0.0,
            Names::Beside { network, .. } => network,
        }
    }

    fn attention_height(&self, heads: Heads) -> f64 {
        let (rows, padding) = (heads.rect().height, self.sizes.padding);
        match self.sizes.names {
            Names::Above(height) => height + rows + padding,
            Names::Beside { height, .. } => (rows + padding).max(height),
        }
    }

    pub(super) fn width(&self) -> f64 {
        let count = self.columns.len() as f64;
        count * self.sizes.column + (count - 1.0).max(0.0) * self.sizes.between
    }

    pub(super) fn height(&self) -> f64 {
        let Sizes {
            plain,
            gap,
            tokens,
            layer_gap,
            ..
        } = self.sizes;
        let output = match self.output.height(self.sizes) {
            0.0 => 0.0,
            height => height + layer_gap,
        };
        output + self.layers() as f64 * self.pitch + plain + gap + tokens
    }

    fn layers(&self) -> usize {
        let layers = self.columns.iter().map(|column| column.layers);
        layers.max().unwrap_or(0)
    }

    fn left(&self, column: usize) -> f64 {
        column as f64 * (self.sizes.column + self.sizes.between)
    }

    /// Returns the blocks of a column, from the bottom.
    pub(super) fn column(&self, index: usize) -> Vec<Block> {
        let column = self.columns[index];
        let Sizes {
            plain,
            words,
            tokens,
            gap,
            layer_gap,
            ..
        } = self.sizes;
        let mut rising = Rising {
            layout: self,
            column: index,
            bottom: self.height(),
            blocks: Vec::new(),
        };
        rising.put(Part::Tokens, tokens, gap);
        rising.put(Part::Embedding, plain, layer_gap);
        let first = rising.bottom;
        for layer in 0..column.layers {
            rising.bottom = first - layer as f64 * self.pitch;
            rising.put_layer(layer, column);
        }
        if index + 1 == self.columns.len() {
            rising.bottom = self.output.height(self.sizes);
            if self.output.has_layer {
                rising.put(Part::OutputLayer, plain, gap);
            }
            if self.output.has_words {
                rising.put(Part::Words, words, 0.0);
            }
        }
        rising.blocks
    }

    pub(super) fn wires(&self, blocks: &[Block]) -> Vec<Wire> {
        let mut wires: Vec<Wire> = (0..self.columns.len())
            .filter_map(|column| trunk(column, blocks, self.sizes.layer_gap / 2.0))
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

/// A column under construction, from below.
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
            width: self.layout.sizes.column,
            height,
        };
        self.blocks.push(Block {
            column: self.column,
            part,
            rect,
            heads: None,
            name: None,
        });
        self.bottom = rect.y - gap;
    }

    fn put_layer(&mut self, layer: usize, column: Column) {
        let Sizes {
            plain,
            gap,
            layer_gap,
            ..
        } = self.layout.sizes;
        if column.recurrence == Some(Recurrence::First) {
            self.put(Part::Recurrence { layer }, plain, gap);
        }
        for place in 0..column.attentions {
            self.put_heads(Part::Attention { layer, place }, column);
        }
        match column.recurrence {
            None if !column.has_network => {}
            None if self.layout.network_width() > 0.0 => self.put_network(layer),
            None => self.put(Part::FeedForward { layer }, plain, layer_gap),
            Some(Recurrence::Last) => self.put(Part::Recurrence { layer }, plain, layer_gap),
            Some(Recurrence::First) => {}
        }
    }

    fn put_heads(&mut self, part: Part, column: Column) {
        let layout = self.layout;
        let heads = layout.heads(column);
        let Sizes {
            padding,
            gap,
            names,
            ..
        } = layout.sizes;
        self.put(part, layout.attention_height(heads), gap);
        let Some(block) = self.blocks.last_mut() else {
            return;
        };
        let Rect {
            x,
            y,
            width,
            height,
        } = block.rect;
        let (x, y, name) = match names {
            Names::Above(above) => {
                let name = Rect {
                    x,
                    y,
                    width,
                    height: above,
                };
                (x + padding, y + above, name)
            }
            Names::Beside { width, .. } => {
                let name = Rect {
                    x,
                    y,
                    width,
                    height,
                };
                let top = y + ((height - heads.rect().height) / 2.0).floor();
                (x + padding + width, top, name)
            }
        };
        block.heads = Some(Heads { x, y, ..heads });
        block.name = Some(name);
    }

    /// Places the feed-forward network at the right of its layer's attention, whose block becomes narrower.
    fn put_network(&mut self, layer: usize) {
        let width = self.layout.network_width();
        let Some(attention) = self.blocks.last_mut() else {
            return;
        };
        let whole = attention.rect;
        attention.rect.width -= width;
        let rect = Rect {
            x: whole.x + whole.width - width + self.layout.sizes.gap,
            width: width - self.layout.sizes.gap,
            ..whole
        };
        self.blocks.push(Block {
            column: self.column,
            part: Part::FeedForward { layer },
            rect,
            heads: None,
            name: None,
        });
    }
}

/// Returns true if a block of a column receives the output of the column before.
fn receives(column: Column, part: Part) -> bool {
    match (column.recurrence, part) {
        (None, Part::Attention { place, .. }) => place > 0,
        (Some(_), Part::Attention { .. } | Part::Recurrence { layer: 0 }) => true,
        _ => false,
    }
}

/// Returns the residual stream of a column: one line behind all of its blocks, extended by `beyond` above a column
/// without words.
fn trunk(column: usize, blocks: &[Block], beyond: f64) -> Option<Wire> {
    let mut own = blocks.iter().filter(|block| block.column == column);
    let first = own.next()?;
    let last = own.next_back()?;
    let (x, bottom) = (first.rect.centre().0, first.rect.y);
    // Above the last block of a column without words the line ends in the open.
    let top = match last.part {
        Part::Words => last.rect.y + last.rect.height,
        _ => last.rect.y - beyond,
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
