//! Turns the locale files into a module with a checked key for every string. The files of the page lie in a folder for
//! each language, those of a chapter in such folders of the chapter; they are collected in one place first.
//!
//! `leptos_i18n_build` does the same, but comes with ICU's data exporter, over a hundred crates to
//! compile, for date and number formats that this page does not use.

use std::{
    collections::BTreeSet,
    error::Error,
    fs, io,
    path::{Path, PathBuf},
};

use leptos_i18n_codegen::gen_code;
use leptos_i18n_parser::parse_locales::{
    options::{Config, ParseOptions},
    parse_locales,
};
use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

use crate::entries;

/// The page's locale files, seen from this crate.
const LOCALES: &str = "../../assets/locales";

/// The chapters' folders, seen from this crate.
const CHAPTERS: &str = "../chapters/src";

/// The language of visitors whose own is not among them.
const DEFAULT: &str = "en";

/// Writes `i18n.rs` and returns the languages.
pub fn write(out: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    println!("cargo::rerun-if-changed={LOCALES}");
    // A new chapter is listed there; its folder as a whole would be noticed at every change of code.
    println!("cargo::rerun-if-changed={CHAPTERS}/lib.rs");
    let languages = names(Path::new(LOCALES))?;
    let mut namespaces = BTreeSet::new();
    for language in &languages {
        let collected = out.join("locales").join(language);
        for file in files(language)? {
            let to = collected.join(file.file_name().unwrap_or_default());
            copy(&file, &to)?;
            namespaces.extend(stem(&file));
        }
    }
    let config = Config::new(DEFAULT)?
        .add_locales(languages.iter().filter(|name| *name != DEFAULT))?
        .add_namespaces(namespaces)?
        .locales_path(out.join("locales"))
        .parse_options(ParseOptions::new().interpolate_display(true));
    let locales = parse_locales(None, config)?;
    for warning in locales.diag.warnings().iter() {
        println!("cargo::warning={warning}");
    }
    for error in locales.diag.errors().iter() {
        println!("cargo::error={error}");
    }
    let module = gen_code(&locales, None, false, None, false)?;
    let mut text = String::new();
    write_lines(module, &mut text);
    fs::write(out.join("i18n.rs"), text)?;
    Ok(languages)
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

/// The JSON files of a language: the page's, and those of every chapter.
fn files(language: &str) -> io::Result<Vec<PathBuf>> {
    let mut files = entries(&Path::new(LOCALES).join(language))?;
    for chapter in entries(Path::new(CHAPTERS))? {
        let folder = chapter.join(language);
        if folder.is_dir() {
            println!("cargo::rerun-if-changed={}", folder.display());
            files.extend(entries(&folder)?);
        }
    }
    files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
    Ok(files)
}

/// Names of the folders in a directory.
fn names(directory: &Path) -> io::Result<Vec<String>> {
    let folders = entries(directory)?.into_iter().filter(|path| path.is_dir());
    Ok(folders.filter_map(|path| stem(&path)).collect())
}

/// A path's name without its ending.
fn stem(path: &Path) -> Option<String> {
    Some(path.file_stem()?.to_string_lossy().into_owned())
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(directory) = to.parent() {
        fs::create_dir_all(directory)?;
    }
    fs::write(to, fs::read(from)?)
}
