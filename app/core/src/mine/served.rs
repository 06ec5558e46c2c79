//! Facts about the model of a server, which has no files in the browser.

use attention_protocol::{ReadyReply, ServedModel};

use super::{About, weights::Types};
use crate::state::MineId;

/// The part of an id that no file of a checkpoint has.
const SERVED: &[u8] = b"served";

impl About {
    /// Returns the id of a server's model: another than that of the same files from the visitor's disk.
    pub fn id_of_served(served: &ServedModel) -> MineId {
        MineId::of(&[SERVED, served.weights.as_bytes()])
    }

    /// Returns the facts that a server says about its model.
    pub fn of_served(served: &ServedModel, ready: &ReadyReply) -> Self {
        let mut types = Types::default();
        for tensor in &ready.card.tensors {
            // More than 2⁶⁴ weights are no model's; the rest is not counted.
            let _ = types.add(&tensor.encoding, tensor.weights());
        }
        About {
            id: About::id_of_served(served),
            name: served.name.clone(),
            model_type: String::new(),
            licence: None,
            bytes: ready.card.loaded_bytes,
            loaded_bytes: ready.card.loaded_bytes,
            types,
            tensors: ready.card.tensors.clone().into(),
            served: Some(served.weights.clone()),
        }
    }
}
