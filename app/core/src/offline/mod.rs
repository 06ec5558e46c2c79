//! Use without a network: the page with the engine in use, and all models if the visitor wants them.

mod models;
mod page;

pub use self::{
    models::{Kept, OfflineModels},
    page::keep_for_later,
};
