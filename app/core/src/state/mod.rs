//! What the visitor looks at: one plain struct, its spelling in the address bar and the signal that
//! holds it.

mod ablation;
mod address;
mod changes;
mod chapters;
mod claims;
mod class;
mod counting;
mod faults;
mod fragment;
mod lacking;
mod mine;
mod model;
mod off;
mod opened;
mod pace;
mod positions;
mod reader;
mod reweighed;
mod roles;
mod sampling;
mod sentences;
mod store;
mod trained;
mod values;
mod view;
mod weights;

pub use ablation::{Ablation, Read as ReadText};
pub use address::{keep_in_address, open_address, push_address};
pub use changes::Changes;
pub use chapters::{
    Against, AlignedHeads, AlignedRow, AlignmentView, Architecture, Chapters, Compare, Compared,
    Count, DataSource, DerivedView, Direction, EmbeddingLab, Encodings, Explanation, FollowSource,
    Hand, HandCell, HandMatrix, Heads, Hops, ImageLab, Judging, KeptPatch, LayersLab, LensView,
    Lesson, MOST_QUESTIONS, Maps, Mask, Masks, Method, Norm, PatchingView, PictureTool, Quiz, Read,
    Reading, RecurrentView, Replaced, RolesLab, Scale, Score, Scores, Screen, SearchLab, Shading,
    Sitting, Sizes, Start, Training, UniversalView, Where, WordOrder, number_mut, settings_from,
    spelled_settings, switched,
};
pub use claims::{Evidence, EvidenceList, NotKept, Tool};
pub use class::Class;
pub use faults::{AddressFault, FaultKind};
pub use fragment::{LENGTH_PENALTY, LONGEST_FRAGMENT, MAX_BEAM_WIDTH, MAX_LENGTH_PENALTY};
pub use mine::MineId;
pub use model::{Model, Recurrent, Target};
pub use off::{HeadChoice, HeadsOff};
pub use opened::{address_faults, close_address_faults, compare_with_result};
pub use positions::{Draw, Order, Positions};
pub use reweighed::{NewWeights, Reweighed, Scope};
pub use roles::RolesShown;
pub use sampling::SamplingChoice;
pub use sentences::{Excess, MOST_CHARACTERS, MOST_MARKS};
pub use store::ViewState;
pub use trained::TrainedId;
pub use values::AddressValue;
pub use view::{
    Cell, Closeup, DeviceChoice, HeadPlace, ImportanceOf, Representation, Tab, Theme, View,
};
pub use weights::{GivenWeight, ListedWeight, WeightList, WeightPlace};

/// Strategies for tests in other rooms.
#[cfg(test)]
pub mod tests {
    pub use super::{chapters::training_tests::settings, trained::tests::trained_id};
}
