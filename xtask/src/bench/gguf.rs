//! Our engine next to wllama, which is llama.cpp in WebAssembly, on SmolLM2 from one GGUF file.

use serde::{Deserialize, Serialize};

use super::{
    json::write_json,
    markdown::{self, megabytes, milliseconds, table},
    results::{Machine, Measured, Memory},
    statistics::median,
};
use crate::{error::Error, workspace::Workspace};

/// One engine in one fresh browser.
#[derive(Clone, Debug, Deserialize)]
pub struct Run {
    engine: Engine,
    threads: usize,
    /// The browser's memory before the file was opened.
    empty: Memory,
    memory: Memory,
    /// The version of Chromium.
    browser: String,
    open_ms: f64,
    prompt_tokens: usize,
    /// The times until the first new token.
    prompt_ms: Vec<f64>,
    /// The times for each token after it.
    token_ms: Vec<f64>,
    /// The times of passes that record every attention map.
    traced_ms: Vec<f64>,
    /// The text that was written greedily.
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Engine {
    Ours,
    Wllama,
}

/// The figures of an engine, as medians over its runs.
#[derive(Clone, Debug, Serialize)]
struct Figures {
    engine: Engine,
    threads: usize,
    open_ms: f64,
    prompt_ms: f64,
    token_ms: f64,
    /// `None` for an engine that records no attention.
    traced_ms: Option<f64>,
    /// Largest resident size of the page's process, above that of the empty page.
    memory_bytes: Option<f64>,
}

impl Figures {
    fn of(runs: &[Run], engine: Engine, threads: usize) -> Option<Self> {
        let runs = || {
            let all = runs.iter();
            all.filter(move |run| run.engine == engine && run.threads == threads)
        };
        let all = |times: fn(&Run) -> &Vec<f64>| median(runs().flat_map(times).copied());
        let above = |run: &Run| {
            let [full, empty] = [run.memory.renderer_bytes?, run.empty.renderer_bytes?];
            Some(full.saturating_sub(empty) as f64)
        };
        Some(Figures {
            engine,
            threads,
            open_ms: median(runs().map(|run| run.open_ms))?,
            prompt_ms: all(|run| &run.prompt_ms)?,
            token_ms: all(|run| &run.token_ms)?,
            traced_ms: all(|run| &run.traced_ms),
            memory_bytes: median(runs().filter_map(above)),
        })
    }
}

/// Everything that is published.
#[derive(Serialize)]
struct Published {
    machine: Machine,
    chromium: String,
    wllama: String,
    prompt_tokens: usize,
    /// The number of characters at the beginning that both engines write alike.
    alike_characters: usize,
    figures: Vec<Figures>,
}

/// Writes the table; only prints it where `whole` is false.
///
/// # Errors
/// If the engines read prompts of different lengths, one has no figures, or a document cannot be written.
pub fn publish(workspace: &Workspace, measured: &Measured<Run>, whole: bool) -> Result<(), Error> {
    let published = published(measured)?;
    let text = report(&published);
    println!("{text}");
    let directory = match whole {
        true => workspace.docs(),
        false => workspace.cache().join("bench"),
    };
    write_json(&directory.join("gguf.json"), &published)?;
    match whole {
        true => markdown::replace(&workspace.docs().join("performance.md"), "gguf", &text),
        false => Ok(()),
    }
}

fn published(measured: &Measured<Run>) -> Result<Published, Error> {
    let runs = &measured.results;
    let wrong = |what: &str| Error::Bench(vec![what.to_owned()]);
    let first = runs.first().ok_or_else(|| wrong("nothing was measured"))?;
    if runs
        .iter()
        .any(|run| run.prompt_tokens != first.prompt_tokens)
    {
        return Err(wrong("the engines read prompts of different lengths"));
    }
    let mut threads: Vec<usize> = runs.iter().map(|run| run.threads).collect();
    threads.sort_unstable();
    threads.dedup();
    let engines = [Engine::Ours, Engine::Wllama];
    let cases = threads
        .into_iter()
        .flat_map(|count| engines.map(|engine| (engine, count)));
    let figures: Option<Vec<Figures>> = cases
        .map(|(engine, count)| Figures::of(runs, engine, count))
        .collect();
    let text = |engine: Engine| {
        let found = runs.iter().find(|run| run.engine == engine);
        found.map_or("", |run| run.text.as_str())
    };
    let both = text(Engine::Ours).chars().zip(text(Engine::Wllama).chars());
    Ok(Published {
        machine: measured.machine.clone(),
        chromium: first.browser.clone(),
        wllama: measured.versions.get("wllama").cloned().unwrap_or_default(),
        prompt_tokens: first.prompt_tokens,
        alike_characters: both.take_while(|(ours, theirs)| ours == theirs).count(),
        figures: figures.ok_or_else(|| wrong("an engine has no figures"))?,
    })
}

fn report(published: &Published) -> String {
    let Published {
        machine,
        chromium,
        wllama,
        prompt_tokens,
        alike_characters,
        figures,
    } = published;
    let intro = format!(
        "SmolLM2-135M-Instruct, `Q4_1`, 98 MB. Headless Chromium {chromium}, {}, wllama {wllama}. A prompt of {prompt_tokens} tokens, then greedy \
         tokens; medians, in turns, each run in a fresh browser. Both write the same {alike_characters} characters first; llama.cpp \
         rounds activations to 8 bits before it multiplies, ours stay f32.",
        machine.processor
    );
    let rows: Vec<Vec<String>> = figures.chunks(2).flat_map(rows).collect();
    let head = ["", "ours", "wllama", "ratio"];
    format!("{intro}\n\n{}", table(&head, &rows))
}

/// Returns the rows of both engines with the same number of threads.
fn rows(pair: &[Figures]) -> Vec<Vec<String>> {
    let [ours, theirs] = pair else {
        return vec![];
    };
    let row = |name: &str, of: fn(&Figures) -> Option<f64>, written: fn(f64) -> String| {
        let shown = |figure: Option<f64>| figure.map_or("–".to_owned(), written);
        let ratio = of(ours).zip(of(theirs)).map(|(ours, theirs)| ours / theirs);
        let threads = match ours.threads {
            1 => "1 thread".to_owned(),
            count => format!("{count} threads"),
        };
        vec![
            format!("{name}, {threads}"),
            shown(of(ours)),
            shown(of(theirs)),
            ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.2}")),
        ]
    };
    vec![
        row("open", |figures| Some(figures.open_ms), milliseconds),
        row("prompt", |figures| Some(figures.prompt_ms), milliseconds),
        row("a token", |figures| Some(figures.token_ms), milliseconds),
        row(
            "a pass with all maps",
            |figures| figures.traced_ms,
            milliseconds,
        ),
        row(
            "memory above the empty page",
            |figures| figures.memory_bytes,
            |bytes| megabytes(bytes as u64),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(engine: Engine, open_ms: f64, text: &str) -> Run {
        let memory = |bytes| Memory {
            renderer_bytes: Some(bytes),
            gpu_bytes: None,
        };
        let traced_ms = match engine {
            Engine::Ours => vec![70.0],
            Engine::Wllama => vec![],
        };
        Run {
            engine,
            threads: 1,
            empty: memory(1_000_000),
            memory: memory(3_000_000),
            browser: "1".to_owned(),
            open_ms,
            prompt_tokens: 128,
            prompt_ms: vec![5.0, 9.0, 7.0],
            token_ms: vec![2.0],
            traced_ms,
            text: text.to_owned(),
        }
    }

    fn measured(results: Vec<Run>) -> Measured<Run> {
        let machine = Machine {
            processor: "a processor".to_owned(),
            cores: 2,
            memory_bytes: 1,
            platform: "x".to_owned(),
        };
        Measured {
            machine,
            versions: [("wllama".to_owned(), "3".to_owned())].into(),
            results,
        }
    }

    #[test]
    fn both_engines_stand_side_by_side_with_their_ratio() {
        let runs = vec![
            run(Engine::Ours, 100.0, "because it"),
            run(Engine::Wllama, 400.0, "because they"),
        ];
        let text = report(&published(&measured(runs)).unwrap());
        assert!(text.contains("the same 8 characters"), "{text}");
        for row in [
            "| open, 1 thread | 100 ms | 400 ms | 0.25 |",
            "| prompt, 1 thread | 7.00 ms | 7.00 ms | 1.00 |",
            "| a pass with all maps, 1 thread | 70.0 ms | – | – |",
            "| memory above the empty page, 1 thread | 2.00 MB | 2.00 MB | 1.00 |",
        ] {
            assert!(text.contains(row), "{text}");
        }
    }

    #[test]
    fn an_engine_without_figures_or_with_another_prompt_is_an_error() {
        let ours = run(Engine::Ours, 1.0, "");
        assert!(published(&measured(vec![ours.clone()])).is_err());
        let mut other = run(Engine::Wllama, 1.0, "");
        other.prompt_tokens = 127;
        assert!(published(&measured(vec![ours, other])).is_err());
        assert!(published(&measured(vec![])).is_err());
    }
}
