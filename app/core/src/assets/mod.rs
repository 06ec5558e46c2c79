//! Files of this build, as listed in the manifest that the build wrote into the page.

pub mod deployment;
pub mod download;
pub mod saving;
pub mod storage;

use attention_protocol::{OrLogged, PackedFile, ServedFile};
use js_sys::{Function, JSON, Promise, Reflect};
use leptos::prelude::{document, window};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

/// Names of a checkpoint's files in its directory.
pub const CHECKPOINT: [&str; 3] = ["config.json", "tokenizer.json", "model.safetensors"];

/// Returns the address of the file with this name in the repository, relative to the page; without a manifest, the name
/// itself.
pub fn address(name: &str) -> String {
    described(name)
        .and_then(|file| text(&file, "path"))
        .unwrap_or_else(|| name.to_owned())
}

/// Returns the absolute address, for a worker, which resolves relative addresses against its own script.
pub fn absolute(address: &str) -> String {
    document()
        .base_uri()
        .or_logged("reading the page's address")
        .flatten()
        .and_then(|base| {
            web_sys::Url::new_with_base(address, &base).or_logged("resolving an address")
        })
        .map_or_else(|| address.to_owned(), |url| url.href())
}

/// Returns the manifest's files of the checkpoint in `directory`, which ends in `/`.
pub fn checkpoint(directory: &str) -> Vec<ServedFile> {
    let files = CHECKPOINT.into_iter().filter_map(|name| {
        let file = described(&format!("{directory}{name}"))?;
        Some(ServedFile {
            name: name.to_owned(),
            url: absolute(&text(&file, "path")?),
            bytes: field(&file, "bytes")?.as_f64()? as u64,
            sha256: text(&file, "sha256")?,
            packed: described(&format!("{directory}{name}.packed")).and_then(|packed| {
                Some(PackedFile {
                    url: absolute(&text(&packed, "path")?),
                    bytes: field(&packed, "bytes")?.as_f64()? as u64,
                })
            }),
        })
    });
    files.collect()
}

/// Fetches the file with this name in the repository from the server.
///
/// # Errors
/// The error message of the browser or the server.
pub async fn fetch(name: &str) -> Result<Response, JsValue> {
    let answer = answered(&address(name)).await;
    if answer.is_err() {
        deployment::look();
    }
    answer
}

/// Makes the browser fetch its copy of a script and of everything the script refers to anew, if the copy differs from
/// what was published. Called after the script's program has failed, so that a second try starts the right files.
pub async fn mend(script: &str) {
    if let Some(Ok(mended)) = call_mending("mend", script) {
        JsFuture::from(mended)
            .await
            .or_logged("fetching a script anew");
    }
}

/// Calls a function of `assets/mending.js`; `None` if the browser could not load that file.
fn call_mending(function: &str, argument: &str) -> Option<Result<Promise, JsValue>> {
    let function =
        Reflect::get(&window(), &JsValue::from_str(function)).or_logged("finding mending.js")?;
    let function: Function = function.dyn_into().ok()?;
    let called = function.call1(&JsValue::UNDEFINED, &JsValue::from_str(argument));
    Some(called.map(Promise::from))
}

async fn answered(address: &str) -> Result<Response, JsValue> {
    let asked = match call_mending("published", address) {
        Some(asked) => asked?,
        None => window().fetch_with_str(address),
    };
    let response: Response = JsFuture::from(asked).await?.dyn_into()?;
    if !response.ok() {
        let status = format!("{}: {}", address, response.status());
        return Err(JsValue::from_str(&status));
    }
    Ok(response)
}

/// Fetches a file as text, as [`fetch`] does.
///
/// # Errors
/// The same as those of `fetch`.
pub async fn fetch_text(name: &str) -> Result<String, JsValue> {
    let text = JsFuture::from(fetch(name).await?.text()?).await?;
    Ok(text.as_string().unwrap_or_default())
}

/// Returns the version that identifies this build; `None` without a manifest.
pub fn version() -> Option<String> {
    text(&manifest()?, "version")
}

/// Returns a field of the manifest's `edition`: `number`, `date`, `source` or `contact`. `None` if the build did not
/// know it.
pub fn edition(name: &str) -> Option<String> {
    text(&field(&manifest()?, "edition")?, name)
}

/// True if this build has a file of this name in the repository.
pub fn is_served(name: &str) -> bool {
    described(name).is_some()
}

fn described(name: &str) -> Option<JsValue> {
    field(&field(&manifest()?, "files")?, name)
}

/// The manifest, read once: it is 40 kB of text, and each run asks for the addresses of some files.
fn manifest() -> Option<JsValue> {
    thread_local! {
        static MANIFEST: Option<JsValue> = read_manifest();
    }
    MANIFEST.with(Clone::clone)
}

fn read_manifest() -> Option<JsValue> {
    let text = document().get_element_by_id("manifest")?.text_content()?;
    JSON::parse(&text).or_logged("reading the manifest")
}

fn text(holder: &JsValue, name: &str) -> Option<String> {
    field(holder, name)?.as_string()
}

fn field(holder: &JsValue, name: &str) -> Option<JsValue> {
    let value = Reflect::get(holder, &JsValue::from_str(name)).or_logged("reading the manifest")?;
    (!value.is_undefined()).then_some(value)
}
