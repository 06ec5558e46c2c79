//! The browser's description of its adapter.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::DedicatedWorkerGlobalScope;

/// The description of the adapter by `navigator.gpu`, which the runtime does not pass on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adapter {
    /// The name of the adapter.
    pub name: String,
    /// True if the adapter computes on the CPU.
    pub is_software: bool,
}

impl Adapter {
    /// Requests the browser's adapter; a software one only if it is allowed. Must be called in a worker.
    pub async fn request(allow_software: bool) -> Option<Self> {
        let adapter = Self::of_browser().await?;
        (allow_software || !adapter.is_software).then_some(adapter)
    }

    async fn of_browser() -> Option<Self> {
        let get = |of: &JsValue, name: &str| Reflect::get(of, &name.into()).ok();
        let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
        let gpu = get(scope.navigator().as_ref(), "gpu")?;
        let request: Function = get(&gpu, "requestAdapter")?.dyn_into().ok()?;
        let promise: Promise = request.call0(&gpu).ok()?.dyn_into().ok()?;
        let adapter = JsFuture::from(promise).await.ok()?;
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
        let is_software = [&info, &adapter]
            .iter()
            .filter_map(|of| get(of, "isFallbackAdapter")?.as_bool())
            .any(|flag| flag);
        let parts: Vec<String> = ["vendor", "architecture", "device", "description"]
            .into_iter()
            .filter_map(text)
            .collect();
        Some(Adapter {
            name: parts.join(" "),
            is_software,
        })
    }
}
