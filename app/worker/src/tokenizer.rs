//! `tokenizer.json` as Hugging Face's JavaScript module reads it.

use attention_model::error::ModelError;
use attention_model::tokenizer::{Segmenter, Tokenizer};
use js_sys::{Array, JSON, Map, Object, Reflect, Uint32Array};
use send_wrapper::SendWrapper;
use wasm_bindgen::prelude::*;

use crate::browser;

// The build serves the module of the npm package `@huggingface/tokenizers` under this name.
#[wasm_bindgen(raw_module = "./tokenizers.js")]
extern "C" {
    #[wasm_bindgen(js_name = Tokenizer)]
    #[derive(Debug)]
    type HuggingFace;

    #[wasm_bindgen(constructor, js_class = "Tokenizer", catch)]
    fn new(tokenizer: &JsValue, config: &JsValue) -> Result<HuggingFace, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn encode(this: &HuggingFace, text: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn decode(this: &HuggingFace, ids: &Array, options: &JsValue) -> Result<String, JsValue>;

    #[wasm_bindgen(method)]
    fn token_to_id(this: &HuggingFace, piece: &str) -> Option<u32>;

    #[wasm_bindgen(method)]
    fn id_to_token(this: &HuggingFace, id: u32) -> Option<String>;

    #[wasm_bindgen(method)]
    fn get_vocab(this: &HuggingFace) -> Map;
}

/// Reads a `tokenizer.json`.
///
/// # Errors
/// If the bytes are not one.
pub fn from_json(bytes: &[u8]) -> Result<Tokenizer, ModelError> {
    let json = JSON::parse(&String::from_utf8_lossy(bytes)).map_err(refused)?;
    // Its configuration is that of `tokenizer_config.json`, which we do not ask for; without this the
    // module would put punctuation right, which the Rust crate does not.
    let config = object(&[("clean_up_tokenization_spaces", false)]);
    let read = HuggingFace::new(&json, &config).map_err(refused)?;
    Ok(Tokenizer::new(Javascript(SendWrapper::new(read))))
}

/// The module's object, which stays on the thread that made it: the one that answers the page.
#[derive(Debug)]
struct Javascript(SendWrapper<HuggingFace>);

impl Segmenter for Javascript {
    fn encode(&self, text: &str) -> Result<Vec<u32>, ModelError> {
        let encoding = self.0.encode(text).map_err(refused)?;
        let ids = Reflect::get(&encoding, &"ids".into()).map_err(refused)?;
        Ok(Uint32Array::new(&ids).to_vec())
    }

    fn decode(&self, ids: &[u32]) -> Result<String, ModelError> {
        let ids = ids.iter().copied().map(JsValue::from).collect();
        let options = object(&[("skip_special_tokens", true)]);
        self.0.decode(&ids, &options).map_err(refused)
    }

    fn piece(&self, id: u32) -> Option<String> {
        self.0.id_to_token(id)
    }

    fn id(&self, piece: &str) -> Option<u32> {
        self.0.token_to_id(piece)
    }

    fn vocabulary(&self) -> usize {
        self.0.get_vocab().size() as usize
    }
}

fn object(switches: &[(&str, bool)]) -> JsValue {
    let pairs = switches.iter().map(|&(name, on)| {
        let pair: [JsValue; 2] = [name.into(), on.into()];
        pair.into_iter().collect::<Array>()
    });
    Object::from_entries(&pairs.collect::<Array>()).map_or(JsValue::UNDEFINED, JsValue::from)
}

fn refused(error: JsValue) -> ModelError {
    ModelError::Tokenizer(browser::describe(&error))
}
