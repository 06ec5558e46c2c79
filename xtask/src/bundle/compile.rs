//! Cargo, asked for WebAssembly modules.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use serde_json::Value;

use super::{
    mode::Mode,
    unfused::unfused,
    unit::{Machine, Step, Unit, Way},
    units::UNITS,
};
use crate::{
    error::Error,
    lints::by_clippy,
    process::{Group, background, command, read, variable},
    setup::WASM,
    workspace::Workspace,
};

/// Cargo's setting that compiles the kernels' crate, and nothing else, with fused multiply-add: what it depends on would
/// use more of that proposal, which [`unfused`] could not take out. The worker's script sees to it that the browser has it.
const FUSED_MULTIPLY_ADD: &str =
    "profile.wasm-release.package.attention-model.rustflags=['-Ctarget-feature=+relaxed-simd']";

/// Compiles a step. `found` gets each module as soon as it is there.
///
/// # Errors
/// If it does not compile, a module runs its constructors at every call, or `found` fails.
pub fn compile(
    workspace: &Workspace,
    programs: &Group,
    step: &Step,
    mode: Mode,
    mut found: impl FnMut(&'static Unit, Vec<u8>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut missing = step.units.clone();
    let mut cargo = cargo(workspace, step, mode);
    programs.run_lines(&mut cargo, |line| {
        for path in modules(line) {
            let path = Path::new(&path);
            let name = path.file_name().unwrap_or_default();
            let is_it = |unit: &&Unit| name == format!("{}.wasm", unit.program).as_str();
            let Some(place) = missing.iter().position(is_it) else {
                continue;
            };
            let unit = missing.swap_remove(place);
            let bytes = fs::read(path).map_err(Error::file("read", path))?;
            if runs_constructors_at_every_call(&bytes) {
                return Err(Error::Constructors {
                    package: unit.package,
                });
            }
            if let Some(other) = unit.unfused {
                found(other, unfused(other.name, &bytes)?)?;
            }
            found(unit, bytes)?;
        }
        Ok(())
    })?;
    match missing.first() {
        Some(unit) => Err(Error::NoWasm {
            package: unit.package,
        }),
        None => Ok(()),
    }
}

fn cargo(workspace: &Workspace, step: &Step, mode: Mode) -> Command {
    let mut cargo = unlinted(workspace, step, mode);
    if mode == Mode::Tested {
        by_clippy(&mut cargo);
    }
    cargo
}

fn unlinted(workspace: &Workspace, step: &Step, mode: Mode) -> Command {
    let arguments = arguments(step, mode);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut cargo = match step.niceness {
        0 => command("cargo", &arguments, &workspace.root),
        niceness => background(niceness, "cargo", &arguments, &workspace.root),
    };
    let Some(Way { machine, .. }) = step.way(mode) else {
        return cargo;
    };
    cargo.env("RUSTFLAGS", rust_flags(machine));
    if machine.has_threads() {
        // Building the standard library is not a stable feature of cargo; asked for this way, the
        // compiler stays the one that everything else is built with. In a directory of its own, since
        // build scripts run again when this variable changes, and everything after them.
        cargo
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO_TARGET_DIR", workspace.cache().join("threads"));
    }
    cargo
}

/// True if the linker put a wrapper around each function that JavaScript calls, which it does if there
/// are constructors and nothing that runs them once. The module's names tell.
fn runs_constructors_at_every_call(module: &[u8]) -> bool {
    const WRAPPER: &[u8] = b".command_export";
    module.windows(WRAPPER.len()).any(|part| part == WRAPPER)
}

/// The flags of the environment and the machine's own.
fn rust_flags(machine: Machine) -> String {
    let flags = variable("RUSTFLAGS").unwrap_or_default();
    format!("{flags} {}", machine.flags()).trim().to_owned()
}

fn arguments(step: &Step, mode: Mode) -> Vec<String> {
    let mut arguments: Vec<String> = [
        "build",
        "--locked",
        "--target",
        WASM,
        "--message-format",
        "json-render-diagnostics",
    ]
    .map(str::to_owned)
    .to_vec();
    for package in step.packages() {
        arguments.extend(["--package".to_owned(), package.to_owned()]);
    }
    for unit in &step.units {
        arguments.extend(["--bin".to_owned(), unit.program.to_owned()]);
        arguments.extend(unit.named_features());
    }
    let Some(Way {
        profile,
        settings,
        machine,
    }) = step.way(mode)
    else {
        return arguments;
    };
    arguments.extend(["--profile".to_owned(), profile.to_owned()]);
    arguments.extend(settings.iter().flat_map(|setting| {
        let setting = format!("profile.{profile}.{setting}");
        ["--config".to_owned(), setting]
    }));
    if machine.has_threads() {
        let flags = [
            "-Zbuild-std=std,panic_abort",
            "-Zprofile-rustflags",
            "--config",
            FUSED_MULTIPLY_ADD,
        ];
        arguments.extend(flags.map(str::to_owned));
    }
    arguments
}

/// Name and version of each crate whose code is in a module; macros and build scripts are not.
///
/// # Errors
/// If cargo cannot say.
pub fn shipped_crates(workspace: &Workspace) -> Result<BTreeSet<(String, String)>, Error> {
    let arguments =
        "tree --locked --edges normal,no-proc-macro --prefix none --format {p} --target";
    let mut arguments: Vec<&str> = arguments.split(' ').chain([WASM]).collect();
    let features: Vec<String> = UNITS
        .iter()
        .flat_map(|unit| unit.named_features())
        .collect();
    for unit in UNITS {
        arguments.extend(["--package", unit.package]);
    }
    arguments.extend(features.iter().map(String::as_str));
    let tree = read(&mut command("cargo", &arguments, &workspace.root))?;
    let crates = tree.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let (name, version) = (words.next()?, words.next()?);
        Some((name.to_owned(), version.trim_start_matches('v').to_owned()))
    });
    Ok(crates.collect())
}

/// The `.wasm` files that a line of cargo's messages names.
fn modules(line: &str) -> Vec<String> {
    // Build scripts write other lines among them.
    let Ok(message) = serde_json::from_str::<Value>(line) else {
        return Vec::new();
    };
    if message["reason"] != "compiler-artifact" {
        return Vec::new();
    }
    let names = message["filenames"].as_array().into_iter().flatten();
    names
        .filter_map(Value::as_str)
        .filter(|name| name.ends_with(".wasm"))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKER: Unit = Unit {
        name: "engine",
        package: "worker",
        program: "program",
        features: &["threads"],
        optimisation: "-O3",
        unfused: None,
        is_split: false,
        scripts: &[],
        published: Way {
            profile: "published",
            settings: &["package.fast.opt-level=3"],
            machine: Machine::Threads,
        },
        local: Way {
            profile: "local",
            settings: &[],
            machine: Machine::Threads,
        },
    };

    #[test]
    fn finds_modules_in_cargos_messages() {
        let found = |line| modules(line).join(" ");
        let library = r#"{"reason":"compiler-artifact","filenames":["/t/a.rlib","/t/a.rmeta"]}"#;
        assert_eq!(found(library), "");
        let module = r#"{"reason":"compiler-artifact","filenames":["/t/attention_worker.wasm"]}"#;
        assert_eq!(found(module), "/t/attention_worker.wasm");
        let ran = r#"{"reason":"build-script-executed","out_dir":"/t/out.wasm"}"#;
        assert_eq!(found(ran), "");
        assert_eq!(found("warning: not JSON"), "");
    }

    #[test]
    fn wrappers_that_run_constructors_are_noticed() {
        assert!(runs_constructors_at_every_call(
            b"\0asm listen.command_export"
        ));
        assert!(!runs_constructors_at_every_call(b"\0asm listen"));
    }

    fn told(unit: &'static Unit, mode: Mode) -> String {
        let step = Step {
            units: vec![unit],
            beside: vec!["page"],
            first_minutes: 1,
            niceness: 0,
        };
        arguments(&step, mode).join(" ")
    }

    #[test]
    fn a_step_names_its_packages_and_their_features() {
        let told = told(&WORKER, Mode::Release);
        for part in [
            "--locked",
            "--package worker --package page",
            "--bin program",
            "--features=worker/threads",
        ] {
            assert!(told.contains(part), "{part} in {told}");
        }
    }

    #[test]
    fn what_stays_here_is_compiled_otherwise_than_what_is_published() {
        let published = told(&WORKER, Mode::Release);
        let setting = "--profile published --config profile.published.package.fast.opt-level=3";
        assert!(published.contains(setting), "{published}");
        for mode in [Mode::Dev, Mode::Local, Mode::Tested] {
            let told = told(&WORKER, mode);
            assert!(told.contains("--profile local "), "{told}");
            assert!(!told.contains("package.fast"), "{told}");
        }
        const PAGE: Unit = Unit {
            is_split: true,
            ..WORKER
        };
        assert!(told(&PAGE, Mode::Dev).contains("--profile dev "));
        assert!(told(&PAGE, Mode::Local).contains("--profile local "));
    }

    #[test]
    fn fused_multiply_add_is_asked_of_the_kernels_alone() {
        let step = Step {
            units: vec![&WORKER],
            beside: Vec::new(),
            first_minutes: 1,
            niceness: 0,
        };
        assert!(!rust_flags(Machine::Threads).contains("relaxed-simd"));
        let arguments = arguments(&step, Mode::Release).join(" ");
        assert!(arguments.contains("attention-model.rustflags=['-Ctarget-feature=+relaxed-simd']"));
    }
}
