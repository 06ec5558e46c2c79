//! Turns on the worker's event loop, between which the page's messages are heard.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::{JsCast, JsValue, prelude::Closure};
use web_sys::{MessageChannel, MessagePort};

/// Asks for turns. A message to oneself comes back behind those that wait; a timer would be held back 4 ms.
#[derive(Clone)]
pub struct Turns {
    port: MessagePort,
    is_asked: Rc<Cell<bool>>,
}

impl Turns {
    /// Has `turn` called at each turn; as long as it says so, another one follows.
    ///
    /// # Errors
    /// If the browser has no message channels.
    pub fn new(mut turn: impl FnMut() -> bool + 'static) -> Result<Self, JsValue> {
        let channel = MessageChannel::new()?;
        let turns = Turns {
            port: channel.port2(),
            is_asked: Rc::default(),
        };
        let again = turns.clone();
        let listener = Closure::<dyn FnMut()>::new(move || {
            again.is_asked.set(false);
            if turn() {
                again.ask();
            }
        });
        let port = channel.port1();
        port.set_onmessage(Some(listener.as_ref().unchecked_ref()));
        // The listener lives as long as the worker.
        listener.forget();
        Ok(turns)
    }

    /// Asks for a turn, if none is asked for.
    pub fn ask(&self) {
        if self.is_asked.replace(true) {
            return;
        }
        if let Err(error) = self.port.post_message(&JsValue::NULL) {
            wasm_bindgen::throw_val(error);
        }
    }
}
