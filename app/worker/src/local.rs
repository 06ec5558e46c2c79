//! Files from the visitor's disk that are read in place: each part when it is needed, and without waiting.

use std::cell::Cell;
use std::io;
use std::rc::Rc;

use attention_engine::{Host, failure::Unreadable};
use attention_model::checkpoint::Source;
use attention_protocol::{FilesFault, Reply, RequestId};
use js_sys::{ArrayBuffer, Uint8Array};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use web_sys::{Blob, File};

use crate::browser::{self, Browser};

/// The bytes between two reports to the page.
const REPORT_BYTES: u64 = 4 << 20;

#[wasm_bindgen]
extern "C" {
    /// The reader of files in workers that does not wait for the event loop.
    type FileReaderSync;

    #[wasm_bindgen(constructor, catch)]
    fn new() -> Result<FileReaderSync, JsValue>;

    #[wasm_bindgen(method, catch, js_name = readAsArrayBuffer)]
    fn read(this: &FileReaderSync, part: &Blob) -> Result<ArrayBuffer, JsValue>;
}

/// The bytes that have been read of a checkpoint's files.
pub struct Progress {
    id: RequestId,
    read_bytes: Cell<u64>,
    reported_bytes: Cell<u64>,
    total_bytes: u64,
}

impl Progress {
    /// Creates the progress of a request in which `total_bytes` are read.
    pub fn new(id: RequestId, total_bytes: u64) -> Rc<Self> {
        Rc::new(Progress {
            id,
            read_bytes: Cell::new(0),
            reported_bytes: Cell::new(0),
            total_bytes,
        })
    }

    /// Counts bytes, and reports to the page: the first at once, then now and then.
    pub fn count(&self, bytes: u64) {
        // Headers are read more than once.
        let read = (self.read_bytes.get() + bytes).min(self.total_bytes);
        self.read_bytes.set(read);
        let news = read - self.reported_bytes.get();
        let is_first = self.reported_bytes.get() == 0;
        let is_due = is_first || news >= REPORT_BYTES || read == self.total_bytes;
        if news > 0 && is_due {
            self.reported_bytes.set(read);
            let progress = Reply::Progress {
                received_bytes: read,
                total_bytes: Some(self.total_bytes),
            };
            Browser.post(self.id, progress, None);
        }
    }
}

/// A file from the visitor's disk.
pub struct LocalFile {
    name: String,
    file: Blob,
    reader: FileReaderSync,
    progress: Rc<Progress>,
}

impl LocalFile {
    /// Creates one for a file that is known by `role` if it has no name. `None` where the browser reads no files without
    /// waiting.
    pub fn new(role: &str, file: &Blob, progress: &Rc<Progress>) -> Option<Self> {
        Some(LocalFile {
            name: name_of(role, file),
            file: file.clone(),
            // The file is read whole instead.
            reader: FileReaderSync::new().ok()?,
            progress: Rc::clone(progress),
        })
    }

    fn copy(&self, start: u64, to: &mut [u8]) -> Result<(), JsValue> {
        let end = start + to.len() as u64;
        let part = self.file.slice_with_f64_and_f64(start as f64, end as f64)?;
        let buffer = self.reader.read(&part)?;
        let bytes = Uint8Array::new(&buffer);
        if bytes.length() as usize != to.len() {
            return Err("it has become shorter".into());
        }
        bytes.copy_to(to);
        Ok(())
    }
}

impl Source for LocalFile {
    fn length(&self) -> u64 {
        self.file.size() as u64
    }

    fn read(&self, start: u64, buffer: &mut [u8]) -> io::Result<()> {
        let copied = self.copy(start, buffer);
        copied.map_err(|error| {
            io::Error::other(Unreadable(FilesFault::Unreadable {
                name: self.name.clone(),
                reason: browser::describe(&error),
            }))
        })?;
        self.progress.count(buffer.len() as u64);
        Ok(())
    }
}

/// Returns the name of a file, or its role in the checkpoint if it has none.
pub fn name_of(role: &str, file: &Blob) -> String {
    let file = file.dyn_ref::<File>();
    file.map_or_else(|| role.to_owned(), File::name)
}
