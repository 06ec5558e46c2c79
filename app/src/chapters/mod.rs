//! The chapters of the "Learn" tab. The frame is here, a folder each holds what a chapter shows, and
//! what it says is in `assets/chapters`.

mod bar_figure;
mod follow;
mod frame;
mod head_choice;
mod link;
mod matrix;
mod norms;
mod order;
mod plane_field;
mod positions;
mod prompt;
mod scale;
mod scores;
mod sight;
mod sizes;
mod stages;
mod text;

pub use self::frame::LearnView;
