//! The search for the browser's WebGPU adapter.

use super::data::Adapter;

/// Asks the browser for an adapter.
pub async fn probe() -> Adapter {
    match attention_gpu::Adapter::request(true).await {
        Some(adapter) if adapter.is_software => Adapter::Software,
        Some(_) => Adapter::Hardware,
        None => Adapter::Missing,
    }
}
