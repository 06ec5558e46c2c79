//! Errors that are written to the browser's console, because nothing on screen depends on the operation.

use std::{cell::RefCell, collections::BTreeSet, fmt::Debug};

/// Results whose errors go to the console.
pub trait OrLogged<T> {
    /// Returns the value, or writes the error to the console, once for each `operation`: the call that failed, such as
    /// "moving the focus".
    fn or_logged(self, operation: &'static str) -> Option<T>;
}

impl<T, E: Debug> OrLogged<T> for Result<T, E> {
    fn or_logged(self, operation: &'static str) -> Option<T> {
        match self {
            Ok(value) => Some(value),
            Err(error) => {
                log(operation, &error);
                None
            }
        }
    }
}

fn log(operation: &'static str, error: &dyn Debug) {
    if is_first(operation) {
        warn(&format!("{operation} failed: {error:?}"));
    }
}

/// True at the first error of an operation: one that fails at every move of the pointer would fill the console.
fn is_first(operation: &'static str) -> bool {
    thread_local! {
        static LOGGED: RefCell<BTreeSet<&'static str>> = const { RefCell::new(BTreeSet::new()) };
    }
    LOGGED.with_borrow_mut(|logged| logged.insert(operation))
}

#[cfg(target_family = "wasm")]
#[wasm_bindgen::prelude::wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console)]
    fn warn(text: &str);
}

#[cfg(not(target_family = "wasm"))]
fn warn(text: &str) {
    eprintln!("{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_logged_once() {
        let all = ["moving the focus", "copying", "moving the focus"];
        assert_eq!(all.map(is_first), [true, true, false]);
    }

    #[test]
    fn an_error_is_none() {
        assert_eq!("8".parse::<u8>().or_logged("parsing"), Some(8));
        assert_eq!("a".parse::<u8>().or_logged("parsing"), None);
    }
}
