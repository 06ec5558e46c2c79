//! The program around the engine.

use attention_chat::Date;
use attention_protocol::{Reply, RequestId};

/// A program that runs the engine for one page.
pub trait Host: 'static {
    /// Returns the time of a clock that only advances, in milliseconds.
    fn now_ms(&self) -> f64;

    /// Sends a reply to the page, with the large array that accompanies it.
    fn post(&self, id: RequestId, reply: Reply, buffer: Option<&[u8]>);

    /// Waits until the waiting messages are handled, and others had their turn. False if nothing can be handled any more.
    fn give_way(&self) -> impl Future<Output = bool>;

    /// Returns the date and time of day, which chat templates may write.
    fn today(&self) -> Date;

    /// Reports a fault to the developer; the text never contains what a visitor typed.
    fn log_error(&self, text: &str);

    /// Takes note of a run that has appended so many tokens in so many milliseconds.
    fn ran(&self, _tokens: usize, _decode_ms: f64) {}
}
