//! The page: its frame, its tabs, and its tools for teaching. It draws the contents of a
//! [`Trace`](attention_trace::Trace).

#![recursion_limit = "512"]

mod app;
pub mod class;
mod panic;
mod shell;
mod tabs;
#[cfg(test)]
mod tests;

pub use app::App;
pub use panic::show_panics;
