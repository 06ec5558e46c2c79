//! Files that a visitor takes along, made of a trace by the scripts in `assets/taking`.

use js_sys::{Array, Function, Promise, Reflect, Uint8Array};
use leptos::prelude::window;
use serde_json::json;
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use wasm_bindgen_futures::JsFuture;

use attention_figures::Theme;
use attention_trace::{AttentionKind, AttentionLayer, Quantity, Trace};

/// The function of `assets/boot.js` that loads the scripts.
const LOAD: &str = "loadTaking";

/// The way in which a file shows a trace.
#[derive(Clone, Debug)]
pub struct Options {
    /// The language of the page, `en` or `zh`.
    pub language: &'static str,
    /// The theme of a film; `None` for a page, which follows the reader's system.
    pub theme: Option<Theme>,
    /// The attention that is shown first.
    pub attention: AttentionLayer,
    /// The heads that are shown first, from 0.
    pub heads: Vec<usize>,
}

impl Options {
    /// Returns the options as the scripts read them.
    fn json(&self) -> JsValue {
        let kind = match self.attention.kind {
            AttentionKind::EncoderSelf => "encoder_self",
            AttentionKind::DecoderSelf => "decoder_self",
            AttentionKind::Cross => "cross",
        };
        let selection = json!({ "kind": kind, "layer": self.attention.layer, "heads": self.heads });
        let theme = self.theme.map(|theme| match theme {
            Theme::Light => "light",
            Theme::Dark => "dark",
        });
        let mut options = json!({ "language": self.language, "selection": selection });
        if let Some(theme) = theme {
            options["theme"] = theme.into();
        }
        JsValue::from_str(&options.to_string())
    }
}

/// Returns one HTML file that replays the attention of a trace.
///
/// # Errors
/// The browser's message, or that of the writer of traces.
pub async fn html(trace: &Trace, title: &str, options: &Options) -> Result<Vec<u8>, JsValue> {
    let bytes = Uint8Array::from(attention_alone(trace)?.as_slice());
    let function = function("html").await?;
    let made = function.call3(&JsValue::UNDEFINED, &bytes, &title.into(), &options.json())?;
    let page: Uint8Array = JsFuture::from(Promise::from(made)).await?.dyn_into()?;
    Ok(page.to_vec())
}

/// Films the decoding of a trace in real time. Returns the ending of the file's name, and its contents.
/// `progressed` is called before each step, with its number from 1 and the number of steps.
///
/// # Errors
/// The browser's message, that of the writer of traces, or that the film was stopped.
pub async fn film(
    trace: &Trace,
    options: &Options,
    progressed: impl Fn(u32, u32) + 'static,
) -> Result<(String, Vec<u8>), JsValue> {
    let bytes = Uint8Array::from(attention_alone(trace)?.as_slice());
    let function = function("film").await?;
    let progressed = Closure::<dyn Fn(u32, u32)>::new(progressed);
    let made = function.call3(
        &JsValue::UNDEFINED,
        &bytes,
        &options.json(),
        progressed.as_ref(),
    )?;
    let made: Array = JsFuture::from(Promise::from(made)).await?.dyn_into()?;
    let contents: Uint8Array = made.get(1).dyn_into()?;
    Ok((
        made.get(0).as_string().unwrap_or_default(),
        contents.to_vec(),
    ))
}

/// Ends a film early.
///
/// # Errors
/// The browser's message.
pub async fn stop_film() -> Result<(), JsValue> {
    function("stop").await?.call0(&JsValue::UNDEFINED)?;
    Ok(())
}

/// True if the browser can make a film of a canvas.
pub fn can_film() -> bool {
    // A browser without the interface has no such property.
    Reflect::get(&window(), &"MediaRecorder".into()).is_ok_and(|recorder| !recorder.is_undefined())
}

/// Returns a trace with its attention weights alone, as the replay reads it.
fn attention_alone(trace: &Trace) -> Result<Vec<u8>, JsValue> {
    let mut own = trace.clone();
    own.arrays
        .retain(|site, _| site.quantity == Quantity::Pattern);
    let bytes = own.to_safetensors();
    bytes.map_err(|error| JsValue::from_str(&error.to_string()))
}

/// Loads the scripts, and returns one of their functions.
async fn function(name: &str) -> Result<Function, JsValue> {
    let load: Function = Reflect::get(&window(), &LOAD.into())?.dyn_into()?;
    let loaded = Promise::from(load.call0(&JsValue::UNDEFINED)?);
    let module = JsFuture::from(loaded).await?;
    Reflect::get(&module, &name.into())?.dyn_into()
}
