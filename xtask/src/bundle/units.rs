//! The units that are compiled, and their order.

use super::{
    mode::Mode,
    unit::{Machine, Step, Unit, Way},
};

/// Published, of what shares its flags with the page; see the root `Cargo.toml`.
const VECTORS: Way = Way {
    profile: "wasm-release",
    settings: &[],
    machine: Machine::Vectors,
};

/// On this machine. Nothing is optimised at a link, so the vectors are no burden for the WebGPU engine either.
const LOCAL: Way = Way {
    profile: "wasm-local",
    ..VECTORS
};

/// The engines with threads are the same everywhere: of what they are made of, the optimisation at the link takes least.
const THREADS: Way = Way {
    machine: Machine::Threads,
    ..VECTORS
};

const PAGE: Unit = Unit {
    name: "page",
    package: "attention-app",
    program: "page",
    features: &[],
    // Here and for the workers that compute little: half as long as `-Oz`, and by brotli a hundredth smaller, though a tenth
    // larger once it is unpacked.
    optimisation: "-O1",
    unfused: None,
    is_split: true,
    scripts: &[],
    published: VECTORS,
    local: LOCAL,
};

const ENGINE_CPU: Unit = Unit {
    name: "engine-cpu",
    package: "attention-worker",
    program: "engine-cpu",
    features: &[],
    optimisation: "-O3",
    unfused: None,
    is_split: false,
    scripts: &[],
    published: VECTORS,
    local: LOCAL,
};

const LESSONS: Unit = Unit {
    name: "lessons",
    package: "attention-lessons",
    program: "lessons",
    features: &[],
    optimisation: "-O1",
    unfused: None,
    is_split: false,
    scripts: &["worker-lessons.js"],
    published: VECTORS,
    local: LOCAL,
};

const HUB: Unit = Unit {
    name: "hub",
    package: "attention-hub",
    program: "attention-hub",
    scripts: &["worker-hub.js"],
    ..LESSONS
};

const TRAINER: Unit = Unit {
    name: "trainer",
    package: "attention-trainer",
    program: "attention-trainer",
    features: &[],
    // `-O3` takes four times as long, and trains no faster.
    optimisation: "-O1",
    unfused: None,
    is_split: false,
    scripts: &["worker-trainer.js"],
    published: Way {
        settings: &TRAINED_FOR_SPEED,
        ..VECTORS
    },
    local: LOCAL,
};

/// In the worker that trains, burn itself computes, and the products of matrices below it. Settings of this run alone, and no
/// profile of its own, which would compile macros and all else that is shared once more.
const TRAINED_FOR_SPEED: [&str; 7] = [
    "package.burn-autodiff.opt-level=3",
    "package.burn-backend.opt-level=3",
    "package.burn-flex.opt-level=3",
    "package.gemm.opt-level=3",
    "package.gemm-common.opt-level=3",
    "package.gemm-f32.opt-level=3",
    "package.macerator.opt-level=3",
];

/// In the WebGPU engine of this machine the CPU computes no more than what the GPU is checked against.
const WITHOUT_CPU: [&str; 2] = [
    "package.attention-model.opt-level=\"z\"",
    "package.burn-flex.opt-level=0",
];

/// The worker that trains on WebGPU is in it too.
const ENGINE_WEBGPU: Unit = Unit {
    name: "engine-webgpu",
    program: "engine-webgpu",
    features: &["webgpu"],
    optimisation: "-O1",
    scripts: &["worker-webgpu.js", "worker-trainer-webgpu.js"],
    published: Way {
        profile: "wasm-webgpu",
        settings: &[],
        machine: Machine::Plain,
    },
    local: Way {
        settings: &WITHOUT_CPU,
        ..LOCAL
    },
    ..ENGINE_CPU
};

const ENGINE_CPU_THREADS: Unit = Unit {
    name: "engine-cpu-threads",
    unfused: Some(&ENGINE_CPU_THREADS_PLAIN),
    ..ENGINE_CPU_THREADS_PLAIN
};

/// For browsers that have threads but no fused multiply-add: Safari, and all on iPads.
const ENGINE_CPU_THREADS_PLAIN: Unit = Unit {
    name: "engine-cpu-threads-plain",
    features: &["threads"],
    published: THREADS,
    local: THREADS,
    ..ENGINE_CPU
};

/// All that is served.
pub const UNITS: [&Unit; 8] = [
    &PAGE,
    &ENGINE_CPU,
    &LESSONS,
    &HUB,
    &TRAINER,
    &ENGINE_WEBGPU,
    &ENGINE_CPU_THREADS,
    &ENGINE_CPU_THREADS_PLAIN,
];

/// The crate that tests the kernels of the CPU engines.
const KERNEL_TESTS: Unit = Unit {
    package: "attention-kernel-tests",
    program: "kernel-tests",
    ..ENGINE_CPU
};

const KERNEL_TESTS_THREADS: Unit = Unit {
    name: ENGINE_CPU_THREADS.name,
    unfused: Some(&KERNEL_TESTS_THREADS_PLAIN),
    ..KERNEL_TESTS_THREADS_PLAIN
};

const KERNEL_TESTS_THREADS_PLAIN: Unit = Unit {
    name: ENGINE_CPU_THREADS_PLAIN.name,
    features: ENGINE_CPU_THREADS_PLAIN.features,
    published: ENGINE_CPU_THREADS_PLAIN.published,
    local: ENGINE_CPU_THREADS_PLAIN.local,
    ..KERNEL_TESTS
};

/// Tests of the kernels for each CPU engine, made and called as the engine. What they depend on is what the engine was
/// made of; the engine is not named beside them, since cargo would link it anew.
pub fn kernel_tests(mode: Mode) -> Vec<Step> {
    let plan = plan(mode);
    let beside = |engine: &str| {
        let step = plan
            .steps()
            .find(|step| step.made().any(|unit| unit.name == engine));
        let packages = step.into_iter().flat_map(Step::packages);
        packages
            .filter(|package| *package != ENGINE_CPU.package)
            .collect()
    };
    let step = |tests: &'static Unit| Step {
        units: vec![tests],
        beside: beside(tests.name),
        first_minutes: 1,
        niceness: 0,
    };
    vec![step(&KERNEL_TESTS), step(&KERNEL_TESTS_THREADS)]
}

/// True if the page can be served with these units: it shows everything, and the CPU answers.
pub fn are_enough(made: &[&str]) -> bool {
    [PAGE.name, ENGINE_CPU.name]
        .iter()
        .all(|name| made.contains(name))
}

/// The niceness of steps that nobody waits for.
const BEHIND: u8 = 10;
/// The niceness of the engines with threads: a page takes them up when it is loaded the next time.
const FURTHER_BEHIND: u8 = 13;

/// The order in which things are compiled.
#[derive(Debug)]
pub struct Plan {
    /// The steps before all others.
    pub front: Vec<Step>,
    /// Steps one after another, in lanes side by side, since the link of an engine keeps one core busy for minutes. Lanes have
    /// no directory in common; the first may have that of the front.
    pub lanes: Vec<Vec<Step>>,
}

impl Plan {
    /// All steps, those first that a visitor needs first.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.front.iter().chain(self.lanes.iter().flatten())
    }
}

/// The plan of a mode. Where someone waits for the page, it is compiled with as little else as can be; elsewhere all lanes
/// begin at once, and what is not in the first takes what that leaves of the processor.
pub fn plan(mode: Mode) -> Plan {
    let step = |units: &[&'static Unit], first_minutes| Step {
        units: units.to_vec(),
        beside: Vec::new(),
        first_minutes,
        niceness: 0,
    };
    let behind = |units: &[&'static Unit], first_minutes| Step {
        niceness: BEHIND,
        ..step(units, first_minutes)
    };
    let with_page = |step| Step {
        beside: vec![PAGE.package],
        ..step
    };
    let threads = |first_minutes| {
        vec![Step {
            niceness: FURTHER_BEHIND,
            ..behind(&[&ENGINE_CPU_THREADS], first_minutes)
        }]
    };
    // The WebGPU engine has the front's macros, which with another engine's features are compiled once more.
    let local_lanes = || vec![vec![with_page(behind(&[&ENGINE_WEBGPU], 5))], threads(6)];
    match mode {
        // The page in a profile of its own.
        Mode::Dev => Plan {
            front: vec![
                step(&[&PAGE], 2),
                with_page(step(&[&ENGINE_CPU, &LESSONS, &HUB, &TRAINER], 3)),
            ],
            lanes: local_lanes(),
        },
        // The engine has no use for burn's gradients and vectors, but so burn is compiled once for all three workers.
        Mode::Local => Plan {
            front: vec![step(&[&PAGE, &ENGINE_CPU, &LESSONS, &HUB, &TRAINER], 5)],
            lanes: local_lanes(),
        },
        Mode::Tested => Plan {
            front: vec![],
            lanes: vec![
                vec![
                    step(&[&PAGE, &ENGINE_CPU, &LESSONS, &HUB, &TRAINER], 8),
                    with_page(step(&[&ENGINE_WEBGPU], 4)),
                ],
                threads(9),
            ],
        },
        // The trainer is a run of its own, since it has burn's gradients, which the engine must not.
        Mode::Release => Plan {
            front: vec![],
            lanes: vec![
                vec![
                    step(&[&PAGE, &ENGINE_CPU], 7),
                    with_page(behind(&[&LESSONS, &HUB], 4)),
                    with_page(behind(&[&TRAINER], 5)),
                ],
                vec![behind(&[&ENGINE_WEBGPU], 12)],
                threads(14),
            ],
        },
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{
        error::Error,
        process::{command, read},
        setup::WASM,
        workspace::Workspace,
    };

    const MODES: [Mode; 4] = [Mode::Dev, Mode::Local, Mode::Tested, Mode::Release];

    /// The crates of some packages for the browser, macros included: each with its name, version and features.
    fn made_of(packages: &[&str], features: &[String]) -> Result<BTreeSet<String>, Error> {
        let arguments = "tree --locked --edges normal,build --prefix none --target";
        let mut arguments: Vec<&str> = arguments.split(' ').chain([WASM]).collect();
        arguments.extend(["--format", "{p} {f}"]);
        for package in packages {
            arguments.extend(["--package", package]);
        }
        arguments.extend(features.iter().map(String::as_str));
        let tree = read(&mut command("cargo", &arguments, &Workspace::new().root))?;
        let line = |line: &str| line.trim_end_matches(" (*)").trim().to_owned();
        Ok(tree.lines().map(line).collect())
    }

    fn features(step: &Step) -> Vec<String> {
        let features = step.units.iter().flat_map(|unit| unit.named_features());
        features.collect()
    }

    fn name_and_version(line: &str) -> String {
        line.split(' ').take(2).collect::<Vec<_>>().join(" ")
    }

    /// A crate with other features is compiled once more, and so is all that is above it: the page, five minutes of one core.
    #[test]
    fn what_the_page_is_made_of_has_the_same_features_in_every_run() -> Result<(), Error> {
        let page = made_of(&[PAGE.package], &[])?;
        let page: BTreeSet<String> = page.iter().map(|line| name_and_version(line)).collect();
        let plans = [plan(Mode::Local), plan(Mode::Release)];
        let mut runs = Vec::new();
        for step in plans.iter().flat_map(Plan::steps) {
            let packages: Vec<_> = step.packages().collect();
            // Of what is only beside a step nothing is compiled.
            if !packages.contains(&PAGE.package) || step.names() == ENGINE_WEBGPU.name {
                continue;
            }
            let mut all = made_of(&packages, &features(step))?;
            all.retain(|line| page.contains(&name_and_version(line)));
            runs.push(all);
        }
        assert_eq!(runs.len(), 4);
        for run in &runs[1..] {
            let different: Vec<_> = run.symmetric_difference(&runs[0]).collect();
            assert!(different.is_empty(), "{different:#?}");
        }
        Ok(())
    }

    /// With other features, all macros and all that uses them would be compiled once more: two minutes of one core.
    #[test]
    fn macros_and_bindings_are_compiled_once_for_the_page_and_the_local_webgpu_engine()
    -> Result<(), Error> {
        const SHARED: [&str; 8] = [
            "js-sys",
            "proc-macro2",
            "quote",
            "serde",
            "serde_core",
            "syn",
            "wasm-bindgen",
            "web-sys",
        ];
        let plan = plan(Mode::Local);
        let mut runs = Vec::new();
        for step in plan.steps().filter(|step| !step.beside.is_empty()) {
            assert_eq!(step.names(), ENGINE_WEBGPU.name);
            runs.push(made_of(
                &step.packages().collect::<Vec<_>>(),
                &features(step),
            )?);
        }
        runs.push(made_of(
            &plan.front[0].packages().collect::<Vec<_>>(),
            &features(&plan.front[0]),
        )?);
        for run in &mut runs {
            run.retain(|line| SHARED.contains(&line.split(' ').next().unwrap_or_default()));
            assert!(run.len() >= SHARED.len(), "{run:#?}");
        }
        let different: Vec<_> = runs[0].symmetric_difference(&runs[1]).collect();
        assert!(different.is_empty(), "{different:#?}");
        Ok(())
    }

    #[test]
    fn every_unit_is_made_once_and_what_is_served_first_comes_first() {
        for mode in MODES {
            let plan = plan(mode);
            let units = plan.steps().flat_map(Step::made);
            let mut made: Vec<&str> = units.map(|unit| unit.name).collect();
            assert!(are_enough(&made[..2]), "{made:?}");
            made.sort_unstable();
            let mut wanted = UNITS.map(|unit| unit.name);
            wanted.sort_unstable();
            assert_eq!(made, wanted);
        }
    }

    #[test]
    fn who_serves_waits_for_the_page_alone() {
        let in_front = |mode| plan(mode).front.len();
        assert!(in_front(Mode::Dev) > 0 && in_front(Mode::Local) > 0);
        assert!(in_front(Mode::Tested) == 0 && in_front(Mode::Release) == 0);
    }

    #[test]
    fn the_kernels_of_every_cpu_engine_are_tested_as_it_is_built() {
        let as_built = |unit: &Unit| {
            let unfused = unit.unfused.map(|unit| unit.name);
            (
                unit.name,
                unit.features,
                unit.published,
                unit.local,
                unfused,
            )
        };
        let engines = UNITS
            .into_iter()
            .filter(|unit| unit.package == ENGINE_CPU.package && unit.name != ENGINE_WEBGPU.name);
        let tests = kernel_tests(Mode::Tested);
        let tests: Vec<&Unit> = tests.iter().flat_map(Step::made).collect();
        assert!(
            tests
                .iter()
                .all(|unit| unit.package == KERNEL_TESTS.package)
        );
        assert!(tests.into_iter().map(as_built).eq(engines.map(as_built)));
    }

    #[test]
    fn a_step_is_compiled_in_one_way() {
        for mode in MODES {
            for step in plan(mode).steps() {
                let first = step.units[0].way(mode);
                assert!(step.units.iter().all(|unit| unit.way(mode) == first));
            }
        }
    }

    #[test]
    fn modules_in_one_directory_do_not_overwrite_each_other() {
        for mode in MODES {
            let plan = plan(mode);
            let files = plan.steps().flat_map(|step| &step.units).map(|unit| {
                let Way {
                    profile, machine, ..
                } = unit.way(mode);
                (profile, machine == Machine::Threads, unit.program)
            });
            let mut files: Vec<_> = files.collect();
            let units = files.len();
            files.sort_unstable();
            files.dedup();
            assert_eq!(files.len(), units, "{files:?}");
        }
    }

    #[test]
    fn the_page_alone_is_not_enough() {
        assert!(!are_enough(&["page", "lessons"]));
        assert!(are_enough(&["engine-cpu", "page"]));
    }
}
