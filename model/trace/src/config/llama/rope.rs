//! RoPE and the reach of a model in Llama's layout.

use super::{Convention, LlamaConfig};
use crate::config::error::ConfigError;
use crate::config::rope::{Rope, RopeParameters};
use crate::positions::PositionalEncoding;

/// The length of Phi-3's texts in training if `config.json` does not give it.
const PHI3_TRAINED: usize = 4096;

impl LlamaConfig {
    /// RoPE's parameters, of the older kind where both are there, as in `transformers`.
    pub(super) fn scaling(&self) -> Option<&RopeParameters> {
        let given = self.rope_scaling.as_deref();
        let given = given.or(self.rope_parameters.as_deref())?;
        Some(given.full_attention.as_deref().unwrap_or(given))
    }

    /// RoPE's parameters of layers with a window, where they have their own.
    pub(super) fn local_scaling(&self) -> Option<&RopeParameters> {
        self.rope_parameters
            .as_deref()?
            .sliding_attention
            .as_deref()
    }

    /// Returns the base of RoPE.
    pub fn theta(&self) -> f32 {
        self.scaling()
            .and_then(|parameters| parameters.rope_theta)
            .or(self.rope_theta)
            .unwrap_or_else(|| self.convention.base())
    }

    /// RoPE in a pass that ends at `length` tokens, those in the cache counted. Only the dynamic way and LongRoPE ask for
    /// the length. In the dynamic way, keys that are in the cache stay as they were turned; see
    /// [`longrope_limit`](Self::longrope_limit).
    ///
    /// # Errors
    /// If the way is not implemented, or lacks a number.
    pub fn rope(&self, length: usize) -> Result<Rope, ConfigError> {
        let longest = self.max_position_embeddings;
        match self.scaling() {
            Some(parameters) if self.has_longrope() => {
                let lengths = [self.phi3_trained(), longest, length];
                parameters.longrope(self.theta(), lengths, self.rotary_width())
            }
            Some(parameters) => parameters.rope(self.theta(), longest, length),
            None => Ok(Rope::plain(self.theta())),
        }
    }

    /// True if RoPE is stretched in Phi-3's way, which older files call by other names.
    fn has_longrope(&self) -> bool {
        let way = self.scaling().map(RopeParameters::way);
        self.convention == Convention::Phi3 && matches!(way, Some("longrope" | "su" | "yarn"))
    }

    /// Returns the most tokens that LongRoPE turns by its short factors; `None` in the other ways. In longer texts all
    /// positions have other factors, those in a cache included, so that they must be read once more.
    pub fn longrope_limit(&self) -> Option<usize> {
        let has_limit = self.has_longrope() && self.positions == PositionalEncoding::Rope;
        has_limit.then(|| self.phi3_trained())
    }

    /// Returns the length of Phi-3's texts in training.
    fn phi3_trained(&self) -> usize {
        self.original_max_position_embeddings
            .unwrap_or(PHI3_TRAINED)
    }

    /// Returns the number of a head's dimensions that RoPE rotates, the first ones.
    pub fn rotary_width(&self) -> usize {
        self.partial_rotary_width()
            .unwrap_or_else(|| self.head_dim())
    }

    /// Returns the same number if RoPE does not rotate all dimensions.
    pub fn partial_rotary_width(&self) -> Option<usize> {
        let given = self.scaling().and_then(|given| given.partial_rotary_factor);
        let share = given.or(self.partial_rotary_factor).unwrap_or(1.0);
        let is_partial = self.convention == Convention::Phi3 && share != 1.0;
        is_partial.then(|| (self.head_dim() as f64 * share) as usize)
    }

    /// Returns the base of RoPE in layers with a window.
    pub fn local_theta(&self) -> f32 {
        match self.convention {
            Convention::Gemma3 => self
                .local_scaling()
                .and_then(|parameters| parameters.rope_theta)
                .or(self.rope_local_base_freq)
                .unwrap_or(Convention::Llama.base()),
            _ => self.theta(),
        }
    }

    /// RoPE in layers with a window, in a pass that ends at `length` tokens; `None` if it is that of the other layers.
    ///
    /// # Errors
    /// As [`rope`](Self::rope).
    pub fn local_rope(&self, length: usize) -> Result<Option<Rope>, ConfigError> {
        if self.convention != Convention::Gemma3 {
            return Ok(None);
        }
        let (base, longest) = (self.local_theta(), self.max_position_embeddings);
        Ok(Some(match self.local_scaling() {
            Some(parameters) => parameters.rope(base, longest, length)?,
            None => Rope::plain(base),
        }))
    }

    /// True if RoPE reaches beyond its training, so that its base alone does not determine its
    /// angles.
    pub fn stretches_rope(&self) -> bool {
        let mut given = self.scaling().into_iter().chain(self.local_scaling());
        given.any(|parameters| parameters.way() != "default")
    }

    /// Returns the most tokens of a sequence; `None` if positions are encoded by distance alone, or not at all. In the
    /// dynamic way of stretching RoPE, the stretching begins at `max_position_embeddings`; in the others,
    /// `max_position_embeddings` is the reach.
    pub fn max_tokens(&self) -> Option<usize> {
        let longest = self.max_position_embeddings;
        match self.positions {
            PositionalEncoding::None | PositionalEncoding::T5 | PositionalEncoding::Alibi => None,
            PositionalEncoding::Learned | PositionalEncoding::Sinusoidal => Some(longest),
            PositionalEncoding::Rope => {
                let reach = self.scaling().and_then(RopeParameters::dynamic_factor);
                Some((longest as f64 * reach.unwrap_or(1.0)) as usize)
            }
        }
    }
}
