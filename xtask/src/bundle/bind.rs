//! wasm-bindgen: from a compiled module to one that JavaScript can load.

use std::{
    fs,
    path::{Path, PathBuf},
};

use wasm_bindgen_cli_support::Bindgen;

use super::{
    cache::{Key, cached},
    split,
    unit::Unit,
};
use crate::error::Error;

/// Writes `name.js`, `name_bg.wasm`, the module's chunks and snippets of JavaScript; returns their
/// directory.
///
/// # Errors
/// If the module was made by another version of wasm-bindgen or cannot be split, or the output cannot
/// be written.
pub fn bind(cache: &Path, unit: &Unit, module: Vec<u8>) -> Result<PathBuf, Error> {
    // The module itself says which version of wasm-bindgen it is for.
    let key = Key::default().with(&module).with(split::PUBLISHED);
    cached(cache, "bind", unit.name, &key, |directory| {
        if !unit.is_split {
            return generate(directory, unit, module);
        }
        println!("{}: splitting", unit.name);
        let remainder = split::split(directory, unit.name, &module)?;
        generate(directory, unit, remainder.module)?;
        let path = directory.join(unit.name).with_extension("js");
        let script = fs::read_to_string(&path).map_err(Error::file("read", &path))?;
        let Some(script) = split::with_loader(&script, &remainder.loader) else {
            return Err(Error::Loader { path });
        };
        fs::write(&path, script).map_err(Error::file("write", &path))
    })
}

fn generate(directory: &Path, unit: &Unit, module: Vec<u8>) -> Result<(), Error> {
    println!("{}: wasm-bindgen", unit.name);
    let failed = |source| Error::Bindgen {
        path: directory.join(unit.name),
        source,
    };
    let mut bindgen = Bindgen::new();
    bindgen
        .web(true)
        .map_err(|error| failed(error.into()))?
        .typescript(false)
        // The page and the workers call the start function without an address.
        .omit_default_module_path(false)
        // Chunks find functions of the main module in its table.
        .keep_lld_exports(unit.is_split)
        .input_bytes(unit.name, module)
        .generate(directory)
        .map_err(|error| failed(error.into()))
}
