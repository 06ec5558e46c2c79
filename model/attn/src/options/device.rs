//! The device that a command computes on.

use std::str::FromStr;

use attention_model::error::ModelError;
use burn::tensor::Device;
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use thiserror::Error;

#[derive(Args, Clone)]
pub struct DeviceOption {
    #[cfg_attr(
        not(feature = "remote"),
        doc = "The device that runs the model: cpu, or another one that this build has"
    )]
    #[cfg_attr(
        feature = "remote",
        doc = "The device that runs the model: cpu, another one that this build has, or remote:HOST:PORT, which `attn device` \
               serves"
    )]
    #[arg(long, default_value = "cpu")]
    device: DeviceName,
}

#[derive(Clone)]
enum DeviceName {
    Local(LocalDevice),
    /// The host and the port of a device that another process serves.
    #[cfg(feature = "remote")]
    Remote(String),
}

#[derive(Clone, Copy, ValueEnum)]
enum LocalDevice {
    /// burn's pure-Rust CPU backend
    Cpu,
    /// PyTorch's library on the CPU
    #[cfg(feature = "libtorch")]
    Libtorch,
    /// The first NVIDIA GPU
    #[cfg(feature = "cuda")]
    Cuda,
    /// The default Vulkan, Metal or DirectX adapter
    #[cfg(feature = "webgpu")]
    #[value(alias = "wgpu")]
    Gpu,
}

/// The error for a device that this build does not have.
#[derive(Debug, Error)]
#[error("this build has {known}")]
pub struct UnknownDevice {
    /// The names of the devices, with commas.
    known: String,
}

impl FromStr for DeviceName {
    type Err = UnknownDevice;

    fn from_str(name: &str) -> Result<Self, UnknownDevice> {
        #[cfg(feature = "remote")]
        if let Some(address) = remote_address(name) {
            return Ok(DeviceName::Remote(address.to_owned()));
        }
        let known = LocalDevice::from_str(name, true);
        known.map(DeviceName::Local).map_err(|_| UnknownDevice {
            known: known_devices(),
        })
    }
}

#[cfg(not(feature = "fusion"))]
impl FromStr for DeviceOption {
    type Err = UnknownDevice;

    fn from_str(name: &str) -> Result<Self, UnknownDevice> {
        Ok(DeviceOption {
            device: name.parse()?,
        })
    }
}

/// Returns the host and the port in `remote:HOST:PORT`.
#[cfg(feature = "remote")]
fn remote_address(name: &str) -> Option<&str> {
    let address = name.strip_prefix("remote:")?;
    let (host, port) = address.rsplit_once(':')?;
    (!host.is_empty() && port.parse::<u16>().is_ok()).then_some(address)
}

fn known_devices() -> String {
    let values = LocalDevice::value_variants().iter();
    let values = values.filter_map(LocalDevice::to_possible_value);
    let mut names: Vec<String> = values
        .map(|value: PossibleValue| value.get_name().to_owned())
        .collect();
    if cfg!(feature = "remote") {
        names.push("remote:HOST:PORT".to_owned());
    }
    names.join(", ")
}

impl DeviceOption {
    /// Returns the device; one that another process serves is connected.
    ///
    /// # Errors
    /// If nothing answers at the address of a remote device.
    pub fn device(&self) -> Result<Device, ModelError> {
        self.device.device()
    }

    /// Returns the name of the device, as the option has it.
    pub fn name(&self) -> String {
        match &self.device {
            DeviceName::Local(device) => {
                let value = device.to_possible_value();
                value.map_or_else(String::new, |value| value.get_name().to_owned())
            }
            #[cfg(feature = "remote")]
            DeviceName::Remote(address) => format!("remote:{address}"),
        }
    }

    /// Returns the name of the GPU's interface; `None` if the model runs on a processor, or elsewhere.
    pub fn gpu(&self) -> Option<&'static str> {
        match self.device {
            DeviceName::Local(device) => device.gpu(),
            #[cfg(feature = "remote")]
            DeviceName::Remote(_) => None,
        }
    }
}

impl DeviceName {
    fn device(&self) -> Result<Device, ModelError> {
        match self {
            DeviceName::Local(device) => Ok(device.device()),
            #[cfg(feature = "remote")]
            DeviceName::Remote(address) => attention_model::device::remote(address),
        }
    }
}

impl LocalDevice {
    fn device(self) -> Device {
        match self {
            LocalDevice::Cpu => attention_model::device::cpu(),
            #[cfg(feature = "libtorch")]
            LocalDevice::Libtorch => Device::libtorch(),
            #[cfg(feature = "cuda")]
            LocalDevice::Cuda => Device::cuda(0),
            #[cfg(feature = "webgpu")]
            LocalDevice::Gpu => Device::wgpu(burn::tensor::DeviceKind::DefaultDevice),
        }
    }

    fn gpu(self) -> Option<&'static str> {
        match self {
            LocalDevice::Cpu => None,
            #[cfg(feature = "libtorch")]
            LocalDevice::Libtorch => None,
            #[cfg(feature = "cuda")]
            LocalDevice::Cuda => Some("CUDA"),
            #[cfg(feature = "webgpu")]
            LocalDevice::Gpu => Some("wgpu"),
        }
    }
}
