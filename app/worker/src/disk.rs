//! The files of a checkpoint from the visitor's disk. Weights are read in place while the model is loaded, the others
//! before.

use std::rc::Rc;

use attention_chat::ChatFiles;
use attention_engine::failure;
use attention_model::checkpoint::{
    CheckpointFiles, WeightsFile,
    shards::{Joined, LENGTH_BYTES, joined_beginning},
};
use attention_model::picture::PREPROCESSOR_FILE;
use attention_model::tokenizer::marian::MarianFiles;
use attention_protocol::{Failure, FilesFault, RequestId, TOKENIZER, tokenizer_files};
use js_sys::{ArrayBuffer, JSON, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

use crate::{
    browser,
    local::{LocalFile, Progress, name_of},
    stream::Streams,
};

/// The number of bytes read at once: the memory that a file occupies in the browser outside WebAssembly.
const PART_BYTES: u64 = 8 << 20;

/// The role of a GGUF file, which holds a whole checkpoint.
const GGUF: &str = "model.gguf";
/// The role of the weights, and of each part of weights in several files.
const WEIGHTS: &str = "model.safetensors";
/// The role of weights as PyTorch stores them.
const PYTORCH: &str = "pytorch_model.bin";

/// Reads the files, which are in the order of `names`, and reports the progress to the page. Weights are read `loads` times
/// when the model is loaded. `current` returns true as long as the files are still needed.
pub async fn checkpoint(
    id: RequestId,
    names: &[String],
    files: &[Blob],
    loads: u64,
    current: impl Fn() -> bool,
) -> Result<Read, Failure> {
    let is_weights = |name: &str| [GGUF, WEIGHTS, PYTORCH].contains(&name);
    let sizes = names
        .iter()
        .zip(files)
        .map(|(name, file)| match is_weights(name) {
            true => loads * bytes_of(file),
            false => bytes_of(file),
        });
    let reading = Reading {
        progress: Progress::new(id, sizes.sum()),
        current,
    };
    let found = |name: &str| {
        let mut named = names.iter().zip(files);
        named
            .find(|(known, _)| *known == name)
            .map(|(_, file)| file)
    };
    if let Some(file) = found(GGUF) {
        let weights = reading.weights(GGUF, file).await?;
        let files = CheckpointFiles::from_gguf(weights).map_err(failure::from_model)?;
        let streams = Streams::new(0).map(|streams| streams.with(GGUF, file, 0));
        return Ok(reading.with(files, streams));
    }
    let generation = match found("generation_config.json") {
        Some(file) => Some(reading.json("generation_config.json", Some(file)).await?),
        None => None,
    };
    let mut chat = ChatFiles::default();
    for (name, contents) in [
        ("tokenizer_config.json", &mut chat.tokenizer_config),
        ("chat_template.jinja", &mut chat.template),
    ] {
        if let Some(file) = found(name) {
            *contents = Some(reading.contents(name, Some(file)).await?);
        }
    }
    let config = reading.json("config.json", found("config.json"));
    let config = config.await?;
    let mut read = CheckpointFiles {
        config,
        generation,
        chat,
        ..CheckpointFiles::default()
    };
    match tokenizer_files(|name| found(name).is_some()) {
        _ if read.reads_pictures() => {}
        &[source, target, vocabulary, ref separate @ ..] => {
            let mut files = MarianFiles {
                source: reading.contents(source, found(source)).await?,
                target: reading.contents(target, found(target)).await?,
                vocabulary: reading.json(vocabulary, found(vocabulary)).await?,
                target_vocabulary: None,
            };
            if let Some(name) = separate.first() {
                files.target_vocabulary = Some(reading.json(name, found(name)).await?);
            }
            read.marian = Some(files);
        }
        _ => read.tokenizer = reading.json(TOKENIZER, found(TOKENIZER)).await?,
    }
    if let Some(file) = found(PREPROCESSOR_FILE) {
        read.preprocessor = Some(reading.json(PREPROCESSOR_FILE, Some(file)).await?);
    }
    let named = names.iter().zip(files);
    let parts: Vec<&Blob> = named
        .filter(|(name, _)| *name == WEIGHTS)
        .map(|(_, file)| file)
        .collect();
    let (weights, streams) = match parts.as_slice() {
        [_, _, ..] => reading.joined(&parts).await?,
        [only] => reading.whole(WEIGHTS, only).await?,
        [] => match found(PYTORCH) {
            Some(file) => reading.whole(PYTORCH, file).await?,
            None => return Err(missing(WEIGHTS)),
        },
    };
    read.weights = weights;
    Ok(reading.with(read, streams))
}

/// The files of a checkpoint.
pub struct Read {
    /// The files. The weights are read when they are needed.
    pub files: CheckpointFiles,
    /// The weights, read ahead; `None` where the browser cannot do that.
    pub ahead: Option<ReadAhead>,
}

/// Weights that are read ahead, and what is told of it.
pub struct ReadAhead {
    pub streams: Streams,
    pub progress: Rc<Progress>,
}

struct Reading<F> {
    progress: Rc<Progress>,
    current: F,
}

impl<F: Fn() -> bool> Reading<F> {
    /// Reads the contents of a file that must be JSON.
    async fn json(&self, name: &str, file: Option<&Blob>) -> Result<Vec<u8>, Failure> {
        let contents = self.contents(name, file).await?;
        match JSON::parse(&String::from_utf8_lossy(&contents)) {
            Ok(_) => Ok(contents),
            Err(error) => Err(faulty(FilesFault::Json {
                name: name.to_owned(),
                reason: browser::describe(&error),
            })),
        }
    }

    async fn contents(&self, name: &str, file: Option<&Blob>) -> Result<Vec<u8>, Failure> {
        let file = file.ok_or_else(|| missing(name))?;
        let length = bytes_of(file);
        let mut contents = room_for(length)?;
        self.append(name, file, &mut contents).await?;
        Ok(contents)
    }

    fn with(self, files: CheckpointFiles, streams: Option<Streams>) -> Read {
        let progress = self.progress;
        let ahead = streams.map(|streams| ReadAhead { streams, progress });
        Read { files, ahead }
    }

    /// Returns the weights of one file, and its stream.
    async fn whole(
        &self,
        name: &str,
        file: &Blob,
    ) -> Result<(WeightsFile, Option<Streams>), Failure> {
        let streams = Streams::new(0).map(|streams| streams.with(name, file, 0));
        Ok((self.weights(name, file).await?, streams))
    }

    /// Returns weights that are read in place, or their bytes where the browser cannot do that.
    async fn weights(&self, name: &str, file: &Blob) -> Result<WeightsFile, Failure> {
        match LocalFile::new(name, file, &self.progress) {
            Some(file) => Ok(WeightsFile::new(file)),
            None => Ok(self.contents(name, Some(file)).await?.into()),
        }
    }

    /// Returns weights in several files as those of one.
    async fn joined(&self, parts: &[&Blob]) -> Result<(WeightsFile, Option<Streams>), Failure> {
        let unfit = |reason: String| faulty(FilesFault::Unfit { reason });
        let mut headers = Vec::new();
        for part in parts {
            let first = self.piece(part, 0, LENGTH_BYTES).await?;
            let length = <[u8; 8]>::try_from(first.as_slice()).map(u64::from_le_bytes);
            let length = length.map_err(|_| unfit("a part of the weights is empty".to_owned()))?;
            let end = length
                .checked_add(LENGTH_BYTES)
                .filter(|&end| end <= bytes_of(part));
            let end = end.ok_or_else(|| unfit("a part of the weights has no header".to_owned()))?;
            let header = self.piece(part, LENGTH_BYTES, end).await?;
            headers.push((header, bytes_of(part) - end));
        }
        let beginning = joined_beginning(&headers).map_err(|error| unfit(error.to_string()))?;
        let mut streams = Streams::new(beginning.len() as u64);
        let mut joined = Joined::new(beginning.into());
        for (part, (header, bytes)) in parts.iter().zip(&headers) {
            let from = LENGTH_BYTES + header.len() as u64;
            joined.push(self.weights(WEIGHTS, part).await?, from, *bytes);
            streams = streams.map(|streams| streams.with(WEIGHTS, part, from));
        }
        Ok((WeightsFile::new(joined), streams))
    }

    /// Reads a piece of a part of the weights.
    async fn piece(&self, file: &Blob, from: u64, to: u64) -> Result<Vec<u8>, Failure> {
        let piece = part_of(file, from, to).await;
        let piece = piece.map_err(|error| unreadable(WEIGHTS, file, &error))?;
        Ok(piece.to_vec())
    }

    /// Appends the contents of a file.
    async fn append(&self, name: &str, file: &Blob, contents: &mut Vec<u8>) -> Result<(), Failure> {
        let length = bytes_of(file);
        let mut at = 0;
        while at < length {
            let part = part_of(file, at, length.min(at + PART_BYTES)).await;
            let part = part.map_err(|error| unreadable(name, file, &error))?;
            if !(self.current)() {
                return Err(Failure::Cancelled);
            }
            if part.length() == 0 {
                let shorter = JsValue::from_str("it has become shorter");
                return Err(unreadable(name, file, &shorter));
            }
            at += u64::from(part.length());
            let start = contents.len();
            contents.resize(start + part.length() as usize, 0);
            part.copy_to(&mut contents[start..]);
            self.progress.count(u64::from(part.length()));
        }
        Ok(())
    }
}

fn missing(name: &str) -> Failure {
    faulty(FilesFault::Missing {
        names: vec![name.to_owned()],
        instead: vec![],
    })
}

fn unreadable(role: &str, file: &Blob, error: &JsValue) -> Failure {
    faulty(FilesFault::Unreadable {
        name: name_of(role, file),
        reason: browser::describe(error),
    })
}

/// Returns an empty vector with room for the given number of bytes.
fn room_for(bytes: u64) -> Result<Vec<u8>, Failure> {
    let too_large = || {
        faulty(FilesFault::TooLarge {
            bytes,
            limit: isize::MAX as u64,
        })
    };
    let mut room = Vec::new();
    let length = usize::try_from(bytes).map_err(|_| too_large())?;
    room.try_reserve_exact(length).map_err(|_| too_large())?;
    Ok(room)
}

async fn part_of(file: &Blob, from: u64, to: u64) -> Result<Uint8Array, JsValue> {
    let part = file.slice_with_f64_and_f64(from as f64, to as f64)?;
    let buffer: ArrayBuffer = JsFuture::from(part.array_buffer()).await?.dyn_into()?;
    Ok(Uint8Array::new(&buffer))
}

fn bytes_of(file: &Blob) -> u64 {
    file.size() as u64
}

fn faulty(fault: FilesFault) -> Failure {
    Failure::Files { fault }
}
