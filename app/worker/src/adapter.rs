//! Choosing the device: the CPU, or WebGPU where this engine has it.

use attention_model::device;
use attention_protocol::{Device as DeviceKind, Failure};
use burn::tensor::Device;

/// A device and what the visitor is told of it.
#[derive(Clone)]
pub struct Chosen {
    /// What computes.
    pub device: Device,
    /// Its kind.
    pub kind: DeviceKind,
    /// The adapter's name, on WebGPU.
    pub adapter: Option<String>,
    /// Whether it is a software adapter.
    pub fallback_adapter: bool,
}

/// The devices of this worker. WebGPU's can be opened only once, whoever asks while it is being opened.
#[derive(Default)]
pub struct Devices {
    #[cfg(feature = "webgpu")]
    webgpu: async_once_cell::OnceCell<Chosen>,
    /// What came of comparing it with the CPU.
    #[cfg(feature = "webgpu")]
    checked: async_once_cell::OnceCell<Result<(), Failure>>,
}

#[cfg(not(feature = "webgpu"))]
impl Devices {
    /// The CPU.
    pub async fn choose(&self, _allow_fallback_adapter: bool) -> Result<Chosen, Failure> {
        Ok(Chosen {
            device: device::cpu(),
            kind: DeviceKind::Cpu,
            adapter: None,
            fallback_adapter: false,
        })
    }
}

#[cfg(feature = "webgpu")]
impl Devices {
    /// The browser's GPU adapter, if it computes what the CPU does; a software one only where allowed.
    pub async fn choose(&self, allow_fallback_adapter: bool) -> Result<Chosen, Failure> {
        let open = open_webgpu(allow_fallback_adapter);
        let chosen = self.webgpu.get_or_try_init(open).await?;
        self.check(chosen).await?;
        Ok(chosen.clone())
    }

    /// Compares the device with the CPU, once: it does not change, whatever model is loaded.
    async fn check(&self, chosen: &Chosen) -> Result<(), Failure> {
        use attention_model::verification::check_device;

        let compare = async {
            let checked = check_device(&chosen.device, &device::cpu()).await;
            crate::failure::from_check(checked)
        };
        self.checked.get_or_init(compare).await.clone()
    }
}

#[cfg(feature = "webgpu")]
async fn open_webgpu(allow_fallback_adapter: bool) -> Result<Chosen, Failure> {
    use crate::{browser, failure};
    use attention_gpu::Adapter;
    use attention_protocol::Reply;

    let adapter = Adapter::request(allow_fallback_adapter).await;
    let adapter = adapter.ok_or(Failure::NoWebGpu)?;
    let device = device::webgpu(|reason| {
        browser::post(0, Reply::Failed(Failure::DeviceLost { reason }), None);
    })
    .await
    .map_err(failure::from_model)?;
    Ok(Chosen {
        device,
        kind: DeviceKind::WebGpu,
        adapter: Some(adapter.name),
        fallback_adapter: adapter.is_software,
    })
}
