//! wasm-bindgen: from a compiled module to one that JavaScript can load.

use std::path::{Path, PathBuf};

use wasm_bindgen_cli_support::Bindgen;

use super::cache::{Key, cached};
use crate::error::Error;

/// Writes `name.js`, `name_bg.wasm` and snippets of JavaScript; returns their directory.
///
/// # Errors
/// If the module was made by another version of wasm-bindgen, or its output cannot be written.
pub fn bind(cache: &Path, name: &str, module: Vec<u8>) -> Result<PathBuf, Error> {
    // The module itself says which version of wasm-bindgen it is for.
    let key = Key::default().with(&module);
    cached(cache, "bind", name, &key, |directory| {
        println!("{name}: wasm-bindgen");
        let failed = |source| Error::Bindgen {
            path: directory.join(name),
            source,
        };
        let mut bindgen = Bindgen::new();
        bindgen
            .web(true)
            .map_err(|error| failed(error.into()))?
            .typescript(false)
            // The page and the workers call the start function without an address.
            .omit_default_module_path(false)
            .input_bytes(name, module)
            .generate(directory)
            .map_err(|error| failed(error.into()))
    })
}
