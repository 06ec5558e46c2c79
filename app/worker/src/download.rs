//! Fetching a checkpoint's files, with progress.

use attention_model::checkpoint::CheckpointFiles;
use attention_protocol::{Failure, Reply, RequestId};
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{ReadableStreamDefaultReader, Response};

use crate::browser;

/// Fetches the three files of the checkpoint at `base`, telling the page how far it has come.
/// `current` says whether anyone still waits for them.
pub async fn checkpoint(
    id: RequestId,
    base: &str,
    current: impl Fn() -> bool,
) -> Result<CheckpointFiles, Failure> {
    let mut download = Download {
        id,
        received_bytes: 0,
        current,
    };
    // The small ones first: once they are whole, the total needs only the large one's length.
    let config = download.file(&format!("{base}config.json")).await?;
    let tokenizer = download.file(&format!("{base}tokenizer.json")).await?;
    let weights = download.file(&format!("{base}model.safetensors")).await?;
    Ok(CheckpointFiles {
        config,
        weights,
        tokenizer,
    })
}

struct Download<F> {
    id: RequestId,
    received_bytes: u64,
    current: F,
}

impl<F: Fn() -> bool> Download<F> {
    async fn file(&mut self, url: &str) -> Result<Vec<u8>, Failure> {
        let failed = |reason: String| Failure::Download {
            url: url.to_owned(),
            reason,
        };
        let broken = |error: JsValue| failed(describe(&error));
        let response = JsFuture::from(browser::scope().fetch_with_str(url))
            .await
            .map_err(broken)?;
        let response: Response = response.unchecked_into();
        if !response.ok() {
            return Err(failed(format!("HTTP {}", response.status())));
        }
        let length_bytes = length_bytes(&response);
        let total_bytes = length_bytes.map(|length| self.received_bytes + length);
        let stream = response
            .body()
            .ok_or_else(|| failed("no body".to_owned()))?;
        let reader: ReadableStreamDefaultReader = stream.get_reader().unchecked_into();
        let mut bytes = Vec::with_capacity(length_bytes.unwrap_or(0) as usize);
        while let Some(chunk) = next_chunk(&reader).await.map_err(broken)? {
            if !(self.current)() {
                // The outcome of cancelling does not matter: nobody reads on.
                let _ = reader.cancel();
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
            browser::post(self.id, progress, None);
        }
        Ok(bytes)
    }
}

/// The body's length once decompressed, where the server says it: a compressed body's
/// `Content-Length` counts what travels.
fn length_bytes(response: &Response) -> Option<u64> {
    let header = |name| response.headers().get(name).ok().flatten();
    match header("content-encoding") {
        Some(encoding) if encoding != "identity" => None,
        _ => header("content-length")?.parse().ok(),
    }
}

/// The next part of a body; `None` at its end.
async fn next_chunk(reader: &ReadableStreamDefaultReader) -> Result<Option<Uint8Array>, JsValue> {
    let result = JsFuture::from(reader.read()).await?;
    let done = Reflect::get(&result, &"done".into())?.is_truthy();
    if done {
        return Ok(None);
    }
    Ok(Some(
        Reflect::get(&result, &"value".into())?.unchecked_into(),
    ))
}

/// What a JavaScript error says.
fn describe(error: &JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.message()),
        None => format!("{error:?}"),
    }
}
