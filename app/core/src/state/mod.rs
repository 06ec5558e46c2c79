//! State of the page: one plain struct, its spelling in the address bar and the signal that holds it.

mod address;
mod beginning;
mod beside;
mod chapters;
mod claims;
mod class;
mod conversation;
mod counting;
mod edits;
mod faults;
pub mod flat;
mod foreign;
mod fragment;
mod head;
mod lacking;
mod masking;
mod mine;
mod model;
mod opened;
mod pace;
mod parameters;
mod quiz;
mod reader;
mod reading;
mod roles;
mod sampling;
mod sentences;
mod server;
mod store;
mod trained;
mod training;
mod values;
mod view;
mod view_file;
mod writer;

pub use address::{keep_in_address, open_address, push_address};
pub use beginning::Beginning;
pub use chapters::Chapters;
pub use claims::{Evidence, EvidenceList, NotKept, Tool};
pub use class::{Attendance, Class};
pub use conversation::{Conversation, FIRST_QUESTION};
pub use counting::Counted;
pub use edits::*;
pub use faults::{AddressFault, FaultKind};
pub use fragment::{
    LENGTH_PENALTY, LONGEST_FRAGMENT, MAX_BEAM_WIDTH, MAX_LENGTH_PENALTY, in_pairs,
};
pub use head::HeadChoice;
pub use lacking::Lacking;
pub use masking::{MaskableWord, MaskedWord};
pub use mine::MineId;
pub use model::{Card, Group, Language, Measure, Model, Served, Task, Words};
pub use opened::{address_faults, close_address_faults, compare_with_result};
pub use parameters::{Entry, FirstOnce, FormerTab, Kind, Parameters, Registry, Span, install};
pub use quiz::{MOST_QUESTIONS, Quiz, Sitting};
pub use reader::Reader;
pub use reading::Reading;
pub use roles::{RolesOf, RolesShown};
pub use sampling::SamplingChoice;
pub use sentences::{Excess, MOST_CHARACTERS, MOST_MARKS};
pub use server::Server;
pub use store::ViewState;
pub use trained::TrainedId;
pub use training::{
    number_mut, read_settings, settings_from, spelled_settings, switched, write_settings,
};
pub use values::AddressValue;
pub use view::{
    Cell, Closeup, DeviceChoice, HeadPlace, ImportanceOf, MOST_NEW_TOKENS, Representation, Tab,
    Theme, View,
};
pub use view_file::{LONG_LINK_BYTES, VIEW_FILE, ViewFileError, names_view};
pub use writer::Writer;

/// Strategies for tests in other modules.
#[cfg(test)]
pub mod tests {
    pub use super::{
        chapters::tests::choice, trained::tests::trained_id, training::tests::settings,
    };
}
