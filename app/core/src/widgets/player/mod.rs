//! A player over steps: play, pause, step, scrub, by button and by key.

mod playback;
mod timeline;
mod transport;

pub use self::{
    playback::Player,
    timeline::{Action, Timeline},
    transport::Transport,
};
