//! The chapters of the tab "Learn": a folder each holds what a chapter shows, and what it says is in
//! `assets/chapters`.

pub mod follow;
pub mod norms;
pub mod order;
pub mod positions;
pub mod scale;
pub mod scores;
pub mod sizes;
