//! From runs to figures: medians over rounds, how far the rounds spread, and ratios.

use std::collections::BTreeMap;

use serde::Serialize;

use super::results::{
    Against, Case, Code, Common, Comparison, Engine, Kind, Machine, Measured, Memory, Outcome, Run,
    same_tokens,
};

/// Passes after the first that count as early.
const EARLY: usize = 5;

/// Warnings that are kept.
const SAID: usize = 3;

/// The contents of `bench.json`.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The machine that ran the bench.
    pub machine: Machine,
    /// The version of Chromium.
    pub chromium: String,
    /// The versions of the engines, by name.
    pub versions: BTreeMap<String, String>,
    /// The number of rounds in which the engines took turns.
    pub rounds: usize,
    /// Each case on each device.
    pub cases: Vec<Compared>,
}

/// One case on one device.
#[derive(Clone, Debug, Serialize)]
pub struct Compared {
    /// Its name in the tables.
    pub case: String,
    pub kind: Kind,
    /// The device that computes, as the tables name it.
    pub device: String,
    /// The difference between both sides' numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differs: Option<Comparison>,
    /// On WebGPU, how far each side's are from each side's on the CPU.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub against_cpu: Vec<Against>,
    /// True if all engines decoded the same tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_tokens: Option<bool>,
    pub ours: Option<Figures>,
    pub ort: Option<Figures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transformers: Option<Figures>,
    /// Ours over the better of theirs, figure by figure; below 1 ours takes less.
    pub ratios: BTreeMap<&'static str, f64>,
}

/// One engine on one case, its rounds taken together.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Figures {
    /// From nothing to ready, code and weights from a local server: the median of the rounds.
    pub create_ms: f64,
    /// The first pass or decoding: the median of the rounds.
    pub first_ms: f64,
    /// Passes 2–6: the median of the rounds' medians, as are all that follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub early_ms: Option<f64>,
    /// Passes after warming up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steady_ms: Option<f64>,
    /// The same as the page sees them, its message and the outputs' way included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round_trip_ms: Option<f64>,
    /// Reading the prompt and the first token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_ms: Option<f64>,
    /// A token after the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_s: Option<f64>,
    /// Half the distance between the slowest and the fastest round's steady passes, or tokens after the
    /// first, as a share of their median; absent where there was one round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<f64>,
    /// Runs before the steady ones, a round.
    pub warm_up: usize,
    /// Steady runs, all rounds.
    pub steady_runs: usize,
    /// Largest resident size of any round: of the page's process, and on WebGPU of the process that
    /// WebGPU runs in besides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_bytes: Option<u64>,
    pub code: Code,
    /// True if more than one thread computed.
    pub threaded: bool,
    /// Warnings and errors in the console, all rounds.
    pub complaints: usize,
    /// The first of them, each once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<String>,
}

/// The middle value, or the mean of the middle two; `None` of nothing.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len().is_multiple_of(2) {
        Some((sorted.get(middle.checked_sub(1)?)? + sorted.get(middle)?) / 2.0)
    } else {
        sorted.get(middle).copied()
    }
}

/// The figures of all cases.
pub fn summarise(measured: &Measured<Case>) -> Summary {
    let chromium = measured
        .results
        .iter()
        .flat_map(|case| &case.runs)
        .find_map(|run| common(run).map(|common| common.browser.clone()));
    Summary {
        machine: measured.machine.clone(),
        chromium: chromium.unwrap_or_default(),
        versions: measured.versions.clone(),
        rounds: measured.results.iter().map(rounds).max().unwrap_or(0),
        cases: measured.results.iter().map(compared).collect(),
    }
}

fn rounds(case: &Case) -> usize {
    let ours = case.runs.iter().filter(|run| run.engine == Engine::Ours);
    ours.count()
}

fn compared(case: &Case) -> Compared {
    let webgpu = case.device.starts_with("WebGPU");
    let of = |engine| figures(case.runs.iter().filter(|run| run.engine == engine), webgpu);
    let (ours, ort, transformers) = (of(Engine::Ours), of(Engine::Ort), of(Engine::Transformers));
    let theirs: Vec<&Figures> = ort.iter().chain(&transformers).collect();
    Compared {
        case: case.case.clone(),
        kind: case.kind,
        device: case.device.clone(),
        differs: case.differs.clone(),
        against_cpu: case.against_cpu.clone(),
        same_tokens: (case.kind == Kind::Decode).then(|| same_tokens(&case.runs)),
        ratios: ours
            .as_ref()
            .map(|ours| ratios(ours, &theirs))
            .unwrap_or_default(),
        ours,
        ort,
        transformers,
    }
}

/// The figures that are compared, by their names in `bench.json`.
type Figure = (&'static str, fn(&Figures) -> Option<f64>);

const COMPARED: [Figure; 9] = [
    ("create", |it| Some(it.create_ms)),
    ("first", |it| Some(it.first_ms)),
    ("early", |it| it.early_ms),
    ("steady", |it| it.steady_ms),
    ("round_trip", |it| it.round_trip_ms),
    ("prompt", |it| it.prompt_ms),
    ("token", |it| it.token_ms),
    ("memory", |it| it.peak_bytes.map(|bytes| bytes as f64)),
    ("code", |it| Some(it.code.brotli_bytes as f64)),
];

fn ratios(ours: &Figures, theirs: &[&Figures]) -> BTreeMap<&'static str, f64> {
    COMPARED
        .iter()
        .filter_map(|(name, of)| {
            let best = theirs
                .iter()
                .filter_map(|one| of(one))
                .min_by(f64::total_cmp)?;
            Some((*name, of(ours)? / best))
        })
        .collect()
}

/// An engine's figures, from those of its rounds that ended well; `None` if none did.
fn figures<'a>(runs: impl Iterator<Item = &'a Run> + Clone, webgpu: bool) -> Option<Figures> {
    let rounds: Vec<&Common> = runs.clone().filter_map(common).collect();
    let last = rounds.last()?;
    let mut figures = Figures {
        create_ms: median(rounds.iter().map(|it| it.boot_ms + it.load_ms))?,
        warm_up: last.warm_up,
        peak_bytes: rounds
            .iter()
            .filter_map(|it| peak_bytes(it.memory, webgpu))
            .max(),
        code: last.code,
        threaded: last.threaded,
        complaints: runs.clone().map(|run| run.complaint_count).sum(),
        said: said(runs.clone()),
        ..Figures::default()
    };
    add_passes(&mut figures, runs.clone());
    add_decodings(&mut figures, runs);
    Some(figures)
}

fn said<'a>(runs: impl Iterator<Item = &'a Run>) -> Vec<String> {
    let mut said: Vec<String> = vec![];
    for complaint in runs.flat_map(|run| &run.complaints) {
        if said.len() < SAID && !said.contains(complaint) {
            said.push(complaint.clone());
        }
    }
    said
}

fn peak_bytes(memory: Memory, webgpu: bool) -> Option<u64> {
    let gpu_bytes = if webgpu { memory.gpu_bytes? } else { 0 };
    Some(memory.renderer_bytes? + gpu_bytes)
}

fn add_passes<'a>(figures: &mut Figures, runs: impl Iterator<Item = &'a Run>) {
    let (mut first, mut early, mut steady, mut round_trips) = (vec![], vec![], vec![], vec![]);
    for run in runs {
        if let Outcome::Passes {
            common,
            pass_ms,
            round_trip_ms,
        } = &run.outcome
        {
            let warm = common.warm_up.min(pass_ms.len());
            first.extend(pass_ms.first());
            early.extend(median(pass_ms[..warm].iter().skip(1).take(EARLY).copied()));
            steady.extend(median(pass_ms[warm..].iter().copied()));
            round_trips.extend(median(round_trip_ms.iter().skip(warm).copied()));
            figures.steady_runs += pass_ms.len() - warm;
        }
    }
    if let Some(first) = median(first) {
        figures.first_ms = first;
        figures.early_ms = median(early);
        figures.spread = spread(&steady);
        figures.steady_ms = median(steady);
        figures.round_trip_ms = median(round_trips);
    }
}

fn add_decodings<'a>(figures: &mut Figures, runs: impl Iterator<Item = &'a Run>) {
    let (mut first, mut prompts, mut tokens_ms) = (vec![], vec![], vec![]);
    for run in runs {
        if let Outcome::Decodings {
            first_decode_ms,
            prompt_ms,
            decode_ms,
            tokens,
            ..
        } = &run.outcome
        {
            first.push(*first_decode_ms);
            let prompt = median(prompt_ms.iter().copied());
            prompts.extend(prompt);
            let whole = median(decode_ms.iter().copied());
            tokens_ms.extend(token_ms(prompt, whole, tokens.len()));
            figures.steady_runs += decode_ms.len();
        }
    }
    if let Some(first) = median(first) {
        figures.first_ms = first;
        figures.prompt_ms = median(prompts);
        figures.spread = spread(&tokens_ms);
        figures.token_ms = median(tokens_ms);
        figures.tokens_per_s = figures.token_ms.map(|ms| 1000.0 / ms);
    }
}

/// The time of each of `appended` tokens beyond the first, which comes with the prompt.
fn token_ms(prompt: Option<f64>, whole: Option<f64>, appended: usize) -> Option<f64> {
    let after_it = whole? - prompt?;
    (appended > 1 && after_it > 0.0).then(|| after_it / (appended - 1) as f64)
}

/// The spread of rounds: half of their range as a share of their median; `None` of a single one.
fn spread(rounds: &[f64]) -> Option<f64> {
    let largest = rounds.iter().copied().max_by(f64::total_cmp)?;
    let smallest = rounds.iter().copied().min_by(f64::total_cmp)?;
    let middle = median(rounds.iter().copied())?;
    (rounds.len() > 1).then(|| (largest - smallest) / 2.0 / middle)
}

fn common(run: &Run) -> Option<&Common> {
    match &run.outcome {
        Outcome::Failed { .. } => None,
        Outcome::Passes { common, .. } | Outcome::Decodings { common, .. } => Some(common),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn passes(engine: &str, pass_ms: &[f64]) -> serde_json::Value {
        json!({
            "engine": engine, "boot_ms": 10.0, "load_ms": 90.0, "warm_up": 7,
            "pass_ms": pass_ms, "round_trip_ms": pass_ms,
            "memory": { "renderer_bytes": 300, "gpu_bytes": null },
            "code": { "raw_bytes": 30, "brotli_bytes": 10, "files": [] },
            "threaded": false, "browser": "156", "complaints": [], "complaint_count": 0,
        })
    }

    fn decoding(engine: &str, tokens: &[u32]) -> serde_json::Value {
        json!({
            "engine": engine, "boot_ms": 10.0, "load_ms": 90.0, "warm_up": 1,
            "first_decode_ms": 99.0, "prompt_ms": [20.0, 22.0], "decode_ms": [61.0, 61.0],
            "tokens": tokens, "memory": { "renderer_bytes": 300, "gpu_bytes": null },
            "code": { "raw_bytes": 30, "brotli_bytes": 10 },
            "threaded": false, "browser": "156", "complaints": ["late"], "complaint_count": 1,
        })
    }

    fn case(kind: &str, differs: serde_json::Value, runs: &[serde_json::Value]) -> Case {
        serde_json::from_value(json!({
            "case": "tiny 64", "kind": kind, "model": "tiny", "device": "CPU", "slow": false,
            "differs": differs, "runs": runs,
        }))
        .unwrap()
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median([]), None);
        assert_eq!(median([3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn first_early_and_steady_are_told_apart_and_rounds_count_alike() {
        let ours = [50.0, 20.0, 21.0, 22.0, 23.0, 24.0, 9.0, 5.0, 6.0];
        let again = [70.0, 20.0, 21.0, 22.0, 23.0, 24.0, 9.0, 7.0, 8.0];
        let theirs = [90.0, 40.0, 40.0, 40.0, 40.0, 40.0, 30.0, 13.0, 13.0];
        let runs = [
            passes("ours", &ours),
            passes("ort", &theirs),
            passes("ours", &again),
        ];
        let found = compared(&case("forward", json!(null), &runs));
        let ours = found.ours.unwrap();
        assert_eq!(ours.create_ms, 100.0);
        assert_eq!(ours.first_ms, 60.0);
        assert_eq!(ours.early_ms, Some(22.0));
        assert_eq!(ours.steady_ms, Some(6.5));
        assert_eq!(ours.spread, Some(1.0 / 6.5));
        assert_eq!(found.ort.unwrap().spread, None);
        assert_eq!(ours.steady_runs, 4);
        assert_eq!(found.ratios["steady"], 0.5);
        assert_eq!(found.ratios["code"], 1.0);
        assert!(!found.ratios.contains_key("token"));
    }

    #[test]
    fn the_rate_is_that_of_the_tokens_after_the_first() {
        let tokens = [5, 6, 7, 8, 9];
        let runs = [
            decoding("ours", &tokens),
            decoding("transformers.js", &tokens),
        ];
        let found = compared(&case("decode", json!(null), &runs));
        let ours = found.ours.unwrap();
        assert_eq!(ours.prompt_ms, Some(21.0));
        assert_eq!(ours.token_ms, Some(10.0));
        assert_eq!(ours.spread, None);
        assert_eq!(ours.tokens_per_s, Some(100.0));
        assert_eq!(ours.complaints, 1);
        assert_eq!(found.same_tokens, Some(true));
        assert_eq!(found.ratios["token"], 1.0);
    }
}
