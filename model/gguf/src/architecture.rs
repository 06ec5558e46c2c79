//! The architectures whose files can be translated.

use crate::error::GgufError;
use crate::header::{Metadata, Value};

/// The key of the architecture.
const ARCHITECTURE: &str = "general.architecture";
/// The key of the window of files that are Mistral's under Llama's name.
const WINDOW: &str = "llama.attention.sliding_window";
/// Beginnings of names, and the nearest architecture that is implemented. Others are known by their letters.
const RELATIVES: [(&str, Architecture); 3] = [
    ("mistral", Architecture::Llama),
    ("mixtral", Architecture::Llama),
    ("modern-bert", Architecture::Bert),
];

/// An architecture that has both a translation here and a family that computes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Architecture {
    /// Llama, and Mistral without windows.
    Llama,
    /// Mistral with a window in every layer, which files call Llama.
    Mistral,
    /// Qwen2 and Qwen2.5, with one feed-forward network for each layer.
    Qwen2,
    /// Qwen3, with one feed-forward network for each layer.
    Qwen3,
    /// Gemma 2 in all its sizes.
    Gemma2,
    /// The text model of Gemma 3.
    Gemma3,
    /// Phi-3, Phi-3.5 and Phi-4 in Phi-3's layout.
    Phi3,
    /// OLMo 2, not OLMo 3, whose files have the same name and windows.
    Olmo2,
    /// SmolLM3, with layers without RoPE.
    SmolLm3,
    /// GPT-2 in all its sizes.
    Gpt2,
    /// GPT-NeoX, and Pythia in all its sizes.
    GptNeoX,
    /// BERT, without the head that guesses masked words.
    Bert,
}

impl Architecture {
    /// The architectures that can be translated, with different names.
    pub const ALL: [Architecture; 11] = [
        Architecture::Llama,
        Architecture::Qwen2,
        Architecture::Qwen3,
        Architecture::Gemma2,
        Architecture::Gemma3,
        Architecture::Phi3,
        Architecture::Olmo2,
        Architecture::SmolLm3,
        Architecture::Gpt2,
        Architecture::GptNeoX,
        Architecture::Bert,
    ];

    /// Returns the name in GGUF files, which is the prefix of its keys.
    pub fn name(self) -> &'static str {
        match self {
            Architecture::Llama | Architecture::Mistral => "llama",
            Architecture::Qwen2 => "qwen2",
            Architecture::Qwen3 => "qwen3",
            Architecture::Gemma2 => "gemma2",
            Architecture::Gemma3 => "gemma3",
            Architecture::Phi3 => "phi3",
            Architecture::Olmo2 => "olmo2",
            Architecture::SmolLm3 => "smollm3",
            Architecture::Gpt2 => "gpt2",
            Architecture::GptNeoX => "gptneox",
            Architecture::Bert => "bert",
        }
    }

    /// Returns the `model_type` of `config.json`.
    pub fn model_type(self) -> &'static str {
        match self {
            Architecture::Mistral => "mistral",
            Architecture::Gemma3 => "gemma3_text",
            Architecture::GptNeoX => "gpt_neox",
            other => other.name(),
        }
    }

    /// Returns the class in `transformers`.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Architecture::Llama => "LlamaForCausalLM",
            Architecture::Mistral => "MistralForCausalLM",
            Architecture::Qwen2 => "Qwen2ForCausalLM",
            Architecture::Qwen3 => "Qwen3ForCausalLM",
            Architecture::Gemma2 => "Gemma2ForCausalLM",
            Architecture::Gemma3 => "Gemma3ForCausalLM",
            Architecture::Phi3 => "Phi3ForCausalLM",
            Architecture::Olmo2 => "Olmo2ForCausalLM",
            Architecture::SmolLm3 => "SmolLM3ForCausalLM",
            Architecture::Gpt2 => "GPT2LMHeadModel",
            Architecture::GptNeoX => "GPTNeoXForCausalLM",
            Architecture::Bert => "BertModel",
        }
    }

    /// True if matrices stay as they are stored once they are loaded: quantised ones in blocks, and floats of 16 bits. GPT-2's
    /// layers read theirs transposed, and those of BERT are read as floats.
    pub fn keeps_stored(self) -> bool {
        !matches!(self, Architecture::Gpt2 | Architecture::Bert)
    }

    /// True if files have the rows of heads as llama.cpp turns them: see [`Order::Alternating`](crate::Order).
    pub(crate) fn alternates_rows(self) -> bool {
        use Architecture::{Llama, Mistral, SmolLm3};

        matches!(self, Llama | Mistral | SmolLm3)
    }

    /// True for Gemma: files have the gains of norms, and `model.safetensors` the gains without 1.
    pub(crate) fn shifts_gains(self) -> bool {
        matches!(self, Architecture::Gemma2 | Architecture::Gemma3)
    }

    /// Returns the architecture that the metadata name.
    ///
    /// # Errors
    /// If they name none or another; the error then has the nearest one.
    pub fn of(metadata: &Metadata<'_>) -> Result<Self, GgufError> {
        let named = metadata
            .text(ARCHITECTURE)?
            .ok_or_else(|| GgufError::missing(ARCHITECTURE))?;
        let found = Architecture::ALL
            .into_iter()
            .find(|architecture| architecture.name() == named);
        let has_window = metadata
            .get(WINDOW)
            .is_some_and(|window| *window != Value::Natural(0));
        match found {
            Some(Architecture::Llama) if has_window => Ok(Architecture::Mistral),
            Some(architecture) => Ok(architecture),
            None => Err(GgufError::value(ARCHITECTURE, named, refusal(named))),
        }
    }
}

/// Returns the end of the sentence that refuses an architecture.
fn refusal(named: &str) -> String {
    let names = Architecture::ALL.map(Architecture::name);
    let nearest = nearest(named).map_or_else(String::new, |nearest| {
        format!(", the nearest being {}", nearest.name())
    });
    format!("is not implemented; {} are{nearest}", names.join(", "))
}

/// Returns the architecture whose name is in `named`, or else the one with the most letters in common at the beginning.
fn nearest(named: &str) -> Option<Architecture> {
    let relative = RELATIVES.iter().find(|(start, _)| named.starts_with(start));
    if let Some((_, architecture)) = relative {
        return Some(*architecture);
    }
    let common = |architecture: &Architecture| {
        let name = architecture.name();
        let equal = |(a, b): &(u8, u8)| a == b;
        match named.contains(name) {
            true => name.len(),
            false => name.bytes().zip(named.bytes()).take_while(equal).count(),
        }
    };
    let nearest = Architecture::ALL.into_iter().max_by_key(common);
    nearest.filter(|architecture| common(architecture) > 2)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::header::Header;
    use crate::written::Written;

    #[test]
    fn the_nearest_architecture_is_named() {
        for (named, expected) in [
            ("qwen3moe", "qwen3"),
            ("llama4", "llama"),
            ("mistral3", "llama"),
            ("gemma", "gemma3"),
            ("gemma3n", "gemma3"),
            ("phi2", "phi3"),
            ("olmoe", "olmo2"),
            ("nomic-bert", "bert"),
            ("modern-bert", "bert"),
        ] {
            let refused = refusal(named);
            let end = format!("the nearest being {expected}");
            assert!(refused.ends_with(&end), "{named}: {refused}");
        }
        for named in ["mamba", "t5", "command-r"] {
            assert!(refusal(named).ends_with("bert are"), "{named}");
        }
    }

    #[test]
    fn a_window_makes_llama_mistral() {
        let named = |written: Written| {
            let bytes = written.bytes();
            let header = Header::read(&bytes, bytes.len() as u64).unwrap();
            let architecture = Architecture::of(&header.metadata).unwrap();
            (architecture.name(), architecture.model_type())
        };
        let llama = Written::model("llama");
        assert_eq!(named(llama.clone()), ("llama", "llama"));
        assert_eq!(
            named(llama.clone().with_number(WINDOW, 0)),
            ("llama", "llama")
        );
        assert_eq!(named(llama.with_number(WINDOW, 9)), ("llama", "mistral"));
        assert_eq!(named(Written::model("gemma3")), ("gemma3", "gemma3_text"));
    }
}
