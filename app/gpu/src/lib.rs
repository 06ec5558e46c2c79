//! The code shared by the workers that compute on WebGPU: the browser's adapter, and the constructors of their
//! libraries.

mod adapter;
#[cfg(target_family = "wasm")]
mod constructors;

pub use adapter::Adapter;
#[cfg(target_family = "wasm")]
pub use constructors::run as run_constructors;
