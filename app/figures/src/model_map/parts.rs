//! The description of a model to be drawn, and the pieces of its picture.

/// A stack to be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// The number of layers.
    pub layers: usize,
    /// The number of attention blocks in each layer.
    pub attentions: usize,
    /// The number of heads of each attention block.
    pub heads: usize,
    /// True if each layer has a feed-forward network after its attention.
    pub has_network: bool,
    /// The place of the recurrence that replaces the feed-forward network in recurrent layers; `None` for other layers.
    pub recurrence: Option<Recurrence>,
}

/// The place of a recurrence in its layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recurrence {
    /// Below the layer's attention, whose queries are the recurrence's states.
    First,
    /// Above the layer's attention, whose contexts it reads.
    Last,
}

/// The blocks above the last column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// True if a layer lies between the stack and the matrix that makes logits.
    pub has_layer: bool,
    /// True if the most probable words are drawn.
    pub has_words: bool,
}

/// The part of the model that a block represents.
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
        /// The number of the attention within the layer, from 0.
        place: usize,
    },
    /// The feed-forward network of a layer.
    FeedForward {
        /// The layer, from 0.
        layer: usize,
    },
    /// The recurrence of a layer.
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
    /// The left edge of the rectangle.
    pub x: f64,
    /// The upper edge of the rectangle.
    pub y: f64,
    /// The width of the rectangle.
    pub width: f64,
    /// The height of the rectangle.
    pub height: f64,
}

impl Rect {
    /// Returns the centre of the rectangle.
    pub fn centre(self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }
}

/// A block of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// The column, from the left.
    pub column: usize,
    /// The part of the model that the block represents.
    pub part: Part,
    /// The rectangle of the block.
    pub rect: Rect,
    /// The places of the block's heads, if it has any.
    pub heads: Option<Heads>,
    /// The rectangle of the block's name, above its heads or beside them.
    pub name: Option<Rect>,
}

/// The room for a drawing, in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Room {
    /// The width of the room.
    pub width: f64,
    /// The height; infinite if the page scrolls.
    pub height: f64,
    /// The factor of the font size, usually 1.
    pub type_scale: f64,
    /// The least side of a head that can be hit; a drawing that is too tall scrolls instead of having smaller heads.
    pub least_side: f64,
}

/// The heads of a block: squares in rows, read from the left and from above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heads {
    /// The number of heads.
    pub count: usize,
    /// The number of heads in a row.
    pub across: usize,
    /// The left edge of the first head.
    pub x: f64,
    /// The upper edge of the first head.
    pub y: f64,
    /// The side of each head.
    pub side: f64,
}

impl Heads {
    /// Returns the number of rows of heads.
    pub fn rows(self) -> usize {
        self.count.div_ceil(self.across)
    }

    /// Returns the rectangle around all heads.
    pub fn rect(self) -> Rect {
        Rect {
            x: self.x,
            y: self.y,
            width: self.across as f64 * self.side,
            height: self.rows() as f64 * self.side,
        }
    }

    /// Returns the rectangle of one head.
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
    /// True if the connection passes the output of one column to another.
    pub hands_over: bool,
    /// The course of the connection, as the data of an SVG path.
    pub path: String,
}
