//! The sizes at which programs are compiled, those of `programs.py` in its order; burn's compile the longest, so two do.

use attention_trace::snippets::Sizes;

/// The first sizes of `programs.py`.
pub const SIZES: &[Sizes] = &[
    Sizes {
        tokens: 7,
        width: 64,
        heads: 4,
        head_width: 16,
    },
    Sizes {
        tokens: 3,
        width: 10,
        heads: 2,
        head_width: 6,
    },
];
