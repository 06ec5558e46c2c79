//! What the visitor looks at: one plain struct, its spelling in the address bar and the signal that
//! holds it.

mod address;
mod chapters;
mod encodings;
mod fragment;
mod lessons;
mod order;
mod pace;
mod positions;
mod sizes;
mod store;
mod values;
mod view;

pub use address::{keep_in_address, push_address, view_in_address};
pub use chapters::{Chapters, FollowSource, Norm};
pub use encodings::{Encodings, Score};
pub use fragment::{LENGTH_PENALTY, MAX_BEAM_WIDTH, MAX_LENGTH_PENALTY};
pub use lessons::{DataSource, Read, Scale, Scores};
pub use order::WordOrder;
pub use positions::{Draw, Order, Positions};
pub use sizes::Sizes;
pub use store::ViewState;
pub use values::AddressValue;
pub use view::{Cell, DeviceChoice, Model, Representation, Tab, Theme, View};
