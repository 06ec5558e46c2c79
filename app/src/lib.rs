//! The page: its frame, its tabs, and what teaches with them. It draws what a [`Trace`](attention_trace::Trace) holds.

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
