//! What is compiled, and in which order.

use super::{
    Mode,
    compile::{Machine, Step, Unit},
};

const PAGE: Unit = Unit {
    name: "page",
    package: "attention-app",
    module: "page.wasm",
    features: &[],
    // Here and for the workers that compute little: half as long as `-Oz`, and by brotli a hundredth smaller, though a tenth
    // larger once it is unpacked.
    optimisation: "-O1",
    machine: Machine::Vectors,
    is_split: true,
    scripts: &[],
    profile: "wasm-release",
    settings: &[],
};

const ENGINE_CPU: Unit = Unit {
    name: "engine-cpu",
    package: "attention-worker",
    module: "attention_worker.wasm",
    features: &[],
    optimisation: "-O3",
    machine: Machine::Vectors,
    is_split: false,
    scripts: &[],
    profile: "wasm-release",
    settings: &[],
};

const LESSONS: Unit = Unit {
    name: "lessons",
    package: "attention-lessons",
    module: "attention_lessons.wasm",
    features: &[],
    optimisation: "-O1",
    machine: Machine::Vectors,
    is_split: false,
    scripts: &["worker-lessons.js"],
    profile: "wasm-release",
    settings: &[],
};

const TRAINER: Unit = Unit {
    name: "trainer",
    package: "attention-trainer",
    module: "attention-trainer.wasm",
    features: &["simd"],
    // `-O3` takes four times as long, and trains no faster.
    optimisation: "-O1",
    machine: Machine::Vectors,
    is_split: false,
    scripts: &["worker-trainer.js"],
    profile: "wasm-release",
    settings: &TRAINED_FOR_SPEED,
};

/// In the worker that trains, burn itself computes, and the products of matrices below it. Settings of this run alone, and no
/// profile of its own, which would compile macros and all else that is shared once more.
const TRAINED_FOR_SPEED: [&str; 7] = [
    "profile.wasm-release.package.burn-autodiff.opt-level=3",
    "profile.wasm-release.package.burn-backend.opt-level=3",
    "profile.wasm-release.package.burn-flex.opt-level=3",
    "profile.wasm-release.package.gemm.opt-level=3",
    "profile.wasm-release.package.gemm-common.opt-level=3",
    "profile.wasm-release.package.gemm-f32.opt-level=3",
    "profile.wasm-release.package.macerator.opt-level=3",
];

/// The worker that trains on WebGPU is in it too.
const ENGINE_WEBGPU: Unit = Unit {
    name: "engine-webgpu",
    features: &["webgpu"],
    optimisation: "-O1",
    machine: Machine::Plain,
    scripts: &["worker-webgpu.js", "worker-trainer-webgpu.js"],
    profile: "wasm-webgpu",
    ..ENGINE_CPU
};

const ENGINE_CPU_THREADS: Unit = Unit {
    name: "engine-cpu-threads",
    features: &["threads"],
    machine: Machine::FusedThreads,
    ..ENGINE_CPU
};

/// For browsers that have threads but no fused multiply-add: Safari, and all on iPads.
const ENGINE_CPU_THREADS_PLAIN: Unit = Unit {
    name: "engine-cpu-threads-plain",
    machine: Machine::Threads,
    ..ENGINE_CPU_THREADS
};

/// All that is compiled.
pub const UNITS: [&Unit; 7] = [
    &PAGE,
    &ENGINE_CPU,
    &LESSONS,
    &TRAINER,
    &ENGINE_WEBGPU,
    &ENGINE_CPU_THREADS,
    &ENGINE_CPU_THREADS_PLAIN,
];

/// The crate that tests the kernels of the CPU engines.
const KERNEL_TESTS: Unit = Unit {
    package: "attention-kernel-tests",
    module: "attention_kernel_tests.wasm",
    ..ENGINE_CPU
};

const KERNEL_TESTS_THREADS: Unit = Unit {
    name: ENGINE_CPU_THREADS.name,
    features: ENGINE_CPU_THREADS.features,
    machine: ENGINE_CPU_THREADS.machine,
    ..KERNEL_TESTS
};

const KERNEL_TESTS_THREADS_PLAIN: Unit = Unit {
    name: ENGINE_CPU_THREADS_PLAIN.name,
    machine: ENGINE_CPU_THREADS_PLAIN.machine,
    ..KERNEL_TESTS_THREADS
};

/// Tests of the kernels, a step for each CPU engine, called as the engine. What they depend on is what the engine was
/// made of; the engine is not named beside them, since cargo would link it anew.
pub fn kernel_tests() -> [Step; 3] {
    let step = |tests, beside| Step {
        units: vec![tests],
        beside,
        first_minutes: 1,
        niceness: 0,
    };
    [
        step(&KERNEL_TESTS, vec![PAGE.package]),
        step(&KERNEL_TESTS_THREADS, vec![]),
        step(&KERNEL_TESTS_THREADS_PLAIN, vec![]),
    ]
}

/// Whether the page can be served with these units: it shows everything, and the CPU answers.
pub fn are_enough(made: &[&str]) -> bool {
    [PAGE.name, ENGINE_CPU.name]
        .iter()
        .all(|name| made.contains(name))
}

/// How far the longest of what is not waited for stands back, or the others would end long before it.
const NEXT: u8 = 10;
/// How far the others do.
const LAST: u8 = 19;

/// Steps one after another, in three lanes, since the link of an engine keeps one core busy for minutes. The first has what a
/// visitor needs first; what follows there and the other lanes, each in a directory of its own, take what that leaves of the
/// processor.
pub fn lanes(mode: Mode) -> [Vec<Step>; 3] {
    let step = |units: &[&'static Unit], first_minutes| Step {
        units: units.to_vec(),
        beside: Vec::new(),
        first_minutes,
        niceness: 0,
    };
    let behind = |unit, first_minutes| Step {
        niceness: LAST,
        ..step(&[unit], first_minutes)
    };
    let mut first = match mode {
        // The page in a profile of its own.
        Mode::Dev => vec![
            step(&[&PAGE], 2),
            step(&[&ENGINE_CPU], 2),
            behind(&LESSONS, 1),
        ],
        Mode::Release | Mode::Linted => vec![
            step(&[&PAGE, &ENGINE_CPU], 7),
            Step {
                beside: vec![PAGE.package],
                ..behind(&LESSONS, 4)
            },
        ],
    };
    // The trainer is a run of its own, since it has burn's gradients, which the engine must not.
    first.push(behind(&TRAINER, 7));
    let webgpu = vec![Step {
        niceness: NEXT,
        ..behind(&ENGINE_WEBGPU, 20)
    }];
    let threads = vec![
        behind(&ENGINE_CPU_THREADS, 14),
        behind(&ENGINE_CPU_THREADS_PLAIN, 3),
    ];
    [first, webgpu, threads]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_compiled_once_and_what_is_served_first_comes_first() {
        for mode in [Mode::Dev, Mode::Release] {
            let [first, webgpu, threads] = lanes(mode);
            let names = |lane: &[Step]| -> Vec<&str> {
                let units = lane.iter().flat_map(|step| &step.units);
                units.map(|unit| unit.name).collect()
            };
            let in_front = names(&first);
            assert!(are_enough(&in_front[..2]), "{in_front:?}");
            let mut compiled = [in_front, names(&webgpu), names(&threads)].concat();
            compiled.sort_unstable();
            let mut wanted = UNITS.map(|unit| unit.name);
            wanted.sort_unstable();
            assert_eq!(compiled, wanted);
        }
    }

    #[test]
    fn the_kernels_of_every_cpu_engine_are_tested_as_it_is_built() {
        let as_built = |unit: &Unit| (unit.name, unit.features, unit.machine);
        let engines = UNITS
            .into_iter()
            .filter(|unit| unit.package == ENGINE_CPU.package && unit.machine != Machine::Plain);
        let tests = kernel_tests();
        let tests = tests.iter().flat_map(|step| &step.units);
        assert!(
            tests
                .clone()
                .all(|unit| unit.package == KERNEL_TESTS.package)
        );
        assert!(tests.map(|unit| as_built(unit)).eq(engines.map(as_built)));
    }

    #[test]
    fn a_step_asks_one_thing_of_the_processor() {
        for step in lanes(Mode::Release).iter().flatten() {
            let asks = |unit: &Unit| (unit.machine, unit.profile, unit.settings);
            let first = asks(step.units[0]);
            assert!(step.units.iter().all(|unit| asks(unit) == first));
        }
    }

    #[test]
    fn the_page_alone_is_not_enough() {
        assert!(!are_enough(&["page", "lessons"]));
        assert!(are_enough(&["engine-cpu", "page"]));
    }
}
