//! Cargo, asked for one WebAssembly module.

use std::{env, fs, path::PathBuf};

use serde_json::Value;

use crate::{
    error::Error,
    process::{command, read},
    setup::WASM,
    workspace::Workspace,
};

/// One compiled part of what is served.
#[derive(Debug)]
pub struct Unit {
    /// Its files are called `name.js` and `name_bg.wasm`.
    pub name: &'static str,
    /// The crate.
    pub package: &'static str,
    /// Its features, beside the default ones.
    pub features: &'static [&'static str],
    /// How wasm-opt treats it.
    pub optimisation: &'static str,
}

/// Cargo's profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Fast to compile.
    Dev,
    /// Fast to download and to run.
    Release,
}

/// Compiles a unit and returns the module: cargo puts both engines into one file, one after the
/// other, so the file itself does not last.
///
/// # Errors
/// If it does not compile.
pub fn compile(workspace: &Workspace, unit: &Unit, profile: Profile) -> Result<Vec<u8>, Error> {
    println!("{}: compiling", unit.name);
    let arguments = arguments(unit, profile);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut cargo = command("cargo", &arguments, &workspace.root);
    if profile == Profile::Dev {
        let flags = env::var("RUSTFLAGS").unwrap_or_default();
        // Leptos erases the types of views then, which makes them compile several times faster.
        cargo.env("RUSTFLAGS", format!("{flags} --cfg erase_components"));
    }
    let messages = read(&mut cargo)?;
    let module = module_path(&messages).ok_or(Error::NoWasm {
        package: unit.package,
    })?;
    fs::read(&module).map_err(Error::file("read", &module))
}

fn arguments(unit: &Unit, profile: Profile) -> Vec<String> {
    let profile = match profile {
        Profile::Dev => "dev",
        Profile::Release => "wasm-release",
    };
    let mut arguments: Vec<String> = [
        "build",
        "--package",
        unit.package,
        "--target",
        WASM,
        "--profile",
        profile,
        "--message-format",
        "json-render-diagnostics",
    ]
    .map(str::to_owned)
    .to_vec();
    if !unit.features.is_empty() {
        arguments.extend(["--features".to_owned(), unit.features.join(",")]);
    }
    arguments
}

/// The last `.wasm` file that cargo's messages name: dependencies come before what needs them.
fn module_path(messages: &str) -> Option<PathBuf> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["reason"] == "compiler-artifact")
        .filter_map(|message| {
            let names = message["filenames"].as_array()?;
            let mut names = names.iter().filter_map(Value::as_str);
            names
                .find(|name| name.ends_with(".wasm"))
                .map(PathBuf::from)
        })
        .next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_module_among_cargos_messages() {
        let messages = r#"
{"reason":"compiler-artifact","filenames":["/t/libserde.rlib","/t/libserde.rmeta"]}
{"reason":"build-script-executed","out_dir":"/t/out"}
{"reason":"compiler-artifact","filenames":["/t/attention_worker.wasm"]}
{"reason":"build-finished","success":true}"#;
        assert_eq!(
            module_path(messages),
            Some(PathBuf::from("/t/attention_worker.wasm"))
        );
        assert_eq!(module_path(""), None);
    }

    #[test]
    fn features_are_passed_on() {
        let unit = Unit {
            name: "engine",
            package: "worker",
            features: &["webgpu", "fusion"],
            optimisation: "-Oz",
        };
        let arguments = arguments(&unit, Profile::Release).join(" ");
        assert!(
            arguments.ends_with("--features webgpu,fusion"),
            "{arguments}"
        );
        assert!(arguments.contains("--profile wasm-release"), "{arguments}");
    }
}
