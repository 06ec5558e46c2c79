//! The choice of the device: the CPU, or WebGPU if this engine supports it.

use attention_engine::Chosen;
use attention_model::device;
use attention_protocol::{Device as DeviceKind, Failure};

/// The devices of this worker. WebGPU's is opened only once, even if several callers ask at the same time.
#[derive(Default)]
pub struct Devices {
    #[cfg(feature = "webgpu")]
    webgpu: async_once_cell::OnceCell<Chosen>,
    /// The result of the comparison with the CPU.
    #[cfg(feature = "webgpu")]
    checked: async_once_cell::OnceCell<Result<(), Failure>>,
}

#[cfg(not(feature = "webgpu"))]
impl Devices {
    /// Returns the CPU as the device.
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
    /// Returns the browser's GPU adapter if its results equal the CPU's; a software one only if allowed.
    pub async fn choose(&self, allow_fallback_adapter: bool) -> Result<Chosen, Failure> {
        let open = open_webgpu(allow_fallback_adapter);
        let chosen = self.webgpu.get_or_try_init(open).await?;
        self.check(chosen).await?;
        Ok(chosen.clone())
    }

    /// Compares the device with the CPU, once: the result does not depend on the loaded model.
    async fn check(&self, chosen: &Chosen) -> Result<(), Failure> {
        use attention_engine::failure;
        use attention_model::verification::check_device;

        let compare = async {
            let checked = check_device(&chosen.device, &device::cpu()).await;
            failure::from_check(&crate::browser::Browser, checked)
        };
        self.checked.get_or_init(compare).await.clone()
    }
}

#[cfg(feature = "webgpu")]
async fn open_webgpu(allow_fallback_adapter: bool) -> Result<Chosen, Failure> {
    use crate::browser::Browser;
    use attention_engine::{Host, failure};
    use attention_gpu::Adapter;
    use attention_protocol::Reply;

    let adapter = Adapter::request(allow_fallback_adapter).await;
    let adapter = adapter.ok_or(Failure::NoWebGpu)?;
    let device = device::webgpu(|reason| {
        Browser.post(0, Reply::Failed(Failure::DeviceLost { reason }), None);
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
