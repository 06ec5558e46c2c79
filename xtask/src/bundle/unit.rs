//! Units of what is served, and the ways in which cargo compiles them.

use super::mode::Mode;

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

    /// The way in which cargo compiles its units, which is one for all of them.
    pub fn way(&self, mode: Mode) -> Option<Way> {
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
    pub fn flags(self) -> &'static str {
        match self {
            Self::Plain => "",
            // Leptos is told to erase the types of views, which makes the page smaller and its compilation
            // several times faster. Nothing else knows the word, so it parts nothing.
            Self::Vectors => "-Ctarget-feature=+simd128 --cfg erase_components",
            // Fused multiply-add is a setting for the kernels alone (`compile.rs`).
            Self::Threads => THREAD_FLAGS,
        }
    }

    pub fn has_threads(self) -> bool {
        self == Self::Threads
    }
}

/// The flags of a module whose memory is shared between threads: atomic instructions, memory that comes from outside with a
/// fixed upper bound, and the symbols from which wasm-bindgen builds each thread's stack. The bound is 4 GiB, all that an
/// address reaches; `worker-cpu.js` asks for less where a browser has no room for so much.
const THREAD_FLAGS: &str = "-Ctarget-feature=+simd128,+atomics,+bulk-memory \
    -Clink-arg=--shared-memory -Clink-arg=--import-memory -Clink-arg=--max-memory=4294967296 \
    -Clink-arg=--export=__wasm_init_tls -Clink-arg=--export=__tls_size \
    -Clink-arg=--export=__tls_align -Clink-arg=--export=__tls_base";
