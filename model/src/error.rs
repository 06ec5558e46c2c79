//! The errors of loading and running a model.

use attention_gguf::GgufError;
use attention_trace::config::ConfigError;
use attention_trace::{EditFault, Search};
use thiserror::Error;

/// An error of loading or running a model, in words its user can act on.
#[derive(Debug, Error)]
pub enum ModelError {
    /// `config.json` cannot be understood.
    #[error("config.json cannot be read: {0}")]
    Config(#[from] serde_json::Error),
    /// `config.json` asks for something this program does not implement.
    #[error("config.json: {0}")]
    Unsupported(String),
    /// The sizes in `config.json` make no model.
    #[error("config.json: {0}")]
    Sizes(#[from] ConfigError),
    /// The tokenizer failed to load or to encode.
    #[error("the tokenizer: {0}")]
    Tokenizer(String),
    /// `model.safetensors` cannot be read or does not fit the configuration.
    #[error("model.safetensors: {0}")]
    Weights(String),
    /// Weights under another name, such as a shard or its index, cannot be read or do not fit the configuration.
    #[error("{file}: {fault}")]
    WeightsFile {
        /// The name of the file.
        file: String,
        /// The fault of the file.
        fault: String,
    },
    /// The file of weights cannot be read while the model is loaded.
    #[error("{0}")]
    Read(std::io::Error),
    /// The file that weights stay in was written to after the model had been loaded.
    #[error(
        "{path} has changed since it was opened, and the model's weights with it: load the model again, and replace files of \
         weights by renaming others over them"
    )]
    Changed {
        /// The path of the file.
        path: String,
    },
    /// The tensors of the file are known, and are read before the model is loaded.
    #[error("the weights have not been read")]
    Unread,
    /// A GGUF file cannot be read or translated.
    #[error("the GGUF file: {0}")]
    Gguf(#[from] GgufError),
    /// A GGUF file does not make a model once it is translated.
    #[error("the GGUF file, in the terms of Hugging Face's files: {0}")]
    Translated(Box<ModelError>),
    /// A picture cannot be read, or not by this model.
    #[error("the picture: {0}")]
    Picture(String),
    /// The device failed while a pass was running.
    #[error("the device failed: {0}")]
    Device(String),
    /// The input text is empty.
    #[error("the input is empty")]
    EmptyInput,
    /// The input is longer than the model's positions, or than attention weights fit in memory for.
    #[error("the input has {tokens} tokens, more than the {limit} that the model takes")]
    InputTooLong {
        /// Tokens in the input.
        tokens: usize,
        /// The most the model takes.
        limit: usize,
    },
    /// An edit changes something that the model lacks, or in a way that it cannot.
    #[error("the edit cannot be made: {}", describe(*.0))]
    Edit(EditFault),
    /// An order leaves out tokens or repeats them.
    #[error("the order is no permutation of the {tokens} tokens")]
    Order {
        /// The number of tokens in the input.
        tokens: usize,
    },
    /// Sequences so short that a made-up task asks nothing of them.
    #[error("in {0} letters there is nothing to name")]
    NothingToName(usize),
    /// A length penalty with which scores would be meaningless.
    #[error(
        "the length penalty is {0}; it must be between {start} and {end}",
        start = Search::LENGTH_PENALTIES.start(),
        end = Search::LENGTH_PENALTIES.end()
    )]
    LengthPenalty(f32),
    /// Numbers of sampling that leave no probabilities to draw from.
    #[error(
        "tokens cannot be drawn with temperature {0} and top-p {1}: a temperature is positive, and top-p from 0 to 1"
    )]
    Sampling(f64, f64),
    /// A forced target token that the model's output has no place for.
    #[error("token {token} cannot be forced: the vocabulary has {vocabulary} tokens")]
    ForcedToken {
        /// The token to be forced.
        token: u32,
        /// Tokens of the vocabulary.
        vocabulary: usize,
    },
    /// The tokenizer cut a text into a token that the embedding table has no row for.
    #[error("the tokenizer: {0}")]
    UnknownToken(RowlessToken),
    /// Rules of generation that forbid every token at a position.
    #[error(
        "the settings of generation beside the model forbid every token at position {0} of the output"
    )]
    NothingAllowed(usize),
    /// `generation_config.json` cannot be understood.
    #[error("generation_config.json: {0}")]
    Generation(String),
    /// A file beside the weights contains a value that makes no sense.
    #[error("{file}: `{field}`: {fault}")]
    Field {
        /// The name of the file.
        file: &'static str,
        /// The entry, with the names of the entries that contain it in front.
        field: String,
        /// The fault of the entry.
        fault: String,
    },
    /// A file that a checkpoint needs is missing, and others are in its place.
    #[error("there is no {name}; {help}")]
    Missing {
        /// The name of the missing file.
        name: &'static str,
        /// The files found instead, and advice.
        help: String,
    },
    /// Parts of a model in several GGUF files are missing.
    #[error("of the {count} parts of the model, there is no {names}")]
    MissingParts {
        /// The number of parts.
        count: usize,
        /// The names of the missing files, with commas.
        names: String,
    },
    /// A directory has several models, of which none was chosen.
    #[error("{directory} has several models: name the first part of one ({names})")]
    SeveralModels {
        /// The path of the directory.
        directory: String,
        /// The first part of each model.
        names: String,
    },
    /// A file was named in place of a directory.
    #[error("{0} is a file: name the directory that it is in, or a GGUF file")]
    Directory(String),
    /// Something else than a file was named.
    #[error("{path} is {found}, not a file")]
    NoFile {
        /// The path that was named.
        path: String,
        /// The kind of thing that was found.
        found: &'static str,
    },
    /// A file is larger than the limit for its kind.
    #[error("{path} has more than {limit} bytes, the most that are read of such a file")]
    TooLarge {
        /// The path of the file.
        path: String,
        /// The most it may have.
        limit: u64,
    },
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    File {
        /// The path of the file.
        path: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
}

/// A token of the tokenizer's that the embedding table has no row for.
#[derive(Clone, Debug, Error)]
#[error(
    "the text has the token “{text}”, number {id}, and the model's table only {rows} rows: leave it out"
)]
pub struct RowlessToken {
    /// The token as it is written.
    pub text: String,
    /// The number of the token.
    pub id: u32,
    /// Rows of the table.
    pub rows: usize,
}

fn describe(fault: EditFault) -> &'static str {
    match fault {
        EditFault::Layer => "the model has no such layer, or nothing of this kind in it",
        EditFault::Head => "the model has no such head",
        EditFault::Factor => {
            "a number in it is not finite, or negative or above 1 where it may not be"
        }
        EditFault::Width => "it gives a head more or fewer numbers than the head is wide",
        EditFault::Keys => "it leaves a query no key whose weight is not given",
        EditFault::Rope => "the model does not turn queries and keys by their positions (RoPE)",
        EditFault::Sum => "the weights that it gives to a query's row sum to more than one",
        EditFault::Groups => "the model's heads of keys and values do not fall into so many groups",
    }
}
