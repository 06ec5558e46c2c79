//! Every kernel of the CPU engines at odd sizes, against its definition in f64.
//!
//! Native tests of `attention-model` use plain arrays instead of vectors, and burn's products instead of ours. So
//! `cargo xtask test` compiles this crate as it compiles each CPU engine, and Chromium runs it
//! (`tests/e2e/journeys/kernels.spec.ts`).

// In a browser there is nothing to do at the start. Elsewhere a program without a `main` cannot be linked.
#![cfg_attr(target_family = "wasm", no_main)]

mod cases;
mod reference;

use wasm_bindgen::prelude::*;

/// The largest error that counts as rounding: relative if the right value is above one.
pub const TOLERANCE: f64 = 1e-5;

/// Returns the kernels that are tested, by name.
#[wasm_bindgen]
pub fn names() -> Vec<String> {
    let name = |case: &cases::Case| case.name.to_owned();
    cases::CASES.iter().map(name).collect()
}

/// Returns the largest error of a kernel at any size, as a multiple of [`TOLERANCE`].
///
/// # Errors
/// If there is no such kernel.
#[wasm_bindgen(js_name = largestError)]
pub fn largest_error(name: &str) -> Result<f64, JsError> {
    console_error_panic_hook::set_once();
    match cases::CASES.iter().find(|case| case.name == name) {
        Some(case) => Ok((case.run)() / TOLERANCE),
        None => Err(JsError::new(&format!("there is no kernel {name}"))),
    }
}

/// Returns the number of threads that share a kernel's work.
#[wasm_bindgen]
pub fn threads() -> usize {
    attention_model::device::cpu_threads()
}

/// Returns the compiled module, from which a thread starts.
#[wasm_bindgen(js_name = compiledModule)]
pub fn compiled_module() -> JsValue {
    wasm_bindgen::module()
}

/// Returns the memory that threads share.
#[wasm_bindgen(js_name = sharedMemory)]
pub fn shared_memory() -> JsValue {
    wasm_bindgen::memory()
}

/// Runs a thread that helps with kernels, as the engine's threads do. Calls `ready` first.
#[cfg(feature = "threads")]
#[wasm_bindgen(js_name = runThread)]
pub fn run_thread(ready: &js_sys::Function) {
    attention_model::device::help_cpu(|| {
        #[expect(
            clippy::let_underscore_must_use,
            reason = "it posts a message, which nothing keeps from being sent"
        )]
        let _ = ready.call0(&JsValue::NULL);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_composed_natively_agrees_with_the_definitions_too() {
        for case in cases::CASES {
            let error = (case.run)();
            assert!(error < TOLERANCE, "{}: {error:e}", case.name);
        }
    }
}

#[cfg(not(target_family = "wasm"))]
fn main() {}
