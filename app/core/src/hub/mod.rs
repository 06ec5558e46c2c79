//! Models from a hub: the search, the download, and the models that this browser keeps.

mod faults;
mod worker;

use attention_protocol::{
    FilesFault, OrLogged, RequestId,
    hub::{HubAddress, HubFailure, HubModel, HubReply, HubRequest, KeptModel},
    integrity::describe,
};
use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen::JsCast;
use web_sys::{Blob, File};

pub use self::faults::hub_fault;
use self::worker::{Heard, HubWorker};
use crate::{
    engine::Live,
    mine::{Chosen, Mine, Picked},
    state::{Model, ViewState},
};

/// The state of the search and the download.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Stage {
    /// Nothing was asked for.
    #[default]
    Idle,
    /// The hub is asked for a model.
    Finding(HubAddress),
    /// The hub described a model.
    Found(Box<HubModel>),
    /// The files of a model are downloaded.
    Downloading {
        /// The model as the hub described it.
        model: Box<HubModel>,
        /// The file with the weights.
        weights: String,
        /// The bytes that are here.
        received_bytes: u64,
        /// The bytes of all files.
        total_bytes: u64,
    },
}

/// A fault of the search, the download, or the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The hub or the storage.
    Hub(HubFailure),
    /// The downloaded files make no model that runs here.
    Files(FilesFault),
}

/// A model that is opened for another place than the page's, and what takes it there.
type ForAnother = (RequestId, Box<dyn FnOnce(Chosen)>);

/// The models on a hub and on this machine. A context: take it with [`Hub::expect`].
#[derive(Clone, Copy)]
pub struct Hub {
    worker: StoredValue<Option<HubWorker>, LocalStorage>,
    /// Requests that wait for the worker to listen; `None` once it does.
    waiting: StoredValue<Option<Vec<(RequestId, HubRequest)>>>,
    last: StoredValue<RequestId>,
    /// The number of the running search or download.
    running: StoredValue<RequestId>,
    /// The access token, which is never stored.
    token: StoredValue<Option<String>>,
    /// The file with the weights that is downloaded as soon as the hub describes the model; `None` after a search.
    offered: RwSignal<Option<String>>,
    stage: RwSignal<Stage>,
    fault: RwSignal<Option<Fault>>,
    kept: RwSignal<Vec<KeptModel>>,
    free_bytes: RwSignal<Option<u64>>,
    /// The number of models opened so far.
    opened: RwSignal<u32>,
    for_another: StoredValue<Option<ForAnother>, LocalStorage>,
    state: ViewState,
    live: Live,
    mine: Mine,
}

impl Hub {
    /// Provides the context, and opens the model that the address names if this browser keeps it.
    pub fn provide(state: ViewState, live: Live, mine: Mine) {
        let hub = Hub {
            worker: StoredValue::new_local(None),
            waiting: StoredValue::new(Some(Vec::new())),
            last: StoredValue::new(0),
            running: StoredValue::new(0),
            token: StoredValue::new(None),
            offered: RwSignal::new(None),
            stage: RwSignal::new(Stage::Idle),
            fault: RwSignal::new(None),
            kept: RwSignal::new(Vec::new()),
            free_bytes: RwSignal::new(None),
            opened: RwSignal::new(0),
            for_another: StoredValue::new_local(None),
            state,
            live,
            mine,
        };
        provide_context(hub);
        if hub.awaited().is_some() {
            hub.list();
        }
    }

    /// Returns the context that a component above provided.
    ///
    /// # Panics
    /// Outside the page's component tree.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Returns the state of the search and the download; subscribes to it.
    pub fn stage(self) -> Stage {
        self.stage.get()
    }

    /// Returns the last fault; subscribes to it.
    pub fn fault(self) -> Option<Fault> {
        self.fault.get()
    }

    /// Returns the models on this machine, the one used last first; subscribes to them.
    pub fn kept(self) -> Vec<KeptModel> {
        self.kept.get()
    }

    /// Returns the number of bytes that the browser still has for this page, if it says; subscribes to it.
    pub fn free_bytes(self) -> Option<u64> {
        self.free_bytes.get()
    }

    /// Returns the number of models opened so far; subscribes to it.
    pub fn opened(self) -> u32 {
        self.opened.get()
    }

    /// Lists the models on this machine anew.
    pub fn list(self) {
        self.send(HubRequest::List);
    }

    /// Returns true if the page offered the model that was asked for last; subscribes to it.
    pub fn is_offered(self) -> bool {
        self.offered.read().is_some()
    }

    /// Asks a hub for a model. The token is used until the next search.
    pub fn find(self, address: HubAddress, token: Option<String>) {
        self.offered.set(None);
        self.ask(address, token);
    }

    /// Downloads a model that the page offers, and opens it. `weights` is the file with the weights.
    pub fn take(self, address: HubAddress, weights: &str) {
        self.offered.set(Some(weights.to_owned()));
        self.ask(address, None);
    }

    fn ask(self, address: HubAddress, token: Option<String>) {
        self.token.set_value(token.clone());
        self.fault.set(None);
        self.stage.set(Stage::Finding(address.clone()));
        self.run(HubRequest::Find { address, token });
    }

    /// Downloads what is missing of a model, and opens it.
    pub fn download(self, model: HubModel, weights: &str) {
        let choice = model.choice(weights);
        self.fault.set(None);
        self.stage.set(Stage::Downloading {
            model: Box::new(model.clone()),
            weights: weights.to_owned(),
            received_bytes: 0,
            total_bytes: choice.map_or(0, |choice| choice.bytes()),
        });
        self.run(HubRequest::Download {
            model: Box::new(model),
            weights: weights.to_owned(),
            token: self.token.get_value(),
        });
    }

    /// Stops the search or the download. The received bytes stay.
    pub fn stop(self) {
        self.send(HubRequest::Stop);
        self.running.set_value(0);
        self.stage.update(|stage| {
            *stage = match std::mem::take(stage) {
                Stage::Downloading { model, .. } => Stage::Found(model),
                Stage::Idle | Stage::Finding(_) | Stage::Found(_) => Stage::Idle,
            };
        });
        self.list();
    }

    /// Opens a model that is kept here.
    pub fn open(self, kept: &KeptModel) {
        self.fault.set(None);
        self.send(HubRequest::Open {
            folder: kept.folder(),
        });
    }

    /// Opens a model that is kept here and hands it to `take`; the page's model stays.
    pub fn open_for(self, kept: &KeptModel, take: impl FnOnce(Chosen) + 'static) {
        self.fault.set(None);
        let id = self.send(HubRequest::Open {
            folder: kept.folder(),
        });
        self.for_another.set_value(Some((id, Box::new(take))));
    }

    /// Deletes a model from this machine.
    pub fn remove(self, kept: &KeptModel) {
        self.send(HubRequest::Remove {
            folder: kept.folder(),
        });
    }

    /// Returns the id of the model that the address names and whose files are not chosen.
    fn awaited(self) -> Option<String> {
        match self.state.get_untracked().model {
            Model::Mine(Some(id)) if self.mine.files(Some(id)).is_none() => Some(id.to_string()),
            _ => None,
        }
    }

    fn run(self, request: HubRequest) {
        let id = self.send(request);
        self.running.set_value(id);
    }

    /// Sends a request, which waits if the worker does not listen yet, and returns its number.
    fn send(self, request: HubRequest) -> RequestId {
        self.last.update_value(|last| *last += 1);
        let id = self.last.get_value();
        if self.worker.with_value(Option::is_none) {
            self.start();
        }
        let mut request = Some(request);
        self.waiting.update_value(|waiting| {
            if let Some(waiting) = waiting {
                waiting.extend(request.take().map(|request| (id, request)));
            }
        });
        if let Some(request) = request {
            self.post(id, request);
        }
        id
    }

    fn start(self) {
        self.waiting.set_value(Some(Vec::new()));
        match HubWorker::start(move |heard| self.hear(heard)) {
            Ok(worker) => self.worker.set_value(Some(worker)),
            Err(error) => self.fail(HubFailure::Protocol {
                reason: describe(&error),
            }),
        }
    }

    fn post(self, id: RequestId, request: HubRequest) {
        self.worker.with_value(|worker| {
            if let Some(worker) = worker {
                worker.post(id, request);
            }
        });
    }

    fn hear(self, heard: Heard) {
        let Heard { id, reply, files } = heard;
        let is_running = self.running.try_get_value() == Some(id);
        match reply {
            HubReply::Booted => {
                let waiting = self.waiting.try_update_value(Option::take).flatten();
                for (id, request) in waiting.unwrap_or_default() {
                    self.post(id, request);
                }
            }
            HubReply::Kept { models, free_bytes } => {
                self.open_awaited(&models);
                self.kept.set(models);
                self.free_bytes.set(free_bytes);
            }
            HubReply::Found(model) if is_running => match self.offered.get_untracked() {
                Some(weights) => self.download(*model, &weights),
                None => self.stage.set(Stage::Found(model)),
            },
            HubReply::Progress {
                received_bytes: received,
                total_bytes: total,
            } if is_running => self.stage.update(|stage| {
                if let Stage::Downloading {
                    received_bytes,
                    total_bytes,
                    ..
                } = stage
                {
                    (*received_bytes, *total_bytes) = (received, total);
                }
            }),
            HubReply::Downloaded { folder } if is_running => {
                self.stage.set(Stage::Idle);
                self.send(HubRequest::Open { folder });
            }
            HubReply::Opened { model, names } => self.use_files(id, *model, &names, files),
            HubReply::Failed(HubFailure::Stopped) => {}
            // Without storage nothing is kept here, which is no fault until something is to be kept.
            HubReply::Failed(HubFailure::NoStorage { .. }) if !is_running => {}
            HubReply::Failed(failure) => self.fail(failure),
            HubReply::Found(_) | HubReply::Progress { .. } | HubReply::Downloaded { .. } => {}
        }
    }

    /// Opens the model that the address names, once it is known to be here.
    fn open_awaited(self, models: &[KeptModel]) {
        let Some(id) = self.awaited().filter(|_| self.opened.get_untracked() == 0) else {
            return;
        };
        let found = models.iter().find(|kept| kept.id.as_ref() == Some(&id));
        if let Some(kept) = found.filter(|kept| kept.is_complete()) {
            self.open(kept);
        }
    }

    fn fail(self, failure: HubFailure) {
        self.fault.set(Some(Fault::Hub(failure)));
        self.running.set_value(0);
        self.stage.update(|stage| {
            *stage = match std::mem::take(stage) {
                Stage::Downloading { model, .. } | Stage::Found(model) => Stage::Found(model),
                Stage::Idle | Stage::Finding(_) => Stage::Idle,
            };
        });
        self.list_quietly();
    }

    /// Lists the models anew if the worker listens: one that crashed would fail again.
    fn list_quietly(self) {
        if self.waiting.with_value(Option::is_none) && !self.has_no_storage() {
            self.list();
        }
    }

    fn has_no_storage(self) -> bool {
        self.fault.with_untracked(|fault| {
            matches!(
                fault,
                Some(Fault::Hub(
                    HubFailure::NoStorage { .. } | HubFailure::Protocol { .. }
                ))
            )
        })
    }

    /// Checks the files of a model, and makes the view show it, or hands it to who opened it.
    fn use_files(self, request: RequestId, kept: KeptModel, names: &[String], files: Vec<Blob>) {
        let is_for_another = self
            .for_another
            .with_value(|opened| opened.as_ref().is_some_and(|(id, _)| *id == request));
        let take = match is_for_another {
            true => self.for_another.try_update_value(Option::take).flatten(),
            false => None,
        };
        let address = kept.model.address.clone();
        let picked: Vec<Picked> = names
            .iter()
            .zip(files)
            .filter_map(|(name, file)| {
                let file: File = file.dyn_into().or_logged("opening a file")?;
                Some(Picked {
                    path: name.clone(),
                    file,
                })
            })
            .collect();
        spawn_local(async move {
            match Chosen::of(&picked).await {
                Ok(chosen) => {
                    let chosen = chosen.of_hub(address.to_string(), kept.model.licence.clone());
                    let id = chosen.id();
                    match take {
                        Some((_, take)) => take(chosen),
                        None => {
                            self.state.update(|view| self.mine.choose(chosen, view));
                            self.opened.update(|opened| *opened += 1);
                            self.live.run();
                        }
                    }
                    self.send(HubRequest::Name {
                        folder: kept.folder(),
                        id: id.to_string(),
                    });
                }
                Err(fault) => self.fault.set(Some(Fault::Files(fault))),
            }
        });
    }
}
