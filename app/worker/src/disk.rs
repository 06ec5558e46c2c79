//! The files of a checkpoint from the visitor's disk, read a part at a time.

use attention_chat::ChatFiles;
use attention_model::checkpoint::{
    CheckpointFiles,
    shards::{LENGTH_BYTES, joined_beginning},
};
use attention_model::tokenizer::marian::MarianFiles;
use attention_protocol::{Failure, FilesFault, Reply, RequestId, TOKENIZER, tokenizer_files};
use js_sys::{ArrayBuffer, JSON, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

use crate::browser;

/// The number of bytes read at once: the memory that a file occupies in the browser outside WebAssembly.
const PART_BYTES: u64 = 8 << 20;

/// The role of a GGUF file, which holds a whole checkpoint.
const GGUF: &str = "model.gguf";
/// The role of the weights, and of each part of weights in several files.
const WEIGHTS: &str = "model.safetensors";
/// The role of weights as PyTorch stores them.
const PYTORCH: &str = "pytorch_model.bin";

/// Reads the files, which are in the order of `names`, and reports the progress to the page. `current` returns true as
/// long as the files are still needed.
pub async fn checkpoint(
    id: RequestId,
    names: &[String],
    files: &[Blob],
    current: impl Fn() -> bool,
) -> Result<CheckpointFiles, Failure> {
    let mut reading = Reading {
        id,
        read_bytes: 0,
        total_bytes: files.iter().map(bytes_of).sum(),
        current,
    };
    let found = |name: &str| {
        let mut named = names.iter().zip(files);
        named
            .find(|(known, _)| *known == name)
            .map(|(_, file)| file)
    };
    if let Some(file) = found(GGUF) {
        let contents = reading.contents(GGUF, Some(file)).await?;
        return CheckpointFiles::from_gguf(contents).map_err(|error| {
            let reason = error.to_string();
            faulty(FilesFault::Unfit { reason })
        });
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
    let mut tokenizer = vec![];
    let mut marian = None;
    match tokenizer_files(|name| found(name).is_some()) {
        &[source, target, vocabulary] => {
            marian = Some(MarianFiles {
                source: reading.contents(source, found(source)).await?,
                target: reading.contents(target, found(target)).await?,
                vocabulary: reading.json(vocabulary, found(vocabulary)).await?,
            });
        }
        _ => tokenizer = reading.json(TOKENIZER, found(TOKENIZER)).await?,
    }
    let named = names.iter().zip(files);
    let parts: Vec<&Blob> = named
        .filter(|(name, _)| *name == WEIGHTS)
        .map(|(_, file)| file)
        .collect();
    let weights = match parts.as_slice() {
        [] if found(PYTORCH).is_some() => reading.contents(PYTORCH, found(PYTORCH)).await?,
        [_, _, ..] => reading.joined(&parts).await?,
        parts => reading.contents(WEIGHTS, parts.first().copied()).await?,
    };
    Ok(CheckpointFiles {
        config,
        tokenizer,
        marian,
        generation,
        weights,
        chat,
    })
}

struct Reading<F> {
    id: RequestId,
    read_bytes: u64,
    total_bytes: u64,
    current: F,
}

impl<F: Fn() -> bool> Reading<F> {
    /// Reads the contents of a file that must be JSON.
    async fn json(&mut self, name: &str, file: Option<&Blob>) -> Result<Vec<u8>, Failure> {
        let contents = self.contents(name, file).await?;
        match JSON::parse(&String::from_utf8_lossy(&contents)) {
            Ok(_) => Ok(contents),
            Err(error) => Err(faulty(FilesFault::Json {
                name: name.to_owned(),
                reason: browser::describe(&error),
            })),
        }
    }

    async fn contents(&mut self, name: &str, file: Option<&Blob>) -> Result<Vec<u8>, Failure> {
        let file = file.ok_or_else(|| {
            faulty(FilesFault::Missing {
                names: vec![name.to_owned()],
                instead: vec![],
            })
        })?;
        let length = bytes_of(file);
        let mut contents = room_for(length)?;
        self.append(name, file, 0, &mut contents).await?;
        Ok(contents)
    }

    /// Reads weights in several files as one.
    async fn joined(&mut self, parts: &[&Blob]) -> Result<Vec<u8>, Failure> {
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
        let all: u64 = parts.iter().map(|part| bytes_of(part)).sum();
        let mut contents = room_for(all.saturating_add(beginning.len() as u64))?;
        contents.extend(beginning);
        for (part, (header, _)) in parts.iter().zip(&headers) {
            let from = LENGTH_BYTES + header.len() as u64;
            self.append(WEIGHTS, part, from, &mut contents).await?;
        }
        Ok(contents)
    }

    /// Reads a piece of a part of the weights.
    async fn piece(&self, file: &Blob, from: u64, to: u64) -> Result<Vec<u8>, Failure> {
        let piece = part_of(file, from, to).await;
        let piece = piece.map_err(|error| unreadable(WEIGHTS, &error))?;
        Ok(piece.to_vec())
    }

    /// Appends the contents of a file from a place on.
    async fn append(
        &mut self,
        name: &str,
        file: &Blob,
        from: u64,
        contents: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        let length = bytes_of(file);
        let mut at = from;
        while at < length {
            let part = part_of(file, at, length.min(at + PART_BYTES)).await;
            let part = part.map_err(|error| unreadable(name, &error))?;
            if !(self.current)() {
                return Err(Failure::Cancelled);
            }
            if part.length() == 0 {
                let shorter = JsValue::from_str("it has become shorter");
                return Err(unreadable(name, &shorter));
            }
            at += u64::from(part.length());
            let start = contents.len();
            contents.resize(start + part.length() as usize, 0);
            part.copy_to(&mut contents[start..]);
            self.read_bytes += u64::from(part.length());
            let progress = Reply::Progress {
                received_bytes: self.read_bytes,
                total_bytes: Some(self.total_bytes),
            };
            browser::post(self.id, progress, None);
        }
        Ok(())
    }
}

fn unreadable(name: &str, error: &JsValue) -> Failure {
    faulty(FilesFault::Unreadable {
        name: name.to_owned(),
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
