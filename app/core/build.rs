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
use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

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
    let mut text = String::new();
    write_lines(module, &mut text);
    fs::write(path, text)?;
    Ok(())
}

/// Writes tokens with a line for each statement. `TokenStream::to_string` writes one line of four megabytes, in which clippy
/// counts columns from the start for each place that it looks at: two minutes instead of five seconds.
fn write_lines(tokens: TokenStream, text: &mut String) {
    for token in tokens {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                text.push_str("{\n");
                write_lines(group.stream(), text);
                text.push_str("}\n");
            }
            TokenTree::Punct(mark) => {
                text.push(mark.as_char());
                match (mark.as_char(), mark.spacing()) {
                    (';', _) => text.push('\n'),
                    (_, Spacing::Alone) => text.push(' '),
                    (_, Spacing::Joint) => {}
                }
            }
            other => {
                text.push_str(&other.to_string());
                text.push(' ');
            }
        }
    }
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
