//! What the engine's libraries do before anything else.
//!
//! cubecl's compiler collects its operations in constructors that run before `main`. This module has no
//! `main`, and then the linker makes every function that JavaScript calls run all constructors first, each
//! time: more than a millisecond for every callback. It leaves that to a module that runs them itself.

#[allow(unsafe_code)]
unsafe extern "C" {
    fn __wasm_call_ctors();
}

/// Runs the constructors. To be called once, before anything else.
pub fn run() {
    // SAFETY: the linker defines it, with this signature.
    #[allow(unsafe_code)]
    unsafe {
        __wasm_call_ctors();
    }
}
