//! Files that the visitor chose or dropped, with their paths from the chosen folder.

use std::future::Future;

use attention_protocol::{FilesFault, OrLogged, integrity::describe};
use js_sys::{Array, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    DragEvent, File, FileList, FileSystemDirectoryEntry, FileSystemEntry, FileSystemFileEntry,
};

use super::Picked;

/// Returns the files of an input field, each with its path below the chosen folder, if one was chosen.
pub fn picked(files: &FileList) -> Vec<Picked> {
    let files = (0..files.length()).filter_map(|place| files.get(place));
    let with_path = |file: File| {
        let path = Reflect::get(&file, &JsValue::from_str("webkitRelativePath"));
        let path = path
            .or_logged("reading a file's path")
            .and_then(|path| path.as_string());
        Picked {
            path: path
                .filter(|path| !path.is_empty())
                .unwrap_or_else(|| file.name()),
            file,
        }
    };
    files.map(with_path).collect()
}

/// Returns the text of the only file, if `wants` its name; `None` for other files.
///
/// # Errors
/// If the browser cannot read the file.
pub async fn text_of_only(
    picked: &[Picked],
    wants: impl Fn(&str) -> bool,
) -> Option<Result<String, FilesFault>> {
    let [Picked { path, file }] = picked else {
        return None;
    };
    if !wants(path) {
        return None;
    }
    let text = JsFuture::from(file.text()).await;
    Some(match text {
        Ok(text) => Ok(text.as_string().unwrap_or_default()),
        Err(error) => Err(FilesFault::Unreadable {
            name: path.clone(),
            reason: describe(&error),
        }),
    })
}

/// True if the drag carries files and not a text.
pub fn holds_files(event: &DragEvent) -> bool {
    let types = event.data_transfer().map(|data| data.types());
    types.is_some_and(|types| types.includes(&JsValue::from_str("Files"), 0))
}

/// Returns the dropped files, and those of dropped folders. Files that cannot be read are left out, and logged.
pub fn dropped(event: &DragEvent) -> impl Future<Output = Vec<Picked>> + use<> {
    let mut folders: Vec<FileSystemDirectoryEntry> = Vec::new();
    let mut picked = Vec::new();
    if let Some(items) = event.data_transfer().map(|data| data.items()) {
        for item in (0..items.length()).filter_map(|place| items.get(place)) {
            let entry = item
                .webkit_get_as_entry()
                .or_logged("reading what was dropped")
                .flatten();
            let folder = entry.and_then(|entry| entry.dyn_into().ok());
            let file = item
                .get_as_file()
                .or_logged("reading what was dropped")
                .flatten();
            match (folder, file) {
                (Some(folder), _) => folders.push(folder),
                (None, Some(file)) => picked.push(Picked {
                    path: file.name(),
                    file,
                }),
                (None, None) => {}
            }
        }
    }
    async move {
        for folder in folders {
            for entry in files_in(&folder)
                .await
                .or_logged("reading a dropped folder")
                .unwrap_or_default()
            {
                picked.extend(file_of(&entry).await);
            }
        }
        picked
    }
}

/// Returns the direct entries of a folder; a checkpoint has no deeper ones.
async fn files_in(folder: &FileSystemDirectoryEntry) -> Result<Vec<FileSystemEntry>, JsValue> {
    let reader = folder.create_reader();
    let mut entries = Vec::new();
    // Browsers hand out a hundred at a time.
    loop {
        let next = Promise::new(&mut |resolve, reject| {
            let begun = reader.read_entries_with_callback_and_callback(&resolve, &reject);
            if let Err(error) = begun {
                reject
                    .call1(&JsValue::UNDEFINED, &error)
                    .or_logged("reading a dropped folder");
            }
        });
        let next: Array = JsFuture::from(next).await?.dyn_into()?;
        if next.length() == 0 {
            return Ok(entries);
        }
        entries.extend(next.iter().filter_map(|entry| entry.dyn_into().ok()));
    }
}

async fn file_of(entry: &FileSystemEntry) -> Option<Picked> {
    let own: &FileSystemFileEntry = entry.dyn_ref()?;
    let file = Promise::new(&mut |resolve, reject| {
        own.file_with_callback_and_callback(&resolve, &reject);
    });
    let file = JsFuture::from(file)
        .await
        .or_logged("reading a file of a dropped folder")?;
    Some(Picked {
        path: entry.full_path().trim_start_matches('/').to_owned(),
        file: file.dyn_into().ok()?,
    })
}
