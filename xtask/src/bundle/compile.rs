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
    /// What it asks of the processor.
    pub machine: Machine,
    /// Whether parts of it are chunks that load when they are opened.
    pub is_split: bool,
}

/// What a module asks of the processor that runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// WebAssembly as it was first. The GPU's engine too: vectors make its link take several times as
    /// long, and it has nothing to compute with them.
    Plain,
    /// Vectors, which the kernels are written in.
    Vectors,
    /// Vectors, and memory that threads share, which needs a standard library built for that.
    Threads,
    /// [`Machine::Threads`] with fused multiply-add in our kernels.
    FusedThreads,
}

impl Machine {
    /// Flags for rustc.
    fn flags(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Vectors => "-Ctarget-feature=+simd128",
            // The same, so that both engines share what they are made of: see `FUSED_MULTIPLY_ADD`.
            Self::Threads | Self::FusedThreads => THREAD_FLAGS,
        }
    }

    fn has_threads(self) -> bool {
        matches!(self, Self::Threads | Self::FusedThreads)
    }
}

/// What the compiler and linker are told for a module whose memory is shared between threads: atomic
/// instructions, memory that comes from outside with a fixed upper bound (2 GiB), and the symbols from
/// which wasm-bindgen builds each thread's stack.
const THREAD_FLAGS: &str = "-Ctarget-feature=+simd128,+atomics,+bulk-memory \
    -Clink-arg=--shared-memory -Clink-arg=--import-memory -Clink-arg=--max-memory=2147483648 \
    -Clink-arg=--export=__wasm_init_tls -Clink-arg=--export=__tls_size \
    -Clink-arg=--export=__tls_align -Clink-arg=--export=__tls_base";

/// Cargo's setting that compiles the kernels' crate with fused multiply-add, and nothing else again. The
/// worker's script sees to it that the browser has it.
const FUSED_MULTIPLY_ADD: &str =
    "profile.wasm-release.package.attention-model.rustflags=['-Ctarget-feature=+relaxed-simd']";

/// Cargo's profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Fast to compile.
    Dev,
    /// Fast to download and to run.
    Release,
}

/// Compiles a unit and returns the module: cargo puts all engines into one file, one after the
/// other, so the file itself does not last.
///
/// # Errors
/// If it does not compile, or runs its constructors at every call.
pub fn compile(workspace: &Workspace, unit: &Unit, profile: Profile) -> Result<Vec<u8>, Error> {
    println!("{}: compiling", unit.name);
    let arguments = arguments(unit, profile);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut cargo = command("cargo", &arguments, &workspace.root);
    cargo.env("RUSTFLAGS", rust_flags(unit));
    if unit.machine.has_threads() {
        // Building the standard library is not a stable feature of cargo; asked for this way, the
        // compiler stays the one that everything else is built with. In a directory of its own, since
        // build scripts run again when this variable changes, and everything after them.
        cargo
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO_TARGET_DIR", workspace.cache().join("threads"));
    }
    let messages = read(&mut cargo)?;
    let module = module_path(&messages).ok_or(Error::NoWasm {
        package: unit.package,
    })?;
    let bytes = fs::read(&module).map_err(Error::file("read", &module))?;
    match runs_constructors_at_every_call(&bytes) {
        true => Err(Error::Constructors {
            package: unit.package,
        }),
        false => Ok(bytes),
    }
}

/// Whether the linker put a wrapper around each function that JavaScript calls, which it does if there
/// are constructors and nothing that runs them once. The module's names tell.
fn runs_constructors_at_every_call(module: &[u8]) -> bool {
    const WRAPPER: &[u8] = b".command_export";
    module.windows(WRAPPER.len()).any(|part| part == WRAPPER)
}

/// The flags of the environment and the unit's own. Leptos is told to erase the types of views, which
/// makes the page smaller and its compilation several times faster.
fn rust_flags(unit: &Unit) -> String {
    let flags = env::var("RUSTFLAGS").unwrap_or_default();
    let own = match unit.name {
        "page" => "--cfg erase_components",
        _ => unit.machine.flags(),
    };
    format!("{flags} {own}").trim().to_owned()
}

fn arguments(unit: &Unit, profile: Profile) -> Vec<String> {
    let profile = match profile {
        Profile::Dev => "dev",
        Profile::Release => "wasm-release",
    };
    let mut arguments: Vec<String> = [
        if unit.is_split { "rustc" } else { "build" },
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
    if unit.machine.has_threads() {
        arguments.push("-Zbuild-std=std,panic_abort".to_owned());
    }
    if unit.machine == Machine::FusedThreads {
        let flags = ["-Zprofile-rustflags", "--config", FUSED_MULTIPLY_ADD];
        arguments.extend(flags.map(str::to_owned));
    }
    if !unit.features.is_empty() {
        arguments.extend(["--features".to_owned(), unit.features.join(",")]);
    }
    if unit.is_split {
        // The relocations say what uses what. Asked for in this way, for the program alone, they make
        // cargo compile nothing else again.
        let relocations = ["--bin", unit.name, "--", "-Clink-arg=--emit-relocs"];
        arguments.extend(relocations.map(str::to_owned));
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
    fn wrappers_that_run_constructors_are_noticed() {
        assert!(runs_constructors_at_every_call(
            b"\0asm listen.command_export"
        ));
        assert!(!runs_constructors_at_every_call(b"\0asm listen"));
    }

    #[test]
    fn features_are_passed_on() {
        let unit = Unit {
            name: "engine",
            package: "worker",
            features: &["webgpu", "fusion"],
            optimisation: "-Oz",
            machine: Machine::Plain,
            is_split: false,
        };
        let arguments = arguments(&unit, Profile::Release).join(" ");
        assert!(
            arguments.ends_with("--features webgpu,fusion"),
            "{arguments}"
        );
        assert!(arguments.contains("--profile wasm-release"), "{arguments}");
    }

    #[test]
    fn engines_with_threads_differ_in_the_kernels_alone() {
        let unit = |machine| Unit {
            name: "engine",
            package: "worker",
            features: &["threads"],
            optimisation: "-O3",
            machine,
            is_split: false,
        };
        let (plain, fused) = (unit(Machine::Threads), unit(Machine::FusedThreads));
        assert_eq!(rust_flags(&plain), rust_flags(&fused));
        assert!(!rust_flags(&plain).contains("relaxed-simd"));
        let kernels = |unit| {
            arguments(unit, Profile::Release)
                .join(" ")
                .contains("+relaxed-simd")
        };
        assert!(kernels(&fused) && !kernels(&plain));
    }

    #[test]
    fn what_is_split_is_linked_with_its_relocations() {
        let unit = Unit {
            name: "page",
            package: "app",
            features: &[],
            optimisation: "-Oz",
            machine: Machine::Plain,
            is_split: true,
        };
        let arguments = arguments(&unit, Profile::Dev).join(" ");
        assert!(arguments.starts_with("rustc "), "{arguments}");
        assert!(
            arguments.ends_with("--bin page -- -Clink-arg=--emit-relocs"),
            "{arguments}"
        );
    }
}
