//! The browser's description of its adapter.

use attention_protocol::OrLogged;
use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// The description of the adapter by `navigator.gpu`, which the runtime does not pass on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adapter {
    pub name: String,
    /// True if the adapter computes on the CPU.
    pub is_software: bool,
}

impl Adapter {
    /// Requests the browser's adapter, in a page or a worker; a software one only if it is allowed. By reflection,
    /// because the bindings of WebGPU are unstable.
    pub async fn request(allow_software: bool) -> Option<Self> {
        let adapter = request().await?;
        let info = field(&adapter, "info");
        let text = |name: &str| {
            let text = field(info.as_ref()?, name)?.as_string()?;
            (!text.is_empty()).then_some(text)
        };
        // The flag moved from the adapter to its info; browsers have either or both.
        let is_software = [info.as_ref(), Some(&adapter)]
            .into_iter()
            .filter_map(|of| field(of?, "isFallbackAdapter")?.as_bool())
            .any(|flag| flag);
        if is_software && !allow_software {
            return None;
        }
        let parts = ["vendor", "architecture", "device", "description"];
        let parts: Vec<String> = parts.into_iter().filter_map(text).collect();
        Some(Adapter {
            name: parts.join(" "),
            is_software,
        })
    }
}

async fn request() -> Option<JsValue> {
    let navigator = field(&js_sys::global(), "navigator")?;
    let gpu = field(&navigator, "gpu")?;
    let request: Function = field(&gpu, "requestAdapter")?.dyn_into().ok()?;
    let promise = request.call0(&gpu).or_logged("asking for a GPU")?;
    let promise: Promise = promise.dyn_into().ok()?;
    let adapter = JsFuture::from(promise).await;
    let adapter = adapter.or_logged("asking for a GPU")?;
    adapter.is_object().then_some(adapter)
}

/// A field of an object; `None` if it is missing, undefined or null.
fn field(of: &JsValue, name: &str) -> Option<JsValue> {
    let value = Reflect::get(of, &name.into()).or_logged("reading the GPU's description")?;
    (!value.is_undefined() && !value.is_null()).then_some(value)
}
