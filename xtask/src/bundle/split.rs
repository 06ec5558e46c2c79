//! Splitting: functions marked `#[wasm_split]` and what only they use become chunks, modules of their
//! own that share the page's memory and load when they are first called.

use std::{fs, path::Path};

use wasm_split_cli_support::{Options, transform};

use crate::error::Error;

/// The script that loads chunks, as the main module imports it.
const LOADER: &str = "./__wasm_split.js";

/// The rest of a module whose chunks were taken out.
#[derive(Debug)]
pub struct Remainder {
    /// The main module, for wasm-bindgen.
    pub module: Vec<u8>,
    /// The script that loads chunks.
    pub loader: String,
}

/// Takes the chunks out of a module that was linked with its relocations, and writes them into
/// `directory`.
///
/// # Errors
/// If the module was linked without relocations, or a file cannot be written.
pub fn split(directory: &Path, name: &str, module: &[u8]) -> Result<Remainder, Error> {
    let (main, loader) = (directory.join("main.wasm"), directory.join(LOADER));
    let mut options = Options::new(module);
    options.output_dir = directory;
    options.main_out_path = &main;
    options.link_name = LOADER;
    transform(options).map_err(|report| Error::Split {
        path: directory.join(name),
        source: report.into(),
    })?;
    let remainder = Remainder {
        module: fs::read(&main).map_err(Error::file("read", &main))?,
        loader: fs::read_to_string(&loader).map_err(Error::file("read", &loader))?,
    };
    // Neither is served as it is.
    for path in [main, loader] {
        fs::remove_file(&path).map_err(Error::file("remove", &path))?;
    }
    Ok(remainder)
}

/// The loader's request for a chunk.
const FETCH: &str = "fetch(new URL(";
/// The request in its place: past the browser's cache where its copy is wrong, by `assets/mending.js`.
pub const PUBLISHED: &str = "(globalThis.published ?? fetch)(new URL(";

/// wasm-bindgen's script with the loader in place of its import; `None` if it imports none, or the loader requests no
/// chunk in the way that is known here. As files of their own the two would import each other, and neither could be named
/// after its contents.
pub fn with_loader(script: &str, loader: &str) -> Option<String> {
    if !loader.contains(FETCH) {
        return None;
    }
    let import = format!(" from \"{LOADER}\"");
    let mut result = String::with_capacity(script.len() + loader.len());
    let mut is_there = false;
    for line in script.lines() {
        let name = line
            .strip_prefix("import * as ")
            .and_then(|rest| rest.trim_end_matches(';').strip_suffix(&import));
        match name {
            Some(name) => {
                if !is_there {
                    result.push_str(&as_expression(loader));
                    is_there = true;
                }
                result.push_str(&format!("const {name} = chunks;\n"));
            }
            None => {
                result.push_str(line);
                result.push('\n');
            }
        }
    }
    is_there.then_some(result)
}

/// The loader as a constant: what the module imports from the page's script is in scope already, and
/// what it exports is the constant's value.
fn as_expression(loader: &str) -> String {
    let mut body = String::new();
    let mut exported = Vec::new();
    for line in loader.lines().filter(|line| !line.starts_with("import ")) {
        let line = match line.strip_prefix("export ") {
            Some(declared) => {
                exported.extend(declared.split_whitespace().nth(1));
                declared
            }
            None => line,
        };
        body.push_str(&line.replace(FETCH, PUBLISHED));
        body.push('\n');
    }
    let exported = exported.join(", ");
    format!("const chunks = (() => {{\n{body}return {{ {exported} }};\n}})();\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "import * as import1 from \"./__wasm_split.js\"\n\
        import * as import2 from \"./__wasm_split.js\"\n\
        const imports = { \"./__wasm_split.js\": import2 };\n";

    const LOADER: &str = "import { initSync } from \"./main.js\";\n\
        function load(from) { return fetch(from).then(initSync); }\n\
        export const __wasm_split_load_learn = load(() => fetch(new URL(\"./split_learn.wasm\", import.meta.url)));\n\
        export const __wasm_split_load_positions = load();\n";

    #[test]
    fn the_loader_takes_the_place_of_its_import() {
        let expected = "const chunks = (() => {\n\
            function load(from) { return fetch(from).then(initSync); }\n\
            const __wasm_split_load_learn = load(() => (globalThis.published ?? fetch)(new URL(\"./split_learn.wasm\", import.meta.url)));\n\
            const __wasm_split_load_positions = load();\n\
            return { __wasm_split_load_learn, __wasm_split_load_positions };\n\
            })();\n\
            const import1 = chunks;\n\
            const import2 = chunks;\n\
            const imports = { \"./__wasm_split.js\": import2 };\n";
        assert_eq!(with_loader(SCRIPT, LOADER).as_deref(), Some(expected));
    }

    #[test]
    fn a_script_that_imports_no_loader_is_told_apart() {
        assert_eq!(with_loader("const imports = {};\n", LOADER), None);
    }

    #[test]
    fn a_loader_that_requests_chunks_in_another_way_is_told_apart() {
        let loader = LOADER.replace("fetch(new URL(", "request(new URL(");
        assert_eq!(with_loader(SCRIPT, &loader), None);
    }

    #[test]
    fn a_module_without_relocations_is_an_error() -> Result<(), Box<dyn std::error::Error>> {
        let directory = tempfile::tempdir()?;
        let empty = b"\0asm\x01\0\0\0";
        let outcome = split(directory.path(), "page", empty);
        assert!(matches!(outcome, Err(Error::Split { .. })), "{outcome:?}");
        Ok(())
    }
}
