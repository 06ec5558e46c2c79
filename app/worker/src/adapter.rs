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
    use attention_protocol::Reply;

    let probe = Probe::adapter().await.ok_or(Failure::NoWebGpu)?;
    if probe.fallback && !allow_fallback_adapter {
        return Err(Failure::NoWebGpu);
    }
    let device = device::webgpu(|reason| {
        browser::post(0, Reply::Failed(Failure::DeviceLost { reason }), None);
    })
    .await
    .map_err(failure::from_model)?;
    Ok(Chosen {
        device,
        kind: DeviceKind::WebGpu,
        adapter: Some(probe.name),
        fallback_adapter: probe.fallback,
    })
}

/// What `navigator.gpu` says of its adapter, which the runtime does not pass on.
#[cfg(feature = "webgpu")]
struct Probe {
    name: String,
    fallback: bool,
}

#[cfg(feature = "webgpu")]
impl Probe {
    async fn adapter() -> Option<Self> {
        use js_sys::{Function, Promise, Reflect};
        use wasm_bindgen::{JsCast, JsValue};

        let get = |of: &JsValue, name: &str| Reflect::get(of, &name.into()).ok();
        let gpu = get(crate::browser::scope().navigator().as_ref(), "gpu")?;
        let request: Function = get(&gpu, "requestAdapter")?.dyn_into().ok()?;
        let promise: Promise = request.call0(&gpu).ok()?.dyn_into().ok()?;
        let adapter = wasm_bindgen_futures::JsFuture::from(promise).await.ok()?;
        if !adapter.is_object() {
            return None;
        }
        let info = get(&adapter, "info")?;
        let text = |name| {
            get(&info, name)?
                .as_string()
                .filter(|text| !text.is_empty())
        };
        // The flag moved from the adapter to its info; browsers have one or the other.
        let fallback = [&info, &adapter]
            .iter()
            .filter_map(|of| get(of, "isFallbackAdapter")?.as_bool())
            .any(|flag| flag);
        let parts: Vec<String> = ["vendor", "architecture", "device", "description"]
            .into_iter()
            .filter_map(text)
            .collect();
        Some(Probe {
            name: parts.join(" "),
            fallback,
        })
    }
}
