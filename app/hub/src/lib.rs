//! The Web Worker that downloads models from a hub and keeps them on the visitor's machine.
//!
//! It is the only code of the page that talks to another host than the page's own, and the page starts it when the
//! visitor names a model on a hub, or has kept one. It sends a model's address and the visitor's token, nothing else.

mod asking;
mod browser;
mod download;
mod listing;
mod mirror;
mod storage;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use attention_protocol::{
    Message, OrLogged, RequestId,
    hub::{HubFailure, HubModel, HubReply, HubRequest},
    receive,
};
use futures_util::lock::Mutex;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{AbortController, MessageEvent};

use asking::Asking;
use browser::{fail, post, post_files, scope};
use download::Download;
use storage::{Storage, free_bytes};

/// The state of the worker between messages.
#[derive(Default)]
struct Worker {
    /// The running search or download.
    running: RefCell<Option<Running>>,
    /// A lock for each folder: it is not deleted while a download writes into it.
    locks: RefCell<BTreeMap<String, Rc<Mutex<()>>>>,
}

/// A search or a download.
struct Running {
    /// Aborts the requests that run.
    controller: AbortController,
    /// The folder of the download.
    folder: Option<String>,
}

/// Listens to the page and announces it with [`HubReply::Booted`]. Must be called once.
#[wasm_bindgen]
pub fn serve() {
    console_error_panic_hook::set_once();
    let worker = Rc::new(Worker::default());
    let listener =
        Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            match receive::<HubRequest>(&event) {
                Ok(Message { id, body, .. }) => {
                    let worker = Rc::clone(&worker);
                    spawn_local(async move {
                        if let Err(failure) = worker.handle(id, body).await {
                            fail(id, failure);
                        }
                    });
                }
                Err(error) => fail(
                    0,
                    HubFailure::Protocol {
                        reason: error.to_string(),
                    },
                ),
            }
        });
    scope().set_onmessage(Some(listener.as_ref().unchecked_ref()));
    // The listener lives as long as the worker.
    listener.forget();
    post(0, HubReply::Booted);
}

impl Worker {
    async fn handle(&self, id: RequestId, request: HubRequest) -> Result<(), HubFailure> {
        match request {
            HubRequest::List => list(id).await,
            HubRequest::Find { address, token } => {
                let asking = self.begin(token, None)?;
                let found = download::find(address, &asking).await?;
                post(id, HubReply::Found(Box::new(found)));
                Ok(())
            }
            HubRequest::Download {
                model,
                weights,
                token,
            } => self.download(id, *model, &weights, token).await,
            HubRequest::Stop => {
                self.stop();
                Ok(())
            }
            HubRequest::Open { folder } => open(id, &folder).await,
            HubRequest::Name {
                folder,
                id: address_id,
            } => {
                let storage = Storage::open().await?;
                if let Some(folder) = storage.find(&folder).await
                    && let Some(mut kept) = folder.kept().await
                {
                    kept.id = Some(address_id);
                    folder.keep(&kept).await?;
                }
                list(id).await
            }
            HubRequest::Remove { folder } => {
                let is_of_it = |running: &Running| running.folder.as_ref() == Some(&folder);
                if self.running.borrow().as_ref().is_some_and(is_of_it) {
                    self.stop();
                }
                let lock = self.lock_of(&folder);
                let _held = lock.lock().await;
                Storage::open().await?.remove(&folder).await?;
                list(id).await
            }
        }
    }

    /// Stops what runs, and returns what the next requests need.
    fn begin(&self, token: Option<String>, folder: Option<String>) -> Result<Asking, HubFailure> {
        self.stop();
        let controller = AbortController::new().map_err(|error| HubFailure::Protocol {
            reason: attention_protocol::integrity::describe(&error),
        })?;
        let signal = controller.signal();
        self.running.replace(Some(Running { controller, folder }));
        Ok(Asking { token, signal })
    }

    fn lock_of(&self, folder: &str) -> Rc<Mutex<()>> {
        let mut locks = self.locks.borrow_mut();
        Rc::clone(locks.entry(folder.to_owned()).or_default())
    }

    fn stop(&self) {
        if let Some(running) = self.running.take() {
            running.controller.abort();
        }
    }

    async fn download(
        &self,
        id: RequestId,
        model: HubModel,
        weights: &str,
        token: Option<String>,
    ) -> Result<(), HubFailure> {
        let name = model.folder(weights);
        let asking = self.begin(token, Some(name.clone()))?;
        let lock = self.lock_of(&name);
        let _held = lock.lock().await;
        let choice = model.choice(weights).ok_or_else(|| HubFailure::Protocol {
            reason: format!("the model has no {weights}"),
        })?;
        let folder = Download::run(id, model, &choice, &asking).await?;
        post(id, HubReply::Downloaded { folder });
        Ok(())
    }
}

async fn list(id: RequestId) -> Result<(), HubFailure> {
    let models = Storage::open().await?.models().await;
    let free_bytes = free_bytes().await;
    post(id, HubReply::Kept { models, free_bytes });
    Ok(())
}

async fn open(id: RequestId, name: &str) -> Result<(), HubFailure> {
    let absent = || HubFailure::Storage {
        name: name.to_owned(),
        reason: "it is not here any more".to_owned(),
    };
    let storage = Storage::open().await?;
    let folder = storage.find(name).await.ok_or_else(absent)?;
    let kept = folder.kept().await.ok_or_else(absent)?;
    let (mut names, mut files) = (Vec::new(), Vec::new());
    for file in kept.files() {
        files.push(folder.file(&file.name).await?);
        names.push(file.name);
    }
    folder
        .keep(&kept)
        .await
        .map_err(|failure| format!("{failure:?}"))
        .or_logged("noting the use of a model");
    let model = Box::new(kept);
    post_files(id, HubReply::Opened { model, names }, &files);
    Ok(())
}
