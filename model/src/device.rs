//! The devices that run a model, chosen at run time.

#[cfg(feature = "remote")]
use std::net::TcpListener;

use burn::prelude::Device;
#[cfg(feature = "remote")]
use burn::{
    remote::RemoteHost,
    server::{RemoteServer, WebSocketTransport},
};

#[cfg(feature = "remote")]
use crate::error::ModelError;

/// Returns the pure-Rust CPU backend.
#[cfg(feature = "flex")]
pub fn cpu() -> Device {
    Device::flex()
}

/// Threads that share the work of a pass on the CPU.
#[cfg(feature = "flex")]
pub fn cpu_threads() -> usize {
    crate::kernels::cpu_threads()
}

/// Lends the calling thread to passes on the CPU; it never returns. Calls `counted` as soon as
/// [`cpu_threads`] counts it.
#[cfg(all(feature = "flex", feature = "threads"))]
pub fn help_cpu(counted: impl FnOnce()) -> ! {
    crate::kernels::help_cpu(counted)
}

/// Says that a thread died in [`help_cpu`]: a pass that waits for it panics.
#[cfg(all(feature = "flex", feature = "threads"))]
pub fn cpu_helper_died() {
    crate::kernels::cpu_helper_died();
}

/// Registers `tell`, which is called while a pass computes on the CPU, each time about half a billion multiplications
/// have been made; only the first call counts. A pass blocks its thread until it ends.
#[cfg(feature = "flex")]
pub fn on_cpu_progress(tell: fn()) {
    crate::kernels::on_cpu_progress(tell);
}

/// Creates a WebGPU device: the browser's, or natively Vulkan's, Metal's or DirectX's.
///
/// `on_lost` is called once with the reason if the device is lost. Call this function once per thread: the runtime
/// registers one device and refuses a second.
///
/// # Errors
/// If there is no adapter, or the adapter provides no device.
#[cfg(feature = "webgpu")]
pub async fn webgpu(
    on_lost: impl Fn(String) + Send + 'static,
) -> Result<Device, crate::error::ModelError> {
    let (device, setup) = Device::wgpu_options()
        .init_with_setup_async()
        .await
        .map_err(|error| crate::error::ModelError::Device(error.to_string()))?;
    setup
        .device
        .set_device_lost_callback(move |_, message| on_lost(message));
    Ok(device)
}

/// Connects to a device that another process serves at `address`, a host and a port. Its tensors are there, and every operation
/// is sent to it over a WebSocket, which is not encrypted. A server that does not answer is asked again for some seconds.
///
/// # Errors
/// If nothing answers, or the server is of another version of burn.
#[cfg(feature = "remote")]
pub fn remote(address: &str) -> Result<Device, ModelError> {
    let host = RemoteHost::websocket(&format!("ws://{address}"));
    let device = Device::remote_options(&host).init();
    device.map_err(|error| ModelError::Device(format!("{address}: {error}")))
}

/// Serves a device to those who connect to `listener`, until the process is interrupted.
///
/// # Errors
/// If the socket cannot be used.
#[cfg(feature = "remote")]
pub fn serve(device: Device, listener: TcpListener) -> Result<(), ModelError> {
    let transport = WebSocketTransport::from_listener(listener);
    let served = RemoteServer::new([device]).serve(transport);
    served.map_err(|error| ModelError::Device(error.to_string()))
}
