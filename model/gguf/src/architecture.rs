//! The architectures whose files can be translated.

use crate::error::GgufError;
use crate::header::Metadata;

/// The key of the architecture.
const ARCHITECTURE: &str = "general.architecture";

/// An architecture that has both a translation here and a family that computes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Architecture {
    /// Llama, and Mistral without windows.
    Llama,
    /// Qwen2 and Qwen2.5, with one feed-forward network for each layer.
    Qwen2,
    /// Qwen3, with one feed-forward network for each layer.
    Qwen3,
    /// GPT-2 in all its sizes.
    Gpt2,
}

impl Architecture {
    /// The architectures that can be translated.
    pub const ALL: [Architecture; 4] = [
        Architecture::Llama,
        Architecture::Qwen2,
        Architecture::Qwen3,
        Architecture::Gpt2,
    ];

    /// Returns the name in GGUF files, which is the prefix of its keys and `model_type` in `config.json`.
    pub fn name(self) -> &'static str {
        match self {
            Architecture::Llama => "llama",
            Architecture::Qwen2 => "qwen2",
            Architecture::Qwen3 => "qwen3",
            Architecture::Gpt2 => "gpt2",
        }
    }

    /// True if quantised matrices stay in blocks once they are loaded. GPT-2's layers read theirs transposed.
    pub fn keeps_blocks(self) -> bool {
        self != Architecture::Gpt2
    }

    /// Returns the architecture that the metadata name.
    ///
    /// # Errors
    /// If they name none or another; the error then has the nearest one.
    pub fn of(metadata: &Metadata<'_>) -> Result<Self, GgufError> {
        let named = metadata
            .text(ARCHITECTURE)?
            .ok_or_else(|| GgufError::missing(ARCHITECTURE))?;
        let all = Architecture::ALL.into_iter();
        all.clone()
            .find(|architecture| architecture.name() == named)
            .ok_or_else(|| GgufError::value(ARCHITECTURE, named, refusal(named)))
    }
}

/// Returns the end of the sentence that refuses an architecture.
fn refusal(named: &str) -> String {
    if named.contains("bert") {
        return "cannot be read: such files lack the head that predicts masked words".to_owned();
    }
    let names = Architecture::ALL.map(Architecture::name);
    let common = |name: &str| {
        name.bytes()
            .zip(named.bytes())
            .take_while(|(a, b)| a == b)
            .count()
    };
    let nearest = names.into_iter().max_by_key(|name| common(name));
    let nearest = nearest.filter(|name| common(name) > 2);
    let nearest = nearest.map_or_else(String::new, |name| format!(", the nearest being {name}"));
    format!("is not implemented; {} are{nearest}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_architecture_is_named() {
        assert!(refusal("qwen3moe").ends_with("the nearest being qwen3"));
        assert!(refusal("llama4").ends_with("the nearest being llama"));
        assert!(refusal("mamba").ends_with("gpt2 are"));
        assert!(refusal("nomic-bert").contains("masked words"));
    }
}
