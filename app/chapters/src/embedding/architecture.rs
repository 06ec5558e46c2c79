//! The architecture of the self-attentive embedding, drawn as in figure 1 of the paper: the model around the sentence
//! matrix, and the computation of the weights. The lines are as wide as the weights of the model on screen.

use attention_figures::color::{categorical, css};
use attention_trace::lessons::{EmbeddedSentence, Mark};
use leptos::prelude::*;

use super::context::EmbeddingContext;
use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    widgets::{ScrollRegion, numbers::share_of_one},
};

/// The space between boxes in pixels.
const SPACE: f64 = 14.0;
/// The smallest width of a box.
const NARROWEST: f64 = 70.0;
/// The height of a box.
const TALL: f64 = 26.0;
/// The width of a letter, about.
const LETTER: f64 = 8.2;
/// The heights of the rows' upper edges: words, states, rows of M, the layers above and the marks.
const ROWS: [f64; 5] = [318.0, 250.0, 130.0, 70.0, 8.0];
/// The height of the whole drawing.
const HEIGHT: f64 = 352.0;
/// The width of a line of weight 1.
const WIDEST: f64 = 8.0;
/// Weights below this have no line.
const LEAST: f32 = 0.01;

/// A line from a state to a row of the sentence matrix.
#[derive(Clone, Debug, PartialEq)]
struct Line {
    hop: usize,
    from: [f64; 2],
    to: [f64; 2],
    weight: f32,
}

/// The places of what is drawn.
#[derive(Clone, Debug, PartialEq)]
struct Drawn {
    words: Vec<String>,
    /// The width of each box.
    wide: f64,
    /// The left edges of the words' boxes.
    columns: Vec<f64>,
    /// The left edges of the hops' boxes.
    hops: Vec<f64>,
    lines: Vec<Line>,
    width: f64,
    probabilities: Vec<f32>,
}

impl Drawn {
    fn of(seen: &EmbeddedSentence) -> Self {
        let (words, hops) = (seen.words.len(), seen.weights.shape[0]);
        let letters = seen.words.iter().map(|word| word.text.chars().count());
        let wide = (LETTER * letters.max().unwrap_or(0) as f64 + SPACE).max(NARROWEST);
        let column = wide + SPACE;
        let width = column * words.max(hops).max(Mark::ALL.len()) as f64;
        // Each row of boxes is in the middle.
        let row = |count: usize| -> Vec<f64> {
            let left = (width - column * count as f64 + SPACE) / 2.0;
            (0..count).map(|at| left + column * at as f64).collect()
        };
        let (columns, hop_columns) = (row(words), row(hops));
        let weight = |hop: usize, word: usize| seen.weights.row(&[hop])?.get(word).copied();
        let lines = (0..hops).flat_map(|hop| (0..words).map(move |word| (hop, word)));
        let lines = lines.filter_map(|(hop, word)| {
            let weight = weight(hop, word).filter(|&weight| weight >= LEAST)?;
            Some(Line {
                hop,
                from: [columns[word] + wide / 2.0, ROWS[1]],
                to: [hop_columns[hop] + wide / 2.0, ROWS[2] + TALL],
                weight,
            })
        });
        Drawn {
            lines: lines.collect(),
            wide,
            words: seen.words.iter().map(|word| word.text.clone()).collect(),
            columns,
            hops: hop_columns,
            width,
            probabilities: seen.probabilities.clone(),
        }
    }
}

/// Both halves of the figure.
#[component]
pub fn Architecture() -> impl IntoView {
    let i18n = use_i18n();
    let context = EmbeddingContext::expect();
    let drawn = Memo::new(move |_| {
        let seen = context.seen.answer.read();
        seen.as_ref().map(Drawn::of)
    });
    let name = Signal::derive(move || t_string!(i18n, embedding.architecture).to_owned());
    view! {
        <section class="lesson-figure" data-testid="architecture">
            <h3 class="panel-title">{name}</h3>
            <ScrollRegion class="architecture-room" name>
                {move || drawn.get().map(|drawn| view! { <Model drawn name /> })}
            </ScrollRegion>
            <Weights />
        </section>
    }
}

/// Half (a): from the words at the bottom to the marks at the top.
#[component]
fn Model(drawn: Drawn, name: Signal<String>) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let Drawn {
        words,
        wide,
        columns,
        hops,
        lines,
        width,
        probabilities,
    } = drawn;
    let center = width / 2.0;
    let boxed = |left: f64, row: usize, class: &'static str, text: String| {
        view! {
            <g class=class>
                <rect x=left y=ROWS[row] width=wide height=TALL rx="4" />
                <text x=left + wide / 2.0 y=ROWS[row] + 17.5>{text}</text>
            </g>
        }
    };
    let upwards =
        |x: f64, from: f64, to: f64| view! { <path class="flow" d=format!("M{x} {from}V{to}") /> };
    let both_ways = columns.windows(2).map(|pair| {
        let (left, right) = (pair[0] + wide, pair[1]);
        let [upper, lower] = [ROWS[1] + 9.0, ROWS[1] + 18.0];
        view! {
            <path class="flow" d=format!("M{left} {upper}H{right}m-4 -3l4 3l-4 3") />
            <path class="flow" d=format!("M{right} {lower}H{left}m4 -3l-4 3l4 3") />
        }
    });
    let weighted = move || {
        let theme = appearance.get();
        let line = |line: &Line| {
            let Line {
                from, to, weight, ..
            } = *line;
            let bend = (from[1] + to[1]) / 2.0;
            view! {
                <path
                    class="hop-line"
                    d=format!("M{} {}C{} {bend} {} {bend} {} {}", from[0], from[1], from[0], to[0], to[0], to[1])
                    stroke=css(categorical(line.hop, theme))
                    stroke-width=f64::from(weight) * WIDEST
                />
            }
        };
        lines.iter().map(line).collect_view()
    };
    let marks = Mark::ALL.into_iter().zip(probabilities);
    let marks = marks.enumerate().map(|(at, (mark, share))| {
        let left = center + (at as f64 - Mark::ALL.len() as f64 / 2.0) * (wide + SPACE);
        let written = format!("{} {}", mark.sign(), share_of_one(share, 2));
        boxed(left + SPACE / 2.0, 4, "mark-box", written)
    });
    view! {
        <svg
            class="architecture"
            role="img"
            aria-label=name
            style=format!("width: calc({width}px * var(--type))")
            viewBox=format!("0 0 {width} {HEIGHT}")
        >
            {weighted}
            {both_ways.collect_view()}
            {columns.iter().map(|left| upwards(left + wide / 2.0, ROWS[0], ROWS[1] + TALL)).collect_view()}
            {hops.iter().map(|left| upwards(left + wide / 2.0, ROWS[2], ROWS[3] + TALL)).collect_view()}
            {upwards(center, ROWS[3], ROWS[4] + TALL)}
            {words
                .into_iter()
                .zip(&columns)
                .map(|(word, &left)| boxed(left, 0, "word-box", word))
                .collect_view()}
            {columns
                .iter()
                .enumerate()
                .map(|(at, &left)| boxed(left, 1, "state-box", format!("h{}", subscript(at + 1))))
                .collect_view()}
            {hops
                .iter()
                .enumerate()
                .map(|(at, &left)| boxed(left, 2, "state-box", format!("m{}", subscript(at + 1))))
                .collect_view()}
            <g class="layer-box">
                <rect x="4" y=ROWS[3] width=width - 8.0 height=TALL rx="4" />
                <text x=center y=ROWS[3] + 17.5>{t!(i18n, embedding.fully_connected)}</text>
            </g>
            {marks.collect_view()}
        </svg>
    }
}

/// Half (b): how the weights are computed from the states.
#[component]
fn Weights() -> impl IntoView {
    let i18n = use_i18n();
    let context = EmbeddingContext::expect();
    let sizes = Memo::new(move |_| {
        let seen = context.seen.answer.read();
        seen.as_ref()
            .map(|seen| (seen.words.len(), seen.weights.shape[0]))
    });
    let steps = move || {
        let (n, r) = sizes.get()?;
        let step = |symbol: &'static str, shape: String| {
            view! { <li><span>{symbol}</span> <span class="number hint">{shape}</span></li> }
        };
        Some([
            step("Hᵀ", format!("2u × {n}")),
            step("W₁Hᵀ", format!("dₐ × {n}")),
            step("tanh", format!("dₐ × {n}")),
            step("W₂ ·", format!("{r} × {n}")),
            step("softmax", format!("{r} × {n}")),
            step("A", format!("{r} × {n}")),
        ])
    };
    view! {
        <h4 class="panel-title">{t!(i18n, embedding.weights_made)}</h4>
        <ol class="architecture-steps" data-testid="architecture-steps">{steps}</ol>
    }
}

fn subscript(number: usize) -> String {
    let lowered = |digit: char| {
        let value = digit.to_digit(10).unwrap_or(0);
        char::from_u32(0x2080 + value).unwrap_or(digit)
    };
    number.to_string().chars().map(lowered).collect()
}

#[cfg(test)]
mod tests {
    use attention_trace::{Array, lessons::ReadWord};

    use super::*;

    #[test]
    fn lines_are_the_weights_and_the_rows_stand_in_the_middle() {
        let word = |text: &str| ReadWord {
            text: text.to_owned(),
            known: true,
        };
        let seen = EmbeddedSentence {
            words: ["you", "see"].map(word).to_vec(),
            weights: Array {
                shape: vec![4, 2],
                data: vec![1.0, 0.0, 0.5, 0.5, 0.2, 0.8, 0.001, 0.999],
            },
            overlap: Array {
                shape: vec![4, 4],
                data: vec![0.0; 16],
            },
            penalty: 0.0,
            logits: vec![0.0; 3],
            probabilities: vec![0.2, 0.5, 0.3],
            probabilities_left: vec![0.2, 0.5, 0.3],
        };
        let drawn = Drawn::of(&seen);
        // Of eight weights two are too small for a line.
        assert_eq!(drawn.lines.len(), 6);
        assert_eq!((drawn.wide, drawn.width), (70.0, 4.0 * 84.0));
        assert_eq!(drawn.columns, [84.0 + 7.0, 2.0 * 84.0 + 7.0]);
        assert_eq!((drawn.lines[0].hop, drawn.lines[0].weight), (0, 1.0));
        assert_eq!(subscript(12), "₁₂");
    }
}
