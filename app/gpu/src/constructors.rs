//! The constructors of the engine's libraries, run before anything else.
//!
//! cubecl's compiler collects its operations in constructors that run before `main`. This module has no `main`, so by
//! default the linker makes every function called by JavaScript run all constructors first, each time: more than a
//! millisecond for every callback. It does not do so in a module that runs them itself.

#[allow(unsafe_code)]
unsafe extern "C" {
    fn __wasm_call_ctors();
}

/// Runs the constructors. Must be called once, before anything else.
pub fn run() {
    // SAFETY: the linker defines it, with this signature.
    #[allow(unsafe_code)]
    unsafe {
        __wasm_call_ctors();
    }
}
