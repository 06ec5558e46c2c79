//! A checkpoint's files, read from the browser's storage or fetched, with progress.

use attention_engine::Host;
use attention_model::checkpoint::CheckpointFiles;
use attention_protocol::{
    Failure, OrLogged, PackedFile, Reply, RequestId, ServedFile, integrity,
    patience::{DOWNLOAD, within},
};
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{ReadableStreamDefaultReader, RequestCache, RequestInit, Response};

use crate::{
    browser::{self, Browser},
    packed::unpacked,
    storage::{Silent, Storage},
};

/// Loads the three files of the checkpoint at `base` and reports the progress to the page. The contents are checked
/// against the descriptions in `files`. `current` returns true as long as the files are still needed.
pub async fn checkpoint(
    id: RequestId,
    base: &str,
    files: Vec<ServedFile>,
    current: impl Fn() -> bool,
) -> Result<CheckpointFiles, Failure> {
    let known = |name: &str| files.iter().find(|file| file.name == name).cloned();
    let source = |name: &str| Source {
        url: known(name).map_or_else(|| format!("{base}{name}"), |file| file.url),
        file: known(name),
    };
    let (config, tokenizer) = (source("config.json"), source("tokenizer.json"));
    let weights = source("model.safetensors");
    let mut download = Download {
        id,
        storage: Storage::open().await,
        received_bytes: 0,
        total_bytes: None,
        current,
    };
    // All are asked for before the first is read.
    let begun_config = download.begin(&config).await;
    let begun_tokenizer = download.begin(&tokenizer).await;
    let begun_weights = download.begin(&weights).await;
    let sizes = [
        config.travels(begun_config.origin()),
        tokenizer.travels(begun_tokenizer.origin()),
        weights.travels(begun_weights.origin()),
    ];
    download.total_bytes = sizes.into_iter().sum();
    Ok(CheckpointFiles {
        config: download.finish(&config, begun_config).await?,
        tokenizer: download.finish(&tokenizer, begun_tokenizer).await?,
        weights: download.finish(&weights, begun_weights).await?.into(),
        // No model that is served has other files.
        ..CheckpointFiles::default()
    })
}

/// The addresses of a file and its description.
struct Source {
    url: String,
    file: Option<ServedFile>,
}

impl Source {
    fn packed(&self) -> Option<&PackedFile> {
        self.file.as_ref()?.packed.as_ref()
    }

    /// Returns the number of bytes to be read.
    fn travels(&self, origin: Origin) -> Option<u64> {
        match origin {
            Origin::Packed => Some(self.packed()?.bytes),
            Origin::Kept | Origin::Asked | Origin::AskedAnew => Some(self.file.as_ref()?.bytes),
        }
    }

    /// Requests the packed copy, if there is one, or the file.
    fn first(&self) -> Begun {
        match self.packed() {
            Some(packed) => Begun::AskedPacked(ask(&packed.url, RequestCache::Default)),
            None => Begun::Asked(ask(&self.url, RequestCache::Default)),
        }
    }

    fn failed(&self, error: &JsValue) -> Failure {
        self.refused(browser::describe(error))
    }

    fn refused(&self, reason: String) -> Failure {
        Failure::Download {
            url: self.url.clone(),
            reason,
        }
    }

    fn stalled(&self) -> Failure {
        Failure::Stalled {
            url: self.url.clone(),
            silent_s: DOWNLOAD.as_secs(),
        }
    }
}

/// A request for a file that has begun.
enum Begun {
    /// A copy in the browser's storage.
    Kept(Response),
    /// The packed copy, from the network or the browser's HTTP cache.
    AskedPacked(JsFuture),
    /// The file, from the network or the browser's HTTP cache.
    Asked(JsFuture),
    /// The file, from the network without the HTTP cache.
    AskedAnew(JsFuture),
}

impl Begun {
    fn origin(&self) -> Origin {
        match self {
            Begun::Kept(_) => Origin::Kept,
            Begun::AskedPacked(_) => Origin::Packed,
            Begun::Asked(_) => Origin::Asked,
            Begun::AskedAnew(_) => Origin::AskedAnew,
        }
    }
}

/// The variant of [`Begun`] without the request itself.
#[derive(Clone, Copy)]
enum Origin {
    Kept,
    Packed,
    Asked,
    AskedAnew,
}

struct Download<F> {
    id: RequestId,
    storage: Option<Storage>,
    received_bytes: u64,
    total_bytes: Option<u64>,
    current: F,
}

impl<F: Fn() -> bool> Download<F> {
    async fn begin(&mut self, source: &Source) -> Begun {
        // Only an address that changes with the contents may be answered out of the storage.
        if source.file.is_some()
            && let Some(storage) = &self.storage
        {
            match storage.find(&source.url).await {
                Ok(Some(response)) => return Begun::Kept(response),
                Ok(None) => {}
                // So it would keep nothing either.
                Err(Silent) => self.storage = None,
            }
        }
        source.first()
    }

    /// Returns the file's contents, as published. If a copy differs, breaks off or stalls, the file is requested again:
    /// first from the browser's storage, then as the packed copy, then from the HTTP cache. No copy is deleted before a
    /// better one has arrived: for a model that was trained here, there is no other.
    async fn finish(&mut self, source: &Source, mut begun: Begun) -> Result<Vec<u8>, Failure> {
        let before_bytes = self.received_bytes;
        loop {
            let origin = begun.origin();
            let response = match begun {
                Begun::Kept(response) => Ok(response),
                Begun::AskedPacked(asked) | Begun::Asked(asked) | Begun::AskedAnew(asked) => {
                    answered(source, asked).await
                }
            };
            self.received_bytes = before_bytes;
            let read = match response {
                Ok(response) => self.read(source, &response, origin).await,
                Err(failure) => Err(failure),
            };
            let bytes = match (read, origin) {
                (Err(Failure::Cancelled), _) => return Err(Failure::Cancelled),
                // A copy that breaks off is as good as none.
                (Err(_), Origin::Kept) => {
                    begun = source.first();
                    continue;
                }
                (Err(_), Origin::Packed) => {
                    begun = self.ask_unpacked(source);
                    continue;
                }
                (read, _) => read?,
            };
            let Some(file) = &source.file else {
                return Ok(bytes);
            };
            // In the browser's own memory, where it can be digested beside us, and kept.
            let copy = Uint8Array::from(bytes.as_slice());
            begun = match (integrity::fault(file, &copy).await, origin) {
                (None, Origin::Kept) => return Ok(bytes),
                (None, Origin::Packed | Origin::Asked | Origin::AskedAnew) => {
                    self.keep(source, copy);
                    return Ok(bytes);
                }
                (Some(_), Origin::Kept) => source.first(),
                (Some(_), Origin::Packed) => self.ask_unpacked(source),
                (Some(_), Origin::Asked) => {
                    Begun::AskedAnew(ask(&source.url, RequestCache::Reload))
                }
                (Some(reason), Origin::AskedAnew) => return Err(Failure::Checkpoint { reason }),
            };
        }
    }

    /// Stores a copy without waiting for the storage.
    fn keep(&self, source: &Source, copy: Uint8Array) {
        if let Some(storage) = self.storage.clone() {
            let url = source.url.clone();
            spawn_local(async move {
                // Where there is no room, the file is downloaded again the next time.
                storage.keep(&url, &copy).await.or_logged("storing a file");
            });
        }
    }

    /// Requests the file instead of its packed copy, which increases the size of the download.
    fn ask_unpacked(&mut self, source: &Source) -> Begun {
        let more = |packed: &PackedFile| Some(source.travels(Origin::Asked)? - packed.bytes);
        let more = source.packed().and_then(more).unwrap_or(0);
        self.total_bytes = self.total_bytes.map(|total| total + more);
        Begun::Asked(ask(&source.url, RequestCache::Default))
    }

    /// Reads the body of a response into memory.
    async fn read(
        &mut self,
        source: &Source,
        response: &Response,
        origin: Origin,
    ) -> Result<Vec<u8>, Failure> {
        let length_bytes = source.travels(origin).or_else(|| length_bytes(response));
        let total_bytes = self
            .total_bytes
            .or_else(|| length_bytes.map(|length| self.received_bytes + length));
        let stream = response
            .body()
            .ok_or_else(|| source.refused("no body".to_owned()))?;
        let reader: ReadableStreamDefaultReader = stream.get_reader().unchecked_into();
        let mut bytes = Vec::with_capacity(length_bytes.unwrap_or(0) as usize);
        while let Some(chunk) = next_chunk(source, &reader).await? {
            if !(self.current)() {
                cancel(&reader);
                return Err(Failure::Cancelled);
            }
            let start = bytes.len();
            bytes.resize(start + chunk.length() as usize, 0);
            chunk.copy_to(&mut bytes[start..]);
            self.received_bytes += u64::from(chunk.length());
            let progress = Reply::Progress {
                received_bytes: self.received_bytes,
                total_bytes,
            };
            Browser.post(self.id, progress, None);
        }
        match origin {
            Origin::Packed => unpacked(&bytes)
                .await
                .map_err(|error| source.failed(&error)),
            Origin::Kept | Origin::Asked | Origin::AskedAnew => Ok(bytes),
        }
    }
}

/// Sends the request at once, before its answer is awaited.
fn ask(url: &str, cache: RequestCache) -> JsFuture {
    let options = RequestInit::new();
    options.set_cache(cache);
    browser::scope()
        .fetch_with_str_and_init(url, &options)
        .into()
}

async fn answered(source: &Source, asked: JsFuture) -> Result<Response, Failure> {
    let answer = within(DOWNLOAD, asked).await;
    let answer = answer.ok_or_else(|| source.stalled())?;
    let response: Response = answer
        .map_err(|error| source.failed(&error))?
        .unchecked_into();
    if response.ok() {
        Ok(response)
    } else {
        Err(source.refused(format!("HTTP {}", response.status())))
    }
}

/// Returns the length of the decompressed body, if the server gives it: `Content-Length` of a compressed body counts
/// the compressed bytes.
fn length_bytes(response: &Response) -> Option<u64> {
    let header = |name| {
        response
            .headers()
            .get(name)
            .or_logged("reading a header")
            .flatten()
    };
    match header("content-encoding") {
        Some(encoding) if encoding != "identity" => None,
        _ => header("content-length")?.parse().ok(),
    }
}

/// Ends a download that nobody reads on.
fn cancel(reader: &ReadableStreamDefaultReader) {
    let cancelled = reader.cancel();
    spawn_local(async move {
        JsFuture::from(cancelled)
            .await
            .or_logged("cancelling a download");
    });
}

/// Returns the next part of a body; `None` at its end.
async fn next_chunk(
    source: &Source,
    reader: &ReadableStreamDefaultReader,
) -> Result<Option<Uint8Array>, Failure> {
    let Some(read) = within(DOWNLOAD, JsFuture::from(reader.read())).await else {
        cancel(reader);
        return Err(source.stalled());
    };
    let part = || {
        let result = read?;
        let is_last = Reflect::get(&result, &"done".into())?.is_truthy();
        let value = Reflect::get(&result, &"value".into())?;
        Ok((!is_last).then(|| value.unchecked_into()))
    };
    part().map_err(|error| source.failed(&error))
}
