//! A model that is to be drawn, and the pieces of its picture.

/// A stack to be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Layers.
    pub layers: usize,
    /// Blocks of attention in each layer.
    pub attentions: usize,
    /// Heads of each of them.
    pub heads: usize,
    /// Where its layers are recurrent, and have a recurrence in the place of a feed-forward network: where that stands.
    pub recurrence: Option<Recurrence>,
}

/// Where a recurrence stands in its layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recurrence {
    /// Below the layer's attention, whose queries are the recurrence's states.
    First,
    /// Above the layer's attention, whose contexts it reads.
    Last,
}

/// What stands above the last column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Whether a layer stands between the stack and the matrix that makes logits.
    pub has_layer: bool,
    /// Whether there are words.
    pub has_words: bool,
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
    /// A layer's recurrence.
    Recurrence {
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
    /// Rectangle of its name, above its heads or beside them.
    pub name: Option<Rect>,
}

/// The room that a drawing is made for, in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Room {
    /// Width.
    pub width: f64,
    /// Height; infinite where the page scrolls.
    pub height: f64,
    /// Factor of the type's size; 1 is usual.
    pub type_scale: f64,
    /// The least side of a head that can be hit; a taller drawing is scrolled rather than made of smaller heads.
    pub least_side: f64,
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
