//! Checkpoints in Hugging Face's layout (`config.json`, `model.safetensors` or `pytorch_model.bin`, `tokenizer.json`, and
//! in some `generation_config.json`), and in GGUF, which is translated to it.

mod backing;
#[cfg(feature = "tokenizers")]
mod directory;
#[cfg(feature = "tokenizers")]
mod indexed;
#[cfg(feature = "tokenizers")]
mod parts;
pub mod shards;

use std::panic::{RefUnwindSafe, UnwindSafe};
use std::rc::Rc;

use attention_chat::{ChatFiles, Template};
use attention_gguf::{config, tokenizer};
pub use attention_pytorch::Source;
use attention_trace::card::ModelCard;
use attention_trace::config::{keeps_stored, reads_pictures};
use attention_trace::{Array, Chosen, Opening, Openings, Parameter, PictureGrid, Slice};
use burn::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value};

pub use self::backing::Backing;
use crate::error::ModelError;
use crate::families;
use crate::family::Pieces;
use crate::generation::Generation;
use crate::picture::{Picture, Processor};
use crate::placement::Devices;
use crate::sequence::{Control, SequenceModel};
use crate::tokenizer::Tokenizer;
use crate::tokenizer::marian::MarianFiles;
use crate::weights::raw::{is_pytorch, pytorch_fault};
use crate::weights::tensor::{gguf, gguf_beginning, is_gguf};
use crate::weights::{Ahead, Opened, Wanted, Weights};

/// A file of weights, in memory or elsewhere. A model is loaded from it a stretch of a tensor at a time.
#[derive(Clone)]
pub struct WeightsFile(Rc<dyn Source>);

// Reading changes nothing of a file: a panic leaves nothing half done.
impl UnwindSafe for WeightsFile {}
impl RefUnwindSafe for WeightsFile {}

impl WeightsFile {
    /// Creates one that is read by `source`.
    pub fn new(source: impl Source + 'static) -> Self {
        WeightsFile(Rc::new(source))
    }

    /// Returns the source of the bytes.
    pub fn source(&self) -> &dyn Source {
        &*self.0
    }
}

impl Default for WeightsFile {
    fn default() -> Self {
        vec![].into()
    }
}

impl From<Vec<u8>> for WeightsFile {
    fn from(bytes: Vec<u8>) -> Self {
        WeightsFile::new(bytes)
    }
}

/// The files of a checkpoint, of which the weights may be elsewhere.
#[derive(Clone, Default)]
pub struct CheckpointFiles {
    /// The contents of `config.json`.
    pub config: Vec<u8>,
    /// `model.safetensors`, `pytorch_model.bin`, or a GGUF file.
    pub weights: WeightsFile,
    /// The contents of `tokenizer.json`; empty if the tokenizer is read from other files, or the model reads pictures.
    pub tokenizer: Vec<u8>,
    /// The files of a tokenizer as Marian's checkpoints are published with.
    pub marian: Option<MarianFiles>,
    /// The contents of `generation_config.json`, which many checkpoints lack.
    pub generation: Option<Vec<u8>>,
    /// The files with the template of conversations, which instruct models have.
    pub chat: ChatFiles,
    /// The contents of `preprocessor_config.json`, of a model of pictures.
    pub preprocessor: Option<Vec<u8>>,
    /// The files on disk that the weights are read from.
    pub backing: Backing,
}

impl CheckpointFiles {
    /// Translates a GGUF file: makes its `config.json` and `tokenizer.json`, and keeps its tensors as they are.
    ///
    /// # Errors
    /// If the file is broken, or asks for something that is not implemented.
    pub fn from_gguf(weights: impl Into<WeightsFile>) -> Result<Self, ModelError> {
        let weights = weights.into();
        let beginning = gguf_beginning(weights.source())?;
        let gguf = gguf(&beginning, weights.source())?;
        let config = serde_json::to_vec(&config::config(&gguf)?)?;
        let tokenizer = serde_json::to_vec(&tokenizer::tokenizer(&gguf)?)?;
        let tokenizer_config = tokenizer::tokenizer_config(&gguf)?;
        let tokenizer_config = tokenizer_config.map(|it| serde_json::to_vec(&it));
        let chat = ChatFiles {
            tokenizer_config: tokenizer_config.transpose()?,
            template: None,
        };
        drop(beginning);
        Ok(CheckpointFiles {
            config,
            tokenizer,
            marian: None,
            weights,
            generation: None,
            chat,
            preprocessor: None,
            backing: Backing::default(),
        })
    }

    /// Returns the bytes that the weights take once they are loaded: as they are stored where the family keeps them so, as
    /// floats of 32 bits otherwise.
    ///
    /// # Errors
    /// If the weights are no file of their format, or cannot be read.
    pub fn loaded_bytes(&self) -> Result<u64, ModelError> {
        #[derive(Deserialize)]
        struct Config {
            #[serde(default)]
            model_type: String,
        }
        // A broken one is refused when the model is loaded.
        let config = serde_json::from_slice::<Config>(&self.config);
        let keeps = config.is_ok_and(|config| keeps_stored(&config.model_type));
        let opened = Opened::new(Weights {
            file: self.weights.source(),
            ahead: None,
        });
        let opened = opened.map_err(|error| self.translated(error))?;
        Ok(opened.loaded_bytes(keeps))
    }

    /// True if the model reads pictures, by its `config.json`: it has no tokenizer.
    pub fn reads_pictures(&self) -> bool {
        #[derive(Deserialize)]
        struct Typed {
            model_type: Option<String>,
        }
        // What is no such file is refused when the model is loaded.
        let typed = serde_json::from_slice::<Typed>(&self.config).ok();
        let model_type = typed.and_then(|typed| typed.model_type);
        model_type.is_some_and(|model_type| reads_pictures(&model_type))
    }

    /// Reads the tokenizer of these files.
    #[cfg(feature = "tokenizers")]
    fn read_tokenizer(&self) -> Result<Tokenizer, ModelError> {
        match &self.marian {
            Some(files) => Tokenizer::from_marian(files),
            None => Tokenizer::from_json(&self.tokenizer).map_err(|error| self.translated(error)),
        }
    }

    /// Adds the format to an error of the files' contents.
    fn translated(&self, error: ModelError) -> ModelError {
        match error {
            error @ (ModelError::Gguf(_) | ModelError::Read(_) | ModelError::Unread) => error,
            ModelError::Weights(fault) if is_pytorch(self.weights.source()) => pytorch_fault(fault),
            error if !is_gguf(self.weights.source()) => error,
            error => ModelError::Translated(Box::new(error)),
        }
    }
}

/// A model with the tokenizer it was trained with.
#[derive(Debug)]
pub struct Checkpoint {
    /// The weights, on their device.
    pub model: Box<dyn SequenceModel>,
    /// Converts text to tokens and back.
    pub tokenizer: Tokenizer,
    /// The tokens, rules and notes that control generation.
    pub generation: Generation,
    /// The template of conversations, of an instruct model.
    pub chat: Option<Template>,
    /// The texts in front of a source that choose its task, with the tasks.
    tasks: Vec<Opening>,
    /// The tensors of the file of weights; none of a model in memory.
    pub card: ModelCard,
    /// The way from a picture to the model's input, of a model of pictures.
    pub processor: Option<Processor>,
    /// The files that weights of 16 bits may stay in.
    pub(crate) backing: Backing,
}

impl Checkpoint {
    /// Creates a checkpoint from a model in memory and a tokenizer.
    pub fn new(model: Box<dyn SequenceModel>, tokenizer: Tokenizer) -> Self {
        let generation = Generation {
            control: model.control(),
            notes: vec![],
        };
        Checkpoint {
            model,
            tokenizer,
            generation,
            chat: None,
            tasks: vec![],
            card: ModelCard::default(),
            processor: None,
            backing: Backing::default(),
        }
    }

    /// Builds the model that `config.json` describes and fills it with the weights.
    ///
    /// # Errors
    /// If a file is broken, the architecture is not implemented, or a weight is missing or has
    /// another shape than the configuration asks for.
    #[cfg(feature = "tokenizers")]
    pub fn load(files: CheckpointFiles, device: &Device) -> Result<Self, ModelError> {
        if files.reads_pictures() {
            return Self::of_pictures(&files, device);
        }
        let tokenizer = files.read_tokenizer()?;
        Self::with_tokenizer(&files, tokenizer, device)
    }

    /// [`load`](Self::load) with a tokenizer that was read from the files already.
    ///
    /// # Errors
    /// As `load`.
    pub fn with_tokenizer(
        files: &CheckpointFiles,
        tokenizer: Tokenizer,
        devices: impl Into<Devices>,
    ) -> Result<Self, ModelError> {
        Self::with_weights(files, tokenizer, None, devices)
    }

    /// Returns the tensors that [`with_tensors`](Self::with_tensors) needs on a device. Of the weights, their places are read.
    ///
    /// # Errors
    /// As `load`, except for values that are not finite.
    pub fn wanted(
        files: &CheckpointFiles,
        tokenizer: Tokenizer,
        device: &Device,
    ) -> Result<Vec<Wanted>, ModelError> {
        let plan = Ahead::plan();
        match Self::with_weights(files, tokenizer, Some(&plan), device) {
            Ok(_) | Err(ModelError::Unread) => Ok(plan.wanted()),
            Err(error) => Err(error),
        }
    }

    /// [`with_tokenizer`](Self::with_tokenizer) with tensors that have been read. Others are read when they are needed.
    ///
    /// # Errors
    /// As `load`.
    pub fn with_tensors(
        files: &CheckpointFiles,
        tokenizer: Tokenizer,
        tensors: &Ahead,
        device: &Device,
    ) -> Result<Self, ModelError> {
        Self::with_weights(files, tokenizer, Some(tensors), device)
    }

    fn with_weights(
        files: &CheckpointFiles,
        tokenizer: Tokenizer,
        ahead: Option<&Ahead>,
        devices: impl Into<Devices>,
    ) -> Result<Self, ModelError> {
        let weights = Weights {
            file: files.weights.source(),
            ahead,
        };
        let pieces = Pieces {
            count: tokenizer.vocabulary(),
            file: &files.tokenizer,
        };
        let generation = files.generation.as_deref();
        let loaded = families::load(&files.config, weights, pieces, devices);
        let (model, generation, card) = loaded
            .and_then(|model| {
                let generation = Generation::of(&*model, &files.config, generation)?;
                let model_type = model.spec().model_type;
                let card = model
                    .file_names()
                    .card(files.weights.source(), &model_type)?;
                Ok((model, generation, card))
            })
            .map_err(|error| files.translated(error))?;
        let control = &generation.control;
        let tokenizer = match control.names_languages {
            true => tokenizer.naming_languages(control.end(), control.rules.forced_first)?,
            false => tokenizer,
        };
        let chat = files.chat.template();
        // A template that writes no text has no texts to be recognised; it says so when it is used.
        let opening = chat.as_ref().and_then(|chat| chat.opening().ok());
        Ok(Checkpoint {
            model,
            tokenizer: tokenizer.with_opening(opening.unwrap_or_default()),
            generation,
            chat,
            tasks: tasks(&files.config),
            card,
            processor: None,
            backing: files.backing.clone(),
        })
    }

    /// Returns the beginnings of texts that choose a task or a language.
    pub fn openings(&self) -> Openings {
        let languages = self.tokenizer.language_tokens();
        let sources = languages.iter().map(|opening| Opening {
            text: format!("{} ", opening.token.text),
            chooses: match opening.token.text.starts_with(">>") {
                true => Chosen::Into(opening.language.clone()),
                false => Chosen::Language(opening.language.clone()),
            },
        });
        let sources = match self.model.spec().reads_source() {
            true => self.tasks.iter().cloned().chain(sources).collect(),
            false => vec![],
        };
        Openings {
            source: sources,
            target: match self.tokenizer.names_languages() {
                true => languages,
                false => vec![],
            },
        }
    }

    /// Builds a model that reads pictures, whose tokens are their patches: it has no tokenizer.
    ///
    /// # Errors
    /// As `load`, and if the model reads texts.
    pub fn of_pictures(
        files: &CheckpointFiles,
        devices: impl Into<Devices>,
    ) -> Result<Self, ModelError> {
        let weights = Weights {
            file: files.weights.source(),
            ahead: None,
        };
        let loaded = families::load(&files.config, weights, Pieces::default(), devices);
        let loaded = loaded.and_then(|model| {
            let model_type = model.spec().model_type;
            let card = model
                .file_names()
                .card(files.weights.source(), &model_type)?;
            Ok((model, card))
        });
        let (model, card) = loaded.map_err(|error| files.translated(error))?;
        let Some(pictures) = model.pictures() else {
            return Err(ModelError::Picture(
                "the model reads texts: it can be shown none".to_owned(),
            ));
        };
        let processor = Processor::read(files.preprocessor.as_deref(), pictures.defaults())?;
        let registers = model.spec().patches.map_or(0, |patches| patches.registers);
        let tokenizer = pictures.gallery().tokenizer(1 + registers);
        let generation = Generation {
            control: model.control(),
            notes: vec![],
        };
        Ok(Checkpoint {
            model,
            tokenizer,
            generation,
            chat: None,
            tasks: vec![],
            card,
            processor: Some(processor),
            backing: files.backing.clone(),
        })
    }

    /// Shows the model a picture, which texts then name.
    ///
    /// # Errors
    /// If the model reads texts, or no pictures of that size.
    pub fn show(&self, name: &str, picture: &Picture) -> Result<PictureGrid, ModelError> {
        let (Some(pictures), Some(processor)) = (self.model.pictures(), &self.processor) else {
            return Err(ModelError::Picture(
                "the model reads texts: it can be shown none".to_owned(),
            ));
        };
        pictures.show(name, &processor.apply(picture)?)
    }

    /// Returns the checkpoint for texts of these languages, of a model whose texts begin with the token of their language;
    /// without a name, a language stays as the files have it. A language is named as the tokenizer spells it, or without
    /// the underscores of M2M-100.
    ///
    /// # Errors
    /// If a language is named, and the model has no such languages or not this one.
    pub fn with_languages(
        mut self,
        source: Option<&str>,
        target: Option<&str>,
    ) -> Result<Self, ModelError> {
        if source.or(target).is_none() {
            return Ok(self);
        }
        let (tokenizer, target) = self.tokenizer.with_languages(source, target)?;
        let rules = &mut self.generation.control.rules;
        rules.forced_first = target.or(rules.forced_first);
        Ok(Checkpoint { tokenizer, ..self })
    }

    /// Returns notes on what the files of the checkpoint have and is not used (settings, and heads for other purposes),
    /// and on a language that they lack.
    pub fn notes(&self) -> Vec<String> {
        let control = self.control();
        let is_free = control.names_languages && control.rules.forced_first.is_none();
        let language = is_free.then(|| {
            "forced_bos_token_id names no target language: the model is free to write in any"
                .to_owned()
        });
        let notes = [self.model.notes(), self.generation.notes.clone()].concat();
        let of_pictures = self.processor.as_ref().and_then(Processor::note);
        let notes = notes.into_iter().chain(of_pictures);
        let of_languages = self.tokenizer.note().into_iter().chain(language);
        notes.chain(of_languages).collect()
    }

    /// Returns the tokens and rules that control generation.
    pub fn control(&self) -> &Control {
        &self.generation.control
    }

    /// Reads a part of a parameter from the device. `None` if the model has no such parameter, or the parameter no such
    /// part.
    ///
    /// # Errors
    /// If the device fails while it is read.
    pub async fn parameter(
        &self,
        parameter: Parameter,
        slice: Slice,
    ) -> Result<Option<Array>, ModelError> {
        let Some(matrix) = self.model.parameter(parameter) else {
            return Ok(None);
        };
        let [rows, columns] = matrix.dims();
        let part = match slice {
            Slice::Whole => matrix,
            Slice::Rows(from, to) if from < to && to <= rows => matrix.narrow(0, from, to - from),
            _ => return Ok(None),
        };
        let shape = vec![part.dims()[0], columns];
        let data = part
            .into_data_async()
            .await
            .map_err(|error| ModelError::Device(error.to_string()))?
            .try_into_vec::<f32>()
            .map_err(|error| ModelError::Device(format!("{error:?}")))?;
        Ok(Some(Array { shape, data }))
    }

    /// Opens a checkpoint in a directory, whose weights may be in shards, or a GGUF file. A GGUF model in several files is
    /// opened by the name of one of them, or of a directory with one such model and no other weights. A directory with
    /// `model.safetensors` and `pytorch_model.bin` has the weights of the former. A single device is named as it is.
    ///
    /// # Examples
    /// ```
    /// use std::path::Path;
    ///
    /// use attention_model::{checkpoint::Checkpoint, device};
    /// use attention_trace::AttentionKind;
    ///
    /// let folder = Path::new("../assets/models/positions/rope");
    /// let checkpoint = Checkpoint::open(folder, &device::cpu())?;
    /// let spec = checkpoint.spec();
    /// assert_eq!(spec.layers(AttentionKind::DecoderSelf), 2);
    /// assert_eq!(spec.heads(AttentionKind::DecoderSelf), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`load`](Self::load), and if a file is missing or cannot be read.
    #[cfg(feature = "tokenizers")]
    pub fn open(path: &std::path::Path, devices: impl Into<Devices>) -> Result<Self, ModelError> {
        let (files, tokenizer) = directory::read(path)?;
        match tokenizer {
            Some(tokenizer) => Self::with_tokenizer(&files, tokenizer, devices),
            None => Self::of_pictures(&files, devices),
        }
    }
}

/// Returns the prefixes of `task_specific_params` in `config.json`, as T5's checkpoints have them. Those without one, or
/// written otherwise, choose no task by their beginning.
fn tasks(config: &[u8]) -> Vec<Opening> {
    /// The part of `config.json`.
    #[derive(Default, Deserialize)]
    struct Tasks {
        #[serde(default)]
        task_specific_params: Map<String, Value>,
    }
    // `config.json` was read by the family: what fails here is this entry alone, which only offers beginnings.
    let Tasks {
        task_specific_params: tasks,
    } = serde_json::from_slice(config).unwrap_or_else(|_| Tasks::default());
    let openings = tasks.into_iter().filter_map(|(task, settings)| {
        let text = settings["prefix"]
            .as_str()
            .filter(|text| !text.is_empty())?;
        Some(Opening {
            text: text.to_owned(),
            chooses: Chosen::Task(task),
        })
    });
    openings.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_the_prefixes_of_the_configuration() {
        let config = br#"{"task_specific_params": {
            "summarization": {"num_beams": 4, "prefix": "summarize: "}, "other": {"prefix": ""}, "numbers": {"prefix": 7}
        }}"#;
        let summarise = Opening {
            text: "summarize: ".to_owned(),
            chooses: Chosen::Task("summarization".to_owned()),
        };
        assert_eq!(tasks(config), [summarise]);
        for without in [&b"{}"[..], br#"{"task_specific_params": null}"#] {
            assert_eq!(tasks(without), []);
        }
    }
}
