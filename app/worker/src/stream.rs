//! The bytes of files from the visitor's disk in the order of the file, read into one buffer. A reader that returns a buffer for
//! each part leaves garbage as large as the file, since little is collected while a model is loaded.

use attention_protocol::{FilesFault, OrLogged};
use js_sys::{Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::Blob;

use crate::browser;
use crate::local::name_of;

/// The length of the buffer in bytes.
const BUFFER_BYTES: u32 = 1 << 20;

#[wasm_bindgen]
extern "C" {
    /// A file whose contents come as a stream.
    #[wasm_bindgen(extends = Blob)]
    type Streamed;

    #[wasm_bindgen(method, catch)]
    fn stream(this: &Streamed) -> Result<ByteStream, JsValue>;

    /// A stream of bytes.
    type ByteStream;

    #[wasm_bindgen(method, catch, js_name = getReader)]
    fn get_reader(this: &ByteStream, options: &Object) -> Result<ByteReader, JsValue>;

    /// A reader that fills a buffer of its caller.
    type ByteReader;

    #[wasm_bindgen(method, catch)]
    fn read(this: &ByteReader, view: &Uint8Array) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn cancel(this: &ByteReader) -> Result<Promise, JsValue>;
}

/// A part of a file, as a part of the weights.
#[derive(Clone)]
struct Part {
    name: String,
    file: Blob,
    /// The position of its first byte in the file.
    from: u64,
    /// The position of its first byte in the weights.
    to: u64,
    bytes: u64,
}

/// The files of weights, which are read forwards.
pub struct Streams {
    parts: Vec<Part>,
    length: u64,
    open: Option<Open>,
    /// The buffer, while no reader has it.
    buffer: Uint8Array,
}

/// A stream that is read.
struct Open {
    reader: ByteReader,
    /// The position in the weights that it has come to.
    at: u64,
    /// The position in the weights where it ends.
    end: u64,
    name: String,
    has_failed: bool,
}

impl Drop for Open {
    fn drop(&mut self) {
        // One that has ended or failed has nothing left to be read.
        if self.has_failed || self.at == self.end {
            return;
        }
        if let Some(cancelled) = self.reader.cancel().or_logged("cancelling a stream") {
            spawn_local(async move {
                JsFuture::from(cancelled)
                    .await
                    .or_logged("cancelling a stream");
            });
        }
    }
}

impl Streams {
    /// Creates the streams of weights that begin with so many bytes that no file has. `None` where browsers have no such
    /// readers.
    pub fn new(beginning: u64) -> Option<Self> {
        // Without one of the two the file is read in another way.
        let empty: Streamed = Blob::new().ok()?.unchecked_into();
        // As above.
        reader_of(&empty).ok()?;
        Some(Streams {
            parts: vec![],
            length: beginning,
            open: None,
            buffer: Uint8Array::new_with_length(BUFFER_BYTES),
        })
    }

    /// Appends a file from a position on. `role` is its name if it has no other.
    #[must_use]
    pub fn with(mut self, role: &str, file: &Blob, from: u64) -> Self {
        let bytes = (file.size() as u64).saturating_sub(from);
        self.parts.push(Part {
            name: name_of(role, file),
            file: file.clone(),
            from,
            to: self.length,
            bytes,
        });
        self.length += bytes;
        self
    }

    /// Replaces the contents of `bytes` by the bytes of the weights from `start` on, all of one file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub async fn read(
        &mut self,
        start: u64,
        count: u64,
        bytes: &mut Vec<u8>,
    ) -> Result<(), FilesFault> {
        bytes.clear();
        // Between tensors are a few bytes; a longer way is left out.
        let is_near = |open: &Open| {
            open.at <= start
                && start - open.at < u64::from(BUFFER_BYTES)
                && start + count <= open.end
        };
        if !self.open.as_ref().is_some_and(is_near) {
            self.open = Some(self.open_at(start)?);
        }
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        while (bytes.len() as u64) < count {
            let skipped = start.saturating_sub(open.at);
            let wanted = skipped + count - bytes.len() as u64;
            let view = self
                .buffer
                .subarray(0, wanted.min(BUFFER_BYTES.into()) as u32);
            let read = filled(&open.reader, &view).await;
            let read = read.map_err(|error| {
                open.has_failed = true;
                unreadable(&open.name, &error)
            })?;
            open.at += u64::from(read.length());
            let kept = read.subarray(skipped.min(u64::from(read.length())) as u32, read.length());
            let end = bytes.len();
            bytes.resize(end + kept.length() as usize, 0);
            kept.copy_to(&mut bytes[end..]);
            // The reader gives the memory back in another buffer.
            self.buffer = Uint8Array::new(&read.buffer());
        }
        Ok(())
    }

    fn open_at(&self, start: u64) -> Result<Open, FilesFault> {
        let mut parts = self.parts.iter();
        let part = parts.find(|part| (part.to..part.to + part.bytes).contains(&start));
        let part = part.ok_or_else(|| unreadable("", &"there is no such part".into()))?;
        let from = part.from + (start - part.to);
        let opened = || {
            let rest = part
                .file
                .slice_with_f64_and_f64(from as f64, (part.from + part.bytes) as f64)?;
            reader_of(rest.unchecked_ref())
        };
        Ok(Open {
            reader: opened().map_err(|error| unreadable(&part.name, &error))?,
            at: start,
            end: part.to + part.bytes,
            name: part.name.clone(),
            has_failed: false,
        })
    }
}

fn reader_of(file: &Streamed) -> Result<ByteReader, JsValue> {
    let options = Object::new();
    Reflect::set(&options, &"mode".into(), &"byob".into())?;
    file.stream()?.get_reader(&options)
}

/// Returns the part of a view that a reader has filled, on a buffer that is in the view's place.
async fn filled(reader: &ByteReader, view: &Uint8Array) -> Result<Uint8Array, JsValue> {
    let result = JsFuture::from(reader.read(view)?).await?;
    let value: Uint8Array = Reflect::get(&result, &"value".into())?.dyn_into()?;
    match value.length() {
        0 => Err("it has become shorter".into()),
        _ => Ok(value),
    }
}

fn unreadable(name: &str, error: &JsValue) -> FilesFault {
    FilesFault::Unreadable {
        name: name.to_owned(),
        reason: browser::describe(error),
    }
}
