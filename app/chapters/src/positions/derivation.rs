//! The turn derived from the sum of angles, line by line, with the query's own numbers.

use crate::positions::parameters::Encodings;
use attention_trace::positions::rotation_matrix;
use leptos::prelude::*;

use super::turn::{BASE, QUERY, QueryPlace};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    state::ViewState,
    widgets::{ScrollRegion, numbers::decimal},
};

/// Decimals of every number here.
const DECIMALS: usize = 3;

#[derive(Clone, Debug, PartialEq)]
struct Line {
    /// The formula in symbols.
    formula: &'static str,
    /// The same in numbers.
    numbers: String,
    /// The value of the formula.
    result: f32,
}

/// The query turned anticlockwise to position `m`: its length and angle, the angle it is turned by, and its new
/// coordinates, each from the sum of angles to the matrix's form.
fn lines(m: usize) -> Vec<Line> {
    let [x, y] = QUERY;
    let (r, phi) = (x.hypot(y), y.atan2(x));
    // The first pair's frequency is 1: a radian for each position.
    let theta = m as f32;
    let (cos, sin) = (theta.cos(), theta.sin());
    let write = |value: f32| decimal(value, DECIMALS);
    let line = |formula, numbers, result| Line {
        formula,
        numbers,
        result,
    };
    let products = |a: f32, b: f32, sign: &str, c: f32, d: f32| {
        format!(
            "{} · {} {sign} {} · {}",
            write(a),
            factor(b),
            write(c),
            factor(d)
        )
    };
    vec![
        line(
            "r = √(x² + y²)",
            format!("√({}² + {}²)", write(x), write(y)),
            r,
        ),
        line(
            "φ = atan2(y, x)",
            format!("atan2({}, {})", write(y), write(x)),
            phi,
        ),
        line(
            "x = r cos φ",
            format!("{} · cos {}", write(r), write(phi)),
            r * phi.cos(),
        ),
        line(
            "y = r sin φ",
            format!("{} · sin {}", write(r), write(phi)),
            r * phi.sin(),
        ),
        line("θ = m · 1", format!("{m} · 1"), theta),
        line(
            "x′ = r cos(φ + θ)",
            format!("{} · cos({} + {})", write(r), write(phi), write(theta)),
            r * (phi + theta).cos(),
        ),
        line(
            "= r cos φ cos θ − r sin φ sin θ",
            products(r * phi.cos(), cos, "−", r * phi.sin(), sin),
            r * phi.cos() * cos - r * phi.sin() * sin,
        ),
        line(
            "= x cos θ − y sin θ",
            products(x, cos, "−", y, sin),
            x * cos - y * sin,
        ),
        line(
            "y′ = r sin(φ + θ)",
            format!("{} · sin({} + {})", write(r), write(phi), write(theta)),
            r * (phi + theta).sin(),
        ),
        line(
            "= r cos φ sin θ + r sin φ cos θ",
            products(r * phi.cos(), sin, "+", r * phi.sin(), cos),
            r * phi.cos() * sin + r * phi.sin() * cos,
        ),
        line(
            "= x sin θ + y cos θ",
            products(x, sin, "+", y, cos),
            x * sin + y * cos,
        ),
    ]
}

/// A number after a sign of multiplication: a negative one in brackets.
fn factor(value: f32) -> String {
    let text = decimal(value, DECIMALS);
    match value < 0.0 {
        true => format!("({text})"),
        false => text,
    }
}

/// The same coordinates by the matrix that the model's function makes.
fn by_matrix(m: usize) -> [Line; 2] {
    let matrix = rotation_matrix(m as isize, 2, BASE);
    let [x, y] = QUERY;
    let row = |formula, row: usize| {
        let (a, b) = (matrix[2 * row], matrix[2 * row + 1]);
        let write = |value| decimal(value, DECIMALS);
        Line {
            formula,
            numbers: format!("{} · {} + {} · {}", write(a), write(x), factor(b), write(y)),
            result: a * x + b * y,
        }
    };
    [row("(R(m)q)₁", 0), row("(R(m)q)₂", 1)]
}

/// The lines, and the slider that moves the query.
#[component]
pub fn Derivation() -> impl IntoView {
    let i18n = use_i18n();
    let place = ViewState::expect().select(|view| view.chapters.of::<Encodings>().query);
    let name = Signal::derive(move || t_string!(i18n, encodings.derivation).to_owned());
    let row = |line: Line| {
        view! {
            <tr>
                <th scope="row">{line.formula}</th>
                <td class="number">{line.numbers}</td>
                <td class="number">{decimal(line.result, DECIMALS)}</td>
            </tr>
        }
    };
    view! {
        <section class="lesson-figure" data-testid="derivation">
            <QueryPlace test_id="derivation-query" />
            <ScrollRegion class="lesson-table" test_id="derivation-lines" name>
                <table aria-label=name>
                    <thead>
                        <tr>
                            <th scope="col">{t!(i18n, encodings.step)}</th>
                            <th scope="col">
                                {move || t_string!(i18n, encodings.in_numbers, m = place.get())}
                            </th>
                            <th scope="col">{t!(i18n, encodings.result)}</th>
                        </tr>
                    </thead>
                    <tbody>{move || lines(place.get()).into_iter().map(row).collect_view()}</tbody>
                    <tbody>{move || by_matrix(place.get()).into_iter().map(row).collect_view()}</tbody>
                </table>
            </ScrollRegion>
            <p class="hint">{t!(i18n, encodings.derivation_text)}</p>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_comes_to_what_the_models_matrix_gives() {
        for m in Encodings::PLACES.0..=Encodings::PLACES.1 {
            let lines = lines(m);
            let [x, y] = by_matrix(m).map(|line| line.result);
            for line in &lines[5..8] {
                assert!((line.result - x).abs() < 1e-4, "{m}: {}", line.formula);
            }
            for line in &lines[8..] {
                assert!((line.result - y).abs() < 1e-4, "{m}: {}", line.formula);
            }
        }
    }

    #[test]
    fn the_coordinates_are_those_of_length_and_angle() {
        let lines = lines(0);
        assert!((lines[2].result - QUERY[0]).abs() < 1e-6);
        assert!((lines[3].result - QUERY[1]).abs() < 1e-6);
        // Not turned at all.
        assert!((lines[5].result - QUERY[0]).abs() < 1e-6);
    }

    #[test]
    fn a_quarter_turn_or_more_is_anticlockwise() {
        // By two radians, 114.6°, from the first quadrant into the second.
        let lines = lines(2);
        assert_eq!(lines[7].numbers, "1.600 · (−0.416) − 0.500 · 0.909");
        assert!(lines[7].result < 0.0 && lines[10].result > 0.0);
    }
}
