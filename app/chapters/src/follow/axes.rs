//! The axes that matrices of this chapter share, by the names they have in the address.

/// The dimensions of the residual stream.
pub const WIDTH: &str = "width";
/// The inner dimensions of the feed-forward network.
pub const INNER: &str = "inner";
/// The dimensions of one head.
pub const HEAD: &str = "head";
/// The dimensions of all heads side by side.
pub const HEADS: &str = "heads";
/// The tokens that ask.
pub const QUERIES: &str = "queries";
/// The tokens that answer.
pub const KEYS: &str = "keys";
