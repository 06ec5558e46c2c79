//! Turns the locale files, a folder a language, into a module with a checked key for every string.
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
const LOCALES: &str = "../../assets/locales";

/// The language of visitors whose own is not among them.
const DEFAULT: &str = "en";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={LOCALES}");
    let languages = names(Path::new(LOCALES), Path::is_dir)?;
    let namespaces = names(&Path::new(LOCALES).join(DEFAULT), Path::is_file)?;
    let config = Config::new(DEFAULT)?
        .add_locales(languages.iter().filter(|name| *name != DEFAULT))?
        .add_namespaces(namespaces)?
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

/// Names without endings, in order, of what is in a directory and passes `filter`.
fn names(directory: &Path, filter: fn(&Path) -> bool) -> Result<Vec<String>, Box<dyn Error>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if let (true, Some(name)) = (filter(&path), path.file_stem()) {
            names.push(name.to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}
