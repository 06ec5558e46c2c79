//! The components of every part of the page: controls, figures, numbers, prose. A widget depends neither on a model nor
//! on the view; it receives its data and its callbacks as properties.

mod answer;
mod bar_figure;
mod canvas;
mod children;
mod controls;
mod copy;
mod dialog;
mod drawing;
mod editable_matrix;
mod figure_menu;
mod finding;
pub mod glossary;
pub mod inspector;
mod key_hint;
pub mod keys;
mod later;
pub mod matrix;
mod motion;
pub mod numbers;
mod plane_field;
pub mod player;
mod plot;
mod pointer;
mod popover;
mod print;
mod prompt;
mod prose;
mod scatter_figure;
mod scroll_region;
mod segmented;
mod share_legend;
mod snippet;
mod staged_figure;
mod table_map;
mod token;
mod token_choice;
mod width;

pub use self::{
    answer::{AnswerField, Expected},
    bar_figure::{BarFigure, Bars},
    canvas::{MapCanvas, Pixels},
    children::watch_children,
    controls::{Check, NumberField, Select, Slider},
    copy::CopyButton,
    dialog::Dialog,
    drawing::{drawing_width, drawn},
    editable_matrix::{Changes, Drafts, EditableMatrix},
    figure_menu::{FigureButton, FigureMenu, FigureSheet, Provenance, ShownPass, Taken, map_side},
    finding::Finding,
    key_hint::KeyHint,
    later::{Later, Stage, staged},
    motion::eased,
    plane_field::PlaneField,
    plot::{Plot, PlotFigure},
    pointer::{Pick, pointer_in},
    popover::Popover,
    print::print_alone,
    prompt::{Answers, ClassPredictions, Prompt},
    prose::{Columns, Parts, Prose, Text, Values},
    scatter_figure::ScatterFigure,
    scroll_region::ScrollRegion,
    segmented::Segmented,
    share_legend::ShareLegend,
    snippet::{PREFIX as CODE_PREFIX, Programs, Snippets},
    staged_figure::StagedFigure,
    table_map::{DivergingLegend, Table, TableMap},
    token::label,
    token_choice::TokenChoice,
    width::{observed_size, observed_width},
};
