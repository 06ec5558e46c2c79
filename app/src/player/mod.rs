//! A player over steps: play, pause, step, scrub, by button and by key.

mod player;
mod timeline;
mod transport;

pub use self::{player::Player, timeline::Timeline, transport::Transport};
