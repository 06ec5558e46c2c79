//! What any part of the page is composed of: controls, figures, numbers, prose. A widget knows neither a model nor the
//! view; what it shows and what it changes is handed to it.

mod bar_figure;
mod canvas;
mod controls;
pub mod inspector;
pub mod matrix;
pub mod numbers;
mod plane_field;
pub mod player;
mod plot;
mod popover;
mod prompt;
mod prose;
mod segmented;
mod table_map;
mod token;
mod width;

pub use self::{
    bar_figure::{BarFigure, Bars},
    canvas::{MapCanvas, Pixels},
    controls::{Check, Select, Slider},
    plane_field::PlaneField,
    plot::{Plot, PlotFigure},
    popover::Popover,
    prompt::Prompt,
    prose::{Parts, Prose, Text, Values},
    segmented::Segmented,
    table_map::{Table, TableMap},
    token::{TokenLabel, label},
    width::{observed_size, observed_width},
};
