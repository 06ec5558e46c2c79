//! The agreement of both sides, and the side whose numbers are off where they differ.

use super::{
    markdown::table,
    results::{Against, Case, Comparison, Engine, Kind, Measured, Outcome, Run, same_tokens},
    statistics::Compared,
};

/// The largest difference that sums in another order explain.
const TOLERANCE: f64 = 1e-3;

/// The faults of a measurement: a run that failed, numbers of ours that differ, other tokens. A line each.
pub fn wrong(measured: &Measured<Case>) -> Vec<String> {
    measured.results.iter().flat_map(wrong_in).collect()
}

fn wrong_in(case: &Case) -> Vec<String> {
    let mut wrong = failures(&case.runs);
    wrong.extend(differences(case));
    if case.kind == Kind::Decode && !same_tokens(&case.runs) {
        wrong.push("the engines decoded different tokens".to_owned());
    }
    let label = |what| format!("{} | {}: {what}", case.case, case.device);
    wrong.into_iter().map(label).collect()
}

fn failures(runs: &[Run]) -> Vec<String> {
    let failed = runs.iter().filter_map(|run| match &run.outcome {
        Outcome::Failed { error } => Some(format!("{} failed: {error}", name(run.engine))),
        _ => None,
    });
    failed.collect()
}

/// The differences of our numbers. On WebGPU they are held against the CPUs: two sides that differ
/// do not tell whose is off.
fn differences(case: &Case) -> Vec<String> {
    let ours = of(&case.against_cpu, Engine::Ours);
    if ours.clone().next().is_none() {
        let differs = case.differs.iter().filter(|it| !agree(it));
        return differs
            .map(|it| format!("the sides differ: {}", distance(it)))
            .collect();
    }
    ours.filter(|it| !agree(&it.differs))
        .map(|it| {
            let (cpu, distance) = (name(it.cpu), distance(&it.differs));
            format!("ours on WebGPU differs from {cpu} on the CPU: {distance}")
        })
        .collect()
}

/// The table of differences, with a note where one side's WebGPU is off.
pub fn differences_table(cases: &[Compared]) -> String {
    let rows: Vec<Vec<String>> = cases
        .iter()
        .filter(|case| case.kind == Kind::Forward)
        .map(row)
        .collect();
    let head = [
        "case",
        "device",
        "arrays",
        "logits",
        "attention",
        "logits, from both CPUs' (ours / theirs)",
        "note",
    ];
    table(&head, &rows)
}

fn row(case: &Compared) -> Vec<String> {
    let (arrays, logits, attention) = match &case.differs {
        Some(Comparison::Made {
            arrays,
            logits,
            attention,
        }) => (arrays.to_string(), shown(*logits), shown(*attention)),
        Some(Comparison::Failed { error }) => (error.clone(), String::new(), String::new()),
        None => ("not compared".to_owned(), String::new(), String::new()),
    };
    let from_cpus = [Engine::Ours, Engine::Ort].map(|engine| from_cpus(&case.against_cpu, engine));
    vec![
        case.case.clone(),
        case.device.clone(),
        arrays,
        logits,
        attention,
        if case.against_cpu.is_empty() {
            "–".to_owned()
        } else {
            from_cpus.join(" / ")
        },
        note(&case.against_cpu),
    ]
}

/// Whose WebGPU differs from both CPUs; empty where nobody's does.
fn note(against: &[Against]) -> String {
    let notes = [Engine::Ours, Engine::Ort]
        .into_iter()
        .filter(|&engine| is_off(against, engine))
        .map(|engine| format!("{}: WebGPU differs from both CPUs", name(engine)));
    notes.collect::<Vec<_>>().join("; ")
}

fn is_off(against: &[Against], engine: Engine) -> bool {
    let mut compared = of(against, engine).peekable();
    compared.peek().is_some() && compared.all(|it| !agree(&it.differs))
}

/// The largest difference of an engine's logits from either CPU's.
fn from_cpus(against: &[Against], engine: Engine) -> String {
    let distances = of(against, engine).map(|it| match it.differs {
        Comparison::Made { logits, .. } => logits,
        Comparison::Failed { .. } => None,
    });
    // One that is not a number is the largest.
    let largest = distances.reduce(|one, other| Some(one?.max(other?)));
    largest.map_or("–".to_owned(), shown)
}

fn of(against: &[Against], engine: Engine) -> impl Iterator<Item = &Against> + Clone {
    against.iter().filter(move |it| it.engine == engine)
}

fn agree(comparison: &Comparison) -> bool {
    match comparison {
        Comparison::Failed { .. } => false,
        Comparison::Made {
            logits, attention, ..
        } => [logits, attention]
            .into_iter()
            .all(|apart| apart.is_some_and(|apart| apart <= TOLERANCE)),
    }
}

fn distance(comparison: &Comparison) -> String {
    match comparison {
        Comparison::Failed { error } => error.clone(),
        Comparison::Made {
            logits, attention, ..
        } => format!(
            "logits by {}, attention by {}",
            shown(*logits),
            shown(*attention)
        ),
    }
}

/// JSON has no NaN: it arrives as nothing.
fn shown(apart: Option<f64>) -> String {
    apart.map_or("NaN".to_owned(), |apart| format!("{apart:.1e}"))
}

fn name(engine: Engine) -> &'static str {
    match engine {
        Engine::Ours => "ours",
        Engine::Ort => "onnxruntime-web",
        Engine::Transformers => "transformers.js",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn case(kind: &str, differs: Value, against_cpu: Value, runs: &[Value]) -> Case {
        serde_json::from_value(json!({
            "case": "tiny 64", "kind": kind, "device": "WebGPU", "differs": differs,
            "against_cpu": against_cpu, "runs": runs,
        }))
        .unwrap()
    }

    fn apart(logits: f64) -> Value {
        json!({ "arrays": 7, "logits": logits, "attention": 1e-6 })
    }

    /// Both engines on WebGPU against both on the CPU.
    fn against(ours: f64, ort: f64) -> Value {
        let distances = [("ours", ours), ("ort", ort)].into_iter();
        let pairs = distances.flat_map(|(engine, logits)| {
            ["ours", "ort"]
                .map(|cpu| json!({ "engine": engine, "cpu": cpu, "differs": apart(logits) }))
        });
        pairs.collect()
    }

    fn decoding(engine: &str, tokens: &[u32]) -> Value {
        json!({
            "engine": engine, "boot_ms": 10.0, "load_ms": 90.0, "warm_up": 1,
            "first_decode_ms": 99.0, "prompt_ms": [20.0], "decode_ms": [61.0], "tokens": tokens,
            "memory": { "renderer_bytes": null, "gpu_bytes": null },
            "code": { "raw_bytes": 30, "brotli_bytes": 10 },
            "threaded": false, "browser": "156", "complaints": [], "complaint_count": 0,
        })
    }

    #[test]
    fn numbers_that_differ_are_named() {
        let wrong = |differs| wrong_in(&case("forward", differs, json!([]), &[]));
        assert!(wrong(apart(1e-4)).is_empty());
        assert_eq!(
            wrong(json!({ "arrays": 7, "logits": null, "attention": 2e-3 })),
            ["tiny 64 | WebGPU: the sides differ: logits by NaN, attention by 2.0e-3"]
        );
        assert_eq!(
            wrong(json!({ "error": "logits: no values against 2" })).len(),
            1
        );
    }

    #[test]
    fn only_ours_being_off_is_wrong() {
        let theirs = case("forward", apart(1.5e-2), against(2.7e-5, 1.5e-2), &[]);
        assert_eq!(wrong_in(&theirs), [""; 0]);
        assert_eq!(
            note(&theirs.against_cpu),
            "onnxruntime-web: WebGPU differs from both CPUs"
        );
        let ours = case("forward", apart(1.5e-2), against(1.5e-2, 2.7e-5), &[]);
        assert_eq!(
            wrong_in(&ours),
            [
                "tiny 64 | WebGPU: ours on WebGPU differs from ours on the CPU: logits by 1.5e-2, attention by 1.0e-6",
                "tiny 64 | WebGPU: ours on WebGPU differs from onnxruntime-web on the CPU: logits by 1.5e-2, attention by 1.0e-6",
            ]
        );
        assert_eq!(
            note(&ours.against_cpu),
            "ours: WebGPU differs from both CPUs"
        );
    }

    #[test]
    fn two_that_are_off_alike_do_not_pass() {
        let both = case("forward", apart(1e-5), against(1e-2, 1e-2), &[]);
        assert_eq!(wrong_in(&both).len(), 2);
    }

    #[test]
    fn the_larger_of_the_distances_is_shown() {
        let found = case("forward", apart(1e-5), against(2e-5, 3e-5), &[]).against_cpu;
        assert_eq!(from_cpus(&found, Engine::Ort), "3.0e-5");
        assert_eq!(from_cpus(&[], Engine::Ort), "–");
        let mut failed = found;
        failed[0].differs = Comparison::Failed {
            error: "no array".to_owned(),
        };
        assert_eq!(from_cpus(&failed, Engine::Ours), "NaN");
        assert_eq!(note(&failed), "");
    }

    #[test]
    fn a_run_that_failed_and_other_tokens_are_named() {
        let crashed = json!({
            "engine": "ort", "error": "out of memory", "complaints": [], "complaint_count": 0
        });
        let runs = [decoding("ours", &[1]), decoding("ort", &[2]), crashed];
        let found = wrong_in(&case("decode", json!(null), json!([]), &runs));
        assert_eq!(
            found,
            [
                "tiny 64 | WebGPU: onnxruntime-web failed: out of memory",
                "tiny 64 | WebGPU: the engines decoded different tokens"
            ]
        );
    }
}
