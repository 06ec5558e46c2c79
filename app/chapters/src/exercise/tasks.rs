//! The tasks: what is given, the right result, and the results of known mistakes. All are computed from the numbers as they
//! are given, rounded to three decimals.

use attention_core::widgets::Expected;
use attention_trace::snippets::Sizes;

use crate::kit::evidence::{Evidence, Gap, Need};

/// The most numbers of a row that are given.
const LONGEST: usize = 12;

/// The most rows of a matrix that are given.
const MOST_ROWS: usize = 6;

/// A mistake that leads to a result of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// Scores were not divided by `√d_k`.
    NoScale,
    /// Scores were divided by `√d_k` where they should not be.
    Scaled,
    /// Scores were divided by `d_k` and not by its root.
    NoRoot,
    /// The sum of powers was not divided by.
    NotNormalised,
    /// Scores were divided by their sum without powers.
    NoPowers,
    /// The mask was laid over the weights, and the rest not normalised.
    MaskedWeights,
    /// Masked scores were set to zero instead of −∞.
    MaskedWithZero,
    /// The half before the sum is missing.
    NoHalf,
    /// The signs of the difference were kept, or the sign is reversed.
    Sign,
    /// The number of the pair was taken for twice the number.
    NoTwo,
    /// The mean was not subtracted.
    NoMean,
    /// The sum was divided by n − 1 and not by n.
    Sample,
    /// Division by the variance and not by its root.
    Variance,
    /// Numbers were summed that should be averaged.
    NotAveraged,
    /// The target's one was not subtracted.
    NoTarget,
    /// The count is off by one.
    OffByOne,
    /// The identity was not subtracted.
    NoIdentity,
    /// The tokens that a convolution sees were taken for those that it does not see.
    Seen,
    /// The query was not turned.
    NotTurned,
    /// The logarithms' mean was turned into a probability.
    Exponential,
    /// Only the first components were multiplied.
    FirstOnly,
    /// The gradient is that of the probability's logarithm, not of the logit.
    ByProbability,
    /// The slope of tanh, 1 − h², was left out.
    NoSlope,
    /// The root was taken of the squared norm.
    NoSquare,
    /// Rows and columns were exchanged.
    Transposed,
}

/// A task on numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    /// The numbers in Python, a name a line.
    pub given: String,
    /// The result that is right.
    pub right: f64,
    /// Results of known mistakes, none of which is taken for the right one.
    pub mistakes: Vec<(Mistake, f64)>,
}

impl Made {
    fn new(given: String, right: f64, mistakes: &[(Mistake, f64)]) -> Self {
        Made {
            given,
            right,
            mistakes: mistakes.to_vec(),
        }
    }

    /// A result as an answer, within a hundredth of it, and within two units of the third decimal.
    pub fn about(&self, result: f64) -> Expected {
        let tolerance = (result.abs() * 0.01).max(0.002);
        Expected::Number {
            right: result,
            tolerance,
        }
    }
}

/// The exercise of a chapter.
#[derive(Debug)]
pub struct Task {
    /// The name of the chapter.
    pub name: &'static str,
    /// The matrices of the head in sight that it needs.
    pub needs: &'static [Need],
    /// Makes the task of a pass.
    ///
    /// # Errors
    /// If the pass does not have its numbers.
    pub make: fn(&Sizes, Result<&Evidence, Gap>) -> Result<Made, Gap>,
    solution: &'static str,
}

impl Task {
    /// The program that solves it.
    pub fn solved(&self, made: &Made) -> String {
        self.solution.replace("{{given}}", &made.given)
    }
}

macro_rules! task {
    ($name:ident $(, $need:ident)*) => {
        Task {
            name: stringify!($name),
            needs: &[$(Need::$need),*],
            make: $name,
            solution: include_str!(concat!("../../snippets/solutions/", stringify!($name), ".py")),
        }
    };
}

/// The exercises of all chapters.
pub static TASKS: &[Task] = &[
    task!(start, ScaledScores),
    task!(hand, Queries, Keys),
    task!(follow, Scores),
    task!(scale, Scores),
    task!(heads, Weights, OtherWeights),
    task!(positions, Queries, Keys),
    task!(masks, ScaledScores),
    task!(norms, Queries),
    task!(search),
    task!(training, Weights),
    task!(recurrent, Keys),
    task!(layers, Weights),
    task!(embedding, Weights, OtherWeights),
];

/// Returns the exercise of a chapter.
pub fn task_of(chapter: &str) -> Option<&'static Task> {
    TASKS.iter().find(|task| task.name == chapter)
}

/// Numbers as they are given.
fn rounded(values: &[f32]) -> Vec<f64> {
    let shown = values.iter().take(LONGEST);
    shown
        .map(|value| (f64::from(*value) * 1000.0).round() / 1000.0)
        .collect()
}

/// A list in Python.
fn python(values: &[f64]) -> String {
    let values: Vec<_> = values.iter().map(|value| format!("{value:.3}")).collect();
    format!("[{}]", values.join(", "))
}

/// A line of Python that names a list.
fn list(name: &str, values: &[f64]) -> String {
    format!("{name} = {}\n", python(values))
}

/// The beginning of a row that the query sees, and the names of its tokens in Python.
fn row(evidence: &Evidence, need: Need) -> Result<(String, Vec<f64>), Gap> {
    let values = rounded(evidence.visible_row(need)?);
    if values.len() < 2 {
        return Err(Gap::Sentence);
    }
    let names = &evidence.facts.names[..values.len().min(evidence.facts.names.len())];
    let names: Vec<_> = names.iter().map(|name| format!("{name:?}")).collect();
    Ok((format!("tokens = [{}]\n", names.join(", ")), values))
}

fn softmax(scores: &[f64]) -> Vec<f64> {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.into_iter().map(|power| power / sum).collect()
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

fn times(values: &[f64], factor: f64) -> Vec<f64> {
    values.iter().map(|value| value * factor).collect()
}

fn product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

/// The weight of the last token, from scores.
fn start(_: &Sizes, evidence: Result<&Evidence, Gap>) -> Result<Made, Gap> {
    let (names, scores) = row(evidence?, Need::ScaledScores)?;
    let weights = softmax(&scores);
    let last = scores.len() - 1;
    Ok(Made::new(
        names + &list("s", &scores),
        weights[last],
        &[
            (Mistake::NotNormalised, scores[last].exp()),
            (Mistake::NoPowers, scores[last] / scores.iter().sum::<f64>()),
        ],
    ))
}

/// The scaled score of the query and the first key.
fn hand(_: &Sizes, evidence: Result<&Evidence, Gap>) -> Result<Made, Gap> {
    let evidence = evidence?;
    let query = rounded(evidence.row(Need::Queries)?);
    let key = rounded(evidence.matrix(Need::Keys)?.row(&[0]).ok_or(Gap::Loading)?);
    let score = product(&query, &key);
    let width = query.len() as f64;
    let turned = query.first().zip(key.first()).map_or(0.0, |(q, k)| q * k);
    Ok(Made::new(
        list("q", &query) + &list("k", &key),
        score / width.sqrt(),
        &[
            (Mistake::NoScale, score),
            (Mistake::NoRoot, score / width),
            (Mistake::FirstOnly, turned / width.sqrt()),
        ],
    ))
}

/// The largest weight after scaling; with rows and columns exchanged, that of the scores of all queries with one key.
fn follow(sizes: &Sizes, evidence: Result<&Evidence, Gap>) -> Result<Made, Gap> {
    let evidence = evidence?;
    let seen = evidence.facts.seen(evidence.facts.query);
    let matrix = evidence.matrix(Need::Scores)?;
    let keys = seen.start..seen.end.min(seen.start + MOST_ROWS);
    let rows: Option<Vec<Vec<f64>>> = keys
        .clone()
        .map(|query| Some(rounded(matrix.row(&[query])?.get(keys.clone())?)))
        .collect();
    let rows = rows.filter(|rows| rows.len() > 1).ok_or(Gap::Sentence)?;
    let columns = |column: usize| -> Vec<f64> { rows.iter().map(|row| row[column]).collect() };
    let width = sizes.head_width as f64;
    let last = rows.len() - 1;
    let top = |scores: &[f64], factor: f64| largest(&softmax(&times(scores, factor)));
    let given: Vec<_> = rows.iter().map(|row| python(row)).collect();
    let given = format!(
        "S = [{}]\nd_k = {}\n",
        given.join(",\n     "),
        sizes.head_width
    );
    let root = 1.0 / width.sqrt();
    Ok(Made::new(
        given,
        top(&rows[last], root),
        &[
            (Mistake::NoScale, top(&rows[last], 1.0)),
            (Mistake::NoRoot, top(&rows[last], 1.0 / width)),
            (Mistake::Transposed, top(&columns(last), root)),
        ],
    ))
}

/// The largest weight without scaling.
fn scale(sizes: &Sizes, evidence: Result<&Evidence, Gap>) -> Result<Made, Gap> {
    let (names, scores) = row(evidence?, Need::Scores)?;
    let width = sizes.head_width as f64;
    let top = |factor: f64| largest(&softmax(&times(&scores, factor)));
    Ok(Made::new(
        names + &list("scores", &scores) + &format!("d_k = {}\n", sizes.head_width),
        top(1.0),
        &[
            (Mistake::Scaled, top(1.0 / width.sqrt())),
            (Mistake::NoRoot, top(1.0 / width)),
        ],
    ))
}

/// The total variation between the rows of two heads.
fn heads(_: &Sizes, evidence: Result<&Evidence, Gap>) -> Result<Made, Gap> {
    let (names, one, other) = two_rows(evidence?)?;
    let differences: Vec<f64> = one.iter().zip(&other).map(|(a, b)| a - b).collect();
    let sum: f64 = differences.iter().map(|difference| difference.abs()).sum();
    Ok(Made::new(
        names + &list("a", &one) + &list("b", &other),
        sum / 2.0,
        &[
            (Mistake::NoHalf, sum),
            (Mistake::Sign, differences.iter().sum::<f64>() / 2.0),
        ],
    ))
}

/// The query's rows of two heads.
fn two_rows(evidence: &Evidence) -> Result<(String, Vec<f64>, Vec<f64>), Gap> {
    let (names, one) = row(evidence, Need::Weights)?;
    let (_, other) = row(evidence, Need::OtherWeights)?;
    Ok((names, one, other))
}

/// The product of two pairs of numbers after RoPE: of the query at its place and of the first key at 0.
fn positions(_: &Sizes, evidence: Result<&Evidence, Gap>) -> Result<Made, Gap> {
    let evidence = evidence?;
    let query = rounded(evidence.row(Need::Queries)?);
    let key = rounded(evidence.matrix(Need::Keys)?.row(&[0]).ok_or(Gap::Loading)?);
    let (p, d) = (
        evidence.facts.query as f64,
        evidence.facts.stack.head_width as f64,
    );
    let pair = |row: &[f64]| row.get(2..4).map(<[f64]>::to_vec).ok_or(Gap::Model);
    let (q, k) = (pair(&query)?, pair(&key)?);
    if p == 0.0 {
        return Err(Gap::Sentence);
    }
    let turned = |angle: f64| {
        let (sine, cosine) = angle.sin_cos();
        product(
            &[q[0] * cosine - q[1] * sine, q[0] * sine + q[1] * cosine],
            &k,
        )
    };
    let angle = |exponent: f64| p / 10_000f64.powf(exponent / d);
    Ok(Made::new(
        list("q", &q) + &list("k", &k) + &format!("p = {p}\nd = {d}\ni = 1\n"),
        turned(angle(2.0)),
        &[
            (Mistake::Sign, turned(-angle(2.0))),
            (Mistake::NoTwo, turned(angle(1.0))),
            (Mistake::NotTurned, turned(0.0)),
        ],
    ))
}

/// The weight of the first token where only the first half is visible.
fn masks(_: &Sizes, evidence: Result<&Evidence, Gap>) -> Result<Made, Gap> {
    let (names, scores) = row(evidence?, Need::ScaledScores)?;
    let visible = scores.len().div_ceil(2);
    let zeroed: Vec<f64> = (0..scores.len())
        .map(|key| if key < visible { scores[key] } else { 0.0 })
        .collect();
    Ok(Made::new(
        names + &list("s", &scores) + &format!("visible = {visible}\n"),
        softmax(&scores[..visible])[0],
        &[
            (Mistake::MaskedWeights, softmax(&scores)[0]),
            (Mistake::MaskedWithZero, softmax(&zeroed)[0]),
        ],
    ))
}

/// The first number of a vector after LayerNorm.
fn norms(_: &Sizes, evidence: Result<&Evidence, Gap>) -> Result<Made, Gap> {
    let x = rounded(evidence?.row(Need::Queries)?);
    let [first, _, ..] = x[..] else {
        return Err(Gap::Sentence);
    };
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    let squares: f64 = x.iter().map(|value| (value - mean).powi(2)).sum();
    let (variance, sample) = (squares / n, squares / (n - 1.0));
    let mean_square = product(&x, &x) / n;
    Ok(Made::new(
        list("x", &x),
        (first - mean) / variance.sqrt(),
        &[
            (Mistake::NoMean, first / mean_square.sqrt()),
            (Mistake::Variance, (first - mean) / variance),
            (Mistake::Sample, (first - mean) / sample.sqrt()),
        ],
    ))
}

/// The mean logarithm of the probabilities of the written tokens.
fn search(_: &Sizes, evidence: Result<&Evidence, Gap>) -> Result<Made, Gap> {
    let decoding = evidence?.decoding.as_ref().ok_or(Gap::Sentence)?;
    let chosen = decoding
        .steps
        .iter()
        .map(|step| step.chosen.log_probability);
    let log_p = rounded(&chosen.collect::<Vec<_>>());
    if log_p.len() < 2 {
        return Err(Gap::Sentence);
    }
    let sum: f64 = log_p.iter().sum();
    let mean = sum / log_p.len() as f64;
    Ok(Made::new(
        list("log_p", &log_p),
        mean,
        &[
            (Mistake::NotAveraged, sum),
            (Mistake::Sign, -mean),
            (Mistake::Exponential, mean.exp()),
        ],
    ))
}

/// The gradient of cross-entropy at the logit of the right token.
fn training(_: &Sizes, evidence: Result<&Evidence, Gap>) -> Result<Made, Gap> {
    let (names, p) = row(evidence?, Need::Weights)?;
    Ok(Made::new(
        names + &list("p", &p) + "target = 0\n",
        p[0] - 1.0,
        &[
            (Mistake::Sign, 1.0 - p[0]),
            (Mistake::NoTarget, p[0]),
            (Mistake::ByProbability, -1.0 / p[0]),
        ],
    ))
}

/// The gradient from the last state of a unit to the one before the first, over the first numbers of keys.
fn recurrent(_: &Sizes, evidence: Result<&Evidence, Gap>) -> Result<Made, Gap> {
    let evidence = evidence?;
    let keys = evidence.matrix(Need::Keys)?;
    let count = evidence.facts.visible().min(MOST_ROWS);
    let first = |place: usize| keys.row(&[place])?.first().copied();
    let inputs: Option<Vec<f32>> = (0..count).map(first).collect();
    let inputs = rounded(&inputs.ok_or(Gap::Loading)?);
    if inputs.len() < 2 {
        return Err(Gap::Sentence);
    }
    let u: f64 = 1.2;
    let (mut state, mut factors) = (0.0, vec![]);
    for x in &inputs {
        state = f64::tanh(u * state + x);
        factors.push(u * (1.0 - state * state));
    }
    let all = |factors: &[f64]| factors.iter().product::<f64>();
    Ok(Made::new(
        list("x", &inputs) + &format!("u = {u}\n"),
        all(&factors),
        &[
            (Mistake::NoSlope, u.powi(inputs.len() as i32)),
            (Mistake::OffByOne, all(&factors[1..])),
        ],
    ))
}

/// The weight on tokens that a causal convolution of two positions does not see.
fn layers(_: &Sizes, evidence: Result<&Evidence, Gap>) -> Result<Made, Gap> {
    let evidence = evidence?;
    let (names, weights) = row(evidence, Need::Weights)?;
    let (q, k) = (evidence.facts.query, 2);
    let outside = |k: usize| -> f64 {
        let seen = |key: usize| key <= q && key + k > q;
        let hidden = (0..weights.len()).filter(|&key| !seen(key));
        hidden.map(|key| weights[key]).sum()
    };
    if q >= weights.len() || weights.len() < 3 {
        return Err(Gap::Sentence);
    }
    Ok(Made::new(
        names + &list("w", &weights) + &format!("q = {q}\nk = {k}\n"),
        outside(k),
        &[
            (Mistake::OffByOne, outside(k - 1)),
            (Mistake::Seen, weights.iter().sum::<f64>() - outside(k)),
        ],
    ))
}

/// The penalty of two rows.
fn embedding(_: &Sizes, evidence: Result<&Evidence, Gap>) -> Result<Made, Gap> {
    let (names, one, other) = two_rows(evidence?)?;
    let products = [
        product(&one, &one),
        product(&one, &other),
        product(&other, &other),
    ];
    let [a, b, c] = products;
    let penalty = (a - 1.0).powi(2) + 2.0 * b * b + (c - 1.0).powi(2);
    Ok(Made::new(
        names + &list("a", &one) + &list("b", &other),
        penalty,
        &[
            (Mistake::NoIdentity, a * a + 2.0 * b * b + c * c),
            (Mistake::NoSquare, penalty.sqrt()),
        ],
    ))
}
