//! Pictures that are drawn step by step: vectors as rows of cells, connections, dots, frames and words, each with the
//! step at which it appears.

use crate::{
    color::{self, Rgb, Theme, css},
    model_map::Rect,
    plot::text::escaped,
    sentence::current_color,
};

/// The size of the picture's words, in CSS pixels.
pub const TYPE_PX: f64 = 12.0;
/// The radius of the corners of a frame, in CSS pixels.
const CORNER_PX: f64 = 5.0;

/// A picture whose marks appear one step after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Staged {
    /// The width of the picture, in CSS pixels.
    pub width: f64,
    /// The height of the picture, in CSS pixels.
    pub height: f64,
    /// True if marks of later steps are drawn faintly.
    pub foreshadows: bool,
    /// The marks, the lowest first.
    pub marks: Vec<StagedMark>,
}

/// A mark, and the steps at which it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct StagedMark {
    /// The first step at which it is drawn, from 0.
    pub from: usize,
    /// The last step at which it is drawn; `usize::MAX` if it stays.
    pub until: usize,
    /// The thing that is drawn.
    pub mark: Piece,
}

/// The meaning of a mark's colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Words and frames that matter.
    Ink,
    /// Words and lines in the background.
    Soft,
    /// The token in question.
    Current,
    /// A colour of its own, the same for the same number.
    Series(usize),
}

impl Tone {
    /// Returns the tone's colour.
    pub fn rgb(self, theme: Theme) -> Rgb {
        let furniture = color::furniture(theme);
        match self {
            Tone::Ink => furniture.ink,
            Tone::Soft => furniture.axis,
            Tone::Current => current_color(theme),
            Tone::Series(index) => color::categorical(index, theme),
        }
    }
}

/// The alignment of words to their point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// The words begin at the point.
    Start,
    /// The words' middle is at the point.
    Middle,
    /// The words end at the point.
    End,
}

/// The colours of cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cells {
    /// Attention weights, from 0 to 1.
    Weights,
    /// Numbers of either sign; the largest colour is for this magnitude.
    Signed(f32),
}

/// A thing that is drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// A vector as a row of cells.
    Vector {
        /// The place of the row.
        at: Rect,
        /// The name of the vector in files.
        name: String,
        /// Its numbers, of which the first are drawn.
        values: Vec<f32>,
        /// The number of cells that are drawn.
        shown: usize,
        /// The colours of the cells.
        cells: Cells,
    },
    /// A frame around something.
    Frame {
        /// The place of the frame.
        at: Rect,
        /// The colour of its edge.
        tone: Tone,
        /// True if its ground is tinted.
        tinted: bool,
        /// True if its edge is dashed.
        dashed: bool,
    },
    /// A connection between two points.
    Line {
        /// The beginning of the connection.
        from: [f64; 2],
        /// The end of the connection.
        to: [f64; 2],
        /// The width of the connection, in CSS pixels.
        width: f64,
        /// The colour of the connection.
        tone: Tone,
        /// True if the end has a point.
        pointed: bool,
        /// The name of the connection in files; empty if it has no number.
        name: String,
        /// The number that the width shows.
        value: Option<f32>,
    },
    /// A dot at a point.
    Dot {
        /// The centre of the dot.
        at: [f64; 2],
        /// The radius, in CSS pixels.
        radius: f64,
        /// The colour of the dot.
        tone: Tone,
        /// True if only its edge is drawn.
        hollow: bool,
    },
    /// Words beside a point.
    Words {
        /// The point that the base line passes.
        at: [f64; 2],
        /// The alignment to the point.
        align: Align,
        /// The colour of the words.
        tone: Tone,
        /// The text of the words.
        text: String,
    },
}

impl Staged {
    /// Creates a picture without marks.
    pub fn new(width: f64, height: f64) -> Self {
        Staged {
            width,
            height,
            foreshadows: false,
            marks: Vec::new(),
        }
    }

    /// Adds a mark that stays from a step on.
    pub fn add(&mut self, from: usize, mark: Piece) {
        self.marks.push(StagedMark {
            from,
            until: usize::MAX,
            mark,
        });
    }

    /// Adds a mark that is drawn at one step alone.
    pub fn add_at(&mut self, step: usize, mark: Piece) {
        self.marks.push(StagedMark {
            from: step,
            until: step,
            mark,
        });
    }

    /// Returns the marks that are drawn at a step.
    pub fn at(&self, step: usize) -> impl Iterator<Item = &StagedMark> {
        let marks = self.marks.iter();
        marks.filter(move |mark| (mark.from..=mark.until).contains(&step))
    }

    /// Returns the picture at a step as an SVG document; marks of the step itself have the class `is-new`,
    /// and those of later ones `is-later`.
    pub fn svg(&self, step: usize, theme: Theme) -> String {
        let mut svg = format!(
            r#"<svg viewBox="0 0 {:.1} {:.1}" class="staged-drawing" aria-hidden="true">"#,
            self.width, self.height
        );
        for mark in &self.marks {
            let class = match mark.from {
                from if from > step && self.foreshadows => "is-later",
                from if from > step || mark.until < step => continue,
                from if from == step && step > 0 => "is-new",
                _ => "",
            };
            mark.mark.write(&mut svg, class, theme);
        }
        svg.push_str("</svg>");
        svg
    }
}

impl Piece {
    fn write(&self, svg: &mut String, class: &str, theme: Theme) {
        match self {
            Piece::Vector { .. } => {
                svg.push_str(&format!(r#"<g class="staged-vector {class}">"#));
                for (rect, fill) in self.cells(theme) {
                    svg.push_str(&format!(
                        r#"<rect x="{:.2}" y="{:.2}" width="{:.2}" height="{:.2}" fill="{}"/>"#,
                        rect.x,
                        rect.y,
                        rect.width,
                        rect.height,
                        css(fill)
                    ));
                }
                svg.push_str("</g>");
            }
            Piece::Frame {
                at,
                tone,
                tinted,
                dashed,
            } => svg.push_str(&format!(
                r#"<rect class="staged-frame {class}" x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}" rx="{CORNER_PX}" fill="{}" stroke="{}"{}/>"#,
                at.x,
                at.y,
                at.width,
                at.height,
                ground(*tone, *tinted, theme),
                css(tone.rgb(theme)),
                dashes(*dashed)
            )),
            Piece::Line {
                from: [x1, y1],
                to: [x2, y2],
                width,
                tone,
                pointed,
                ..
            } => {
                let stroke = css(tone.rgb(theme));
                svg.push_str(&format!(
                    r#"<path class="staged-line {class}" pathLength="1" d="M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}" stroke="{stroke}" stroke-width="{width:.2}"/>"#
                ));
                if *pointed {
                    let [a, b] = point_of([*x1, *y1], [*x2, *y2]);
                    svg.push_str(&format!(
                        r#"<path class="staged-point {class}" d="M{x2:.1} {y2:.1}L{:.1} {:.1}L{:.1} {:.1}Z" fill="{stroke}"/>"#,
                        a[0], a[1], b[0], b[1]
                    ));
                }
            }
            Piece::Dot {
                at: [x, y],
                radius,
                tone,
                hollow,
            } => {
                let ink = css(tone.rgb(theme));
                let fill = if *hollow { "none" } else { ink.as_str() };
                svg.push_str(&format!(
                    r#"<circle class="{class}" cx="{x:.1}" cy="{y:.1}" r="{radius:.1}" fill="{fill}" stroke="{ink}"/>"#
                ));
            }
            Piece::Words {
                at: [x, y],
                align,
                tone,
                text,
            } => {
                let anchor = match align {
                    Align::Start => "start",
                    Align::Middle => "middle",
                    Align::End => "end",
                };
                svg.push_str(&format!(
                    r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" fill="{}">{}</text>"#,
                    css(tone.rgb(theme)),
                    escaped(text)
                ));
            }
        }
    }

    /// Returns the name and the numbers that the mark shows; no numbers of one that shows none.
    pub(crate) fn numbers(&self) -> (&str, &[f32]) {
        match self {
            Piece::Vector { name, values, .. } => (name, values),
            Piece::Line { name, value, .. } => (name, value.as_slice()),
            Piece::Frame { .. } | Piece::Dot { .. } | Piece::Words { .. } => ("", &[]),
        }
    }

    /// Returns the cells of a vector with their colours; none of other marks.
    pub(crate) fn cells(&self, theme: Theme) -> Vec<(Rect, Rgb)> {
        let Piece::Vector {
            at,
            values,
            shown,
            cells,
            ..
        } = self
        else {
            return Vec::new();
        };
        let shown = (*shown).min(values.len());
        let pitch = at.width / shown.max(1) as f64;
        // Cells that are wide enough are separate boxes.
        let gap = if pitch >= 5.0 { 1.0 } else { 0.0 };
        let cell = |(place, &value): (usize, &f32)| {
            let rect = Rect {
                x: at.x + pitch * place as f64,
                width: pitch - gap,
                ..*at
            };
            (rect, cells.color(value, theme))
        };
        values.iter().take(shown).enumerate().map(cell).collect()
    }
}

impl Cells {
    /// Returns the colour of a number.
    fn color(self, value: f32, theme: Theme) -> Rgb {
        match self {
            _ if !value.is_finite() => color::masked(theme),
            Cells::Weights => color::sequential(value, theme),
            Cells::Signed(most) => color::diverging(value / most.max(f32::MIN_POSITIVE), theme),
        }
    }

    /// Returns the colours for vectors of any sign, whose largest magnitude gets the largest colour.
    pub fn signed_for<'a>(vectors: impl IntoIterator<Item = &'a [f32]>) -> Self {
        let values = vectors.into_iter().flatten().copied();
        let finite = values.filter(|value| value.is_finite());
        Cells::Signed(finite.fold(0.0, |most, value| most.max(value.abs())))
    }
}

/// Returns the ground of a frame as a CSS value.
pub(crate) fn ground(tone: Tone, tinted: bool, theme: Theme) -> String {
    match tinted {
        true => css(color::blend(
            tone.rgb(theme),
            color::furniture(theme).page,
            0.12,
        )),
        false => "none".to_owned(),
    }
}

/// Returns the attribute of a dashed edge.
pub(crate) fn dashes(dashed: bool) -> &'static str {
    if dashed {
        r#" stroke-dasharray="4 4""#
    } else {
        ""
    }
}

/// Returns both corners of a line's point beside its end.
pub(crate) fn point_of([x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) -> [[f64; 2]; 2] {
    const LENGTH_PX: f64 = 7.0;
    const HALF_PX: f64 = 3.5;
    let (dx, dy) = (x2 - x1, y2 - y1);
    let length = dx.hypot(dy).max(f64::MIN_POSITIVE);
    let (ux, uy) = (dx / length, dy / length);
    let (x, y) = (x2 - LENGTH_PX * ux, y2 - LENGTH_PX * uy);
    [
        [x - HALF_PX * uy, y + HALF_PX * ux],
        [x + HALF_PX * uy, y - HALF_PX * ux],
    ]
}

/// Returns the number of cells that fit into a width, at least two pixels each, and all if they fit.
pub fn cells_in(width: f64, values: usize) -> usize {
    const LEAST_PX: f64 = 2.0;
    values.min((width / LEAST_PX).floor().max(1.0) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Rect = Rect {
        x: 10.0,
        y: 5.0,
        width: 40.0,
        height: 8.0,
    };

    fn vector(values: &[f32], shown: usize) -> Piece {
        Piece::Vector {
            at: AT,
            name: "x".to_owned(),
            values: values.to_vec(),
            shown,
            cells: Cells::signed_for([values]),
        }
    }

    #[test]
    fn marks_are_drawn_from_their_step_on() {
        let mut picture = Staged::new(100.0, 50.0);
        picture.add(0, vector(&[1.0], 1));
        picture.add(2, vector(&[1.0], 1));
        picture.add_at(1, vector(&[1.0], 1));
        let counts = [0, 1, 2, 3].map(|step| picture.at(step).count());
        assert_eq!(counts, [1, 2, 2, 2]);
        assert!(!picture.svg(0, Theme::Light).contains("is-new"));
        assert_eq!(picture.svg(1, Theme::Light).matches("is-new").count(), 1);
        assert_eq!(picture.svg(3, Theme::Light).matches("is-new").count(), 0);
        assert!(!picture.svg(0, Theme::Light).contains("is-later"));
        picture.foreshadows = true;
        assert_eq!(picture.svg(0, Theme::Light).matches("is-later").count(), 2);
    }

    #[test]
    fn cells_fill_their_row_and_the_largest_magnitude_has_the_strongest_colour() {
        let cells = vector(&[-2.0, 1.0, f32::NEG_INFINITY, 2.0], 4).cells(Theme::Light);
        assert_eq!(cells.len(), 4);
        let last = cells[3].0;
        assert!((last.x + last.width + 1.0 - (AT.x + AT.width)).abs() < 1e-9);
        assert_eq!(cells[0].1, color::diverging(-1.0, Theme::Light));
        assert_eq!(cells[3].1, color::diverging(1.0, Theme::Light));
        assert_eq!(cells[2].1, color::masked(Theme::Light));
        assert_eq!(vector(&[1.0; 9], 4).cells(Theme::Dark).len(), 4);
    }

    #[test]
    fn a_row_shows_as_many_cells_as_fit() {
        assert_eq!(cells_in(340.0, 256), 170);
        assert_eq!(cells_in(340.0, 32), 32);
        assert_eq!(cells_in(0.0, 32), 1);
    }

    #[test]
    fn words_are_escaped() {
        let mut picture = Staged::new(10.0, 10.0);
        picture.add(
            0,
            Piece::Words {
                at: [0.0, 0.0],
                align: Align::End,
                tone: Tone::Ink,
                text: "<b>".to_owned(),
            },
        );
        assert!(picture.svg(0, Theme::Dark).contains("&lt;b&gt;"));
    }

    #[test]
    fn a_point_lies_before_the_end_on_both_sides() {
        assert_eq!(
            point_of([0.0, 0.0], [20.0, 0.0]),
            [[13.0, 3.5], [13.0, -3.5]]
        );
    }
}
