//! The device that a program has chosen.

use attention_protocol::Device as DeviceKind;
use burn::tensor::Device;

/// A device and its description for the visitor.
#[derive(Clone)]
pub struct Chosen {
    /// The device on which the model computes.
    pub device: Device,
    /// The kind of the device.
    pub kind: DeviceKind,
    /// The adapter's name, on a GPU.
    pub adapter: Option<String>,
    /// True if the adapter is a software one.
    pub fallback_adapter: bool,
}
