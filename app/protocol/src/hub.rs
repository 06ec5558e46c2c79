//! Messages between the page and the worker that downloads models from a hub and keeps them on the visitor's machine.

mod address;
mod model;

use serde::{Deserialize, Serialize};

pub use address::{DEFAULT_HUB, HubAddress, NotAnAddress};
pub use model::{CONFIG, Choice, HubFile, HubModel, INDEX, KeptModel, NoChoice, file_names};

/// A request of the page to the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HubRequest {
    /// List the models on this machine. Answered by [`HubReply::Kept`].
    List,
    /// Ask a hub for the files of a model. Answered by [`HubReply::Found`].
    Find {
        /// The address of the model.
        address: HubAddress,
        /// The visitor's access token, sent to the hub alone.
        token: Option<String>,
    },
    /// Download the files of a choice that are not here yet, and keep them. Answered by [`HubReply::Progress`] many
    /// times, then [`HubReply::Downloaded`].
    Download {
        /// The model as the hub described it.
        model: Box<HubModel>,
        /// The file with the weights, which distinguishes the choices of a model.
        weights: String,
        /// The visitor's access token, sent to the hub alone.
        token: Option<String>,
    },
    /// Stop the running download, which answers [`HubFailure::Stopped`]. The received bytes stay.
    Stop,
    /// Hand out the files of a model. Answered by [`HubReply::Opened`] with the files.
    Open {
        /// The folder of the model.
        folder: String,
    },
    /// Note the id under which addresses name a model. Answered by [`HubReply::Kept`].
    Name {
        /// The folder of the model.
        folder: String,
        /// The id in addresses.
        id: String,
    },
    /// Delete a model. Answered by [`HubReply::Kept`].
    Remove {
        /// The folder of the model.
        folder: String,
    },
}

/// A reply of the worker to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HubReply {
    /// The worker listens to requests.
    Booted,
    /// The models on this machine.
    Kept {
        /// The models, the one used last first.
        models: Vec<KeptModel>,
        /// The number of bytes that the browser still has for this page; `None` if it does not say.
        free_bytes: Option<u64>,
    },
    /// A model on a hub.
    Found(Box<HubModel>),
    /// The number of bytes of the running download.
    Progress {
        /// The bytes that are here.
        received_bytes: u64,
        /// The bytes of all files.
        total_bytes: u64,
    },
    /// All files of a model are here and checked.
    Downloaded {
        /// The folder of the model.
        folder: String,
    },
    /// The files of a model, which accompany the message.
    Opened {
        /// The description of the model.
        model: Box<KeptModel>,
        /// The names of the files, in the order of the message.
        names: Vec<String>,
    },
    /// The request failed for this reason.
    Failed(HubFailure),
}

/// The reason why a request failed; the page describes it in the visitor's language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HubFailure {
    /// The browser has no storage for files, as in some private windows.
    NoStorage {
        /// The error message of the browser.
        reason: String,
    },
    /// The storage has too little room.
    Quota {
        /// The bytes that are missing here.
        needed_bytes: u64,
        /// The bytes that the browser has for the page; `None` if it does not say.
        free_bytes: Option<u64>,
    },
    /// Another tab downloads the same file.
    Busy {
        /// The name of the file.
        name: String,
    },
    /// There is no answer: the host is not reached, or does not allow pages of other origins to read it.
    Unreachable {
        /// The address that was asked for.
        url: String,
        /// The error message of the browser.
        reason: String,
    },
    /// The host answers that there is no such model, revision or file.
    Absent {
        /// The address that was asked for.
        url: String,
    },
    /// The host asks for a token, or refuses the given one.
    Forbidden {
        /// The address that was asked for.
        url: String,
    },
    /// The host answers with another status.
    Status {
        /// The address that was asked for.
        url: String,
        /// The HTTP status code.
        status: u16,
    },
    /// The answer has not the form of a hub's.
    Listing {
        /// The address that was asked for.
        url: String,
        /// The place of the first error.
        reason: String,
    },
    /// A file, or a part of it, has another length than the hub said.
    Length {
        /// The name of the file.
        name: String,
        /// The number of bytes that the hub said.
        expected_bytes: u64,
        /// The number of bytes that came.
        received_bytes: u64,
    },
    /// The contents of a file are not those that the hub described.
    Digest {
        /// The name of the file.
        name: String,
    },
    /// The browser's storage failed.
    Storage {
        /// The name of the file.
        name: String,
        /// The error message of the browser.
        reason: String,
    },
    /// The visitor stopped the download.
    Stopped,
    /// A message could not be read.
    Protocol {
        /// The error of the message.
        reason: String,
    },
}
