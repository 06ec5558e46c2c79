//! The worker's side of the browser.

use attention_protocol::{
    Message, RequestId,
    hub::{HubFailure, HubReply},
    post_files_to_page, post_to_page,
};
use wasm_bindgen::JsCast;
use web_sys::{Blob, DedicatedWorkerGlobalScope};

pub fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Sends a reply to the page.
pub fn post(id: RequestId, body: HubReply) {
    let message = Message {
        id,
        body,
        buffer: None,
    };
    if let Err(error) = post_to_page(&scope(), message) {
        // Nobody is left to tell but the console.
        wasm_bindgen::throw_str(&error.to_string());
    }
}

/// Sends a reply with files.
pub fn post_files(id: RequestId, body: HubReply, files: &[Blob]) {
    let message = Message {
        id,
        body,
        buffer: None,
    };
    if let Err(error) = post_files_to_page(&scope(), message, files) {
        fail(
            id,
            HubFailure::Protocol {
                reason: error.to_string(),
            },
        );
    }
}

/// Answers that a request failed.
pub fn fail(id: RequestId, failure: HubFailure) {
    post(id, HubReply::Failed(failure));
}
