//! Configurations: the sizes a model is built from, what may be asked of them, and what they come to in
//! parameters and operations.
//!
//! burn builds models from these very structs, so a count here is a count of what would be built.

mod bert;
mod count;
mod distilbert;
mod error;
#[cfg(test)]
mod fixtures;
mod gpt2;
mod gpt_neox;
mod gru;
mod known;
mod llama;
mod marian;
mod modernbert;
mod rope;
mod spec;
mod t5;
mod tokens;
mod universal;
mod vit;

pub use self::bert::{BertConfig, EncoderConvention};
pub use self::count::{Operations, Parameters, Part};
pub use self::distilbert::DistilBertConfig;
pub use self::error::ConfigError;
pub(crate) use self::error::{LARGEST_TABLE, MOST_HEADS, MOST_LAYERS, WIDEST};
pub use self::gpt_neox::GptNeoXConfig;
pub use self::gpt2::Gpt2Config;
pub use self::gru::GruConfig;
pub use self::known::Known;
pub use self::llama::{Convention, LayerType, LlamaConfig};
pub use self::marian::{Activation, MarianConfig, TranslatorConvention};
pub use self::modernbert::ModernBertConfig;
pub use self::rope::{Rope, RopeParameters};
pub use self::t5::{FeedForward, T5Config, T5Convention};
pub use self::tokens::Tokens;
pub use self::universal::UniversalConfig;
pub use self::vit::{Edges, VisionConvention, VitConfig};

/// Values of `model_type` in `config.json` of the architectures that can be loaded.
pub const MODEL_TYPES: [&str; 27] = [
    "marian",
    "bart",
    "m2m_100",
    "llama",
    "qwen2",
    "qwen3",
    "mistral",
    "smollm3",
    "olmo2",
    "gemma2",
    "gemma3_text",
    "phi3",
    "gpt2",
    "gpt_neox",
    "t5",
    "mt5",
    "bert",
    "roberta",
    "xlm-roberta",
    "camembert",
    "distilbert",
    "modernbert",
    "gru_seq2seq",
    "universal_transformer",
    "vit",
    "dinov2",
    "dinov2_with_registers",
];

/// Returns true if models of that `model_type` read pictures: they have no tokenizer.
pub fn reads_pictures(model_type: &str) -> bool {
    let mut conventions = VisionConvention::ALL.into_iter();
    conventions.any(|convention| convention.model_type() == model_type)
}

/// Returns true if models of that `model_type` keep matrices as they are stored once they are loaded: floats of 16 bits,
/// and blocks of quantised weights. Others widen all weights to 32 bits.
pub fn keeps_stored(model_type: &str) -> bool {
    let mut llamas = Convention::ALL.into_iter().map(Convention::model_type);
    model_type == "gpt_neox" || llamas.any(|name| name == model_type)
}

/// A configuration whose sizes the page counts.
#[derive(Clone, Debug, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "there are few of them, and none is moved in a loop"
)]
pub enum ModelConfig {
    /// An encoder–decoder in Marian's layout.
    Marian(MarianConfig),
    /// Decoder-only, in Llama's layout and by the conventions of Llama or of a model like it.
    Llama(LlamaConfig),
    /// Decoder-only, in GPT-2's layout.
    Gpt2(Gpt2Config),
    /// An encoder that guesses masked words.
    Bert(BertConfig),
}

impl ModelConfig {
    /// Checks that a model can be built.
    ///
    /// # Errors
    /// The first size that is out of reason or does not fit the others.
    pub fn validate(&self) -> Result<(), ConfigError> {
        match self {
            ModelConfig::Marian(config) => config.validate(),
            ModelConfig::Llama(config) => config.validate(),
            ModelConfig::Gpt2(config) => config.validate(),
            ModelConfig::Bert(config) => config.validate(),
        }
    }

    /// The parameters of a model of these sizes.
    pub fn parameters(&self) -> Parameters {
        match self {
            ModelConfig::Marian(config) => config.parameters(),
            ModelConfig::Llama(config) => config.parameters(),
            ModelConfig::Gpt2(config) => config.parameters(),
            ModelConfig::Bert(config) => config.parameters(),
        }
    }

    /// The operations of one forward pass over `tokens`; an encoder–decoder reads as many source tokens
    /// as target tokens.
    pub fn operations(&self, tokens: usize) -> Operations {
        match self {
            ModelConfig::Marian(config) => config.operations(tokens),
            ModelConfig::Llama(config) => config.operations(tokens),
            ModelConfig::Gpt2(config) => config.operations(tokens),
            ModelConfig::Bert(config) => config.operations(tokens),
        }
    }
}
