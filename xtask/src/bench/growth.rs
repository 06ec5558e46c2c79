//! The growth of time and memory with length and with layers, next to the terms that predict it.

mod fit;

use std::fs;

use attention_figures::{
    Rgb, Theme,
    plot::{Axis, Curve, Frame, curves},
};
use serde::{Deserialize, Serialize};

use super::{
    json::write_json,
    markdown::{self, megabytes, milliseconds, table},
    results::{Machine, Measured, Memory},
    statistics::median,
};
use crate::{error::Error, workspace::Workspace};
use fit::{Fit, fit};

/// One model at one length, as the browser measured it.
#[derive(Clone, Debug, Deserialize)]
pub struct Point {
    pub against: Against,
    /// Length of the text.
    pub tokens: usize,
    pub decoder_layers: usize,
    /// Heads of a layer.
    pub heads: usize,
    /// Width of the residual stream.
    pub hidden: usize,
    /// Inner width of the feed-forward networks.
    pub inner: usize,
    /// Rows of the embedding table.
    pub vocabulary: usize,
    /// Passes before the steady ones.
    pub warm_up: usize,
    /// The times of all passes.
    pub pass_ms: Vec<f64>,
    pub memory: Memory,
    /// The version of Chromium.
    pub browser: String,
}

/// The quantity that varies from point to point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Against {
    /// The length of the text.
    Length,
    /// The number of layers.
    Layers,
}

/// The figures of a point.
#[derive(Clone, Debug, Serialize)]
struct Growing {
    against: Against,
    tokens: usize,
    layers: usize,
    /// Median of the steady passes.
    time_ms: f64,
    /// Largest resident size of the page's process.
    peak_bytes: Option<u64>,
    /// Operations that are linear in the length: O(nd²).
    linear_gflop: f64,
    /// Operations that are quadratic in it: O(n²d).
    quadratic_gflop: f64,
    /// Attention weights and logits that are read back.
    output_bytes: u64,
}

impl Growing {
    fn of(point: &Point) -> Option<Self> {
        let (n, layers) = (point.tokens as f64, point.decoder_layers as f64);
        let (d, inner) = (point.hidden as f64, point.inner as f64);
        let vocabulary = point.vocabulary as f64;
        let per_layer = 4.0 * d * d + 3.0 * d * inner;
        let maps = point.tokens * point.tokens * point.heads * point.decoder_layers;
        let steady = point.pass_ms.iter().skip(point.warm_up).copied();
        Some(Growing {
            against: point.against,
            tokens: point.tokens,
            layers: point.decoder_layers,
            time_ms: median(steady)?,
            peak_bytes: point.memory.renderer_bytes,
            linear_gflop: 2.0 * n * (layers * per_layer + d * vocabulary) / 1e9,
            quadratic_gflop: 4.0 * n * n * d * layers / 1e9,
            output_bytes: 4 * (maps + point.tokens * point.vocabulary) as u64,
        })
    }
}

/// Everything that is published.
#[derive(Serialize)]
struct Published {
    machine: Machine,
    chromium: String,
    /// Milliseconds: a constant, per GFLOP of the linear and of the quadratic term.
    time: Fit<3>,
    /// Bytes: a constant, per token, per byte of attention weights and logits.
    memory: Option<Fit<3>>,
    points: Vec<Growing>,
}

/// Writes the table and the plots; only prints the table where `whole` is false.
///
/// # Errors
/// If a document cannot be written or a plot not drawn.
pub fn publish(
    workspace: &Workspace,
    measured: &Measured<Point>,
    whole: bool,
) -> Result<(), Error> {
    let points: Vec<Growing> = measured.results.iter().filter_map(Growing::of).collect();
    let published = Published {
        machine: measured.machine.clone(),
        chromium: measured
            .results
            .first()
            .map(|point| point.browser.clone())
            .unwrap_or_default(),
        time: fit_time(&points),
        memory: fit_memory(&points),
        points,
    };
    let text = report(&published);
    println!("{text}");
    let directory = if whole {
        workspace.docs()
    } else {
        workspace.cache().join("bench")
    };
    write_json(&directory.join("growth.json"), &published)?;
    let mut shown = text;
    for (name, title, drawn) in plots(&published)? {
        let path = directory.join(name);
        fs::write(&path, drawn).map_err(Error::file("write", &path))?;
        shown.push_str(&format!("\n![{title}]({name})\n"));
    }
    if whole {
        markdown::replace(&workspace.docs().join("performance.md"), "growth", &shown)?;
    }
    Ok(())
}

fn against(points: &[Growing], what: Against) -> impl Iterator<Item = &Growing> + Clone {
    points.iter().filter(move |point| point.against == what)
}

fn fit_time(points: &[Growing]) -> Fit<3> {
    let rows: Vec<([f64; 3], f64)> = against(points, Against::Length)
        .map(|it| ([1.0, it.linear_gflop, it.quadratic_gflop], it.time_ms))
        .collect();
    fit(&rows)
}

/// `None` where the system does not tell.
fn fit_memory(points: &[Growing]) -> Option<Fit<3>> {
    let rows: Vec<([f64; 3], f64)> = against(points, Against::Length)
        .map(|it| {
            let terms = [1.0, it.tokens as f64, it.output_bytes as f64];
            Some((terms, it.peak_bytes? as f64))
        })
        .collect::<Option<_>>()?;
    (!rows.is_empty()).then(|| fit(&rows))
}

fn predicted_ms(time: &Fit<3>, point: &Growing) -> f64 {
    time.at(&[1.0, point.linear_gflop, point.quadratic_gflop])
}

fn report(published: &Published) -> String {
    let time = &published.time;
    let [constant, linear, quadratic] = time.multiples;
    let described = format!(
        "Headless Chromium {}, {}, one CPU thread. Fitted on length: {constant:.1} ms + {linear:.1} ms × GFLOP of O(nd²) + \
         {quadratic:.1} ms × GFLOP of O(n²d), largest relative error {:.0} %. The column *fitted* applies the same three \
         numbers to every row, to those of other depths too.",
        published.chromium,
        published.machine.processor,
        100.0 * time.error
    );
    let rows: Vec<Vec<String>> = published
        .points
        .iter()
        .map(|point| {
            vec![
                format!("{} tokens, {} layers", point.tokens, point.layers),
                milliseconds(point.time_ms),
                milliseconds(predicted_ms(time, point)),
                format!("{:.2}", point.linear_gflop),
                format!("{:.3}", point.quadratic_gflop),
                point.peak_bytes.map_or("–".to_owned(), megabytes),
                megabytes(point.output_bytes),
            ]
        })
        .collect();
    let head = [
        "",
        "steady pass",
        "fitted",
        "O(nd²), GFLOP",
        "O(n²d), GFLOP",
        "peak memory",
        "of it read back",
    ];
    format!("{described}\n\n{}", table(&head, &rows))
}

const MEASURED: Rgb = [0x1f, 0x4e, 0x9c];
const TOTAL: Rgb = [0xb0, 0x3a, 0x2e];
const LINEAR: Rgb = [0x2e, 0x8b, 0x57];
const QUADRATIC: Rgb = [0xb8, 0x86, 0x0b];

/// The plots, each with the name of its file and its title.
fn plots(published: &Published) -> Result<Vec<(&'static str, &'static str, String)>, Error> {
    let (time, points) = (&published.time, &published.points);
    let [constant, linear, quadratic] = time.multiples;
    let length: Vec<&Growing> = sorted(against(points, Against::Length), |it| it.tokens);
    let layers: Vec<&Growing> = sorted(against(points, Against::Layers), |it| it.layers);
    let of_length = |label: &str, color, value: &dyn Fn(&Growing) -> f64| {
        line(
            label,
            color,
            length.iter().map(|it| (it.tokens as f64, value(it))),
        )
    };
    let of_layers = |label: &str, color, value: &dyn Fn(&Growing) -> f64| {
        line(
            label,
            color,
            layers.iter().map(|it| (it.layers as f64, value(it))),
        )
    };
    let mut drawn = vec![
        (
            "growth-length.svg",
            "Time against length",
            plot(
                ["tokens", "ms"],
                &[
                    of_length("fitted sum", TOTAL, &|it| predicted_ms(time, it)),
                    of_length("measured", MEASURED, &|it| it.time_ms),
                    of_length("O(nd²)", LINEAR, &|it| linear * it.linear_gflop),
                    of_length("O(n²d)", QUADRATIC, &|it| quadratic * it.quadratic_gflop),
                ],
            )?,
        ),
        (
            "growth-layers.svg",
            "Time against layers",
            plot(
                ["layers", "ms"],
                &[
                    of_layers("fitted on length", TOTAL, &|it| predicted_ms(time, it)),
                    of_layers("measured", MEASURED, &|it| it.time_ms),
                    of_layers("constant", QUADRATIC, &|_| constant),
                ],
            )?,
        ),
    ];
    if let Some(memory) = &published.memory {
        let megabytes = |bytes: f64| bytes / 1e6;
        let terms = |it: &Growing| [1.0, it.tokens as f64, it.output_bytes as f64];
        let peak = |it: &Growing| megabytes(it.peak_bytes.map_or(f64::NAN, |bytes| bytes as f64));
        let curves = [
            of_length("fitted sum", TOTAL, &|it| megabytes(memory.at(&terms(it)))),
            of_length("measured", MEASURED, &peak),
            of_length("attention and logits once", QUADRATIC, &|it| {
                megabytes(it.output_bytes as f64)
            }),
        ];
        drawn.push((
            "growth-memory.svg",
            "Peak memory against length",
            plot(["tokens", "MB"], &curves)?,
        ));
    }
    Ok(drawn)
}

fn sorted<'a>(
    points: impl Iterator<Item = &'a Growing>,
    by: fn(&Growing) -> usize,
) -> Vec<&'a Growing> {
    let mut points: Vec<&Growing> = points.collect();
    points.sort_by_key(|point| by(point));
    points
}

fn line(label: &str, color: Rgb, points: impl Iterator<Item = (f64, f64)>) -> Curve {
    Curve {
        label: Some(label.to_owned()),
        points: points.collect(),
        color,
        width: 2.0,
        opacity: 1.0,
    }
}

fn plot([x, y]: [&str; 2], lines: &[Curve]) -> Result<String, Error> {
    let points = || lines.iter().flat_map(|line| &line.points);
    let frame = Frame {
        width: 640.0,
        height: 320.0,
        x: Axis::around(x, points().map(|(x, _)| *x as f32)),
        y: Axis::around(y, points().map(|(_, y)| *y as f32)),
        theme: Theme::Light,
    };
    let drawn = curves(&frame, lines)?;
    // A document may stand on any ground; the page's own plots are transparent.
    Ok(match drawn.split_once('>') {
        Some((head, body)) => {
            format!("{head}><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>{body}")
        }
        None => drawn,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(against: Against, tokens: usize, layers: usize, time_ms: f64) -> Growing {
        let found = Growing::of(&Point {
            against,
            tokens,
            decoder_layers: layers,
            heads: 6,
            hidden: 384,
            inner: 1024,
            vocabulary: 8000,
            warm_up: 1,
            pass_ms: vec![9e9, time_ms],
            memory: Memory {
                renderer_bytes: Some(200_000_000 + 1000 * tokens as u64),
                gpu_bytes: None,
            },
            browser: "156".to_owned(),
        });
        found.unwrap()
    }

    #[test]
    fn operations_are_counted_as_in_the_formulas() {
        let found = point(Against::Length, 64, 6, 60.0);
        assert_eq!(found.time_ms, 60.0);
        // 64 tokens through 6 layers of 4·384² + 3·384·1024 weights and a table of 8,000 rows.
        assert!(
            (found.linear_gflop - 1.752).abs() < 1e-3,
            "{}",
            found.linear_gflop
        );
        assert!((found.quadratic_gflop - 0.0377).abs() < 1e-4);
        assert_eq!(found.output_bytes, 4 * (64 * 64 * 36 + 64 * 8000));
    }

    #[test]
    fn plots_and_table_are_made_of_what_was_measured() {
        let mut points: Vec<Growing> = [16, 64, 256, 1024]
            .map(|n| point(Against::Length, n, 6, n as f64))
            .into();
        points.extend([2, 12].map(|layers| point(Against::Layers, 128, layers, 100.0)));
        let published = Published {
            machine: Machine {
                processor: "P".to_owned(),
                cores: 2,
                memory_bytes: 1,
                platform: "linux x64".to_owned(),
            },
            chromium: "156".to_owned(),
            time: fit_time(&points),
            memory: fit_memory(&points),
            points,
        };
        let drawn = plots(&published).unwrap();
        assert_eq!(drawn.len(), 3);
        assert!(
            drawn
                .iter()
                .all(|(_, _, svg)| svg.starts_with("<svg") && svg.contains("fill=\"#fff\""))
        );
        let text = report(&published);
        assert!(
            text.contains("| 1024 tokens, 6 layers | 1.02 s |"),
            "{text}"
        );
    }
}
