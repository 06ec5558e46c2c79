//! Faults of a configuration, so that a broken one is an error and not a crash.

use thiserror::Error;

use crate::positions::{Buckets, Direction};

/// Rows of a table of tokens or positions.
pub(crate) const LARGEST_TABLE: usize = 1 << 20;
/// Width of a vector.
pub(crate) const WIDEST: usize = 1 << 16;
/// Heads of a layer.
pub(crate) const MOST_HEADS: usize = 1 << 10;
/// Layers of a stack.
pub(crate) const MOST_LAYERS: usize = 1 << 8;

/// A reason why no model can be built from a configuration. Sizes are named as in `config.json`.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ConfigError {
    /// A size is zero or out of reason.
    #[error("{name} is {size}; it must be between 1 and {most}")]
    Size {
        /// The name of the size.
        name: &'static str,
        /// The size that was given.
        size: usize,
        /// The largest it may be.
        most: usize,
    },
    /// A special token has no row in the embedding table.
    #[error("{name} is {token}, but vocab_size is {rows}")]
    Token {
        /// The name of the token.
        name: &'static str,
        /// The id of the token.
        token: u32,
        /// Rows of the table.
        rows: usize,
    },
    /// The width is not a multiple of the heads.
    #[error("a width of {width} cannot be split into {heads} heads")]
    Heads {
        /// The width of the model.
        width: usize,
        /// The number of heads.
        heads: usize,
    },
    /// Query heads cannot share keys and values evenly.
    #[error("{heads} query heads cannot share {groups} key and value heads")]
    Groups {
        /// The number of query heads.
        heads: usize,
        /// Key and value heads.
        groups: usize,
    },
    /// Positions pair dimensions, and this width is odd.
    #[error("{name} {width} must be even: positions pair its dimensions")]
    Odd {
        /// The name of the width.
        name: &'static str,
        /// The width that was given.
        width: usize,
    },
    /// A rate outside its interval.
    #[error("{name} is {value}; it must be {allowed}")]
    Rate {
        /// The name of the value.
        name: &'static str,
        /// The value that was given.
        value: f64,
        /// The values that are allowed.
        allowed: &'static str,
    },
    /// T5's buckets leave no range of distances to share.
    #[error(
        "{count} relative_attention_num_buckets up to relative_attention_max_distance {furthest} \
         leave no range of distances to share"
    )]
    Buckets {
        /// The number of buckets.
        count: usize,
        /// The distance from which all share the last.
        furthest: usize,
    },
    /// A switch that other checkpoints may set so, and that is not implemented.
    #[error("{name} is {value}; only {implemented} is implemented")]
    Unsupported {
        /// The name of the setting.
        name: &'static str,
        /// The value that was given.
        value: String,
        /// The values that are implemented.
        implemented: &'static str,
    },
    /// A picture has no whole patch.
    #[error(
        "image_size is {height} × {width}, which has no whole patch of {patch} × {patch} pixels"
    )]
    NoPatch {
        /// The edge of a patch in pixels.
        patch: usize,
        /// The height of the picture in pixels.
        height: usize,
        /// The width of the picture in pixels.
        width: usize,
    },
    /// The table of positions has no row for the first token.
    #[error(
        "max_position_embeddings is {rows}, but positions count from row {first}: there is none for a token"
    )]
    NoPosition {
        /// The number of rows.
        rows: usize,
        /// The row of the first token.
        first: usize,
    },
    /// A list has not an entry for each layer.
    #[error("{name} has {entries} entries for {layers} layers")]
    Entries {
        /// The name of the list.
        name: &'static str,
        /// The number of entries.
        entries: usize,
        /// The number of layers.
        layers: usize,
    },
    /// A list has not an entry for each pair of dimensions.
    #[error("{name} has {entries} entries for {pairs} pairs of dimensions")]
    Pairs {
        /// The name of the list.
        name: &'static str,
        /// The number of entries.
        entries: usize,
        /// The number of pairs.
        pairs: usize,
    },
    /// The types of layers are others than the model's convention and its other entries give.
    #[error(
        "layer_types does not fit the windows that a model of the type {model_type} has by use_sliding_window and \
         sliding_window"
    )]
    LayerTypes {
        /// The `model_type` of the checkpoint.
        model_type: &'static str,
    },
    /// A way of stretching RoPE lacks a number.
    #[error("RoPE's way {way} needs {name}")]
    Missing {
        /// The way of scaling RoPE.
        way: String,
        /// The name of the setting that it needs.
        name: &'static str,
    },
}

/// Refuses a size (its name, its value, the largest allowed) that is zero or out of reason.
pub(super) fn check_sizes(sizes: &[(&'static str, usize, usize)]) -> Result<(), ConfigError> {
    match sizes
        .iter()
        .find(|(_, size, most)| !(1..=*most).contains(size))
    {
        Some(&(name, size, most)) => Err(ConfigError::Size { name, size, most }),
        None => Ok(()),
    }
}

/// Refuses special tokens that the embedding table has no row for.
pub(super) fn check_tokens(
    tokens: &[(&'static str, &[u32])],
    rows: usize,
) -> Result<(), ConfigError> {
    for &(name, tokens) in tokens {
        if let Some(&token) = tokens.iter().find(|&&token| token as usize >= rows) {
            return Err(ConfigError::Token { name, token, rows });
        }
    }
    Ok(())
}

/// Refuses a dropout rate that would leave nothing, or that is none.
pub(super) fn check_dropout(value: f64) -> Result<(), ConfigError> {
    if (0.0..1.0).contains(&value) {
        return Ok(());
    }
    Err(ConfigError::Rate {
        name: "dropout",
        value,
        allowed: "in [0, 1)",
    })
}

/// Refuses a number that is not positive and finite in the 32 bits that models compute with.
pub(super) fn check_positive(name: &'static str, value: f64) -> Result<(), ConfigError> {
    let single = value as f32;
    if single > 0.0 && single.is_finite() {
        return Ok(());
    }
    Err(ConfigError::Rate {
        name,
        value,
        allowed: "positive and finite as a 32-bit number",
    })
}

/// Refuses an unusable ε, such as one so large that the number it is added to would vanish.
pub(super) fn check_epsilon(name: &'static str, value: f64) -> Result<(), ConfigError> {
    check_positive(name, value)?;
    if value < 1.0 {
        return Ok(());
    }
    Err(ConfigError::Rate {
        name,
        value,
        allowed: "positive and below 1",
    })
}

/// The largest scale of a new model's weights that is one.
const LARGEST_SCALE: f64 = 1000.0;

/// Refuses a scale of a new model's weights that no model could have begun with.
pub(super) fn check_scale(name: &'static str, value: f64) -> Result<(), ConfigError> {
    check_positive(name, value)?;
    if value <= LARGEST_SCALE {
        return Ok(());
    }
    Err(ConfigError::Rate {
        name,
        value,
        allowed: "positive and at most 1000",
    })
}

/// Refuses a share of one that is none of it, or all.
pub(super) fn check_fraction(name: &'static str, value: f64) -> Result<(), ConfigError> {
    if 0.0 < value && value < 1.0 {
        return Ok(());
    }
    Err(ConfigError::Rate {
        name,
        value,
        allowed: "between 0 and 1",
    })
}

/// Refuses a cost that would be a reward, or that is no number.
pub(super) fn check_not_negative(name: &'static str, value: f64) -> Result<(), ConfigError> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(ConfigError::Rate {
        name,
        value,
        allowed: "finite and not negative",
    })
}

/// RoPE's largest base: its slowest pair then needs longer for a turn than any text is.
const LARGEST_BASE: f32 = 1e15;

/// Refuses a base of RoPE whose powers are no frequencies.
pub(super) fn check_base(name: &'static str, value: f32) -> Result<(), ConfigError> {
    if (1.0..=LARGEST_BASE).contains(&value) {
        return Ok(());
    }
    Err(ConfigError::Rate {
        name,
        value: value.into(),
        allowed: "a number between 1 and 1e15",
    })
}

/// Refuses a width whose dimensions cannot be paired.
pub(super) fn check_even(name: &'static str, width: usize) -> Result<(), ConfigError> {
    if width.is_multiple_of(2) {
        return Ok(());
    }
    Err(ConfigError::Odd { name, width })
}

/// Refuses switches (name, value, the only value that is implemented) that are set otherwise.
pub(super) fn check_switches(switches: &[(&'static str, bool, bool)]) -> Result<(), ConfigError> {
    match switches.iter().find(|(_, value, only)| value != only) {
        Some(&(name, value, only)) => Err(ConfigError::Unsupported {
            name,
            value: value.to_string(),
            implemented: if only { "true" } else { "false" },
        }),
        None => Ok(()),
    }
}

/// Refuses heads that the model's width cannot be split into.
pub(super) fn check_heads(width: usize, heads: usize) -> Result<(), ConfigError> {
    if width.is_multiple_of(heads) {
        return Ok(());
    }
    Err(ConfigError::Heads { width, heads })
}

/// Refuses buckets that leave none for a range of distances.
pub(super) fn check_buckets(buckets: Buckets) -> Result<(), ConfigError> {
    let Buckets {
        count, furthest, ..
    } = buckets;
    let of_a_side = match buckets.direction {
        Direction::Causal => count,
        Direction::Both => count / 2,
    };
    if (2..=LARGEST_TABLE).contains(&of_a_side) && furthest > of_a_side / 2 {
        return Ok(());
    }
    Err(ConfigError::Buckets { count, furthest })
}
