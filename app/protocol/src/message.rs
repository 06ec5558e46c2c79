//! The messages as the browser transfers them: `{ id, header, buffer }`.

use js_sys::{Array, ArrayBuffer, Object, Promise, Reflect};
use serde::{Serialize, de::DeserializeOwned};
use thiserror::Error;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, DedicatedWorkerGlobalScope, MessageChannel, MessageEvent, Worker};

use crate::{OrLogged, RequestId};

/// The field of a message that holds its files.
const FILES: &str = "files";

/// A message: its number, its header and the large array that accompanies it.
#[derive(Debug)]
pub struct Message<T> {
    /// The number of the request, in a reply that of the answered request.
    pub id: RequestId,
    /// The header, serialised as JSON.
    pub body: T,
    /// The large array that accompanies the header.
    pub buffer: Option<ArrayBuffer>,
}

/// An error in sending or reading a message.
#[derive(Debug, Error)]
pub enum MessageError {
    /// The header could not be parsed.
    #[error("the message's header cannot be read: {0}")]
    Header(#[from] serde_json::Error),
    /// A field of the message is missing.
    #[error("the message lacks `{0}`")]
    Missing(&'static str),
    /// The browser refused to send it.
    #[error("the browser refused the message: {0:?}")]
    Refused(JsValue),
}

/// Sends a message to a worker.
///
/// # Errors
/// If the browser refuses it.
pub fn post_to_worker<T: Serialize>(
    worker: &Worker,
    message: Message<T>,
) -> Result<(), MessageError> {
    let (value, transfer) = pack(message)?;
    worker
        .post_message_with_transfer(&value, &transfer)
        .map_err(MessageError::Refused)
}

/// Sends a message to a worker, with files that it can read: their contents are not copied.
///
/// # Errors
/// If the browser refuses it.
pub fn post_files_to_worker<T: Serialize>(
    worker: &Worker,
    message: Message<T>,
    files: &[Blob],
) -> Result<(), MessageError> {
    let (value, transfer) = pack(message)?;
    attach(&value, files)?;
    worker
        .post_message_with_transfer(&value, &transfer)
        .map_err(MessageError::Refused)
}

/// Sends a message from a worker to its page, with files that the page can read: their contents are not copied.
///
/// # Errors
/// If the browser refuses it.
pub fn post_files_to_page<T: Serialize>(
    scope: &DedicatedWorkerGlobalScope,
    message: Message<T>,
    files: &[Blob],
) -> Result<(), MessageError> {
    let (value, transfer) = pack(message)?;
    attach(&value, files)?;
    scope
        .post_message_with_transfer(&value, &transfer)
        .map_err(MessageError::Refused)
}

fn attach(message: &JsValue, files: &[Blob]) -> Result<(), MessageError> {
    let files: Array = files.iter().collect();
    let attached = Reflect::set(message, &JsValue::from_str(FILES), &files);
    attached.map(drop).map_err(MessageError::Refused)
}

/// Returns the files carried by a message.
pub fn received_files(event: &MessageEvent) -> Vec<Blob> {
    let files = Reflect::get(&event.data(), &JsValue::from_str(FILES));
    let files = files
        .or_logged("reading the files of a message")
        .and_then(|files| files.dyn_into::<Array>().ok());
    let files = files.iter().flat_map(|files| files.iter());
    files.filter_map(|file| file.dyn_into().ok()).collect()
}

/// Sends a message from a worker to its page.
///
/// # Errors
/// If the browser refuses it.
pub fn post_to_page<T: Serialize>(
    scope: &DedicatedWorkerGlobalScope,
    message: Message<T>,
) -> Result<(), MessageError> {
    let (value, transfer) = pack(message)?;
    scope
        .post_message_with_transfer(&value, &transfer)
        .map_err(MessageError::Refused)
}

/// Reads a message that arrived.
///
/// # Errors
/// If the message does not have the form of this protocol.
pub fn receive<T: DeserializeOwned>(event: &MessageEvent) -> Result<Message<T>, MessageError> {
    let value = event.data();
    let field = |name: &'static str| {
        Reflect::get(&value, &JsValue::from_str(name)).map_err(|_| MessageError::Missing(name))
    };
    let id = field("id")?.as_f64().ok_or(MessageError::Missing("id"))? as RequestId;
    let header = field("header")?
        .as_string()
        .ok_or(MessageError::Missing("header"))?;
    let body = serde_json::from_str(&header)?;
    Ok(Message {
        id,
        body,
        buffer: field("buffer")?.dyn_into().ok(),
    })
}

fn pack<T: Serialize>(message: Message<T>) -> Result<(JsValue, Array), MessageError> {
    let value = Object::new();
    let transfer = Array::new();
    let set = |name: &str, field: &JsValue| {
        Reflect::set(&value, &JsValue::from_str(name), field).map_err(MessageError::Refused)
    };
    set("id", &JsValue::from_f64(f64::from(message.id)))?;
    set(
        "header",
        &JsValue::from_str(&serde_json::to_string(&message.body)?),
    )?;
    if let Some(buffer) = &message.buffer {
        set("buffer", buffer)?;
        transfer.push(buffer);
    }
    Ok((value.into(), transfer))
}

/// Waits until the worker's waiting messages are handled.
///
/// A message to the worker itself arrives after the waiting ones; a timer would be delayed by 4 ms.
///
/// # Errors
/// If the browser has no message channels.
pub async fn give_way() -> Result<(), JsValue> {
    let channel = MessageChannel::new()?;
    let mut sent = Ok(());
    let promise = Promise::new(&mut |resolve, _| {
        channel.port1().set_onmessage(Some(&resolve));
        sent = channel.port2().post_message(&JsValue::NULL);
    });
    sent?;
    JsFuture::from(promise).await?;
    channel.port1().close();
    Ok(())
}
