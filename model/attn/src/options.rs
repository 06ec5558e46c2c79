//! The options of the command line.

mod corpus;
mod device;
mod serve;
#[cfg(feature = "remote")]
mod serve_device;
mod shard;
#[cfg(not(feature = "fusion"))]
mod share;

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use attention_model::error::ModelError;
use attention_model::evaluation::BleuTokenizer;
use attention_model::placement::Devices;
use attention_model::weights::GRID_BITS;
use attention_trace::{Patched, Search, Stack, TakenInto};
use burn::tensor::Device;
use clap::{Args, Parser, Subcommand, ValueEnum};
use thiserror::Error;

use crate::hub::{HubError, local};
pub use corpus::{CorpusOptions, MergeOptions, RunOptions};
pub use device::DeviceOption;
pub use serve::{LogForm, ServeOptions, TlsOptions};
#[cfg(feature = "remote")]
pub use serve_device::ServeDeviceOptions;
pub use shard::Shard;
#[cfg(not(feature = "fusion"))]
use share::ShareName;

/// Train, translate, trace and evaluate Transformers whose every attention weight can be read.
#[derive(Parser)]
#[command(version)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Train a model from a recipe, going on from the last checkpoint if there is one
    Train(TrainOptions),
    /// Translate sentences from standard input, one per line; a line that cannot be read is reported by its number and
    /// gives an empty line, and the exit code is 1
    Translate(TranslateOptions),
    /// Write every recorded tensor of one forward pass to a safetensors file
    Trace(TraceOptions),
    /// Write one HTML file that replays a trace, or the pass of a model over a text, without server or network
    Export(ExportOptions),
    /// Print the card of a model: family, sizes, parameters, memory, and every tensor of its files with those that it does
    /// not use
    Inspect(InspectOptions),
    /// Read every layer's residual stream as logits, and print the contribution of each part of the model to a word's
    /// logit
    Lens(LensOptions),
    /// Patch the run of one text with activations of another text's run, place by place, and print the share of the
    /// difference of two words' logits that comes back
    Patch(PatchOptions),
    /// Score a model on sentence pairs (BLEU and perplexity), or on its made-up task at several lengths
    Eval(EvalOptions),
    /// Compare two files of the same model head by head on one text, or score several models on the same sentence pairs
    /// (BLEU), by the number of words of the source
    Compare(CompareOptions),
    /// Count the depths that the tokens of sentence pairs use, of a model whose positions halt, as JSON
    Depths(DepthsOptions),
    /// Score a translator (BLEU, loss) with each of its heads off, and with more and more of them out, as JSON
    Importance(ImportanceOptions),
    /// Score every head of a translator's cross-attention by the words that it aligns, against pairs aligned by hand
    Align(AlignOptions),
    /// Measure the roles of each head on sentences (previous token, punctuation, induction …), beside chance, as JSON
    Roles(RolesOptions),
    /// Add up the shards of a corpus that `attn roles` or `attn eval` measured with --shard
    Merge(MergeOptions),
    /// Serve the page and its engine on this machine: several visitors share one loaded model
    Serve(ServeOptions),
    /// Serve a device of this machine: models of other processes compute on it by `--device remote:HOST:PORT`
    #[cfg(feature = "remote")]
    Device(ServeDeviceOptions),
    /// Round a model's weights to a grid, so that its file compresses to half: integers times a power of two, row by
    /// row
    Round(RoundOptions),
    /// Train a small model on a made-up task, as the page's chapter on training does, and print how fast it learns
    Watch(WatchOptions),
    /// Train the small model of pictures, convolutions with self-attention between them, on handwritten digits
    Digits(DigitsOptions),
    /// Train the small model that embeds a sentence by several hops of attention, on predicting its final mark
    Marks(MarksOptions),
    /// Train the small LSTMN, a recurrent network with attention inside, on predicting the next words of sentences
    Lstmn(LstmnOptions),
}

#[derive(Args)]
pub struct TrainOptions {
    /// The recipe, a TOML file: data, tokenizer, model, optimization, seed
    pub recipe: PathBuf,
    /// Directory of the files the recipe names; a recipe with a [task] names none
    #[arg(long)]
    pub data: Option<PathBuf>,
    /// Directory of a model to start from, weights and tokenizer, in place of random weights; if it has more heads of keys and values than the recipe, they are averaged
    #[arg(long)]
    pub from: Option<PathBuf>,
    /// Directory of the trained model; checkpoints go to run/ inside it
    #[arg(long)]
    pub out: PathBuf,
    #[command(flatten)]
    pub device: DeviceOption,
    /// Threads that each compute a part of every batch
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub workers: u16,
    /// Stop after this many minutes, leaving a checkpoint to continue from
    #[arg(long)]
    pub minutes: Option<u64>,
}

#[derive(Args)]
pub struct TranslateOptions {
    #[command(flatten)]
    pub model: ModelOption,
    #[command(flatten)]
    pub search: SearchOptions,
    /// JSON list of the edits made in every pass; layers and heads count from 0, as in
    /// `[{"kind": "scale_head", "attention": "decoder.1.cross", "head": 3, "factor": 0.0}]`
    #[arg(long)]
    pub edits: Option<PathBuf>,
}

/// Options of a pass that is recorded.
#[derive(Args)]
// A group with options of another struct in it has no members of its own accord, and would be taken for absent.
#[group(args = ["text", "image"])]
pub struct PassOptions {
    #[command(flatten)]
    pub model: ModelOption,
    #[command(flatten)]
    pub search: SearchOptions,
    /// The text that the model reads
    #[arg(long, required_unless_present = "image", conflicts_with = "image")]
    pub text: Option<String>,
    /// The picture that the model reads, a PNG or JPEG file, of a model of pictures
    #[arg(long)]
    pub image: Option<PathBuf>,
    /// Make the text the question of a conversation, by the chat template of the model
    #[arg(long, conflicts_with = "image")]
    pub chat: bool,
    /// The system message of that conversation
    #[arg(long, requires = "chat")]
    pub system: Option<String>,
    /// The target to trace, instead of the one the model finds
    #[arg(long)]
    pub target: Option<String>,
    /// The most tokens to append
    #[arg(long, default_value_t = 60)]
    pub max_new_tokens: usize,
    /// JSON list of the edits made in every pass, as for `translate`
    #[arg(long)]
    pub edits: Option<PathBuf>,
    /// Read every layer as logits too, and keep so many of the most probable words of each layer and position
    #[arg(long, value_name = "WORDS", value_parser = clap::value_parser!(u16).range(1..=100))]
    pub lens: Option<u16>,
}

#[derive(Args)]
pub struct TraceOptions {
    #[command(flatten)]
    pub pass: PassOptions,
    /// Record attention weights alone
    #[arg(long)]
    pub weights_only: bool,
    /// The file that the trace is written to
    #[arg(long)]
    pub out: PathBuf,
}

/// Options of an export: of a trace, or of a pass, whose options are then those of `attn trace`.
#[derive(Args)]
#[command(
    mut_arg("model", |arg| arg.required(false).required_unless_present("trace").conflicts_with("trace")),
    mut_arg("text", |arg| arg.required_unless_present("trace").conflicts_with("trace")),
    mut_arg("image", |arg| arg.conflicts_with("trace"))
)]
pub struct ExportOptions {
    /// The trace, a file that `attn trace`, the page or the Python package wrote
    #[arg(long)]
    pub trace: Option<PathBuf>,
    #[command(flatten)]
    pub pass: Option<PassOptions>,
    /// The HTML file that is written
    #[arg(long)]
    pub html: PathBuf,
    /// The title of the page; by default the text and the model
    #[arg(long)]
    pub title: Option<String>,
    /// The text under the figure
    #[arg(long)]
    pub caption: Option<String>,
    /// The language of the page, en or zh; by default that of the browser
    #[arg(long, value_parser = ["en", "zh"])]
    pub language: Option<String>,
}

#[derive(Args)]
pub struct InspectOptions {
    /// Directory with config.json, model.safetensors and tokenizer.json, a GGUF file, or owner/name[@revision] of a model in
    /// the cache of Hugging Face's hub
    pub model: PathBuf,
    #[command(flatten)]
    pub device: DeviceOption,
    /// Print all facts as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct LensOptions {
    #[command(flatten)]
    pub model: ModelOption,
    #[command(flatten)]
    pub search: SearchOptions,
    /// The text that the model reads
    #[arg(long)]
    pub text: String,
    /// The target to read, instead of the one the model finds
    #[arg(long)]
    pub target: Option<String>,
    /// The most tokens to append
    #[arg(long, default_value_t = 60)]
    pub max_new_tokens: usize,
    /// The position whose prediction is decomposed, from 0 over all that the decoder reads; by default the first one
    /// that the model writes after
    #[arg(long)]
    pub position: Option<usize>,
    /// The token whose logit is decomposed, as the tokenizer spells it (`7` is that piece) or by its number (`#7`); by
    /// default the one that follows
    #[arg(long)]
    pub token: Option<String>,
    /// Decompose the difference between that logit and this token's, which is spelled or numbered in the same way
    #[arg(long)]
    pub against: Option<String>,
    /// JSON list of the edits made in every pass, as for `translate`
    #[arg(long)]
    pub edits: Option<PathBuf>,
}

#[derive(Args)]
pub struct PatchOptions {
    #[command(flatten)]
    pub model: ModelOption,
    /// The text that the model reads in the clean run
    #[arg(long)]
    pub text: String,
    /// The text that the model reads in the other run
    #[arg(long)]
    pub other: String,
    /// The decoding step, from 0; by default the first at which the two runs write different tokens
    #[arg(long)]
    pub step: Option<usize>,
    /// The word of the clean run, as the tokenizer spells it (`7` is that piece) or by its number (`#7`); by default
    /// the most probable one
    #[arg(long)]
    pub answer: Option<String>,
    /// The word that it is compared with; by default the most probable one of the other run
    #[arg(long)]
    pub against: Option<String>,
    /// The stack to patch; all stacks by default
    #[arg(long)]
    pub stack: Option<Stack>,
    /// The activations to take over: residual, attention, feed_forward or heads; all of them by default
    #[arg(long)]
    pub what: Option<Patched>,
    /// The run that takes over: other (which activations bring the answer back) or clean (which ones it needs)
    #[arg(long, default_value_t)]
    pub into: TakenInto,
    /// The most tokens to append
    #[arg(long, default_value_t = 60)]
    pub max_new_tokens: usize,
    /// Print JSON, with the differences of logits that the shares are computed from
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct EvalOptions {
    #[command(flatten)]
    pub model: ModelOption,
    #[command(flatten)]
    pub search: SearchOptions,
    /// Tab-separated lines: target and source, unless the columns are set; targets alone for a language model
    #[arg(long, required_unless_present = "lengths")]
    pub pairs: Option<PathBuf>,
    /// Column of the source sentence, from 0
    #[arg(long, default_value_t = 1)]
    pub source: usize,
    /// Column of the target sentence, from 0
    #[arg(long, default_value_t = 0)]
    pub target: usize,
    /// Column of the English sentence, which decides whether a pair is held out
    #[arg(long, default_value_t = 0)]
    pub english: usize,
    /// Put before every source sentence, as `>>fra<<` for a model of several target languages
    #[arg(long)]
    pub prefix: Option<String>,
    /// The tokenizer with which BLEU counts words
    #[arg(long, value_enum, default_value_t)]
    pub tokenizer: TokenizerOption,
    /// Score only the pairs that training with this crate's split held out as test set
    #[arg(long)]
    pub test_split: bool,
    #[command(flatten)]
    pub lengths: LengthOptions,
    #[command(flatten)]
    pub corpus: CorpusOptions,
}

#[derive(Args)]
pub struct CompareOptions {
    #[command(flatten)]
    pub precisions: PrecisionOptions,
    /// The models: directories with config.json, model.safetensors and tokenizer.json, GGUF files, or owner/name[@revision]
    /// in the cache of Hugging Face's hub
    #[arg(long, required_unless_present = "files", num_args = 1..)]
    pub models: Vec<PathBuf>,
    #[command(flatten)]
    pub device: DeviceOption,
    #[command(flatten)]
    pub search: SearchOptions,
    /// Tab-separated lines: target and source, unless the columns are set
    #[arg(long, required_unless_present = "files")]
    pub pairs: Option<PathBuf>,
    /// Column of the source sentence, from 0
    #[arg(long, default_value_t = 1)]
    pub source: usize,
    /// Column of the target sentence, from 0
    #[arg(long, default_value_t = 0)]
    pub target: usize,
    /// Column of the English sentence, which decides whether a pair is held out
    #[arg(long, default_value_t = 0)]
    pub english: usize,
    /// The tokenizer with which BLEU counts words
    #[arg(long, value_enum, default_value_t)]
    pub tokenizer: TokenizerOption,
    /// Take only the pairs that training with this crate's split held out as test set
    #[arg(long)]
    pub test_split: bool,
    /// Bins of sentences as they are, by the words of the source
    #[arg(long, value_delimiter = ',', value_parser = words, default_value = "1-4,5-8,9-12,13-16")]
    pub bins: Vec<RangeInclusive<usize>>,
    /// Bins of several sentences put one behind the other
    #[arg(long, value_delimiter = ',', value_parser = words, default_value = "17-24,25-32,33-48")]
    pub joined: Vec<RangeInclusive<usize>>,
    /// The most pairs of a bin
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    pub most: u32,
}

/// Options for two files of the same model.
#[derive(Args)]
pub struct PrecisionOptions {
    /// Two files of the same model in two precisions, compared head by head on one text: GGUF files, directories, or
    /// owner/name[@revision], as for --models
    #[arg(
        num_args = 2,
        value_names = ["A", "B"],
        requires = "text",
        conflicts_with_all = ["models", "pairs", "beam", "alpha", "test_split", "bins", "joined", "most"]
    )]
    pub files: Vec<PathBuf>,
    /// The text that both read
    #[arg(long, requires = "files")]
    pub text: Option<String>,
    /// The most tokens that both append to it
    #[arg(long, default_value_t = 32)]
    pub max_new_tokens: usize,
    /// The JSON file that the scores, or the differences, are written to
    #[arg(long, required_unless_present = "files")]
    pub json: Option<PathBuf>,
}

#[derive(Args)]
pub struct DepthsOptions {
    #[command(flatten)]
    pub model: ModelOption,
    /// Tab-separated lines: target and source, unless the columns are set
    #[arg(long)]
    pub pairs: PathBuf,
    /// Column of the source sentence, from 0
    #[arg(long, default_value_t = 1)]
    pub source: usize,
    /// Column of the target sentence, from 0
    #[arg(long, default_value_t = 0)]
    pub target: usize,
    /// Column of the English sentence, which decides whether a pair is held out
    #[arg(long, default_value_t = 0)]
    pub english: usize,
    /// Take only the pairs that training with this crate's split held out as test set
    #[arg(long)]
    pub test_split: bool,
}

#[derive(Args)]
pub struct ImportanceOptions {
    #[command(flatten)]
    pub model: ModelOption,
    #[command(flatten)]
    pub search: SearchOptions,
    /// Tab-separated lines of a target and its source: the sentences
    #[arg(long)]
    pub sentences: PathBuf,
    /// Choose the sentences from these files' test sets, as many of each, and write them first
    #[arg(long, num_args = 1..)]
    pub pairs: Vec<PathBuf>,
    /// The number of sentences to choose
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub count: u32,
    /// The seed of the choice
    #[arg(long, default_value_t = 16)]
    pub seed: u64,
    /// The JSON file that the scores are written to
    #[arg(long)]
    pub out: PathBuf,
    #[command(flatten)]
    pub run: RunOptions,
}

#[derive(Args)]
pub struct AlignOptions {
    #[command(flatten)]
    pub model: ModelOption,
    /// Pairs that a person aligned; tab-separated lines: language, source, target, links
    #[arg(long)]
    pub pairs: PathBuf,
    #[command(flatten)]
    pub reading: ReadingOptions,
    /// Keep the weight on the end token of the source: a word that gives it the most weight is aligned with nothing
    #[arg(long)]
    pub keep_end: bool,
    /// The JSON file that the error rates are written to
    #[arg(long)]
    pub out: Option<PathBuf>,
}

/// Options for reading pairs that a person aligned.
#[derive(Args)]
pub struct ReadingOptions {
    /// Exchange source and target, for a model that translates the other way
    #[arg(long)]
    pub reverse: bool,
    /// The text in front of each source of a language: zh='>>cmn<<'
    #[arg(long, num_args = 1.., value_parser = language_prefix)]
    pub prefix: Vec<(String, String)>,
}

impl ReadingOptions {
    /// Returns the text in front of each source of that language.
    pub fn prefix_of(&self, language: &str) -> &str {
        let mut prefixes = self.prefix.iter();
        let found = prefixes.find(|(of, _)| of == language);
        found.map_or("", |(_, prefix)| prefix)
    }
}

/// Parses `zh=>>cmn<<` as a language and the text in front of its sources.
fn language_prefix(text: &str) -> Result<(String, String), &'static str> {
    let parts = text.split_once('=');
    let (language, prefix) = parts.ok_or("not LANGUAGE=PREFIX")?;
    Ok((language.to_owned(), prefix.to_owned()))
}

#[derive(Args)]
pub struct RolesOptions {
    #[command(flatten)]
    pub model: ModelOption,
    /// A sentence a line, or a target and its source separated by a tab; models that are no encoder–decoder read the
    /// first column alone
    #[arg(long)]
    pub sentences: PathBuf,
    /// Pairs that a person aligned, for the role of alignment; tab-separated lines: language, source, target, links
    #[arg(long)]
    pub pairs: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingOptions,
    /// The seed of the random tokens that induction is measured on
    #[arg(long, default_value_t = 16)]
    pub seed: u64,
    /// The JSON file that the roles are written to
    #[arg(long)]
    pub out: PathBuf,
    #[command(flatten)]
    pub corpus: CorpusOptions,
}

/// Parses `5-8` as a range of words.
fn words(text: &str) -> Result<RangeInclusive<usize>, NoRange> {
    let range = text.split_once('-').and_then(|(from, to)| {
        let (from, to) = (from.parse().ok()?, to.parse().ok()?);
        (1 <= from && from <= to).then_some(from..=to)
    });
    range.ok_or_else(|| NoRange(text.to_owned()))
}

/// The error for text that is not a range.
#[derive(Debug, Error)]
#[error("`{0}` is no range of words such as 5-8")]
struct NoRange(String);

#[derive(Args)]
pub struct RoundOptions {
    /// The weights, a safetensors file
    pub weights: PathBuf,
    /// Bits of the integers, sign included
    #[arg(long, default_value_t = 8, value_parser = bits())]
    pub bits: u32,
    /// The file of the rounded weights, as f16, which represents them exactly
    #[arg(long)]
    pub out: PathBuf,
}

#[derive(Args)]
pub struct WatchOptions {
    /// The settings, a TOML file: task, shape, optimizer, seed (see model/recipes/watched)
    pub settings: PathBuf,
    /// Directory of the trained model, if it is to be kept
    #[arg(long)]
    pub out: Option<PathBuf>,
}

#[derive(Args)]
pub struct DigitsOptions {
    /// The pictures: lines of 64 grey levels and a digit, separated by commas (model/recipes/digits/export.py writes
    /// it)
    #[arg(long)]
    pub data: PathBuf,
    /// Directory of the trained model
    #[arg(long)]
    pub out: PathBuf,
    /// The seed of weights, order and shifts
    #[arg(long, default_value_t = 7)]
    pub seed: u64,
    /// The number of passes over the pictures
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u16).range(1..))]
    pub epochs: u16,
    /// Keep γ at 0, to compare with
    #[arg(long)]
    pub without_attention: bool,
}

#[derive(Args)]
pub struct MarksOptions {
    /// Tab-separated files whose first column is an English sentence; may be given several times
    #[arg(long, required = true)]
    pub data: Vec<PathBuf>,
    /// Directory of the trained model
    #[arg(long)]
    pub out: PathBuf,
    /// The seed of weights and order
    #[arg(long, default_value_t = 7)]
    pub seed: u64,
    /// The number of passes over the sentences
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    pub epochs: u16,
    /// The factor of the penalty on overlapping hops, ‖AAᵀ − I‖²; 0 leaves it out
    #[arg(long, default_value_t = 0.1, value_parser = factor)]
    pub penalty: f64,
}

#[derive(Args)]
pub struct LstmnOptions {
    /// Tab-separated files whose first column is an English sentence; may be given several times
    #[arg(long, required = true)]
    pub data: Vec<PathBuf>,
    /// Directory of the trained model, written after each pass
    #[arg(long)]
    pub out: PathBuf,
    /// The seed of weights and order
    #[arg(long, default_value_t = 7)]
    pub seed: u64,
    /// The number of passes over the sentences
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    pub epochs: u16,
    /// Train a plain LSTM of the same widths, without attention
    #[arg(long)]
    pub plain: bool,
}

/// Parses a factor in range: neither negative nor `inf` nor `NaN`.
fn factor(text: &str) -> Result<f64, NoFactor> {
    let factor = text.parse().ok();
    let factor = factor.filter(|factor| (0.0..=100.0).contains(factor));
    factor.ok_or_else(|| NoFactor(text.to_owned()))
}

/// The error for text that is not a factor.
#[derive(Debug, Error)]
#[error("`{0}` is no number from 0 to 100")]
struct NoFactor(String);

fn bits() -> clap::builder::RangedI64ValueParser<u32> {
    let (from, to) = GRID_BITS.into_inner();
    clap::value_parser!(u32).range(i64::from(from)..=i64::from(to))
}

#[derive(Args)]
pub struct LengthOptions {
    /// Score the task that the model has learned, on sequences of these numbers of letters
    #[arg(long, value_delimiter = ',', conflicts_with_all = ["pairs", "workers", "shard", "save_seconds"])]
    pub lengths: Vec<usize>,
    /// Sequences of each length
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    pub sequences: u32,
    /// Seed of the sequences
    #[arg(long, default_value_t = 7)]
    pub seed: u64,
    /// Write the scores to this JSON file too; those of lengths under the name of the model's directory, beside those
    /// of other models
    #[arg(long, visible_alias = "out")]
    pub json: Option<PathBuf>,
}

#[derive(Args, Clone)]
pub struct ModelOption {
    /// Directory with config.json, model.safetensors and tokenizer.json, a GGUF file, or owner/name[@revision] of a model in
    /// the cache of Hugging Face's hub
    #[arg(long)]
    model: PathBuf,
    /// The language that M2M-100 or NLLB reads, by its token: fra_Latn, fr; by default that of tokenizer.json
    #[arg(long)]
    pub source_language: Option<String>,
    /// The language that M2M-100 or NLLB writes; by default that of generation_config.json, forced_bos_token_id
    #[arg(long)]
    pub target_language: Option<String>,
    #[command(flatten)]
    pub device: DeviceOption,
    /// A device for layers of Llama and its like or of GPT-NeoX, and the mebibytes of weights that it takes; can be given
    /// several times. Layers go to these devices in order; those that fit on none, and everything else, are on --device
    // With burn's fusion a pass from one remote device to another fails or never ends (ADR 50).
    #[cfg(not(feature = "fusion"))]
    #[arg(long = "layers-on", value_name = "DEVICE=MIB")]
    shares: Vec<ShareName>,
}

impl ModelOption {
    /// Returns the path of the model.
    ///
    /// # Errors
    /// If it is a name, and the cache of the hub has no such model.
    pub fn path(&self) -> Result<Cow<'_, Path>, HubError> {
        local(&self.model)
    }

    /// Returns the devices of the model, of which `main` is that of `--device`.
    ///
    /// # Errors
    /// If nothing answers at the address of a remote device.
    pub fn devices(&self, main: &Device) -> Result<Devices, ModelError> {
        #[cfg(feature = "fusion")]
        let shares: Result<_, ModelError> = Ok(vec![]);
        #[cfg(not(feature = "fusion"))]
        let shares: Result<_, ModelError> = self.shares.iter().map(ShareName::share).collect();
        Ok(Devices::new(main.clone(), shares?))
    }

    /// Returns the name of the model: of a hub as it was given, else of the file or folder.
    pub fn name(&self) -> Option<String> {
        if !self.model.exists() {
            return Some(self.model.display().to_string());
        }
        // A folder may be given as `.`; without a name, none is written.
        let path = self.model.canonicalize().ok()?;
        Some(path.file_name()?.to_string_lossy().into_owned())
    }
}

#[derive(Args)]
pub struct SearchOptions {
    /// Prefixes that beam search keeps; 1 is greedy search
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    beam: u16,
    /// Beam search's length penalty α: finished sequences are ranked by Σ log p / L^α
    #[arg(
        long,
        default_value_t = 0.75,
        allow_hyphen_values = true,
        value_parser = length_penalty
    )]
    alpha: f32,
}

/// Parses an α in range: neither `inf` nor `NaN`, which Rust parses as numbers.
fn length_penalty(text: &str) -> Result<f32, ModelError> {
    let alpha = text.parse().ok().unwrap_or(f32::NAN);
    match Search::LENGTH_PENALTIES.contains(&alpha) {
        true => Ok(alpha),
        false => Err(ModelError::LengthPenalty(alpha)),
    }
}

impl SearchOptions {
    pub fn search(&self) -> Search {
        match self.beam {
            1 => Search::Greedy,
            width => Search::Beam {
                width: width.into(),
                length_penalty: self.alpha,
            },
        }
    }
}

/// sacreBLEU's tokenizers, by its names.
#[derive(Clone, Copy, Default, ValueEnum)]
pub enum TokenizerOption {
    /// Splits words and punctuation
    #[default]
    #[value(name = "13a")]
    Words,
    /// Every Chinese character is a word
    #[value(name = "zh")]
    Chinese,
}

impl TokenizerOption {
    /// Returns the name of the tokenizer, as the option has it.
    pub fn name(self) -> &'static str {
        match self {
            TokenizerOption::Words => "13a",
            TokenizerOption::Chinese => "zh",
        }
    }
}

impl From<TokenizerOption> for BleuTokenizer {
    fn from(option: TokenizerOption) -> Self {
        match option {
            TokenizerOption::Words => BleuTokenizer::Words,
            TokenizerOption::Chinese => BleuTokenizer::Chinese,
        }
    }
}
