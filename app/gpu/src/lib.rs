//! What the workers that compute on WebGPU share: the browser's adapter, and what their libraries do before anything else.

mod adapter;
#[cfg(target_family = "wasm")]
mod constructors;

pub use adapter::Adapter;
#[cfg(target_family = "wasm")]
pub use constructors::run as run_constructors;
