//! `tokenizer.json` as Hugging Face's JavaScript module reads it.

use attention_model::error::ModelError;
use attention_model::tokenizer::{Description, Segmenter, Tokenizer};
use send_wrapper::SendWrapper;
use wasm_bindgen::prelude::*;

use crate::browser;

// `app/worker/js/segmenter.js`, which the build serves beside the engine.
#[wasm_bindgen(raw_module = "./segmenter.js")]
extern "C" {
    #[wasm_bindgen(js_name = Segmenter)]
    #[derive(Debug)]
    type HuggingFace;

    #[wasm_bindgen(constructor, js_class = "Segmenter", catch)]
    fn new(json: &str) -> Result<HuggingFace, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn encode(this: &HuggingFace, text: &str, adds_special: bool) -> Result<Vec<u32>, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn stretches(this: &HuggingFace, text: &str, id: u32) -> Result<Vec<String>, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn decode(this: &HuggingFace, ids: &[u32]) -> Result<String, JsValue>;

    #[wasm_bindgen(method)]
    fn piece(this: &HuggingFace, id: u32) -> Option<String>;

    #[wasm_bindgen(method)]
    fn id(this: &HuggingFace, piece: &str) -> Option<u32>;

    #[wasm_bindgen(method)]
    fn vocabulary(this: &HuggingFace) -> u32;
}

/// Reads a `tokenizer.json`.
///
/// # Errors
/// If the bytes are not a `tokenizer.json`.
pub fn from_json(bytes: &[u8]) -> Result<Tokenizer, ModelError> {
    let description = Description::read(bytes)?;
    let read = HuggingFace::new(&String::from_utf8_lossy(bytes)).map_err(refused)?;
    let segmenter = Javascript(SendWrapper::new(read));
    Ok(Tokenizer::new(segmenter, description))
}

/// The module's object, which stays on the thread that created it, the one that answers the page.
#[derive(Debug)]
struct Javascript(SendWrapper<HuggingFace>);

impl Segmenter for Javascript {
    fn encode(&self, text: &str, adds_special: bool) -> Result<Vec<u32>, ModelError> {
        self.0.encode(text, adds_special).map_err(refused)
    }

    fn stretches(&self, text: &str, id: u32) -> Result<Vec<String>, ModelError> {
        self.0.stretches(text, id).map_err(refused)
    }

    fn decode(&self, ids: &[u32]) -> Result<String, ModelError> {
        self.0.decode(ids).map_err(refused)
    }

    fn piece(&self, id: u32) -> Option<String> {
        self.0.piece(id)
    }

    fn id(&self, piece: &str) -> Option<u32> {
        self.0.id(piece)
    }

    fn vocabulary(&self) -> usize {
        self.0.vocabulary() as usize
    }
}

fn refused(error: JsValue) -> ModelError {
    ModelError::Tokenizer(browser::describe(&error))
}
