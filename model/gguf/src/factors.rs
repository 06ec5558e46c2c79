//! Tensors of files that are part of RoPE's settings in `config.json`.

use crate::architecture::Architecture;

/// The tensor of the factors of the wavelengths.
pub const FACTORS: &str = "rope_freqs.weight";
/// The tensors of LongRoPE's factors in texts up to the length in training, and in longer ones.
pub const LONGROPE: [&str; 2] = ["rope_factors_short.weight", "rope_factors_long.weight"];

/// True for a tensor that is part of `rope_parameters`.
pub fn is_parameter(architecture: Architecture, name: &str) -> bool {
    let is_phi3 = architecture == Architecture::Phi3;
    name == FACTORS || is_phi3 && LONGROPE.contains(&name)
}
