//! The device that trains: the CPU, or WebGPU if this worker supports it.

use attention_protocol::training::{TrainingDevice, TrainingFailure};
#[cfg(feature = "webgpu")]
use burn::tensor::Device;

/// A device opened for a run.
#[derive(Clone)]
pub enum Placed {
    /// The CPU, with one thread.
    Cpu,
    /// A GPU through WebGPU.
    #[cfg(feature = "webgpu")]
    WebGpu { device: Device, adapter: String },
}

impl Placed {
    /// Returns the adapter's name; `None` on the CPU.
    pub fn adapter(&self) -> Option<String> {
        match self {
            Placed::Cpu => None,
            #[cfg(feature = "webgpu")]
            Placed::WebGpu { adapter, .. } => Some(adapter.clone()),
        }
    }
}

/// The devices of this worker. WebGPU's is opened once and used for all later runs.
#[derive(Default)]
pub struct Devices {
    #[cfg(feature = "webgpu")]
    opened: Option<Placed>,
}

impl Devices {
    /// Opens the requested device.
    pub async fn open(&mut self, wanted: TrainingDevice) -> Result<Placed, TrainingFailure> {
        match wanted {
            TrainingDevice::Cpu => Ok(Placed::Cpu),
            TrainingDevice::WebGpu { allow_software } => self.open_webgpu(allow_software).await,
        }
    }

    #[cfg(not(feature = "webgpu"))]
    async fn open_webgpu(&mut self, _allow_software: bool) -> Result<Placed, TrainingFailure> {
        Err(TrainingFailure::NoWebGpu)
    }

    #[cfg(feature = "webgpu")]
    async fn open_webgpu(&mut self, allow_software: bool) -> Result<Placed, TrainingFailure> {
        use attention_gpu::Adapter;
        use attention_protocol::training::TrainingReply;

        if let Some(opened) = &self.opened {
            return Ok(opened.clone());
        }
        let adapter = Adapter::request(allow_software).await;
        let adapter = adapter.ok_or(TrainingFailure::NoWebGpu)?;
        let device = attention_model::device::webgpu(|reason| {
            let lost = TrainingFailure::DeviceLost { reason };
            crate::browser::post(0, TrainingReply::Failed(lost), None);
        });
        let opened = Placed::WebGpu {
            device: device.await.map_err(|error| TrainingFailure::DeviceLost {
                reason: error.to_string(),
            })?,
            adapter: adapter.name,
        };
        Ok(self.opened.insert(opened).clone())
    }
}
