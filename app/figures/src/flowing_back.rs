//! A gradient on its way back from the loss: a row for each place with two bars, on a logarithmic scale, one for a stack
//! with residual connections and one for a stack without.

use crate::{
    number::{scientific, significant},
    staged::{Align, Piece, Staged, Tone},
};

/// A place that the gradient passes.
#[derive(Clone, Debug, PartialEq)]
pub struct Passed {
    /// The name of the place.
    pub name: String,
    /// True on the way from layer to layer, false on a branch of it.
    pub is_on_stream: bool,
    /// The norms of the gradient with residual connections and without.
    pub norms: [f32; 2],
}

/// The places from the loss back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowingBack {
    /// The name of the loss, in the first row.
    pub loss: String,
    /// The names of both stacks.
    pub stacks: [String; 2],
    /// The places, the one below the loss first.
    pub passed: Vec<Passed>,
}

/// The room of the names, and that of the numbers at the right.
const NAMES: f64 = 128.0;
const NUMBERS: f64 = 74.0;
/// The height of the key and the axis above the rows.
const HEAD: f64 = 46.0;
/// The height of a row, of a place on the stream and of a branch.
const ROW: f64 = 34.0;
const BAR: f64 = 8.0;
/// The stream's and the branches' distances from the left edge.
const STREAM: f64 = 8.0;
const BRANCH: f64 = 20.0;
/// The smallest power of ten that is drawn, and the most powers between two of the axis.
const LEAST: i32 = -30;
const NAMED: f64 = 46.0;

impl FlowingBack {
    /// The number of steps: the loss, then a place at each.
    pub fn steps(&self) -> usize {
        match self.passed.len() {
            0 => 0,
            places => places + 1,
        }
    }

    /// The powers of ten at both ends of the axis.
    fn powers(&self) -> [i32; 2] {
        let norms = self.passed.iter().flat_map(|place| place.norms);
        let powers = norms
            .filter(|norm| *norm > 0.0 && norm.is_finite())
            .map(|norm| norm.log10());
        let [least, most] = powers
            .fold([f32::INFINITY, f32::NEG_INFINITY], |[low, high], power| {
                [low.min(power), high.max(power)]
            });
        if least > most {
            return [-1, 0];
        }
        let low = (least.floor() as i32).max(LEAST);
        [low, (most.ceil() as i32).max(low + 1)]
    }

    /// Returns the picture: step 0 has the loss, and each later one a place.
    pub fn picture(&self, width: f64) -> Staged {
        let mut picture = Staged::new(width, HEAD + ROW * self.steps() as f64);
        let [low, high] = self.powers();
        let room = (width - NAMES - NUMBERS).max(1.0);
        let x = |power: f32| {
            let share = (f64::from(power) - f64::from(low)) / f64::from(high - low);
            NAMES + room * share.clamp(0.0, 1.0)
        };
        self.axis(&mut picture, [low, high], x, room);
        let row = |place: usize| HEAD + ROW * (place as f64 + 0.5);
        picture.add(0, dot([STREAM, row(0)], Tone::Current, false));
        picture.add(
            0,
            words(
                [BRANCH + 8.0, row(0) + 4.0],
                Align::Start,
                Tone::Ink,
                &self.loss,
            ),
        );
        let mut above = row(0);
        for (place, passed) in self.passed.iter().enumerate() {
            let (step, y) = (place + 1, row(place + 1));
            let at = if passed.is_on_stream { STREAM } else { BRANCH };
            picture.add(step, arrow([STREAM, above + 4.0], [at, y - 4.0]));
            picture.add(step, dot([at, y], Tone::Current, !passed.is_on_stream));
            if passed.is_on_stream {
                above = y;
            }
            let at = [BRANCH + 8.0, y + 4.0];
            picture.add(0, words(at, Align::Start, Tone::Ink, &passed.name));
            for (stack, norm) in passed.norms.into_iter().enumerate() {
                let y = y + (stack as f64 - 0.5) * (BAR + 5.0);
                let end = x(norm.max(f32::MIN_POSITIVE).log10());
                picture.add(
                    step,
                    Piece::Line {
                        from: [NAMES, y],
                        to: [end.max(NAMES + 1.0), y],
                        width: BAR,
                        tone: Tone::Series(stack),
                        pointed: false,
                        name: format!("{}, {}", passed.name, self.stacks[stack]),
                        value: Some(norm),
                    },
                );
                let at = [width - 2.0, y + 4.0];
                picture.add(step, words(at, Align::End, Tone::Ink, &significant(norm)));
            }
        }
        picture
    }

    /// Adds the key of the colours and the powers of ten.
    fn axis(&self, picture: &mut Staged, [low, high]: [i32; 2], x: impl Fn(f32) -> f64, room: f64) {
        for (stack, name) in self.stacks.iter().enumerate() {
            let left = stack as f64 * picture.width / 2.0;
            let from = [left + 2.0, 10.0];
            picture.add(
                0,
                Piece::Line {
                    from,
                    to: [left + 18.0, 10.0],
                    width: BAR,
                    tone: Tone::Series(stack),
                    pointed: false,
                    name: String::new(),
                    value: None,
                },
            );
            picture.add(0, words([left + 24.0, 14.0], Align::Start, Tone::Ink, name));
        }
        let between = (NAMED * f64::from(high - low) / room).ceil().max(1.0) as usize;
        let bottom = picture.height;
        for power in (low..=high).rev().step_by(between) {
            let at = x(power as f32);
            let text = match power {
                0 => "1".to_owned(),
                power => format!("10{}", raised(power)),
            };
            picture.add(0, words([at, HEAD - 8.0], Align::Middle, Tone::Soft, &text));
            picture.add(
                0,
                line([at, HEAD - 2.0], [at, bottom], 0.5, Tone::Soft, false),
            );
        }
    }
}

/// A whole number as an exponent.
fn raised(power: i32) -> String {
    let written = scientific(10f32.powi(power));
    written
        .split("10")
        .last()
        .map(str::to_owned)
        .unwrap_or(written)
}

fn arrow(from: [f64; 2], to: [f64; 2]) -> Piece {
    line(from, to, 1.5, Tone::Current, true)
}

fn line(from: [f64; 2], to: [f64; 2], width: f64, tone: Tone, pointed: bool) -> Piece {
    Piece::Line {
        from,
        to,
        width,
        tone,
        pointed,
        name: String::new(),
        value: None,
    }
}

fn dot(at: [f64; 2], tone: Tone, hollow: bool) -> Piece {
    Piece::Dot {
        at,
        radius: 3.5,
        tone,
        hollow,
    }
}

fn words(at: [f64; 2], align: Align, tone: Tone, text: &str) -> Piece {
    Piece::Words {
        at,
        align,
        tone,
        text: text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flowing() -> FlowingBack {
        let passed = |name: &str, is_on_stream, norms| Passed {
            name: name.to_owned(),
            is_on_stream,
            norms,
        };
        FlowingBack {
            loss: "loss".to_owned(),
            stacks: ["with", "without"].map(str::to_owned),
            passed: vec![
                passed("layer 1", true, [0.5, 0.5]),
                passed("attention", false, [0.5, 0.02]),
                passed("embedding", true, [2.0, 3e-4]),
            ],
        }
    }

    /// The bars of a step with their norms and lengths.
    fn bars(picture: &Staged, step: usize) -> Vec<(f32, f64)> {
        let marks = picture.at(step).filter(|mark| mark.from == step);
        let bar = |mark: &crate::staged::StagedMark| match &mark.mark {
            Piece::Line {
                from,
                to,
                value: Some(value),
                ..
            } => Some((*value, to[0] - from[0])),
            _ => None,
        };
        marks.filter_map(bar).collect()
    }

    #[test]
    fn each_step_has_the_bars_of_one_place() {
        let flowing = flowing();
        assert_eq!(flowing.steps(), 4);
        assert_eq!(flowing.powers(), [-4, 1]);
        let picture = flowing.picture(360.0);
        assert!(bars(&picture, 0).is_empty());
        let norms = |step| -> Vec<f32> {
            let bars = bars(&picture, step).into_iter();
            bars.map(|(norm, _)| norm).collect()
        };
        assert_eq!(norms(1), [0.5, 0.5]);
        assert_eq!(norms(3), [2.0, 3e-4]);
    }

    #[test]
    fn a_tenth_is_as_much_shorter_everywhere() {
        let mut flowing = flowing();
        flowing.passed[0].norms = [1.0, 0.1];
        flowing.passed[1].norms = [0.01, 0.001];
        let picture = flowing.picture(600.0);
        let difference = |step| {
            let bars = bars(&picture, step);
            bars[0].1 - bars[1].1
        };
        assert!((difference(1) - difference(2)).abs() < 1e-3);
        assert!(difference(1) > 10.0);
    }

    #[test]
    fn a_gradient_of_zero_has_a_bar_all_the_same() {
        let mut flowing = flowing();
        flowing.passed[2].norms = [0.0, 0.0];
        let bars = bars(&flowing.picture(360.0), 3);
        assert!(bars.iter().all(|bar| bar.1 > 0.0), "{bars:?}");
        assert_eq!(FlowingBack::default().steps(), 0);
    }

    #[test]
    fn exponents_are_raised() {
        assert_eq!([-12, 1].map(raised), ["⁻¹²", "¹"]);
    }
}
