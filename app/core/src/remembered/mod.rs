//! Settings and marks kept from visit to visit, in this browser alone: the language, the theme, the size of type, the
//! texts that ran last, the chapters that were read, the dismissal of the first visit's welcome, and the form of
//! exported figures.

mod choices;
mod done;
mod export;
mod recent;
pub mod storage;
mod welcomed;

pub use self::{
    choices::{complete, keep_language, keep_large, keep_library, keep_theme},
    done::{done, keep_done},
    export::{ExportChoices, MOST_PNG_SCALE, export_choices, keep_export_choices},
    recent::{Recent, forget_recent, keep_recent, recent},
    welcomed::{is_welcomed, keep_welcomed},
};
