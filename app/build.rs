//! Turns the locale files into a module with a checked key for every string, and has the page linked
//! with its relocations.
//!
//! `leptos_i18n_build` does the same, but comes with ICU's data exporter, over a hundred crates to
//! compile, for date and number formats that this page does not use.

use std::{env, error::Error, fs, path::Path};

use leptos_i18n_codegen::gen_code;
use leptos_i18n_parser::parse_locales::{
    options::{Config, ParseOptions},
    parse_locales,
};

/// Where the locale files are, seen from this crate.
const LOCALES: &str = "../assets/locales";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={LOCALES}");
    if env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        // The relocations say what uses what; chunks are taken out by them.
        println!("cargo::rustc-link-arg-bins=--emit-relocs");
    }
    let config = Config::new("en")?
        .add_locale("zh")?
        .add_namespaces([
            "shell",
            "engine",
            "heads",
            "decoding",
            "positions",
            "player",
            "chapters",
            "norms",
            "lessons",
            "scale",
            "scores",
            "order",
            "encodings",
            "sizes",
        ])?
        .locales_path(LOCALES)
        .parse_options(ParseOptions::new().interpolate_display(true));
    let locales = parse_locales(None, config)?;
    for warning in locales.diag.warnings().iter() {
        println!("cargo::warning={warning}");
    }
    for error in locales.diag.errors().iter() {
        println!("cargo::error={error}");
    }
    let module = gen_code(&locales, None, false, None, false)?;
    let path = Path::new(&env::var("OUT_DIR")?).join("i18n.rs");
    fs::write(path, module.to_string())?;
    Ok(())
}
