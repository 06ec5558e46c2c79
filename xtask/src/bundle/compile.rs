//! Cargo, asked for WebAssembly modules.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use serde_json::Value;

use super::{Mode, unfused::unfused, units::UNITS};
use crate::{
    error::Error,
    lints::by_clippy,
    process::{Group, background, command, read, variable},
    setup::WASM,
    workspace::Workspace,
};

/// One compiled part of what is served.
#[derive(Debug)]
pub struct Unit {
    /// Its files are called `name.js` and `name_bg.wasm`.
    pub name: &'static str,
    /// The name of its crate.
    pub package: &'static str,
    /// The program in it, after which cargo names the module.
    pub program: &'static str,
    /// The crate's features, beside the default ones.
    pub features: &'static [&'static str],
    /// The level of wasm-opt, as an argument.
    pub optimisation: &'static str,
    /// The unit that is made by taking fused multiply-add out of its module.
    pub unfused: Option<&'static Unit>,
    /// True if parts of it are chunks that load when they are opened.
    pub is_split: bool,
    /// The scripts that start it and are of no use without it.
    pub scripts: &'static [&'static str],
    /// The way to compile it for publication.
    pub published: Way,
    /// The way to compile it for this machine alone.
    pub local: Way,
}

impl Unit {
    /// The way in which cargo compiles it in a mode.
    pub fn way(&self, mode: Mode) -> Way {
        match mode {
            Mode::Dev if self.is_split => Way {
                profile: "dev",
                settings: &[],
                ..self.local
            },
            Mode::Dev | Mode::Local | Mode::Tested => self.local,
            Mode::Release => self.published,
        }
    }

    /// Its features as an argument for cargo, which may be told of other packages too.
    pub fn named_features(&self) -> impl Iterator<Item = String> {
        let named = |feature| format!("--features={}/{feature}", self.package);
        self.features.iter().map(named)
    }
}

/// The way in which cargo compiles a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// Cargo's profile, which has a directory of its own.
    pub profile: &'static str,
    /// Settings of it for this unit alone.
    pub settings: &'static [&'static str],
    /// The features that the processor must have.
    pub machine: Machine,
}

/// Units that cargo compiles in one run. They ask the same of the processor, and what they depend on has
/// the same features for all of them, so they share it.
#[derive(Debug)]
pub struct Step {
    /// The units that are compiled.
    pub units: Vec<&'static Unit>,
    /// Packages beside them, of which nothing is compiled. Naming them gives what this step shares with the
    /// step that compiles them the features it has there, or cargo would compile it again.
    pub beside: Vec<&'static str>,
    /// About how long it takes the first time on two cores.
    pub first_minutes: u32,
    /// Its niceness towards other programs: 0 for what a visitor waits for.
    pub niceness: u8,
}

impl Step {
    /// All units it makes: its own, and those that are made of their modules.
    pub fn made(&self) -> impl Iterator<Item = &'static Unit> {
        let both = |unit: &'static Unit| [Some(unit), unit.unfused];
        self.units.iter().copied().flat_map(both).flatten()
    }

    /// The names of what it makes.
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.made().map(|unit| unit.name).collect();
        names.join(", ")
    }

    /// The packages that cargo is told of, of those that are compiled first.
    pub fn packages(&self) -> impl Iterator<Item = &'static str> {
        let units = self.units.iter().map(|unit| unit.package);
        units.chain(self.beside.iter().copied())
    }

    fn way(&self, mode: Mode) -> Option<Way> {
        self.units.first().map(|unit| unit.way(mode))
    }
}

/// The features that a module asks of the processor that runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// WebAssembly as it was first: the GPU's engine, which has nothing to compute with vectors. They make the optimisation at
    /// its link take several times as long.
    Plain,
    /// Vectors, which the kernels are written in. Others have them too, so that they share what they depend on with the
    /// engine.
    Vectors,
    /// Vectors, fused multiply-add in our kernels, and memory that threads share, which needs a standard library built for
    /// that.
    Threads,
}

impl Machine {
    /// The flags that rustc gets.
    fn flags(self) -> &'static str {
        match self {
            Self::Plain => "",
            // Leptos is told to erase the types of views, which makes the page smaller and its compilation
            // several times faster. Nothing else knows the word, so it parts nothing.
            Self::Vectors => "-Ctarget-feature=+simd128 --cfg erase_components",
            // For fused multiply-add see `FUSED_MULTIPLY_ADD`.
            Self::Threads => THREAD_FLAGS,
        }
    }

    fn has_threads(self) -> bool {
        self == Self::Threads
    }
}

/// The flags of a module whose memory is shared between threads: atomic
/// instructions, memory that comes from outside with a fixed upper bound (2 GiB), and the symbols from
/// which wasm-bindgen builds each thread's stack.
const THREAD_FLAGS: &str = "-Ctarget-feature=+simd128,+atomics,+bulk-memory \
    -Clink-arg=--shared-memory -Clink-arg=--import-memory -Clink-arg=--max-memory=2147483648 \
    -Clink-arg=--export=__wasm_init_tls -Clink-arg=--export=__tls_size \
    -Clink-arg=--export=__tls_align -Clink-arg=--export=__tls_base";

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
