//! The tables of the documents.

use super::{
    agreement::differences_table,
    markdown::{gigabytes, megabytes, milliseconds, table},
    results::Kind,
    statistics::{Compared, Figures, Summary},
};

/// Everything, for `docs/performance.md` and the terminal.
pub fn report(summary: &Summary) -> String {
    let mut parts = vec![
        conditions(summary),
        "**One pass**, ours / onnxruntime-web (ratio; below 1 ours takes less):".to_owned(),
        passes(&summary.cases),
        "**Decoding**, ours / onnxruntime-web / transformers.js (ratio to the better of the two):"
            .to_owned(),
        decodings(&summary.cases),
        "**Code** that is downloaded before the first pass:".to_owned(),
        code(&summary.cases),
        "**Agreement** of the two sides' numbers, largest absolute differences:".to_owned(),
        differences_table(&summary.cases),
    ];
    let warned = complaints(&summary.cases);
    if !warned.is_empty() {
        parts.push(warned);
    }
    let trimmed: Vec<&str> = parts.iter().map(|part| part.trim()).collect();
    trimmed.join("\n\n") + "\n"
}

/// The ratios alone, for the README.
pub fn short(summary: &Summary) -> String {
    let rows: Vec<Vec<String>> = summary
        .cases
        .iter()
        .map(|case| {
            let (what, of, ratio): (_, Column, _) = match case.kind {
                Kind::Forward => ("one pass", |it| it.steady_ms, "steady"),
                Kind::Decode => ("one token", |it| it.token_ms, "token"),
            };
            let time = |figures: &Option<Figures>| cell(figures, of, milliseconds);
            let theirs = match (&case.ort, &case.transformers) {
                (Some(ort), Some(other)) if of(other) < of(ort) => time(&case.transformers),
                _ => time(&case.ort),
            };
            vec![
                format!("{}, {what}", case.case.trim_start_matches("decode ")),
                device(case),
                time(&case.ours),
                theirs,
                proportion(case, ratio),
            ]
        })
        .collect();
    let head = ["", "device", "ours", "theirs", "ratio"];
    format!("{}\n\n{}", conditions(summary), table(&head, &rows))
}

/// A figure that an engine may not have.
type Column = fn(&Figures) -> Option<f64>;

fn conditions(summary: &Summary) -> String {
    let versions: Vec<String> = summary
        .versions
        .iter()
        .filter(|(name, _)| *name != "node")
        .map(|(name, version)| format!("{name} {version}"))
        .collect();
    let machine = &summary.machine;
    format!(
        "Headless Chromium {}, {}, {} cores, {} of memory; {}. Rounds in which the engines took turns: {}.",
        summary.chromium,
        machine.processor,
        machine.cores,
        gigabytes(machine.memory_bytes),
        versions.join(", "),
        summary.rounds,
    )
}

fn passes(cases: &[Compared]) -> String {
    let columns: [(&str, Column); 5] = [
        ("create", |it| Some(it.create_ms)),
        ("first", |it| Some(it.first_ms)),
        ("early", |it| it.early_ms),
        ("steady", |it| it.steady_ms),
        ("round_trip", |it| it.round_trip_ms),
    ];
    let rows: Vec<Vec<String>> = of_kind(cases, Kind::Forward)
        .map(|case| {
            let sides = [&case.ours, &case.ort];
            let figures = columns
                .iter()
                .map(|(name, of)| figure(case, &sides, *of, milliseconds, name));
            let mut row = vec![case.case.clone(), device(case)];
            row.extend(figures);
            row.push(spread(&sides));
            row.push(memory(case, &sides));
            row.push(runs(&sides));
            row
        })
        .collect();
    let head = [
        "case",
        "device",
        "create",
        "first run",
        "runs 2–6",
        "steady",
        "steady, seen by the page",
        "spread of steady",
        "peak memory",
        "warm-up + steady",
    ];
    table(&head, &rows)
}

fn decodings(cases: &[Compared]) -> String {
    let rows: Vec<Vec<String>> = of_kind(cases, Kind::Decode)
        .map(|case| {
            let sides = [&case.ours, &case.ort, &case.transformers];
            let rate = |rate: f64| format!("{rate:.0}");
            vec![
                case.case.trim_start_matches("decode ").to_owned(),
                device(case),
                figure(
                    case,
                    &sides,
                    |it| Some(it.create_ms),
                    milliseconds,
                    "create",
                ),
                figure(case, &sides, |it| it.prompt_ms, milliseconds, "prompt"),
                figure(case, &sides, |it| it.tokens_per_s, rate, "token"),
                spread(&sides),
                memory(case, &sides),
                if case.same_tokens == Some(true) {
                    "yes"
                } else {
                    "no"
                }
                .to_owned(),
            ]
        })
        .collect();
    let head = [
        "model",
        "device",
        "create",
        "prompt and first token",
        "tokens/s after it (ratio of times)",
        "spread of it",
        "peak memory",
        "same tokens",
    ];
    table(&head, &rows)
}

/// The table of code by device: a device needs the same code for every case.
fn code(cases: &[Compared]) -> String {
    let mut devices: Vec<&str> = vec![];
    let mut rows = vec![];
    for case in cases {
        if devices.contains(&case.device.as_str()) {
            continue;
        }
        devices.push(&case.device);
        let transformers = cases
            .iter()
            .filter(|other| other.device == case.device)
            .find_map(|other| other.transformers.clone());
        let bytes = |side: &Option<Figures>| match side {
            Some(side) => format!(
                "{} ({})",
                megabytes(side.code.brotli_bytes),
                megabytes(side.code.raw_bytes)
            ),
            None => "–".to_owned(),
        };
        rows.push(vec![
            case.device.clone(),
            bytes(&case.ours),
            bytes(&case.ort),
            bytes(&transformers),
            proportion(case, "code"),
        ]);
    }
    let head = [
        "device",
        "ours, brotli (raw)",
        "onnxruntime-web",
        "transformers.js",
        "ratio",
    ];
    table(&head, &rows)
}

/// Who warned in the console.
fn complaints(cases: &[Compared]) -> String {
    let sides = |case: &Compared| {
        [
            ("ours", case.ours.clone()),
            ("onnxruntime-web", case.ort.clone()),
            ("transformers.js", case.transformers.clone()),
        ]
    };
    let warned: Vec<String> = cases
        .iter()
        .flat_map(|case| {
            sides(case).into_iter().filter_map(move |(name, side)| {
                let count = side.map_or(0, |side| side.complaints);
                (count > 0).then(|| format!("* {} on {}, {name}: {count}", case.case, case.device))
            })
        })
        .collect();
    if warned.is_empty() {
        return warned.concat();
    }
    format!(
        "Warnings and errors in the browser's console:\n\n{}",
        warned.join("\n")
    )
}

fn of_kind(cases: &[Compared], kind: Kind) -> impl Iterator<Item = &Compared> {
    cases.iter().filter(move |case| case.kind == kind)
}

/// A device that has threads which we did not use says so.
fn device(case: &Compared) -> String {
    let idle = |(ours, ort): (&Figures, &Figures)| !ours.threaded && ort.threaded;
    match case.ours.as_ref().zip(case.ort.as_ref()) {
        Some(sides) if idle(sides) => format!("{} (ours: 1)", case.device),
        _ => case.device.clone(),
    }
}

/// `ours / theirs (ratio)`.
fn figure(
    case: &Compared,
    sides: &[&Option<Figures>],
    of: Column,
    show: fn(f64) -> String,
    ratio: &str,
) -> String {
    let shown: Vec<String> = sides
        .iter()
        .filter(|side| side.is_some())
        .map(|side| cell(side, of, show))
        .collect();
    format!("{} ({})", shown.join(" / "), proportion(case, ratio))
}

fn cell(side: &Option<Figures>, of: Column, show: fn(f64) -> String) -> String {
    side.as_ref().and_then(of).map_or("–".to_owned(), show)
}

fn proportion(case: &Compared, name: &str) -> String {
    match case.ratios.get(name) {
        Some(ratio) => format!("{ratio:.2}×"),
        None => "–".to_owned(),
    }
}

fn memory(case: &Compared, sides: &[&Option<Figures>]) -> String {
    figure(
        case,
        sides,
        |it| it.peak_bytes.map(|bytes| bytes as f64),
        |bytes| format!("{:.0} MB", bytes / 1e6),
        "memory",
    )
}

/// The spread of the rounds.
fn spread(sides: &[&Option<Figures>]) -> String {
    let shown = |spread: f64| format!("±{:.1} %", 100.0 * spread);
    sides
        .iter()
        .filter(|side| side.is_some())
        .map(|side| cell(side, |it| it.spread, shown))
        .collect::<Vec<_>>()
        .join(" / ")
}

fn runs(sides: &[&Option<Figures>]) -> String {
    sides
        .iter()
        .filter_map(|side| side.as_ref())
        .map(|side| format!("{} + {}", side.warm_up, side.steady_runs))
        .collect::<Vec<_>>()
        .join(" / ")
}
